"""Support difference: how far the supports of common patterns moved.

    P( |supp_p(X)/n_p − supp_o(X)/n_o| > δ )  over the itemsets X frequent on both sides

The reading is the mean difference; the details give this share for a list of δ and the
distribution of the signed difference (Figure 4).

Supports moved: the same share over all itemsets frequent in the original, for one δ. Requirement
(3) of the papers asks that it be below some ε.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.frequent import FrequentSets, frequent_sets
from halfmask.measures.measure import Estimate, Measure

DELTAS = (0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
_BINS = 41


def exceedance(differences: ArrayLike, deltas: ArrayLike = DELTAS) -> list[float]:
    """The share of differences whose size exceeds each δ.

    >>> exceedance([-0.03, 0.0, 0.004, 0.02], [0.001, 0.01, 0.5])
    [0.75, 0.5, 0.0]
    """
    sizes = np.abs(np.asarray(differences, np.float64))
    return [float((sizes > delta).mean()) for delta in np.asarray(deltas).tolist()]


def _compute(comparison: Comparison) -> Estimate:
    sets = frequent_sets(comparison)
    moved = sets.difference
    if not len(moved):
        raise NotMeasurable("No itemset is frequent on both sides.")
    reach = max(float(np.abs(moved).max()), 1e-9)
    counts, edges = np.histogram(moved, bins=_BINS, range=(-reach, reach))
    details = {
        "min_support": sets.min_support,
        "deltas": DELTAS,
        "share_beyond_delta": exceedance(moved),
        "histogram_edges": edges,
        "histogram": counts / len(moved),
        "largest": float(np.abs(moved).max()),
        "most_moved": _most_moved(comparison, sets),
    }
    return Estimate(float(np.abs(moved).mean()), details=details)


def _most_moved(comparison: Comparison, sets: FrequentSets) -> list[dict[str, object]]:
    """The ten patterns that moved most, of those that enough persons hold to be named."""
    moved = np.where(sets.common, sets.found_share - sets.original_share, 0.0)
    nameable = sets.original.supports >= comparison.min_support
    order = [int(i) for i in np.argsort(-np.abs(moved), kind="stable")[:1000] if nameable[i]][:10]
    label, offsets = comparison.original.schema.label, sets.original.offsets
    return [
        {
            "pattern": [label(int(x)) for x in sets.original.items[offsets[i] : offsets[i + 1]]],
            "original": float(sets.original_share[i]),
            "release": float(sets.found_share[i]),
        }
        for i in order
        if moved[i]
    ]


SUPPORT_DIFFERENCE = Measure(
    name="support_difference",
    reads="counts",
    room="quality",
    better="lower",
    unit="share of rows",
    meaning="How far the share of rows that hold a pattern moved, on average over the patterns "
    "frequent on both sides.",
    how="Mean absolute difference of relative support; the share of patterns that moved by "
    "more than δ is in the details.",
    cost="1.0 s",
    compute=_compute,
    of_all_rows=False,
)


def _beyond(comparison: Comparison) -> Estimate:
    sets = frequent_sets(comparison)
    if not len(sets.original):
        raise NotMeasurable("No itemset of the original is frequent.")
    moved = sets.found_share - sets.original_share
    details = {
        "min_support": sets.min_support,
        "delta": comparison.delta,
        "deltas": DELTAS,
        "share_beyond_delta": exceedance(moved),
    }
    return Estimate(exceedance(moved, [comparison.delta])[0], details=details)


SUPPORTS_MOVED = Measure(
    name="supports_moved",
    reads="counts",
    room="quality",
    better="lower",
    unit="share",
    meaning="The share of the original's frequent patterns whose share of rows moved by more than "
    "δ: the ε of the papers' requirement (3).",
    how="Absolute difference of relative support over all itemsets frequent in the original, held "
    "against δ (1 % unless said); other δ are in the details.",
    cost="1.0 s",
    compute=_beyond,
    default=False,
    of_all_rows=False,
)
