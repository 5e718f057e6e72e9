"""Side: one of the databases compared, with the counts that several measures ask for."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Baskets, Countable, Table, Transactions
from halfmask.data.rows import SpreadRows, marginals
from halfmask.data.table import ABSENT, PIECE
from halfmask.errors import NotMeasurable
from halfmask.measures.kept import Kept
from halfmask.measures.nearest import Packed

T = TypeVar("T")

_SMALL_MARGINAL = 10_000
"""Marginals of up to this many cells are kept: 80 kB each; larger ones are counted when asked."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Distinct rows by key, how often each occurs, and which of them every row is.

    >>> tally = Tally.of(np.array([7, 3, 7]))
    >>> tally.keys.tolist(), tally.counts.tolist(), tally.of_row.tolist()
    ([3, 7], [1, 2], [1, 0, 1])
    >>> tally.count(np.array([7, 5])).tolist()
    [2, 0]
    """

    keys: NDArray[Any]
    counts: NDArray[np.int64]
    of_row: NDArray[np.intp]

    @classmethod
    def of(cls, keys: NDArray[Any]) -> Tally:
        """Count equal keys."""
        distinct, of_row, counts = np.unique(keys, return_inverse=True, return_counts=True)
        return cls(distinct, counts.astype(np.int64), of_row)

    def __len__(self) -> int:
        return len(self.keys)

    def count(self, keys: NDArray[Any]) -> NDArray[np.int64]:
        """How many rows of this tally have each of the given keys."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.counts[place], 0)


def row_keys(rows: Table | Baskets, columns: Sequence[int]) -> NDArray[Any]:
    """One comparable key a row: equal keys, equal values in these columns.

    Keys of two tables over one schema can be compared with each other. A table's key is the
    mixed-radix number of its codes, in as many 64-bit words as it takes; a basket's key is a
    128-bit digest of all its items.
    """
    if isinstance(rows, Baskets):
        return _basket_keys(rows.transactions)
    words = []
    word = np.zeros(len(rows), np.int64)
    room = 1
    for column in columns:
        radix = rows.schema.attributes[column].size + 1  # absent is a value here too
        if room * radix >= 2**62:
            words.append(word)
            word, room = np.zeros(len(rows), np.int64), 1
        word = word * radix + (rows.codes[:, column] + 1)
        room *= radix
    words.append(word)
    if len(words) == 1:
        return word
    # Big-endian words sort as bytes in the same way everywhere.
    packed = np.ascontiguousarray(np.stack(words, axis=1).astype(">i8"))
    return packed.view(f"V{8 * len(words)}").ravel()


def _basket_keys(rows: Transactions) -> NDArray[Any]:
    starts, stops = rows.offsets[:-1].tolist(), rows.offsets[1:].tolist()
    digests = [
        blake2b(rows.items[start:stop].tobytes(), digest_size=16).digest()
        for start, stop in zip(starts, stops, strict=True)
    ]
    return np.frombuffer(b"".join(digests), "V16")


@dataclass(frozen=True, eq=False)
class Side:
    """A Countable and what was counted in it so far; the counts are shared, never repeated."""

    data: Countable
    what: str
    """How a sentence calls it: the original, the release, the hold-out."""
    _kept: Kept = field(default_factory=Kept, repr=False)
    _marginals: dict[tuple[int, ...], NDArray[np.float64]] = field(default_factory=dict, repr=False)

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """What several measures need of this side, made by the first that asks."""
        return self._kept.once(name, make)

    @property
    def size(self) -> float:
        """The number of rows."""
        return self.data.size

    @property
    def rows(self) -> Table | Baskets:
        """The rows themselves, for measures that look at rows one by one."""
        if isinstance(self.data, Table | Baskets):
            return self.data
        raise NotMeasurable(f"This measure looks at single rows, and {self.what} has only counts.")

    @property
    def table(self) -> Table:
        """The rows as a table of attributes."""
        if isinstance(self.data, Table):
            return self.data
        kind = "baskets without columns" if isinstance(self.data, Baskets) else "only counts"
        raise NotMeasurable(f"This measure needs a table of columns, and {self.what} has {kind}.")

    @property
    def packed(self) -> Packed:
        """The rows as the search for the nearest wants them."""
        return self.once("packed", lambda: Packed(self.table))

    @property
    def distinct(self) -> Transactions:
        """The distinct rows as sets of items, with their weights."""
        return self.once("distinct", self._distinct)

    def _distinct(self) -> Transactions:
        return self.rows.transactions.distinct()

    @property
    def tally(self) -> Tally:
        """The distinct whole rows."""
        return self.tally_of(range(self._width))

    def tally_of(self, columns: Sequence[int]) -> Tally:
        """The distinct combinations in these columns."""
        asked = tuple(columns)
        return self.once(("tally", asked), lambda: Tally.of(row_keys(self.rows, asked)))

    @property
    def _width(self) -> int:
        return len(self.data.schema) if isinstance(self.data, Table) else 0

    def count_ahead(self, asked: Sequence[tuple[int, ...]], names: Sequence[str]) -> None:
        """Count the cells of these attributes in as few passes as can be, where rows are not here.

        They are kept until they are asked for.
        """
        if not isinstance(self.data, SpreadRows):
            return
        new = [columns for columns in asked if columns not in self._marginals]
        found = marginals(self.data, [[names[c] for c in columns] for columns in new])
        for columns, cells in zip(new, found, strict=True):
            counts = cells.ravel()
            self._marginals[columns] = np.append(counts, self.size - counts.sum())

    def marginal(self, columns: tuple[int, ...], names: Sequence[str]) -> NDArray[np.float64]:
        """Counts over the cells of these attributes, flat; the last cell lacks a value."""
        if columns in self._marginals:
            return self._marginals[columns]
        if isinstance(self.data, Table):
            counts = self._count(columns)
        else:
            cells = self.data.marginal([names[c] for c in columns]).ravel()
            counts = np.append(cells, self.data.size - cells.sum())
        if counts.size <= _SMALL_MARGINAL:
            self._marginals[columns] = counts
        return counts

    def _count(self, columns: tuple[int, ...]) -> NDArray[np.float64]:
        codes, weights = self._different
        sizes = [self.table.schema.attributes[column].size for column in columns]
        cells = math.prod(sizes)
        if not columns:
            return np.array([self.size, 0.0])
        counts = np.zeros(cells + 1)
        step = max(PIECE, cells)
        for start in range(0, len(codes), step):
            part = slice(start, start + step)
            key = _cell_numbers(codes[part], columns, sizes, self._gaps)
            some = None if weights is None else weights[part]
            counts += np.bincount(key, some, minlength=cells + 1)
        return counts

    @property
    def _different(self) -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
        """The codes of the distinct rows and how often each occurs, where these are fewer."""
        return self.once("different", self._one_of_each)

    def _one_of_each(self) -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
        codes, tally = self.table.codes, self.tally
        if 2 * len(tally) >= len(codes):
            return codes, None
        one_of_each = np.empty(len(tally), np.intp)
        one_of_each[tally.of_row] = np.arange(len(codes))
        return np.asfortranarray(codes[one_of_each]), tally.counts.astype(np.float64)

    @property
    def _gaps(self) -> frozenset[int]:
        """The columns in which some row lacks a value."""
        return self.once("gaps", lambda: _columns_with_gaps(self.table.codes))


def _columns_with_gaps(codes: NDArray[np.int32]) -> frozenset[int]:
    lowest = codes.min(axis=0, initial=0)
    return frozenset(np.flatnonzero(lowest == ABSENT).tolist())


def _cell_numbers(
    codes: NDArray[np.int32], columns: Sequence[int], sizes: Sequence[int], gaps: Collection[int]
) -> NDArray[np.intp]:
    """The cell of each row; a row that lacks a value is in the last."""
    key = codes[:, columns[0]].astype(np.intp)  # what bincount wants
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        key *= size
        key += codes[:, column]
    for column in columns:
        if column in gaps:
            key[codes[:, column] == ABSENT] = math.prod(sizes)
    return key
