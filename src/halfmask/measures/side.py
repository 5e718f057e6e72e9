"""Side: one of the databases compared, with the counts that several measures ask for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Baskets, Countable, Table, Transactions
from halfmask.data.table import ABSENT
from halfmask.errors import NotMeasurable
from halfmask.measures.nearest import Packed

__all__ = ["Side", "Tally", "row_keys"]

T = TypeVar("T")

_Column = tuple[NDArray[np.intp], int, NDArray[np.bool_] | None]
"""The codes of a column, how many values it has, and which rows lack one."""

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
    _made: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    _tallies: dict[tuple[int, ...], Tally] = field(default_factory=dict, repr=False)
    _marginals: dict[tuple[int, ...], NDArray[np.float64]] = field(default_factory=dict, repr=False)

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """What several measures need of this side, made by the first that asks."""
        if name not in self._made:
            self._made[name] = make()
        made: T = self._made[name]
        return made

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
        if asked not in self._tallies:
            self._tallies[asked] = Tally.of(row_keys(self.rows, asked))
        return self._tallies[asked]

    @property
    def _width(self) -> int:
        return len(self.data.schema) if isinstance(self.data, Table) else 0

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
        parts, weights = self._columns
        key, cells, lacking = None, 1, None
        for column in columns:
            codes, size, gaps = parts[column]
            key = codes.copy() if key is None else key * size + codes
            cells *= size
            if gaps is not None:
                lacking = gaps if lacking is None else lacking | gaps
        if key is None:
            return np.array([self.size, 0.0])
        if lacking is not None:
            key[lacking] = cells
        return np.bincount(key, weights, minlength=cells + 1).astype(np.float64)

    @cached_property
    def _columns(self) -> tuple[list[_Column], NDArray[np.float64] | None]:
        """The columns of the distinct rows and how often each occurs, where that is shorter."""
        codes, weights = self.table.codes, None
        tally = self.tally
        if 2 * len(tally) < len(codes):
            one_of_each = np.empty(len(tally), np.intp)
            one_of_each[tally.of_row] = np.arange(len(codes))
            codes, weights = codes[one_of_each], tally.counts.astype(np.float64)
        parts = []
        for position, attribute in enumerate(self.table.schema):
            column = codes[:, position].astype(np.intp)  # what bincount wants
            gaps = column == ABSENT
            parts.append((column, attribute.size, gaps if gaps.any() else None))
        return parts, weights
