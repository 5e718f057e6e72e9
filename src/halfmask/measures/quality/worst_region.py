"""Worst region: the kind of persons whom the release describes worst.

Every original row is written in the codes of the release and in those of the original. For each
value of each attribute the excess is taken over the persons who hold it:

    ( Σ bits in release codes − Σ bits in original codes ) / Σ bits in original codes

Only values held by at least `min_support` persons are looked at and named.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Transactions
from halfmask.errors import NotMeasurable
from halfmask.measures.code_tables import code_tables
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure


def bits_per_item(rows: Transactions, bits: NDArray[np.float64]) -> NDArray[np.float64]:
    """The bits of all rows that hold an item, for each item.

    >>> rows = Transactions.of([(0, 1), (1,)], n_items=3)
    >>> bits_per_item(rows, np.array([4.0, 1.0])).tolist()
    [4.0, 5.0, 0.0]
    """
    per_cell = np.repeat(bits * rows.weights, np.diff(rows.offsets))
    sums = np.bincount(rows.items, weights=per_cell, minlength=rows.n_items)
    return np.asarray(sums, np.float64)


def _compute(comparison: Comparison) -> Estimate:
    tables = code_tables(comparison)
    rows = comparison.original_side.distinct
    own, other = (bits_per_item(rows, table.encode(rows, laplace=1).bits) for table in tables.pair)
    holders = rows.item_counts
    named = np.flatnonzero((holders >= comparison.min_support) & (own > 0))
    if not len(named):
        raise NotMeasurable(f"No value is held by {comparison.min_support:,} persons or more.")
    excess = (other[named] - own[named]) / own[named]
    order = np.argsort(-excess, kind="stable")[:10]
    label = comparison.original.schema.label
    worst = [
        {
            "region": label(int(named[i])),
            "excess": float(excess[i]),
            "rows": int(holders[named[i]]),
        }
        for i in order
    ]
    details = {"ten_worst": worst, "regions": len(named), "min_support": tables.min_support}
    return Estimate(float(excess.max()), details=details)


WORST_REGION = Measure(
    name="worst_region",
    room="quality",
    better="lower",
    unit="relative bits",
    meaning="How many bits too many the release's patterns need for the kind of persons they "
    "describe worst; 0 is none.",
    how="Original rows in the codes of both sides, summed over the persons who share a value held "
    "by at least the minimum support.",
    cost="1.9 s",
    compute=_compute,
    of_all_rows=False,
)
