"""What is read off a release: supports from what counts best, rows from the rows."""

from __future__ import annotations

import math

from halfmask.basket_publishing.made import Made
from halfmask.data import Baskets, Table
from halfmask.measures import Comparison, Readings, compare
from halfmask.randomness import Randomness

__all__ = ["read_measures"]

OF_COUNTS = (
    "item_frequencies", "pair_frequencies", "patterns_kept", "support_difference", "rules_kept",
)  # fmt: skip
OF_ROWS = ("basket_lengths", "nas", "copied_rows")
OF_HIDING = ("cells_changed", "misses_cost", "artifactual", "side_effects", "hiding_failure")
OF_TABLES = ("marginals_1", "marginals_2", "item_frequencies", "patterns_kept", "rules_kept")
MINED_SHARE = 0.002
"""Patterns below this share of the rows are many and mostly chance; both sides are mined above."""


def read_measures(
    original: Baskets | Table, made: Made, *, min_support: int, randomness: Randomness, ds: bool
) -> Readings:
    """The readings of one release, quality first; `ds` asks for the dissimilarity too."""
    counted = Comparison(
        original,
        made.counted,
        randomness=randomness,
        min_support=min_support,
        evaluation_support=max(min_support, math.ceil(MINED_SHARE * original.size)),
    )
    if isinstance(original, Table):
        names = OF_TABLES + made.own_measures
        return compare(counted, names)
    found = compare(counted, OF_COUNTS).items
    if made.rows.schema == original.schema:
        rows = counted.with_release(made.rows)
        asked = OF_ROWS + (("ds",) if ds else ())
        found += compare(rows, asked).items
        by_row = [name for name in made.own_measures if name in OF_HIDING]
        hidden = Comparison(
            original,
            made.rows,
            randomness=randomness,
            min_support=min_support,
            evaluation_support=counted.evaluation_support,
            secrets=made.secrets,
            sides=counted.sides,
        )
        found += compare(hidden, by_row, yardsticks=False).items
    others = [name for name in made.own_measures if name not in OF_HIDING]
    return Readings(found + compare(counted, others, yardsticks=False).items)
