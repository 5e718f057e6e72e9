"""Cells: the value combinations of several sets of columns, numbered through.

A row falls into one cell of each set of columns. The cells of a set are numbered as `Side.marginal`
counts them: mixed radix, and a last cell for rows that lack a value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Schema, Table
from halfmask.data.table import ABSENT


@dataclass(frozen=True, eq=False)
class CellsOfRows:
    """The cells of these sets of columns.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> cells = CellsOfRows(schema, ((0,), (0, 1)))
    >>> cells.total, cells.of(Table(schema, np.array([[1, 0], [0, -1]]))).tolist()
    (8, [[1, 0], [5, 7]])
    """

    schema: Schema
    sets: tuple[tuple[int, ...], ...]
    starts: NDArray[np.int64] = field(init=False)
    """The number of the first cell of each set, and the number of all cells."""

    def __post_init__(self) -> None:
        sizes = [math.prod(self._sizes[c] for c in columns) + 1 for columns in self.sets]
        object.__setattr__(self, "starts", np.cumsum([0, *sizes]))

    @cached_property
    def _sizes(self) -> list[int]:
        return [attribute.size for attribute in self.schema.attributes]

    @property
    def total(self) -> int:
        """How many cells there are in all sets."""
        return int(self.starts[-1])

    def of(self, table: Table) -> NDArray[np.int32]:
        """The cell of each row in each set of columns: sets × rows."""
        numbers = np.empty((len(self.sets), len(table)), np.int32)
        gaps = table.codes == ABSENT
        with_gaps = set(np.flatnonzero(gaps.any(axis=0)).tolist())
        for place, columns in enumerate(self.sets):
            number = np.zeros(len(table), np.int32)
            for column in columns:
                number = number * np.int32(self._sizes[column]) + table.codes[:, column]
            for column in with_gaps.intersection(columns):
                number[gaps[:, column]] = self.starts[place + 1] - self.starts[place] - 1
            numbers[place] = number + self.starts[place]
        return numbers

    def count(self, numbers: NDArray[np.int32]) -> NDArray[np.float64]:
        """How many rows fall into each cell; `numbers` as given by `of`."""
        return np.bincount(numbers.ravel(), minlength=self.total).astype(np.float64)


def sets_of_columns(
    schema: Schema, *, ways: int, most: int, most_cells: int, rng: np.random.Generator
) -> tuple[tuple[int, ...], ...]:
    """Sets of one to `ways` columns: all, or a random choice of the larger ones up to `most`.

    Sets with more than `most_cells` cells are left out: most of their cells hold nobody.

    >>> from halfmask.data import Attribute
    >>> schema = Schema(tuple(Attribute(name, ("0", "1")) for name in "abc"))
    >>> rng = np.random.default_rng(1)
    >>> len(sets_of_columns(schema, ways=3, most=100, most_cells=100, rng=rng))
    7
    """
    width, sizes = len(schema), [attribute.size for attribute in schema.attributes]
    chosen: list[tuple[int, ...]] = [(column,) for column in range(width)]
    for k in range(2, min(ways, width) + 1):
        room = max(0, most - len(chosen)) // (min(ways, width) - k + 1)
        chosen += _some(width, k, room, rng)
    return tuple(s for s in chosen if math.prod(sizes[c] for c in s) <= most_cells)


def _some(width: int, k: int, most: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    if math.comb(width, k) <= most:
        return list(combinations(range(width), k))
    found: set[tuple[int, ...]] = set()
    while len(found) < most:
        found.add(tuple(sorted(rng.choice(width, k, replace=False).tolist())))
    return sorted(found)
