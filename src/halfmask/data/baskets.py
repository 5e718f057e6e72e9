"""Baskets: rows of items without attributes, such as shopping baskets or click streams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halfmask.data.countable import Itemset
from halfmask.data.transactions import Transactions
from halfmask.errors import BadInput, UnknownName


@dataclass(frozen=True)
class Assortment:
    """The products that exist; each is one item.

    >>> Assortment(("bread", "milk")).item("milk")
    1
    """

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self._index) != len(self.names):
            raise BadInput("Two items of the baskets have the same name.")

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @property
    def n_items(self) -> int:
        """The number of products."""
        return len(self.names)

    def label(self, item: int) -> str:
        """The product's name."""
        return self.names[item]

    def item(self, name: str) -> int:
        """The number of a product."""
        try:
            return self._index[name]
        except KeyError:
            raise UnknownName("item", name, self.names) from None


@dataclass(frozen=True, eq=False)
class Baskets:
    """A list of baskets; empty baskets are legal and kept.

    >>> baskets = Baskets.of([["milk", "bread"], ["milk"], []])
    >>> baskets.schema.names, baskets.support([(0,), (0, 1)]).tolist()
    (('bread', 'milk'), [1.0, 1.0])
    >>> baskets.marginal(["milk"]).tolist()
    [1.0, 2.0]
    """

    schema: Assortment
    transactions: Transactions

    def __post_init__(self) -> None:
        if self.transactions.n_items != self.schema.n_items:
            raise BadInput("The baskets and their list of items disagree on the number of items.")

    @classmethod
    def of(cls, rows: Iterable[Iterable[str]], names: Sequence[str] | None = None) -> Baskets:
        """Baskets given by the names of their items."""
        baskets = [list(row) for row in rows]
        found = sorted({name for row in baskets for name in row})
        schema = Assortment(tuple(found if names is None else names))
        numbered = [[schema.item(name) for name in row] for row in baskets]
        return cls(schema, Transactions.of(numbered, schema.n_items))

    def __len__(self) -> int:
        return len(self.transactions)

    @property
    def size(self) -> float:
        """The number of baskets."""
        return float(self.transactions.size)

    def take(self, rows: NDArray[np.intp]) -> Baskets:
        """The given baskets, in the given order."""
        return Baskets(self.schema, self.transactions.take(rows))

    def over(self, schema: Assortment) -> Baskets:
        """The same baskets over another list of items; what is not on it is left out.

        >>> fewer = Baskets.of([["milk", "bread"], ["tea"]]).over(Assortment(("tea", "milk")))
        >>> fewer.support([(0,), (1,)]).tolist()
        [1.0, 1.0]
        """
        number = {name: item for item, name in enumerate(schema.names)}
        new_of_old = np.array([number.get(name, -1) for name in self.schema.names], np.int64)
        rows = self.transactions
        places = new_of_old[rows.items]
        cells = np.sort((rows.row_of * max(schema.n_items, 1) + places)[places >= 0])
        return Baskets(schema, Transactions.of_cells(cells, rows.weights, schema.n_items))

    def marginal(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """Joint counts of being out of (0) or in (1) the basket, one axis for each item named."""
        items = [self.schema.item(name) for name in attributes]
        rows = self.transactions
        key, row_of = np.zeros(len(rows), np.int64), rows.row_of
        for item in items:
            key *= 2
            key[row_of[rows.items == item]] += 1
        counts = np.bincount(key, weights=rows.weights, minlength=2 ** len(items))
        return counts.astype(np.float64).reshape((2,) * len(items))

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.float64]:
        """The number of baskets that contain each itemset."""
        return self.transactions.support(itemsets).astype(np.float64)
