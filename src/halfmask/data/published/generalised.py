"""Generalised baskets: items under more general names, answering about the items before.

A published name that stands for g items says that a basket held one of them, not which: each is
taken to be there with probability 1/g, and all of them independently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halfmask.data.baskets import Assortment, Baskets
from halfmask.data.countable import Itemset
from halfmask.data.transactions import marginal_of_supports
from halfmask.errors import BadInput


@dataclass(frozen=True, eq=False)
class GeneralisedBaskets:
    """Published baskets, and for every original item the published one that stands for it.

    >>> published = Baskets.of([["fruit"], ["bread", "fruit"]])
    >>> items = Assortment(("apple", "bread", "pear"))
    >>> found = GeneralisedBaskets(items, published, ("fruit", "bread", "fruit"))
    >>> found.support([(0,), (1,), (0, 1)]).tolist()
    [1.0, 1.0, 0.5]
    """

    schema: Assortment
    """The original items."""
    published: Baskets
    became: tuple[str, ...]
    """The published name of each original item."""

    def __post_init__(self) -> None:
        if len(self.became) != self.schema.n_items:
            raise BadInput("Every item of generalised baskets needs a published name.")

    @property
    def size(self) -> float:
        """The number of baskets."""
        return self.published.size

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """The number of the published item that stands for each original one."""
        return np.array([self.published.schema.item(name) for name in self.became], np.int64)

    @cached_property
    def group_sizes(self) -> NDArray[np.int64]:
        """For how many items the published name of each item stands."""
        sizes: NDArray[np.int64] = np.bincount(self.place)[self.place].astype(np.int64)
        return sizes

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.float64]:
        """The expected number of original baskets that contain each itemset."""
        asked = [tuple(sorted(set(self.place[list(z)].tolist()))) for z in itemsets]
        chances = [float(np.prod(1 / self.group_sizes[list(z)])) for z in itemsets]
        return self.published.support(asked) * np.array(chances, np.float64)

    def marginal(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """Expected joint counts of being out of (0) or in (1) the basket, one axis per item."""
        return marginal_of_supports(self.support, [self.schema.item(name) for name in attributes])
