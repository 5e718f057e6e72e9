"""NAS excess: the NAS beyond what held-out persons of the same rarity would get.

    Σ over levels s of (1/s) · (found(s) − found_holdout(s))  /  Σ 1/s

found(s) is the share of original persons who share their row with s − 1 others and find it in the
release; found_holdout(s) is the share of held-out persons whose row s − 1 original rows equal. Only
levels at which there is a held-out person count. A release without memory reads 0.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import NotMeasurable
from halfmask.measures.base import Estimate
from halfmask.measures.comparison import Comparison
from halfmask.measures.confidence import Z95
from halfmask.measures.measure import Measure

__all__ = ["NAS_EXCESS"]


def _compute(comparison: Comparison) -> Estimate:
    original, holdout = comparison.original_side.tally, comparison.holdout_side.tally
    # How many *other* original rows equal a person's row: none for one of a kind.
    others = (original.counts - 1, original.count(holdout.keys))
    levels = np.intersect1d(*others)
    if not len(levels):
        raise NotMeasurable("No held-out row is as rare as a row of the original.")
    # A level's rows all weigh alike in the original; held-out persons count one by one.
    weights = (np.ones(len(original)), holdout.counts.astype(np.float64))
    shares, variance = [], np.zeros(len(levels))
    for tally, rarity, weight in zip((original, holdout), others, weights, strict=True):
        found = comparison.release_side.tally.count(tally.keys) > 0
        share, trials = _share_by_level(levels, rarity, weight, found)
        shares.append(share)
        # The second term keeps the spread of a level with few persons above zero.
        variance += share * (1 - share) / trials + 1 / (4 * trials**2)
    importance = 1 / (levels + 1)
    worst = float(importance.sum())
    ours, theirs = (float((importance * share).sum()) / worst for share in shares)
    value = ours - theirs
    half = Z95 * math.sqrt(float((importance**2 * variance).sum())) / worst
    details = {"levels": len(levels), "success": ours, "control": theirs}
    return Estimate(value, value - half, value + half, details)


def _share_by_level(
    levels: NDArray[np.int64],
    rarity: NDArray[np.int64],
    weight: NDArray[np.float64],
    found: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The share found at each level, and how many persons or rows it is a share of."""
    kept = np.isin(rarity, levels)
    place = np.searchsorted(levels, rarity[kept])
    trials = np.bincount(place, weights=weight[kept], minlength=len(levels))
    hits = np.bincount(place, weights=(weight * found)[kept], minlength=len(levels))
    return hits / trials, trials.astype(np.float64)


NAS_EXCESS = Measure(
    name="nas_excess",
    room="privacy",
    better="lower",
    unit="difference of shares",
    meaning="How much of the NAS is memory: the NAS less what held-out persons of the same rarity "
    "get; 0 when the release knows nothing of those who were in the original.",
    how="Difference level by level, weighted 1/s as in the NAS, over the levels that the hold-out "
    "reaches; interval by the binomial variance of each level.",
    cost="0.5 s",
    compute=_compute,
    control=True,
)
