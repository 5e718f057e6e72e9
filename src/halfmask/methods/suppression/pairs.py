"""How many rows hold each pair of items: every pair that occurs, in bounded memory.

A row of n items holds n (n − 1) / 2 pairs. They are listed and counted in blocks of first items,
so that no block has more than a few million; most pairs of sparse baskets never occur, and cost
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Transactions

BLOCK = 8_000_000
"""Pairs listed at a time: 64 MB, and as much again to sort them."""


@dataclass(frozen=True, eq=False, slots=True)
class Pairs:
    """Pairs of items, the smaller number first, and how many rows hold each."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    supports: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.first)


def occurring_pairs(rows: Transactions, *, block: int = BLOCK) -> Iterator[Pairs]:
    """All pairs that occur, in lexicographic order, block by block.

    >>> rows = Transactions.of([(0, 1), (0, 1, 2)], n_items=3)
    >>> for found in occurring_pairs(rows):
    ...     print(found.first.tolist(), found.second.tolist(), found.supports.tolist())
    [0, 0, 1] [1, 2, 2] [2, 1, 1]
    """
    items = rows.items.astype(np.int64)
    ends = np.repeat(rows.offsets[1:], np.diff(rows.offsets))
    follow = ends - np.arange(len(items)) - 1  # the items after this one in its row
    per_item = np.bincount(items, follow, minlength=rows.n_items)
    number = (np.cumsum(per_item) // block).astype(np.int64)
    for chosen in np.unique(number[per_item > 0]).tolist():
        members = np.flatnonzero(number == chosen)
        low, high = int(members[0]), int(members[-1]) + 1
        places = np.flatnonzero((items >= low) & (items < high) & (follow > 0))
        yield _counted(_keys(items, places, ends, low, rows.n_items), low, high, rows.n_items)


def _keys(
    items: NDArray[np.int64],
    places: NDArray[np.int64],
    ends: NDArray[np.int64],
    low: int,
    width: int,
) -> NDArray[np.int64]:
    """One number for each pair in each row: (first − low) × width + second."""
    parts = [np.empty(0, np.int64)]
    step = 1
    while len(places):
        parts.append((items[places] - low) * width + items[places + step])
        step += 1
        places = places[places + step < ends[places]]
    return np.concatenate(parts)


def _counted(keys: NDArray[np.int64], low: int, high: int, width: int) -> Pairs:
    cells = (high - low) * width
    if cells <= 4 * len(keys):
        counts = np.bincount(keys, minlength=cells)
        found = np.flatnonzero(counts)
        supports = counts[found]
    else:
        found, supports = np.unique(keys, return_counts=True)
    return Pairs(found // width + low, found % width, supports.astype(np.int64))


def taken_rows(rows: Transactions, chosen: NDArray[np.int64]) -> Transactions:
    """These rows alone."""
    starts = rows.offsets[chosen]
    lengths = rows.offsets[chosen + 1] - starts
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    place = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
    return Transactions(offsets, rows.items[place], rows.weights[chosen], rows.n_items)


def only_items(rows: Transactions, items: NDArray[np.bool_]) -> Transactions:
    """The rows with no other items than these."""
    stay = items[rows.items]
    kept = np.concatenate([[0], np.cumsum(stay)])
    return replace(rows, offsets=kept[rows.offsets].astype(np.int64), items=rows.items[stay])
