"""Anatomised tables: items in columns, rows in buckets, and in each bucket which values occur.

Within a bucket the values of different columns are not linked: that is the protection. What can
be counted is the expectation over all ways of joining them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data.baskets import Assortment
from halfmask.data.countable import Itemset
from halfmask.data.transactions import Transactions, marginal_of_supports
from halfmask.errors import BadInput


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The values of all columns, numbered through; those of column j are starts[j]:starts[j + 1].

    A value is a set of items of its column; those of a column are in lexicographic order, so the
    first is the empty set.
    """

    starts: NDArray[np.int64]
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, value: int) -> Itemset:
        return tuple(self.items[self.offsets[value] : self.offsets[value + 1]].tolist())

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of items of each value."""
        return np.diff(self.offsets)


@dataclass(frozen=True, eq=False)
class Entries:
    """How often each value stands in each bucket, sorted by column, bucket and value."""

    buckets: NDArray[np.int32]
    values: NDArray[np.int32]
    counts: NDArray[np.int64]
    starts: NDArray[np.int64]

    def column(self, j: int) -> slice:
        """Where the entries of a column stand."""
        return slice(int(self.starts[j]), int(self.starts[j + 1]))


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a published table: in this bucket, these items stood in `count` rows."""

    bucket: int
    items: tuple[str, ...]
    count: int


@dataclass(frozen=True, eq=False)
class AnatomisedTables:
    """One table (bucket, value, count) per column of items.

    Its supports are exact for itemsets inside one column and expectations across columns:
    Σ_B |B| · Π_j (share of the rows of B whose value in column j holds the part there).
    """

    schema: Assortment
    column_of: NDArray[np.int32]
    values: ColumnValues
    entries: Entries

    def __post_init__(self) -> None:
        if len(self.column_of) != self.schema.n_items:
            raise BadInput("Every item of the anatomised tables needs a column.")
        for j in range(1, self.n_columns):
            if not np.array_equal(self._sizes(j), self.bucket_sizes):
                raise BadInput("The tables of two columns disagree on the size of a bucket.")

    @classmethod
    def of_lines(cls, schema: Assortment, columns: Sequence[Sequence[Line]]) -> AnatomisedTables:
        """The tables that these published lines tell of, those of each column together.

        >>> lines = [[Line(0, ("a",), 1), Line(0, (), 1)], [Line(0, ("b",), 2)]]
        >>> tables = AnatomisedTables.of_lines(Assortment(("a", "b")), lines)
        >>> tables.support([(0,), (0, 1)]).tolist(), list(tables.lines(1)) == lines[1]
        ([1.0, 1.0], True)
        """
        column_of = np.zeros(schema.n_items, np.int32)
        values: list[Itemset] = []
        starts, entries, bounds = [0], [], [0]
        for j, lines in enumerate(columns):
            held = [tuple(sorted(map(schema.item, line.items))) for line in lines]
            number = {value: starts[-1] + n for n, value in enumerate(sorted({(), *held}))}
            found = zip(lines, held, strict=True)
            entries += sorted((line.bucket, number[value], line.count) for line, value in found)
            column_of[[item for value in held for item in value]] = j
            values += number
            starts.append(len(values))
            bounds.append(len(entries))
        table = np.array(entries, np.int64).reshape(-1, 3)
        lengths = [len(value) for value in values]
        flat = np.array([item for value in values for item in value], np.int32)
        return cls(
            schema,
            column_of,
            ColumnValues(
                np.array(starts, np.int64), np.cumsum([0, *lengths], dtype=np.int64), flat
            ),
            Entries(
                table[:, 0].astype(np.int32),
                table[:, 1].astype(np.int32),
                table[:, 2].copy(),
                np.array(bounds, np.int64),
            ),
        )

    def _sizes(self, j: int) -> NDArray[np.int64]:
        part = self.entries.column(j)
        counts = np.bincount(self.entries.buckets[part], weights=self.entries.counts[part])
        return counts.astype(np.int64)

    @property
    def n_columns(self) -> int:
        """The number of columns of items."""
        return len(self.entries.starts) - 1

    @property
    def n_buckets(self) -> int:
        """The number of buckets."""
        return len(self.bucket_sizes)

    @cached_property
    def bucket_sizes(self) -> NDArray[np.int64]:
        """The number of rows of each bucket."""
        return self._sizes(0)

    @property
    def size(self) -> float:
        """The number of rows."""
        return float(self.bucket_sizes.sum())

    def columns(self) -> tuple[tuple[str, ...], ...]:
        """The names of the items of each column."""
        return tuple(
            tuple(self.schema.label(int(i)) for i in np.flatnonzero(self.column_of == j))
            for j in range(self.n_columns)
        )

    def lines(self, column: int) -> Iterator[Line]:
        """The published table of one column, in an order that tells nothing about the rows."""
        for e in range(*self.entries.column(column).indices(len(self.entries.values))):
            names = tuple(map(self.schema.label, self.values[int(self.entries.values[e])]))
            yield Line(int(self.entries.buckets[e]), names, int(self.entries.counts[e]))

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.float64]:
        """The expected number of rows that contain each itemset."""
        asked = Transactions.of(itemsets, self.schema.n_items)
        return _native.expected_supports(
            self.entries.buckets,
            self.entries.values,
            self.entries.counts,
            self.entries.starts,
            self.values.offsets,
            self.values.items,
            self.bucket_sizes,
            self.column_of,
            asked.offsets,
            asked.items,
        )

    def marginal(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """Expected joint counts of being out of (0) or in (1) the row, one axis for each item."""
        return marginal_of_supports(self.support, [self.schema.item(name) for name in attributes])

    def is_empty_value(self) -> NDArray[np.bool_]:
        """For each entry, whether its value is the empty set."""
        return np.equal(self.values.lengths[self.entries.values], 0)

    def largest_counts(self, *, count_empty: bool = True) -> NDArray[np.int64]:
        """The count of the most frequent value, one line per bucket, one place per column."""
        largest = np.zeros((self.n_buckets, self.n_columns), np.int64)
        counted = self.entries.counts.copy()
        if not count_empty:
            counted[self.is_empty_value()] = 0
        for j in range(self.n_columns):
            part = self.entries.column(j)
            np.maximum.at(largest[:, j], self.entries.buckets[part], counted[part])
        return largest

    def distinct_counts(self) -> NDArray[np.int64]:
        """The number of different values, one line per bucket, one place per column."""
        parts = [self.entries.buckets[self.entries.column(j)] for j in range(self.n_columns)]
        counts = [np.bincount(part, minlength=self.n_buckets) for part in parts]
        return np.stack(counts, axis=1).astype(np.int64)

    def diversity(self, *, count_empty: bool = True) -> NDArray[np.float64]:
        """The l that each column reaches: its smallest |B| / (count of the most frequent value).

        Infinite where no value counts, which happens only when empty values do not.
        """
        largest = self.largest_counts(count_empty=count_empty)
        with np.errstate(divide="ignore"):
            ratios = self.bucket_sizes[:, None] / largest
        return np.asarray(ratios.min(axis=0), np.float64)
