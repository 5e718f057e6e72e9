"""NAS: how much of the original's rows, the rare ones above all, stands in the release.

    AS(p, o) = Σ over the support levels s of o of  (1/s) · hit(s) / rows(s)
    NAS      = AS(p, o) / AS(o, o),   AS(o, o) = Σ 1/s

rows(s) is the number of distinct original rows held by exactly s persons, hit(s) how many of them
occur in the release. Levels are averaged, not rows: one row with support 37 is a whole level.

[Vreeken, van Leeuwen & Siebes, Privacy Preservation through Data Generation, 2007]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfmask.errors import BadInput
from halfmask.measures.base import Estimate
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Measure

__all__ = ["NAS", "Anonymity", "anonymity", "expected_nas"]


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
    original = comparison.original_side.tally
    found = comparison.release_side.tally.count(original.keys) > 0
    result = anonymity(original.counts, found)
    return Estimate(
        result.normalised,
        details={
            "as": result.score,
            "as_of_copy": result.worst,
            "distinct_rows": len(original),
            "distinct_rows_found": int(found.sum()),
            "levels": result.levels,
            "rows_per_level": result.rows,
            "share_per_level": result.share,
        },
    )


NAS = Measure(
    name="nas",
    room="privacy",
    better="lower",
    unit="share",
    meaning="The share of the original's rows, rare ones weighing most, that stand in the release.",
    how="Σ (1/s) · share of the distinct original rows of support s found in the release, "
    "divided by Σ 1/s.",
    cost="0.5 s",
    compute=_compute,
)
