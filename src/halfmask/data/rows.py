"""Rows that may lie elsewhere: what learning asks of a coded table, wherever its rows are.

Everything that is learnt from all rows is a sum over them, and what is searched is a part of them.
So a table answers two questions, and whoever can cut its rows into pieces can answer them: a
table in memory, a file or a database that is read piece by piece, machines that have a piece each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfmask.data.countable import Countable, Itemset
from halfmask.data.schema import Schema
from halfmask.data.table import Sums, Table

T = TypeVar("T")

MOST_CELLS_AT_ONCE = 1 << 22
"""Cells that are counted in one pass: 32 MB for each piece."""


class Rows(Protocol):
    """Coded rows; those of a table in memory are one kind."""

    @property
    def schema(self) -> Schema:
        """The columns and their values."""
        ...

    @property
    def size(self) -> float:
        """The number of rows."""
        ...

    def __len__(self) -> int: ...

    def summed(self, count: Callable[[Table], Sums]) -> Sums:
        """What is counted in each piece of the rows, added up over all pieces."""
        ...

    def part(self, rows: int) -> Table:
        """So many rows, drawn by their content: the same whatever their order and their pieces."""
        ...

    def with_columns(self, schema: Schema, columns: Sequence[int]) -> Self:
        """The same rows with some of the columns, under another schema."""
        ...

    def marginal(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """Joint counts of these attributes; rows without one of the values are in no cell."""
        ...

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.float64]:
        """The number of rows that contain each itemset."""
        ...


def marginals(
    rows: Rows | SpreadRows, tables: Sequence[Sequence[str]]
) -> Iterable[NDArray[np.float64]]:
    """Joint counts of several sets of attributes, many in one pass over the rows.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> table = Table(schema, np.array([[0, 1], [0, 0], [1, 0]]))
    >>> [counts.tolist() for counts in marginals(table, [("sex",), ("ill", "sex")])]
    [[2.0, 1.0], [[1.0, 1.0], [1.0, 0.0]]]
    """
    schema = rows.schema
    for batch in in_batches(tables, lambda names: prod(schema[name].size for name in names)):
        if isinstance(rows, Table):  # one after the other, so that few are in memory
            yield from (rows.marginal(names) for names in batch)
        else:
            yield from (each.astype(np.float64) for each in rows.summed(partial(_counted, batch)))


def _counted(tables: Sequence[Sequence[str]], piece: Table) -> Sums:
    return tuple(piece.marginal(names).astype(np.int64) for names in tables)


def in_batches(tables: Iterable[T], cells: Callable[[T], int]) -> Iterable[list[T]]:
    """Tables in turn, as many at once as there is room for their cells."""
    batch: list[T] = []
    room = MOST_CELLS_AT_ONCE
    for table in tables:
        if batch and cells(table) > room:
            yield batch
            batch, room = [], MOST_CELLS_AT_ONCE
        batch.append(table)
        room -= cells(table)
    if batch:
        yield batch


@dataclass(frozen=True, eq=False)
class Matches:
    """How rows of an original and of a release match, by how often a row is in the original."""

    supports: NDArray[np.int64]
    """How often, increasing; 0 for rows of the release that the original has not."""
    rows: NDArray[np.int64]
    """The distinct rows that come so often, and those of them that are in the release."""
    found: NDArray[np.int64]
    released: NDArray[np.int64]
    """How often these rows are in the release."""
    of_asked: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Of each row asked for: how often it is in the original, and in the release."""


class SpreadRows:
    """Coded rows that lie elsewhere: what follows from sums over them."""

    schema: Schema

    def __len__(self) -> int:
        raise NotImplementedError

    def summed(self, count: Callable[[Table], Sums]) -> Sums:
        """What is counted in each piece of the rows, added up over all pieces."""
        raise NotImplementedError

    def part(self, rows: int) -> Table:
        """So many rows."""
        raise NotImplementedError

    def matched(self, release: Countable, asked: Table) -> Matches:
        """How often rows come here and in a release; those asked for one by one."""
        raise NotImplementedError

    @property
    def size(self) -> float:
        """The number of rows."""
        return float(len(self))

    def marginal(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """Joint counts of these attributes; rows without one of the values are in no cell."""
        [counts] = self.summed(partial(_marginal, attributes))
        return np.asarray(counts, np.float64)

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.float64]:
        """The number of rows that contain each itemset."""
        [counts] = self.summed(partial(_supports, itemsets))
        return np.asarray(counts, np.float64)


def _marginal(attributes: Sequence[str], piece: Table) -> Sums:
    return (piece.marginal(attributes).astype(np.int64),)


def _supports(itemsets: Sequence[Itemset], piece: Table) -> Sums:
    return (piece.transactions.support(itemsets),)
