"""Baskets with unknowns: a cell is in, out or `?`, so a support is an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Assortment, Itemset, Schema, Transactions
from halfmask.errors import BadInput, NotCountable
from halfmask.methods.hiding.edits import Marked


@dataclass(frozen=True, slots=True)
class ConfidenceBounds:
    """Between which bounds a number lies."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class BlockedBaskets:
    """Baskets in which some cells are unknown.

    `support_bounds` is what a reader knows for certain. `support` and `marginal` need one number
    and take every `?` as the toss of a fair coin: their answers agree with each other, add up to
    the number of baskets, and for a row with one `?` are the middle of the interval.

    >>> from halfmask.data import Baskets
    >>> rows = Baskets.of(["ab", "a"])
    >>> unknown = Transactions.of([(), (1,)], n_items=2)
    >>> blocked = BlockedBaskets(rows.schema, rows.transactions, unknown)
    >>> blocked.support_bounds([(0, 1)]).tolist(), blocked.support([(0, 1)]).tolist()
    ([[1, 2]], [1.5])
    """

    schema: Assortment | Schema
    """The items; those of a table are `column=value`."""
    certain: Transactions
    unknown: Transactions

    def __post_init__(self) -> None:
        if len(self.certain) != len(self.unknown):
            raise BadInput("Known and unknown cells must belong to the same baskets.")
        known, unknown = self.certain.cells, self.unknown.cells
        place = np.minimum(np.searchsorted(known, unknown), max(len(known) - 1, 0))
        if len(known) and (known[place] == unknown).any():
            raise BadInput("A cell of the baskets is both known and unknown.")

    def __len__(self) -> int:
        return len(self.certain)

    @property
    def size(self) -> float:
        """The number of baskets."""
        return float(len(self.certain))

    @property
    def marked(self) -> Marked:
        """The two kinds of cells side by side."""
        return Marked(self.certain, self.unknown)

    @cached_property
    def possible(self) -> Transactions:
        """Every `?` read as an item that is in."""
        known, unknown = self.certain.cells, self.unknown.cells
        keys = np.insert(known, np.searchsorted(known, unknown), unknown)
        return Transactions.of_cells(keys, self.certain.weights, self.schema.n_items)

    def support_bounds(self, itemsets: Sequence[Itemset]) -> NDArray[np.int64]:
        """For each itemset the rows that hold it for certain and those that may hold it."""
        return np.column_stack([self.certain.support(itemsets), self.possible.support(itemsets)])

    def confidence_bounds(self, lhs: Itemset, rhs: Itemset) -> ConfidenceBounds:
        """Between which bounds the confidence of lhs → rhs lies; 0 to 1 where lhs may be absent."""
        whole, left = self.support_bounds([tuple(sorted(lhs + rhs)), lhs])
        low = whole[0] / left[1] if left[1] else 0.0
        high = min(whole[1] / left[0], 1.0) if left[0] else 1.0
        return ConfidenceBounds(float(low), float(high))

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.float64]:
        """The expected number of baskets that contain each itemset, every `?` a fair coin."""
        answer = self.certain.support(itemsets).astype(np.float64)
        for n, itemset in enumerate(itemsets):
            chance = np.ones(len(self._open_rows))
            for item in itemset:
                chance *= self._chance(item)
            answer[n] += chance[chance < 1].sum()
        return answer

    def marginal(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """Expected joint counts of being out of (0) or in (1) the basket, one axis for each."""
        if not isinstance(self.schema, Assortment):
            raise NotCountable("Rows with unknown cells are counted item by item, not by column.")
        items = [self.schema.item(name) for name in attributes]
        cells = np.ones((len(self), 1))
        for item in items:
            chance = np.zeros(len(self))
            for rows, value in ((self.certain, 1.0), (self.unknown, 0.5)):
                chance[rows.row_of[rows.items == item]] = value
            split = np.stack([1 - chance, chance], axis=1)
            cells = (cells[:, :, None] * split[:, None, :]).reshape(len(self), -1)
        totals: NDArray[np.float64] = cells.sum(axis=0)
        return totals.reshape((2,) * len(items))

    @cached_property
    def _open_rows(self) -> NDArray[np.int64]:
        """Rows with an unknown cell; only there a chance lies between 0 and 1."""
        return np.flatnonzero(self.unknown.lengths)

    @cached_property
    def _chances(self) -> dict[int, NDArray[np.float64]]:
        """Item → chance of being in each open row, for the items that are in one at all."""
        place = np.full(len(self), -1)
        place[self._open_rows] = np.arange(len(self._open_rows))
        chances: dict[int, NDArray[np.float64]] = {}
        for rows, value in ((self.certain, 1.0), (self.unknown, 0.5)):
            row_of = place[rows.row_of]
            order = np.argsort(rows.items, kind="stable")
            order = order[row_of[order] >= 0]
            items, starts = np.unique(rows.items[order], return_index=True)
            bounds = pairwise([*starts.tolist(), len(order)])
            for item, (start, stop) in zip(items.tolist(), bounds, strict=True):
                column = chances.setdefault(item, np.zeros(len(self._open_rows)))
                column[row_of[order[start:stop]]] = value
        return chances

    def _chance(self, item: int) -> NDArray[np.float64]:
        found = self._chances.get(item)
        return np.zeros(len(self._open_rows)) if found is None else found
