"""What is read off a release: supports from what counts best, rows from the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from halfmask.data import Baskets, Countable, Itemset, Table
from halfmask.measures import Comparison, Reading, Readings, Unmeasured, compare
from halfmask.randomness import Randomness

OF_BASKETS = (
    "item_frequencies",
    "pair_frequencies",
    "patterns_kept",
    "support_difference",
    "rules_kept",
    "basket_lengths",
    "nas",
    "copied_rows",
)
OF_TABLES = ("marginals_1", "marginals_2", "item_frequencies", "patterns_kept", "rules_kept")
OF_HIDING = ("cells_changed", "misses_cost", "artifactual", "side_effects", "hiding_failure")
OF_ONE_METHOD = (
    "fake_records",
    "column_attack",
    "group_attack",
    "item_disclosure",
    "bit_privacy",
    "generalisation",
)
BY_COUNTS = (*OF_BASKETS[:5], *OF_TABLES, *OF_ONE_METHOD, "marginals_3")
"""They ask for supports, and a release answers with its expectation or estimate."""
MINED_SHARE = 0.002
"""Patterns below this share of the rows are many and mostly chance; both sides are mined above."""


@dataclass(frozen=True, eq=False)
class Sides:
    """An original, the rows of its release, and what answers for the release's supports."""

    original: Baskets | Table
    rows: Baskets | Table
    counted: Countable
    secrets: tuple[Itemset, ...] = ()
    """Patterns that were to be hidden."""
    holdout: Baskets | None = None


def comparison_of(
    sides: Sides, *, min_support: int, randomness: Randomness, threads: int = 1
) -> Comparison:
    """The original beside what answers for the release, patterns mined where there are not many."""
    return Comparison(
        sides.original,
        sides.counted,
        sides.holdout,
        randomness=randomness,
        min_support=min_support,
        evaluation_support=max(min_support, math.ceil(MINED_SHARE * sides.original.size)),
        threads=threads,
    )


def read_measures(
    sides: Sides,
    names: Sequence[str],
    *,
    min_support: int,
    randomness: Randomness,
    threads: int = 1,
) -> Readings:
    """The readings of these names, in their order."""
    counted = comparison_of(sides, min_support=min_support, randomness=randomness, threads=threads)
    aligned = sides.rows.schema == sides.original.schema
    rows = replace(counted, release=sides.rows, secrets=sides.secrets) if aligned else counted
    found: list[Reading | Unmeasured] = []
    for name in names:
        single = name in OF_HIDING or name in OF_ONE_METHOD  # a copy or chance has no such thing
        chosen = counted if name in BY_COUNTS else rows
        found += compare(chosen, [name], yardsticks=not single).items
    return Readings(tuple(found))
