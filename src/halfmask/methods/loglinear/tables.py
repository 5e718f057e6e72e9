"""Tables over coded columns, as the kernels read them, and their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.errors import BadInput

_Value = TypeVar("_Value", bound=np.generic)

Columns = tuple[int, ...]
"""The columns of one table, by number."""


@dataclass(frozen=True, eq=False)
class TableSet:
    """Tables over columns of given sizes; the last column of a table runs fastest.

    >>> tables = TableSet((2, 3), [(0,), (0, 1)])
    >>> tables.cells, [part.tolist() for part in tables.split(np.arange(8))]
    (8, [[0, 1], [2, 3, 4, 5, 6, 7]])
    """

    sizes: tuple[int, ...]
    columns: Sequence[Columns]
    column_offsets: NDArray[np.int64] = field(init=False, repr=False)
    cell_offsets: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for table in self.columns:
            if not table or len(set(table)) != len(table):
                raise BadInput("A table is over at least one column, each once.")
            if not all(0 <= column < len(self.sizes) for column in table):
                raise BadInput(f"There is no column {max(table)}; there are {len(self.sizes)}.")
        lengths = [len(table) for table in self.columns]
        cells = [self.size_of(table) for table in self.columns]
        object.__setattr__(self, "column_offsets", _offsets(lengths))
        object.__setattr__(self, "cell_offsets", _offsets(cells))

    def size_of(self, table: Columns) -> int:
        """How many cells a table over these columns has."""
        return prod(self.sizes[column] for column in table)

    @property
    def cells(self) -> int:
        """How many cells there are in all."""
        return int(self.cell_offsets[-1])

    @cached_property
    def flat(self) -> NDArray[np.int32]:
        """The columns of all tables, one table after the other."""
        return np.array([column for table in self.columns for column in table], np.int32)

    @property
    def size_array(self) -> NDArray[np.int32]:
        """The sizes of the columns, as the kernels read them."""
        return np.array(self.sizes, np.int32)

    def split(self, values: NDArray[_Value]) -> list[NDArray[_Value]]:
        """Values of all cells, table by table."""
        return np.split(values, self.cell_offsets[1:-1]) if len(self.columns) else []


def count_cells(
    codes: NDArray[np.int32], tables: TableSet, *, threads: int = 1
) -> NDArray[np.int64]:
    """The rows in each cell of each table; `codes` has a line for each row.

    >>> rows = np.array([[0, 2], [0, 2], [1, 0]], np.int32)
    >>> count_cells(rows, TableSet((2, 3), [(0,), (1, 0)])).tolist()
    [2, 1, 0, 1, 0, 0, 2, 0]
    """
    return _native.count_cells(
        by_column(codes),
        tables.size_array,
        tables.column_offsets,
        tables.flat,
        tables.cell_offsets,
        threads,
        None,
    )


def by_column(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """The codes of a table column after column, as the kernels read them."""
    return np.asarray(codes, np.int32).ravel(order="F")


def _offsets(lengths: list[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
