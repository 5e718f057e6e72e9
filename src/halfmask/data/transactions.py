"""Transactions: rows as sets of items, the form in which patterns are searched.

From supports to a marginal: what lies in and out, by inclusion and exclusion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data.countable import Itemset
from halfmask.errors import BadInput, NotCountable

MAX_ITEMS = 16
"""A question about k items needs 2^k supports; beyond this nobody waits for the answer."""


def subsets(itemset: Itemset) -> list[Itemset]:
    """All subsets, the empty one first.

    >>> subsets((3, 7))
    [(), (3,), (7,), (3, 7)]
    """
    if len(itemset) > MAX_ITEMS:
        raise NotCountable(
            f"A query about {len(itemset)} items together needs 2^{len(itemset)} counts; ask "
            f"about at most {MAX_ITEMS} items at once."
        )
    return [part for size in range(len(itemset) + 1) for part in combinations(itemset, size)]


def marginal_of_supports(
    support: Callable[[Sequence[Itemset]], NDArray[np.float64]], items: Sequence[int]
) -> NDArray[np.float64]:
    """Joint counts of being out (0) or in (1), one axis per item, from the supports of all subsets.

    The function asked must answer linearly, as a count, an expectation or an estimate does.

    >>> from halfmask.data import Baskets
    >>> baskets = Baskets.of([["a", "b"], ["a"], ["a"], []])
    >>> marginal_of_supports(baskets.support, [0, 1]).tolist()
    [[1.0, 0.0], [2.0, 1.0]]
    >>> marginal_of_supports(baskets.support, [1]).tolist()
    [3.0, 1.0]
    """
    if len(set(items)) != len(items):
        raise NotCountable("An item was asked for twice in one marginal.")
    asked = subsets(tuple(items))
    table = np.empty((2,) * len(items))
    for part, count in zip(asked, support([tuple(sorted(p)) for p in asked]), strict=True):
        table[tuple(int(item in part) for item in items)] = count
    for axis in range(len(items)):
        sides = np.moveaxis(table, axis, 0)
        sides[0] -= sides[1]
    return table


@dataclass(frozen=True, eq=False)
class Transactions:
    """Compressed rows: row r is `items[offsets[r]:offsets[r + 1]]`, increasing, `weights[r]` times.

    >>> rows = Transactions.of([(0, 2), (0, 2), (1,)], n_items=3)
    >>> rows.distinct().weights.tolist(), rows.size, rows.item_counts.tolist()
    ([2, 1], 3, [2, 1, 2])
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    weights: NDArray[np.int64]
    n_items: int

    def __post_init__(self) -> None:
        if len(self.offsets) != len(self.weights) + 1 or int(self.offsets[-1]) != len(self.items):
            raise BadInput("The offsets of these rows do not fit their items and weights.")

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]], n_items: int) -> Transactions:
        """Rows given as item numbers; order and repeats inside a row do not matter."""
        lists = [row if isinstance(row, Sized) else tuple(row) for row in rows]
        lengths = np.fromiter(map(len, lists), np.int64, len(lists))
        flat = np.fromiter(chain.from_iterable(lists), np.int64, int(lengths.sum()))
        if flat.size and not (flat.min() >= 0 and flat.max() < n_items):
            raise BadInput(f"An item of these rows is not one of the numbers below {n_items:,}.")
        row_of = np.repeat(np.arange(len(lists), dtype=np.int64), lengths)
        keys = row_of * n_items + flat
        if (np.diff(keys) <= 0).any():
            keys = np.unique(keys)
            lengths = np.bincount(keys // n_items, minlength=len(lists))
            flat = keys % n_items
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(offsets, flat.astype(np.int32), np.ones(len(lists), np.int64), n_items)

    @classmethod
    def of_cells(
        cls, cells: NDArray[np.int64], weights: NDArray[np.int64], n_items: int
    ) -> Transactions:
        """The inverse of `cells`; they come in increasing order, each once.

        >>> rows = Transactions.of([(0, 2), (), (1,)], n_items=3)
        >>> rows.cells.tolist(), list(Transactions.of_cells(rows.cells, rows.weights, 3))
        ([0, 2, 7], [(0, 2), (), (1,)])
        """
        width = max(n_items, 1)
        offsets = np.searchsorted(cells, np.arange(len(weights) + 1, dtype=np.int64) * width)
        return cls(offsets.astype(np.int64), (cells % width).astype(np.int32), weights, n_items)

    def __len__(self) -> int:
        return len(self.weights)

    def __iter__(self) -> Iterator[Itemset]:
        for start, stop in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            yield tuple(self.items[start:stop].tolist())

    @cached_property
    def size(self) -> int:
        """The number of rows, each counted with its weight."""
        return int(self.weights.sum())

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], int]:
        """What a kernel is given of the rows."""
        return self.offsets, self.items, self.weights, self.n_items

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many items each row holds."""
        return np.diff(self.offsets)

    @property
    def row_of(self) -> NDArray[np.int64]:
        """The row that each of the items stands in."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)

    @property
    def cells(self) -> NDArray[np.int64]:
        """Each item of each row as one number, row × n_items + item; increasing."""
        return self.row_of * max(self.n_items, 1) + self.items

    @cached_property
    def item_counts(self) -> NDArray[np.int64]:
        """How many rows hold each item."""
        if (self.weights == 1).all():
            return np.bincount(self.items, minlength=self.n_items).astype(np.int64)
        per_item = np.repeat(self.weights, self.lengths)
        counts = np.bincount(self.items, weights=per_item, minlength=self.n_items)
        return counts.astype(np.int64)

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.int64]:
        """The number of rows that contain each itemset."""
        return self.supports(Transactions.of(itemsets, self.n_items))

    def supports(self, asked: Transactions) -> NDArray[np.int64]:
        """The number of rows that contain each of the itemsets, which are rows too."""
        return _native.supports(*self.arrays, asked.offsets, asked.items)

    def distinct(self) -> Transactions:
        """Equal rows as one row with a weight, in lexicographic order of their items."""
        offsets, items, weights = _native.distinct(*self.arrays)
        return Transactions(offsets, items, weights, self.n_items)

    def expanded(self) -> Transactions:
        """Every row as often as its weight says, each with weight 1.

        >>> Transactions.of([(0,), (0,), (1,)], n_items=2).distinct().expanded().weights.tolist()
        [1, 1, 1]
        """
        if (self.weights == 1).all():
            return self
        return self.take(np.repeat(np.arange(len(self)), self.weights))

    def take(self, numbers: NDArray[np.intp]) -> Transactions:
        """The rows of these numbers, in their order, each with weight 1.

        >>> list(Transactions.of([(0,), (0, 1), (1,)], n_items=2).take(np.array([1, 1, 0])))
        [(0, 1), (0, 1), (0,)]
        """
        starts = self.offsets[numbers]
        lengths = self.offsets[numbers + 1] - starts
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        items = self.items[np.repeat(starts, lengths) + within]
        return Transactions(offsets, items, np.ones(len(numbers), np.int64), self.n_items)

    def with_items(self, chosen: NDArray[np.bool_]) -> Transactions:
        """The same rows with no other items than these.

        >>> list(Transactions.of([(0, 1), (1,)], n_items=2).with_items(np.array([True, False])))
        [(0,), ()]
        """
        stay = chosen[self.items]
        kept = np.concatenate([[0], np.cumsum(stay)])
        return replace(self, offsets=kept[self.offsets].astype(np.int64), items=self.items[stay])

    def relabelled(self, new_of_old: NDArray[np.int32], n_items: int | None = None) -> Transactions:
        """The same rows under other item numbers (a one-to-one map)."""
        numbers = np.ascontiguousarray(new_of_old, np.int32)
        items = _native.relabelled(self.offsets, self.items, self.weights, numbers)
        return Transactions(
            self.offsets, items, self.weights, self.n_items if n_items is None else n_items
        )
