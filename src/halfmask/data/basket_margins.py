"""Checked margins of baskets: how many baskets hold an item or a set, where many do."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from halfmask.data.transactions import Transactions
from halfmask.errors import BadInput

__all__ = ["BasketMargins"]


@dataclass(frozen=True, eq=False)
class BasketMargins:
    """Sets of up to `order` items with the baskets that hold them; nothing is told of others.

    >>> sets = Transactions.of([(0,), (1,), (0, 1)], n_items=2)
    >>> margins = BasketMargins(sets, np.array([30, 25, 20]), rows=50, min_support=20, order=2)
    >>> margins.smallest, list(margins.limited(1).sets)
    (20, [(0,), (1,)])
    """

    sets: Transactions
    """Shorter ones first, then by their items."""
    counts: NDArray[np.int64]
    rows: int
    """The baskets of the original."""
    min_support: int
    """The smallest count that may be told."""
    order: int
    held: NDArray[np.int64] = field(init=False, repr=False)
    """The number of items of each set."""

    def __post_init__(self) -> None:
        counts = np.ascontiguousarray(self.counts, np.int64)
        if counts.shape != (len(self.sets),):
            raise BadInput("A margin of baskets has a count for each set.")
        if len(counts) and not (self.min_support <= counts.min() and counts.max() <= self.rows):
            raise BadInput("A set is held by fewer baskets than the floor, or by more than all.")
        held = np.diff(self.sets.offsets)
        if len(held) and not (held.min() >= 1 and held.max() <= self.order):
            raise BadInput(f"A margin of baskets is a set of 1 to {self.order} items.")
        listed = [(len(items), items) for items in self.sets]
        if any(one >= other for one, other in pairwise(listed)):
            raise BadInput("The margins of baskets stand shortest first, each once.")
        for array in (counts, held):
            array.setflags(write=False)
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "held", held)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def smallest(self) -> int | None:
        """The smallest count that is told; none where there is no set."""
        return int(self.counts.min()) if len(self.counts) else None

    def limited(self, order: int) -> BasketMargins:
        """Only the sets of up to so many items."""
        if order >= self.order:
            return self
        stop = int(np.searchsorted(self.held, order, side="right"))
        offsets, items = self.sets.offsets[: stop + 1], self.sets.items
        kept = Transactions(
            offsets, items[: offsets[-1]], np.ones(stop, np.int64), self.sets.n_items
        )
        return BasketMargins(kept, self.counts[:stop], self.rows, self.min_support, order)
