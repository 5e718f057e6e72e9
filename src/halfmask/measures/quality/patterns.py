"""Pattern sets: which frequent itemsets of the original are frequent in the release.

    kept = |F_o ∩ F_p| / |F_o|,   precision = |F_o ∩ F_p| / |F_p|

F_o and F_p are all itemsets, single items included, held by at least the same share of rows.

Patterns per row: from how many patterns of the original a release row is put together.

Rows made of few, long patterns are copies of persons or nearly so; the papers call data "not
suited" where that happens already at high support. When the generator counted the patterns it drew,
that count is the value; for any other release it is the mean length of its rows' covers in the
original's code table.
"""

from __future__ import annotations

import numpy as np

from halfmask.data import Transactions
from halfmask.errors import NotMeasurable
from halfmask.measures.code_tables import code_tables
from halfmask.measures.comparison import Comparison
from halfmask.measures.frequent import frequent_sets
from halfmask.measures.measure import Estimate, Measure
from halfmask.patterns.code_table import CodeTable


def _compute(comparison: Comparison) -> Estimate:
    sets = frequent_sets(comparison)
    if not len(sets.original):
        raise NotMeasurable(f"No itemset of the original is held by {sets.min_support:,} rows.")
    details: dict[str, object] = {
        "min_support": sets.min_support,
        "patterns_of_original": len(sets.original),
        "common": int(sets.common.sum()),
        "mean_difference": float(np.abs(sets.difference).mean()) if sets.common.any() else None,
    }
    if sets.release is not None:
        new = sets.new_shares
        details["patterns_of_release"] = len(sets.release)
        details["precision"] = (
            float(sets.common.sum()) / len(sets.release) if len(sets.release) else None
        )
        details["new"] = len(new)
        details["mean_support_of_new"] = float(new.mean()) if len(new) else None
    return Estimate(float(sets.common.mean()), details=details)


PATTERNS_KEPT = Measure(
    name="patterns_kept",
    reads="counts",
    room="quality",
    better="higher",
    unit="share",
    meaning="The share of the original's frequent patterns that are frequent in the release.",
    how="All itemsets held by the same share of rows on both sides; what is new in the "
    "release and how far supports moved are in the details.",
    cost="1.2 s",
    compute=_compute,
    of_all_rows=False,
)


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


def _per_row(comparison: Comparison) -> Estimate:
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
    compute=_per_row,
    by_row=True,
    of_all_rows=False,
)
