"""Distorted baskets: rows after the noise, answering with what they say about the rows before.

The noise is known, so it can be inverted on average. With one row's bits y and the pair α, β of
each item, the row's weight for an itemset X is Π_{i ∈ X} (y_i − β_i)/(α_i − β_i); the weights add
up to an unbiased estimate of the support. Multiplied out, only supports of subsets are needed:

    ĉ(X) = [ Σ_{Y ⊆ X} c(Y) · Π_{i ∈ X∖Y} (−β_i) ] / Π_{i ∈ X} (α_i − β_i)
    V̂(X) = Σ_rows W² − ĉ(X)          by the same sum with squared weights

Channel: with which probabilities each item stays and appears; what distortion is made of.

    keep = P(item in the release | in the original)        α
    insert = P(item in the release | not in the original)  β

Bits are independent, so everything about a distorted release follows from these two numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data.baskets import Assortment, Baskets
from halfmask.data.countable import Itemset
from halfmask.data.transactions import marginal_of_supports, subsets
from halfmask.errors import BadInput

INDISTINCT = 1e-3
"""Below this difference of keep and insert nothing can be told about the original."""


@dataclass(frozen=True, eq=False)
class Channel:
    """One pair of probabilities for each item.

    >>> channel = Channel.equal(0.9, 0.1, n_items=2)
    >>> channel.epsilons.round(4).tolist()
    [2.1972, 2.1972]
    """

    keep: NDArray[np.float64]
    insert: NDArray[np.float64]

    def __post_init__(self) -> None:
        keep, insert = (np.array(p, np.float64) for p in (self.keep, self.insert))
        if keep.ndim != 1 or keep.shape != insert.shape:
            raise BadInput("A channel needs one probability to stay and one to appear per item.")
        for probabilities in (keep, insert):
            outside = probabilities[~((probabilities >= 0) & (probabilities <= 1))]
            if len(outside):
                raise BadInput(f"A probability lies between 0 and 1, not at {outside[0]:g}.")
            probabilities.setflags(write=False)
        indistinct = np.flatnonzero(abs(keep - insert) < INDISTINCT)
        if len(indistinct):
            where = indistinct[0]
            raise BadInput(
                f"An item that is in the release with probability {keep[where]:g} when it is "
                f"in the original and {insert[where]:g} when it is not discloses nothing, and "
                "no support can be reconstructed; choose a keep probability away from 0.5."
            )
        object.__setattr__(self, "keep", keep)
        object.__setattr__(self, "insert", insert)

    @classmethod
    def equal(cls, keep: float, insert: float, *, n_items: int) -> Channel:
        """The same pair for every item."""
        return cls(np.full(n_items, float(keep)), np.full(n_items, float(insert)))

    def __len__(self) -> int:
        return len(self.keep)

    @property
    def epsilons(self) -> NDArray[np.float64]:
        """The ε of local differential privacy of each item alone; infinite where there is none.

        ε_i = max(|ln(α/β)|, |ln((1 − α)/(1 − β))|)
        """
        with np.errstate(divide="ignore"):
            present = abs(np.log(self.keep) - np.log(self.insert))
            absent = abs(np.log1p(-self.keep) - np.log1p(-self.insert))
        return np.asarray(np.maximum(present, absent), np.float64)

    def row_epsilon(self, max_items: int | None = None) -> float:
        """The ε of a whole row: two rows may differ in any bits, or in 2w when rows hold w items.

        `max_items` must be known without looking at the data, otherwise it is itself a disclosure.
        """
        epsilons = np.sort(self.epsilons)[::-1]
        if max_items is not None:
            epsilons = epsilons[: 2 * max_items]
        return float(epsilons.sum())

    def then(self, other: Channel) -> Channel:
        """One channel after another is a channel again."""
        return Channel(
            self.keep * other.keep + (1 - self.keep) * other.insert,
            self.insert * other.keep + (1 - self.insert) * other.insert,
        )


@dataclass(frozen=True, eq=False)
class EstimatedSupports:
    """Estimates, which may lie below 0 or above the number of rows, and their standard errors."""

    values: NDArray[np.float64]
    errors: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DistortedBaskets:
    """Baskets that passed through a channel.

    >>> observed = Baskets.of([["a"]] * 7 + [[]] * 3)
    >>> distorted = DistortedBaskets(observed, Channel.equal(0.9, 0.1, n_items=1))
    >>> distorted.support([(0,)]).round(6).tolist()
    [7.5]
    """

    observed: Baskets
    channel: Channel

    def __post_init__(self) -> None:
        if len(self.channel) != self.observed.schema.n_items:
            raise BadInput("The channel of distorted baskets must name every item.")

    @property
    def schema(self) -> Assortment:
        """The items."""
        return self.observed.schema

    @property
    def size(self) -> float:
        """The number of baskets, which distortion does not change."""
        return self.observed.size

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.float64]:
        """The estimated number of original baskets that contain each itemset."""
        return self.estimate(itemsets).values

    def estimate(self, itemsets: Sequence[Itemset]) -> EstimatedSupports:
        """Estimated supports with their standard errors."""
        values, errors = np.empty(len(itemsets)), np.empty(len(itemsets))
        counts = self._counts(itemsets)
        for k in {len(itemset) for itemset in itemsets}:
            places = [i for i, itemset in enumerate(itemsets) if len(itemset) == k]
            chosen = [itemsets[i] for i in places]
            held = np.array([[counts[part] for part in subsets(itemset)] for itemset in chosen])
            items = np.array(chosen, np.int64).reshape(len(chosen), k)
            alpha, beta = self.channel.keep[items], self.channel.insert[items]
            one, zero = (1 - beta) / (alpha - beta), -beta / (alpha - beta)
            values[places] = (held * _coefficients(one, zero)).sum(axis=1)
            squares = (held * _coefficients(one**2, zero**2)).sum(axis=1)
            errors[places] = np.sqrt(np.maximum(squares - values[places], 0.0))
        return EstimatedSupports(values, errors)

    def _counts(self, itemsets: Sequence[Itemset]) -> dict[Itemset, float]:
        """The supports of all subsets in the rows as published."""
        asked = list({part for itemset in itemsets for part in subsets(itemset)})
        return dict(zip(asked, self.observed.support(asked).tolist(), strict=True))

    def marginal(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """Estimated joint counts of being out of (0) or in (1) the basket, one axis per item."""
        return marginal_of_supports(self.support, [self.schema.item(name) for name in attributes])


def _coefficients(one: NDArray[np.float64], zero: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a row that holds subset Y counts: Π_{i ∈ Y} (one − zero) · Π_{i ∈ X∖Y} zero.

    One line per itemset, in the order of `subsets`: a row's weight Π (zero + y · (one − zero))
    multiplied out.
    """
    k = one.shape[1]
    parts = subsets(tuple(range(k)))
    product = np.ones((len(one), len(parts)))
    for i in range(k):
        held = np.array([i in part for part in parts])
        product *= np.where(held, (one - zero)[:, [i]], zero[:, [i]])
    return product
