"""Pattern sets: which frequent itemsets of the original are frequent in the release.

    kept = |F_o ∩ F_p| / |F_o|,   precision = |F_o ∩ F_p| / |F_p|

F_o and F_p are all itemsets, single items included, held by at least the same share of rows.
"""

from __future__ import annotations

import numpy as np

from halfmask.errors import NotMeasurable
from halfmask.measures.base import Estimate
from halfmask.measures.comparison import Comparison
from halfmask.measures.frequent import frequent_sets
from halfmask.measures.measure import Measure

__all__ = ["PATTERNS_KEPT"]


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
    room="quality",
    better="higher",
    unit="share",
    meaning="The share of the original's frequent patterns that are frequent in the release.",
    how="All itemsets held by the same share of rows on both sides; what is new in the release and "
    "how much supports moved stand in the details.",
    cost="1.2 s",
    compute=_compute,
    of_all_rows=False,
)
