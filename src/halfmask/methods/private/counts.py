"""Exact counts of coded rows, wherever these are: all that learning asks of an original.

They are never told: what is learnt from them leaves as a choice, or with noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.data.rows import Rows, in_batches
from halfmask.data.table import ABSENT, Sums
from halfmask.methods.loglinear import TableSet, count_cells
from halfmask.methods.private.log import LeafNode, nodes_of


@dataclass(frozen=True, slots=True, eq=False)
class NodePlaces:
    """Where rows come to rest in a tree, as one more column behind their own."""

    nodes: tuple[LeafNode, ...]
    number: NDArray[np.int32]
    """The code of each node."""

    def beside(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The rows with this column."""
        return np.column_stack([codes, self.number[nodes_of(self.nodes, codes)]])

    def tables(self, sizes: Sequence[int], columns: Sequence[tuple[int, ...]]) -> TableSet:
        """Tables of this column and some of the others, this one first."""
        own = len(sizes)
        every = (*sizes, int(self.number.max()) + 1)
        return TableSet(every, [(own, *table) for table in columns])


def sizes_of(rows: Rows) -> tuple[int, ...]:
    """How many values each column has."""
    return tuple(attribute.size for attribute in rows.schema)


def counts_of(rows: Rows, tables: TableSet, places: NodePlaces | None = None) -> NDArray[np.int64]:
    """The rows in each cell of each table, asked where the rows are.

    >>> from halfmask.data import Attribute, Schema
    >>> sexes = Table(Schema((Attribute("sex", ("f", "m")),)), np.array([[0], [1], [1]]))
    >>> counts_of(sexes, TableSet((2,), [(0,)])).tolist()
    [1, 2]
    """
    found = []
    for batch in in_batches(tables.columns, tables.size_of):
        [counts] = rows.summed(partial(_counted, TableSet(tables.sizes, batch), places))
        found.append(counts)
    return np.concatenate(found)


def _counted(tables: TableSet, places: NodePlaces | None, piece: Table) -> Sums:
    """Without rows that lack a code: people held back have them, and are taken off anyway."""
    codes, lacking = piece.codes, (piece.codes == ABSENT).any(axis=1)
    if lacking.any():
        codes = codes[~lacking]
    return (count_cells(codes if places is None else places.beside(codes), tables),)
