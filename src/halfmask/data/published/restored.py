"""Bit privacy: how often a reader who sees the noise, and knows it, restores a 1.

For an item with true share s and the pair α, β, the reader sees a bit and believes a 1 with its
posterior probability; on average over the noise a true 1 is believed with probability

    R1 = α · sα/(sα + (1−s)β) + (1−α) · s(1−α)/(s(1−α) + (1−s)(1−β))
    R0 = β · (1−s)β/(sα + (1−s)β) + (1−β) · (1−s)(1−β)/(s(1−α) + (1−s)(1−β))

Privacy is 100 · (1 − R1), items weighted by their share, or 100 · (1 − a·R1 − (1−a)·R0) where the
zeros matter too. The reader is assumed to know the true shares. It is an average: one item may be
restored for certain, so the worst item and the largest posterior stand beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfmask.data.published.distorted import Channel
from halfmask.errors import NotMeasurable


def restored_ones(share: ArrayLike, keep: ArrayLike, insert: ArrayLike) -> NDArray[np.float64]:
    """R1: the probability that a true 1 is believed; 0/0 is 0.

    >>> round(float(restored_ones(0.01, 0.9, 0.1)), 7)
    0.0751121
    """
    s, a, b = (np.asarray(given, np.float64) for given in (share, keep, insert))
    seen = _ratio(s * a, s * a + (1 - s) * b)
    unseen = _ratio(s * (1 - a), s * (1 - a) + (1 - s) * (1 - b))
    return np.asarray(a * seen + (1 - a) * unseen)


def restored_zeros(share: ArrayLike, keep: ArrayLike, insert: ArrayLike) -> NDArray[np.float64]:
    """R0: the probability that a true 0 is believed, R1 of the complement."""
    s, a, b = (np.asarray(given, np.float64) for given in (share, keep, insert))
    return restored_ones(1 - s, 1 - b, 1 - a)


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.asarray(whole) > 0)


@dataclass(frozen=True, eq=False)
class BitPrivacy:
    """The privacy of each item in percent, of all, and how certain a seen item can be."""

    shares: NDArray[np.float64]
    of_item: NDArray[np.float64]
    posterior: NDArray[np.float64]
    """P(item in the original basket | item in the distorted basket)."""

    @property
    def overall(self) -> float:
        """The mean over all ones: items weighted by their share."""
        if not self.shares.any():
            raise NotMeasurable("No item occurs in the original, so no 1 can be restored.")
        return float(np.average(self.of_item, weights=self.shares))

    @property
    def worst(self) -> int:
        """The occurring item with the least privacy."""
        return int(np.where(self.shares > 0, self.of_item, np.inf).argmin())


def bit_privacy(shares: ArrayLike, channel: Channel, *, weight_of_ones: float = 1.0) -> BitPrivacy:
    """The privacy of a channel for items with these true shares.

    `weight_of_ones` is MASK's a: how much the ones matter against the zeros.

    >>> found = bit_privacy([0.01], Channel.equal(0.9, 0.1, n_items=1), weight_of_ones=0.9)
    >>> round(found.overall, 2)
    83.33
    """
    s = np.asarray(shares, np.float64)
    ones = restored_ones(s, channel.keep, channel.insert)
    zeros = restored_zeros(s, channel.keep, channel.insert)
    believed = weight_of_ones * ones + (1 - weight_of_ones) * zeros
    seen = s * channel.keep + (1 - s) * channel.insert
    return BitPrivacy(s, 100 * (1 - believed), _ratio(s * channel.keep, seen))


def eq17_as_printed(shares: ArrayLike, channel: Channel, frequent: ArrayLike) -> float:
    """Equation (17) of the article on improved distortion, a sum of two means; do not use.

    It can exceed 1, and then privacy is negative; the article's own numbers are `overall`.
    """
    s, chosen = np.asarray(shares, np.float64), np.asarray(frequent, bool)
    ones = restored_ones(s, channel.keep, channel.insert)
    parts = [np.average(ones[p], weights=s[p]) for p in (chosen, ~chosen) if s[p].any()]
    return float(100 * (1 - sum(parts)))
