"""Mechanisms: the named ways to choose a channel.

mask            keep every bit with probability p (MASK)
mask_items      the same with a p for each item
selective       p = fp for frequent items, nfp for the others
emask           keep a present item with probability a, an absent one with b
delete_only     only drop items; for reproduction
alg2_literal    Algorithm 2 of the article on improved distortion as printed; for reproduction

The last two leave what they do not touch unprotected: an item seen in the release was in the
original for certain. They are here because the published accuracies rest on them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Baskets
from halfmask.data.published.distorted import Channel
from halfmask.errors import BadInput
from halfmask.patterns.mining import absolute_support


class Mechanism(Protocol):
    """A way to choose the channel for these baskets."""

    @property
    def name(self) -> str:
        """How the mechanism is called."""
        ...

    @property
    def looks_at_data(self) -> bool:
        """Whether the channel itself depends on the baskets, and so tells about them."""
        ...

    def channel(self, baskets: Baskets) -> Channel:
        """The probabilities of every item."""
        ...


@dataclass(frozen=True, slots=True)
class Mask:
    """Every bit is kept with the same probability and flipped otherwise.

    >>> Mask(0.9).channel(Baskets.of([["a"]])).insert.round(3).tolist()
    [0.1]
    """

    keep: float
    name = "mask"
    looks_at_data = False

    @classmethod
    def for_epsilon(cls, epsilon: float, *, max_items: int) -> Mask:
        """The keep probability for which baskets of at most so many items have this ε.

        p = e^(ε/2w) / (1 + e^(ε/2w)); with few items and a small ε little can be counted.

        >>> round(Mask.for_epsilon(2.0, max_items=5).keep, 4)
        0.5498
        """
        if epsilon <= 0 or max_items < 1:
            raise BadInput("ε is above 0 and a basket holds at least 1 item.")
        return cls(1 / (1 + math.exp(-epsilon / (2 * max_items))))

    def channel(self, baskets: Baskets) -> Channel:
        """Keep with probability p, insert with 1 − p."""
        return _flips(np.full(baskets.schema.n_items, self.keep))


@dataclass(frozen=True, slots=True)
class MaskItems:
    """Every item has its own keep probability, by name; the others have `otherwise`."""

    keep: Mapping[str, float]
    otherwise: float
    name = "mask_items"
    looks_at_data = False

    def channel(self, baskets: Baskets) -> Channel:
        """Keep item i with probability p_i, insert it with 1 − p_i."""
        keep = np.full(baskets.schema.n_items, self.otherwise)
        for name, probability in self.keep.items():
            keep[baskets.schema.item(name)] = probability
        return _flips(keep)


@dataclass(frozen=True, slots=True)
class Frequent:
    """Which items are frequent: named, or those with a minimum support in the original.

    Named items are public knowledge; a class list taken from the data tells which items are
    frequent and is no part of any local differential privacy.
    """

    min_support: float | None = None
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if (self.min_support is None) == (self.names is None):
            raise BadInput("Give frequent items by a minimum support or by name, not both.")

    def mask(self, baskets: Baskets) -> NDArray[np.bool_]:
        """For every item, whether it is frequent."""
        if self.names is not None:
            found = np.zeros(baskets.schema.n_items, bool)
            found[[baskets.schema.item(name) for name in self.names]] = True
            return found
        assert self.min_support is not None  # noqa: S101 - one of both is given
        least = absolute_support(self.min_support, round(baskets.size))
        return np.greater_equal(baskets.transactions.item_counts, least)


@dataclass(frozen=True, slots=True)
class Selective:
    """Frequent items are kept with probability fp, the others with nfp; the rest is flipped."""

    fp: float
    nfp: float
    frequent: Frequent
    name = "selective"

    @property
    def looks_at_data(self) -> bool:
        """Whether the frequent items were found in the baskets."""
        return self.frequent.names is None

    def channel(self, baskets: Baskets) -> Channel:
        """The flips that the article's privacy formula assumes."""
        return _flips(np.where(self.frequent.mask(baskets), self.fp, self.nfp))


@dataclass(frozen=True, slots=True)
class Emask:
    """A present item is kept with one probability, an absent one stays absent with another."""

    keep_present: float
    keep_absent: float
    name = "emask"
    looks_at_data = False

    def channel(self, baskets: Baskets) -> Channel:
        """Keep with probability a, insert with 1 − b."""
        n_items = baskets.schema.n_items
        return Channel.equal(self.keep_present, _complement(self.keep_absent), n_items=n_items)


@dataclass(frozen=True, slots=True)
class DeleteOnly:
    """Items are dropped with probability 1 − p and never added; no protection of what remains."""

    keep: float
    name = "delete_only"
    looks_at_data = False

    def channel(self, baskets: Baskets) -> Channel:
        """Keep with probability p, insert nothing."""
        return Channel.equal(self.keep, 0.0, n_items=baskets.schema.n_items)


@dataclass(frozen=True, slots=True)
class Alg2Literal:
    """Algorithm 2 as printed: a 0 of an infrequent item may become 1, anything else only 0.

    So a 0 of a frequent item never becomes 1, and a 1 of any item is kept with probability fp.
    """

    fp: float
    nfp: float
    frequent: Frequent
    name = "alg2_literal"

    @property
    def looks_at_data(self) -> bool:
        """Whether the frequent items were found in the baskets."""
        return self.frequent.names is None

    def channel(self, baskets: Baskets) -> Channel:
        """Keep with probability fp, insert an infrequent item with 1 − nfp."""
        frequent = self.frequent.mask(baskets)
        insert = np.where(frequent, 0.0, _complement(self.nfp))
        return Channel(np.full(len(frequent), self.fp), insert)


def _complement(probability: float) -> float:
    """1 − p, to twelve decimals: 1 − 0.95 is 0.05 and not 0.050000000000000044."""
    return round(1.0 - probability, 12)


def _flips(keep: NDArray[np.float64]) -> Channel:
    return Channel(keep, np.round(1.0 - keep, 12))
