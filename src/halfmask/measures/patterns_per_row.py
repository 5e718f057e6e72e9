"""Patterns per row: from how many patterns of the original a release row is put together.

Rows made of few, long patterns are copies of persons or nearly so; the papers call data "not
suited" where that happens already at high support. When the generator counted the patterns it drew,
that count is the value; for any other release it is the mean length of its rows' covers in the
original's code table.
"""

from __future__ import annotations

import numpy as np

from halfmask.data import Transactions
from halfmask.measures.base import Estimate
from halfmask.measures.code_tables import code_tables
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Measure
from halfmask.patterns.code_table import CodeTable

__all__ = ["PATTERNS_PER_ROW", "mean_cover_length"]


def mean_cover_length(table: CodeTable, rows: Transactions) -> float:
    """The mean number of elements that cover a row.

    The row {a, b} is one pattern, {a, c} two single items:

    >>> from halfmask.data import Assortment
    >>> table = CodeTable(Assortment(("a", "b", "c")), [(0, 1)], [3], [3], [0, 1, 2], [3, 4, 2], 5)
    >>> mean_cover_length(table, Transactions.of([(0, 1), (0, 2)], 3))
    1.5
    """
    found = table.encode(rows, laplace=1)
    return float((found.set_usages.sum() + found.item_usages.sum()) / rows.size)


def _compute(comparison: Comparison) -> Estimate:
    if comparison.drawn_per_row is not None:
        return Estimate(comparison.drawn_per_row, details={"counted_by": "the generator"})
    tables = code_tables(comparison)
    value = mean_cover_length(tables.original, comparison.release_side.distinct)
    own = mean_cover_length(tables.original, comparison.original_side.distinct)
    details = {
        "counted_by": "covers",
        "original_rows": own,
        "longest_pattern": int(np.max([len(s) for s in tables.original.sets], initial=1)),
    }
    return Estimate(value, details=details)


PATTERNS_PER_ROW = Measure(
    name="patterns_per_row",
    room="privacy",
    better="higher",
    unit="patterns",
    meaning="How many patterns of the original make up a release row; at 1 it is copied whole.",
    how="Counted by the generator, or the mean cover length of release rows in the original's code "
    "table.",
    cost="1.3 s",
    compute=_compute,
    of_all_rows=False,
)
