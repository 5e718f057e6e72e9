"""Cells: the value of every row in every column, and what a bucket may hold of each value."""

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
from halfmask.errors import BadInput
from halfmask.methods.anatomy.columns import ItemColumns

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
            rows.offsets, rows.items, rows.weights, rows.n_items, columns.of_item, columns.n
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
