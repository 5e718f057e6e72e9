"""Itemsets by size: the walk over all occurring sets that both basket models share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Itemset, Transactions

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
        chosen = place[rows.items]
        stay = chosen >= 0
        kept = np.concatenate([[0], np.cumsum(stay)])
        row_of = np.repeat(np.arange(len(rows)), np.diff(rows.offsets))[stay]
        by_line = np.lexsort((row_of, chosen[stay]))
        bounds = np.searchsorted(chosen[stay][by_line], np.arange(1, len(items)))
        bits = np.zeros((len(items), (len(rows) + 63) // 64), np.uint64)
        for line, found in zip(bits, np.split(row_of[by_line], bounds), strict=False):
            flags = np.zeros(64 * len(line), bool)
            flags[found] = True
            line[:] = np.packbits(flags).view(np.uint64)
        offsets = kept[rows.offsets].astype(np.int64)
        return cls(Transactions(offsets, chosen[stay], rows.weights, len(items)), bits)

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
        held = self._items_of(np.flatnonzero(flags))
        counts: NDArray[np.int64] = np.bincount(held, minlength=len(self.bits))[lines]
        return counts

    @cached_property
    def _mean_length(self) -> float:
        return len(self.rows.items) / max(len(self.rows), 1)

    def _items_of(self, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        starts = self.rows.offsets[rows]
        lengths = self.rows.offsets[rows + 1] - starts
        ends = np.cumsum(lengths)
        place = np.arange(int(ends[-1]) if len(ends) else 0)
        items: NDArray[np.int32] = self.rows.items[
            place + np.repeat(starts - ends + lengths, lengths)
        ]
        return items


def _parts_kept(itemset: Itemset, known: set[Itemset]) -> bool:
    return all(part in known for part in combinations(itemset, len(itemset) - 1))
