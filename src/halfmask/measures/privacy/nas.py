"""NAS: how much of the original's rows, the rare ones above all, stands in the release.

    AS(p, o) = Σ over the support levels s of o of  (1/s) · hit(s) / rows(s)
    NAS      = AS(p, o) / AS(o, o),   AS(o, o) = Σ 1/s

rows(s) is the number of distinct original rows held by exactly s persons, hit(s) how many of them
occur in the release. Levels are averaged, not rows: one row with support 37 is a whole level.

[Vreeken, van Leeuwen & Siebes, Privacy Preservation through Data Generation, 2007]

NAS excess: the NAS beyond what held-out persons of the same rarity would get.

    Σ over levels s of (1/s) · (found(s) − found_holdout(s))  /  Σ 1/s

found(s) is the share of original persons who share their row with s − 1 others and find it in the
release; found_holdout(s) is the share of held-out persons whose row s − 1 original rows equal. Only
levels at which there is a held-out person count. A release without memory reads 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfmask.errors import BadInput, NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.confidence import Z95
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.row_hits import row_hits, stranger_hits


@dataclass(frozen=True, eq=False)
class Anonymity:
    """The anonymity score level by level.

    Original ACE×3 BDF×2 BCE ADF, release ACE×4 BDE BCE BDF: ACE, BDF and BCE are found, so
    AS = 1/3 + 1/2 + 1/2 = 4/3 of at most 1/3 + 1/2 + 1 = 11/6.

    >>> found = anonymity([3, 2, 1, 1], [1.0, 1.0, 1.0, 0.0])
    >>> found.levels.tolist(), found.share.tolist()
    ([1, 2, 3], [0.5, 1.0, 1.0])
    >>> round(found.score, 4), round(found.normalised, 4)
    (1.3333, 0.7273)
    """

    levels: NDArray[np.int64]
    """The supports that occur in the original, increasing."""
    rows: NDArray[np.int64]
    """The number of distinct original rows of each level."""
    hit: NDArray[np.float64]
    """How many of them occur in the release (or the expected number)."""

    @property
    def share(self) -> NDArray[np.float64]:
        """The share of each level that occurs in the release: the NAS curve."""
        return self.hit / self.rows

    @property
    def score(self) -> float:
        """AS(p, o)."""
        return float((self.share / self.levels).sum())

    @property
    def worst(self) -> float:
        """AS(o, o), what a copy gets."""
        return float((1 / self.levels).sum())

    @property
    def normalised(self) -> float:
        """NAS."""
        return self.score / self.worst


def anonymity(multiplicities: ArrayLike, found: ArrayLike) -> Anonymity:
    """The score from the support of each distinct original row and whether it was found.

    `found` is 1 or 0 for a release, or the probability of being found for a model.
    """
    supports = np.asarray(multiplicities, np.int64)
    hits = np.asarray(found, np.float64)
    if supports.shape != hits.shape or supports.ndim != 1 or not len(supports):
        raise BadInput("The score needs one support and one finding for each distinct row.")
    if (supports < 1).any() or ((hits < 0) | (hits > 1)).any():
        raise BadInput("A support is at least 1 and a finding lies between 0 and 1.")
    levels, level_of, rows = np.unique(supports, return_inverse=True, return_counts=True)
    hit = np.bincount(level_of, weights=hits, minlength=len(levels)).astype(np.float64)
    return Anonymity(levels, rows.astype(np.int64), hit)


def expected_nas(log2_probabilities: ArrayLike, multiplicities: ArrayLike, rows: int) -> Anonymity:
    """The NAS to expect of `rows` independent rows, before a single one is drawn.

    A row of probability P is among them with probability 1 − (1 − P)^rows. Of two distinct rows
    of support 1 and probability 1/2 each, one draw finds half:

    >>> expected_nas([-1.0, -1.0], [1, 1], rows=1).normalised
    0.5
    """
    bits = np.asarray(log2_probabilities, np.float64)
    if (bits > 1e-9).any() or rows < 0:
        raise BadInput("A probability is at most 1 and a number of rows at least 0.")
    with np.errstate(divide="ignore"):
        stay_away = np.log1p(-np.exp2(np.minimum(bits, 0.0)))
    found = -np.expm1(rows * stay_away) if rows else np.zeros_like(bits)
    return anonymity(multiplicities, found)


def _compute(comparison: Comparison) -> Estimate:
    hits = row_hits(comparison)
    levels, level_of = np.unique(hits.supports, return_inverse=True)
    rows, found = (np.bincount(level_of, each) for each in (hits.rows, hits.found))
    result = Anonymity(levels, rows.astype(np.int64), found.astype(np.float64))
    return Estimate(
        result.normalised,
        details={
            "as": result.score,
            "as_of_copy": result.worst,
            "distinct_rows": int(hits.rows.sum()),
            "distinct_rows_found": int(hits.found.sum()),
            "levels": result.levels,
            "rows_per_level": result.rows,
            "share_per_level": result.share,
        },
    )


NAS = Measure(
    name="nas",
    spread=True,
    room="privacy",
    better="lower",
    unit="share",
    meaning="The share of the original rows, weighted towards rare ones, that appear in the "
    "release.",
    how="Σ (1/s) · share of the distinct original rows of support s found in the release, "
    "divided by Σ 1/s.",
    cost="0.5 s",
    compute=_compute,
    of_holdout=lambda comparison: float(_excess(comparison).details["control"]),
)


def _excess(comparison: Comparison) -> Estimate:
    originals, strangers = row_hits(comparison), stranger_hits(comparison)
    # How many *other* original rows equal a person's row: none for one of a kind.
    others = (originals.supports - 1, strangers.in_original)
    levels = np.intersect1d(*others)
    if not len(levels):
        raise NotMeasurable("No held-out row is as rare as a row of the original.")
    # A level's rows all weigh alike in the original; held-out persons count one by one.
    weights = (originals.rows.astype(np.float64), strangers.people.astype(np.float64))
    founds = (originals.found.astype(np.float64), weights[1] * strangers.found)
    shares, variance = [], np.zeros(len(levels))
    for found, rarity, weight in zip(founds, others, weights, strict=True):
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
    found: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The share found at each level, and how many persons or rows it is a share of."""
    kept = np.isin(rarity, levels)
    place = np.searchsorted(levels, rarity[kept])
    trials = np.bincount(place, weights=weight[kept], minlength=len(levels))
    hits = np.bincount(place, weights=found[kept], minlength=len(levels))
    return hits / trials, trials.astype(np.float64)


NAS_EXCESS = Measure(
    name="nas_excess",
    spread=True,
    room="privacy",
    better="lower",
    unit="difference of shares",
    meaning="How much of the NAS is memorisation: the NAS minus that of held-out people of "
    "the same rarity; 0 when the release knows nothing specific about those in the "
    "original.",
    how="Difference level by level, weighted 1/s as in the NAS, over the levels that the hold-out "
    "reaches; interval by the binomial variance of each level.",
    cost="0.5 s",
    compute=_excess,
    control=True,
)
