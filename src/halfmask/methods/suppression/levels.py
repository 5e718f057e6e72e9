"""Itemsets by size: the walk over all occurring sets that both basket models share.

How many rows hold each pair of items: every pair that occurs, in bounded memory.

A row of n items holds n (n − 1) / 2 pairs. They are listed and counted in blocks of first items,
so that no block has more than a few million; most pairs of sparse baskets never occur, and cost
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Itemset, Transactions

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
    ends = np.repeat(rows.offsets[1:], rows.lengths)
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
    """These rows alone, with their weights."""
    return replace(rows.take(chosen), weights=rows.weights[chosen])


Bits = NDArray[np.uint64]
"""One line of bits for each item: bit r says whether row r holds it."""


def population(bits: Bits) -> NDArray[np.int64]:
    """The number of rows in each line of bits."""
    total: NDArray[np.int64] = np.bitwise_count(bits).sum(axis=-1, dtype=np.int64)
    return total


@dataclass(frozen=True, eq=False, slots=True)
class Extensions:
    """An itemset, its rows, and the items that occur with it and may be added, with supports."""

    itemset: Itemset
    bits: Bits
    items: NDArray[np.int64]
    supports: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lines:
    """Chosen items of a database, numbered from 0, as rows and as bits.

    >>> lines = Lines.of(Transactions.of([(0, 1), (0, 1), (1, 2)], n_items=4), [0, 1, 2])
    >>> for found in lines.extensions([(0,), (1,), (2,)]):
    ...     print(found.itemset, found.items.tolist(), found.supports.tolist())
    (0,) [1] [2]
    (1,) [2] [1]
    """

    rows: Transactions
    bits: Bits

    @classmethod
    def of(cls, rows: Transactions, items: Sequence[int]) -> Lines:
        """The lines of these items, in the order given."""
        place = np.full(rows.n_items, -1, np.int32)
        place[list(items)] = np.arange(len(items), dtype=np.int32)
        kept = rows.with_items(place >= 0)
        chosen = place[kept.items]
        by_line = np.lexsort((kept.row_of, chosen))
        bounds = np.searchsorted(chosen[by_line], np.arange(1, len(items)))
        bits = np.zeros((len(items), (len(rows) + 63) // 64), np.uint64)
        for line, found in zip(bits, np.split(kept.row_of[by_line], bounds), strict=False):
            flags = np.zeros(64 * len(line), bool)
            flags[found] = True
            line[:] = np.packbits(flags).view(np.uint64)
        return cls(replace(kept, items=chosen, n_items=len(items)), bits)

    @cached_property
    def supports(self) -> NDArray[np.int64]:
        """The number of rows in each line."""
        return population(self.bits)

    def extensions(self, kept: Sequence[Itemset]) -> Iterator[Extensions]:
        """All occurring itemsets one item larger whose parts are all kept."""
        known = set(kept)
        siblings: dict[Itemset, list[int]] = {}
        for itemset in kept:
            siblings.setdefault(itemset[:-1], []).append(itemset[-1])
        last = {head: np.array(sorted(items), np.int64) for head, items in siblings.items()}
        for itemset in kept:
            group = last[itemset[:-1]]
            later = group[np.searchsorted(group, itemset[-1], side="right") :]
            if not len(later):
                continue
            bits = np.bitwise_and.reduce(self.bits[list(itemset)], axis=0)
            counts = self._counts(bits, later)
            occurs = counts > 0
            if len(itemset) > 1:
                occurs[occurs] = [
                    _parts_kept((*itemset, item), known) for item in later[occurs].tolist()
                ]
            yield Extensions(itemset, bits, later[occurs], counts[occurs])

    def _counts(self, bits: Bits, lines: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many of these rows are in each line: row by row, or line by line if that is less."""
        if self._mean_length * int(population(bits)) > len(lines) * len(bits):
            return population(self.bits[lines] & bits)
        flags = np.unpackbits(bits.view(np.uint8), count=len(self.rows))
        held = self.rows.take(np.flatnonzero(flags)).items
        counts: NDArray[np.int64] = np.bincount(held, minlength=len(self.bits))[lines]
        return counts

    @cached_property
    def _mean_length(self) -> float:
        return len(self.rows.items) / max(len(self.rows), 1)


def _parts_kept(itemset: Itemset, known: set[Itemset]) -> bool:
    return all(part in known for part in combinations(itemset, len(itemset) - 1))
