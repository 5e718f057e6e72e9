"""Record partition: rows into buckets in which no value is too frequent, and nobody left over.

Cells: the value of every row in every column, and what a bucket may hold of each value.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Transactions
from halfmask.data.published.anatomised import ColumnValues
from halfmask.errors import BadInput, HalfmaskError
from halfmask.methods.anatomy.columns import ItemColumns
from halfmask.randomness import Randomness


@dataclass(frozen=True, eq=False)
class Bounds:
    """One fraction per value, at least 1; 0 where the value is exempt."""

    rises: NDArray[np.int64]
    falls: NDArray[np.int64]

    @classmethod
    def equal(cls, cells: Cells, level: Fraction) -> Bounds:
        """The same l for every value: c copies need c · l rows."""
        n = len(cells.values)
        return cls._of(cells, np.full(n, level.numerator), np.full(n, level.denominator))

    @classmethod
    def relative(cls, cells: Cells, level: Fraction, slack: Fraction) -> Bounds:
        """A share of max(1/l, (1 + slack) · the value's share in the whole), and at most 1."""
        own = np.maximum(cells.counts, 1) * (1 + slack).numerator
        whole = np.full(len(own), len(cells.kept) * (1 + slack).denominator)
        over = own * level.numerator > whole * level.denominator
        rises = np.where(over, np.maximum(whole, own), level.numerator)
        falls = np.where(over, own, level.denominator)
        shared = np.gcd(rises, falls)
        return cls._of(cells, rises // shared, falls // shared)

    @classmethod
    def per_column(cls, cells: Cells, level: Fraction) -> Bounds:
        """The asked l for an eligible column, the largest feasible l for another."""
        eligible = cells.is_eligible(level)
        rises = np.where(eligible, level.numerator, len(cells.kept))
        falls = np.where(eligible, level.denominator, np.maximum(cells.largest_counts, 1))
        sizes = np.diff(cells.values.starts)
        return cls._of(cells, np.repeat(rises, sizes), np.repeat(falls, sizes))

    @classmethod
    def _of(cls, cells: Cells, rises: NDArray[np.int64], falls: NDArray[np.int64]) -> Bounds:
        rises = rises.astype(np.int64)
        if cells.empty == "exempt":
            rises[cells.values.starts[:-1]] = 0
        return cls(rises, falls.astype(np.int64))

    def largest_share(self) -> float:
        """The largest share of a bucket that any bounded value may have."""
        bounded = self.rises > 0
        if not bounded.any():
            return 1.0
        return float((self.falls[bounded] / self.rises[bounded]).max())


EmptyPolicy = Literal["count", "exempt"]
"""Whether "nothing in this column" is a value like any other, or never the most frequent one."""


def diversity_level(level: float | Fraction) -> Fraction:
    """L as an exact fraction, so that no rounding decides about privacy.

    >>> diversity_level(2.1)
    Fraction(21, 10)
    """
    exact = level if isinstance(level, Fraction) else Fraction(str(level))
    if not 1 <= exact <= 10**6 or exact.denominator > 10**6:
        raise BadInput(f"l is a number from 1 to 1,000,000 with at most six decimals, not {level}.")
    return exact


@dataclass(frozen=True, eq=False)
class Cells:
    """`of_row[r, j]` is the value of row r in column j; the rows kept are those still in play."""

    of_row: NDArray[np.int32]
    values: ColumnValues
    columns: ItemColumns
    empty: EmptyPolicy
    kept: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Transactions, columns: ItemColumns, empty: EmptyPolicy) -> Cells:
        """Split every row of weight 1 into its columns."""
        cells, starts, offsets, items = _native.column_values(
            *rows.arrays, columns.of_item, columns.n
        )
        return cls(
            cells.reshape(len(rows), columns.n),
            ColumnValues(starts, offsets, items),
            columns,
            empty,
            np.arange(len(rows)),
        )

    def keeping(self, rows: NDArray[np.int64]) -> Cells:
        """The same cells with only these rows in play."""
        return Cells(self.of_row, self.values, self.columns, self.empty, rows)

    @property
    def column_of_value(self) -> NDArray[np.int64]:
        """The column that each value belongs to."""
        return np.repeat(np.arange(self.columns.n), np.diff(self.values.starts))

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many of the rows kept hold each value."""
        return np.bincount(self.of_row[self.kept].ravel(), minlength=len(self.values))

    @cached_property
    def bounded_counts(self) -> NDArray[np.int64]:
        """The counts, with 0 for a value that is exempt from the bound."""
        counts = self.counts.copy()
        if self.empty == "exempt":
            counts[self.values.starts[:-1]] = 0
        return counts

    @property
    def largest_counts(self) -> NDArray[np.int64]:
        """The count of the most frequent bounded value of each column."""
        return np.maximum.reduceat(self.bounded_counts, self.values.starts[:-1])

    def is_eligible(self, level: Fraction) -> NDArray[np.bool_]:
        """For each column, whether some partition into buckets is l-diverse in it.

        One exists exactly when the whole is: the bucket of all rows shows the one direction, and
        adding up over buckets the other.
        """
        return self.largest_counts * level.numerator <= len(self.kept) * level.denominator


@dataclass(frozen=True, eq=False)
class Partition:
    """The bucket of every row (-1: none) and how the rows left by the scan found theirs."""

    bucket_of: NDArray[np.int32]
    passes: int = 0
    placed: int = 0
    absorbed: int = 0
    merges: int = 0

    @property
    def n_buckets(self) -> int:
        """The number of buckets."""
        return int(self.bucket_of.max(initial=-1)) + 1

    @property
    def buckets(self) -> list[list[int]]:
        """The rows of each bucket."""
        order = np.argsort(self.bucket_of, kind="stable")
        ends = np.cumsum(np.bincount(self.bucket_of + 1, minlength=self.n_buckets + 1))
        return [part.tolist() for part in np.split(order, ends[:-1])[1:]]


def partition_rows(
    cells: Cells,
    bounds: Bounds,
    *,
    min_bucket: int,
    randomness: Randomness | None,
) -> Partition:
    """One scan that closes a bucket as soon as it may, then a place for every row left over.

    With randomness the rows are scanned in random order, because the order of a file may tell
    the time; without, in the order given.
    """
    order = cells.kept
    if randomness is not None:
        order = randomness.child("rows of the partition").permutation(order)
    scanned = _native.close_buckets(
        cells.of_row.ravel(), cells.columns.n, bounds.rises, bounds.falls, order, min_bucket
    )
    leftovers = order[scanned[order] < 0]
    settled = settle(cells, bounds, scanned, leftovers, randomness=randomness)
    if (settled.bucket_of[cells.kept] < 0).any():
        raise HalfmaskError("The partition was stopped before every row had a bucket.")
    return settled


def settle(  # noqa: PLR0913 - the state of a partition in parts
    cells: Cells,
    bounds: Bounds,
    bucket_of: NDArray[np.int32],
    leftovers: NDArray[np.int64],
    *,
    randomness: Randomness | None,
    absorb: bool = True,
) -> Partition:
    """A bucket for each row left over: where there is room, else by merging buckets."""
    nothing = np.empty(0, np.uint64)
    key = nothing if randomness is None else randomness.long_key("leftovers of the partition")
    found = _native.settle_leftovers(
        cells.of_row.ravel(),
        cells.columns.n,
        bounds.rises,
        bounds.falls,
        bucket_of,
        leftovers,
        key,
        absorb,
    )
    return Partition(*found)
