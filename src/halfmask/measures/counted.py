"""Releases that are more than rows: supports from what counts best, rows from the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from halfmask.data import Baskets, Countable, Table
from halfmask.data.secrets import SecretPatterns
from halfmask.measures import compare, measure_named
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Reading, Unmeasured
from halfmask.measures.readings import Readings
from halfmask.randomness import Randomness
from halfmask.run import Progress

MINED_SHARE = 0.002
"""Patterns below this share of the rows are many and mostly chance; both sides are mined above."""


def counted_comparison(  # noqa: PLR0913 - what is compared, and how
    original: Baskets | Table,
    counted: Countable,
    *,
    holdout: Baskets | None = None,
    min_support: int,
    randomness: Randomness,
    threads: int = 1,
    evaluation_support: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """The original beside what answers for the release.

    Patterns are mined at the support asked for, or where there are not many.
    """
    share = math.ceil(MINED_SHARE * original.size)
    return Comparison(
        original,
        counted,
        holdout,
        randomness=randomness,
        min_support=min_support,
        evaluation_support=evaluation_support or max(min_support, share),
        threads=threads,
        progress=progress,
    )


def read_counted(
    counted: Comparison,
    rows: Baskets | Table,
    names: Sequence[str],
    secrets: SecretPatterns | None = None,
) -> Readings:
    """The readings of these names, in their order; `secrets` are patterns that were to be hidden.

    Measures of rows read `rows`, where these are rows over the schema of the original.
    """
    aligned = rows.schema == counted.original.schema
    hidden = replace(counted, secrets=secrets) if secrets is not None else counted
    by_rows = replace(hidden, release=rows) if aligned else hidden
    found: list[Reading | Unmeasured] = []
    for name in names:
        measure = measure_named(name)
        chosen = counted if measure.reads == "counts" else by_rows
        found += compare(chosen, [name], yardsticks=not measure.of_one_method).items
    return Readings(tuple(found))
