"""Nearest: the rows that differ from a given row in the fewest attributes, searched exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Table


@dataclass(frozen=True, eq=False)
class Nearest:
    """For each row asked for: how far, which row first, and how many are as close."""

    distance: NDArray[np.int32]
    row: NDArray[np.int64]
    ties: NDArray[np.int64]


class Packed:
    """The codes of a table column by column, in one byte each where that holds them.

    A search runs through the columns it is given; packing all of them once lets many searches of
    one table share the work.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._columns: dict[type, NDArray[np.uint8]] = {}

    def needs_two_bytes(self, columns: Sequence[int]) -> bool:
        """Whether codes or distances of these columns exceed a byte; absent is a code too."""
        sizes = [self.table.schema.attributes[c].size for c in columns]
        return max(sizes, default=0) > 255 or len(sizes) > 255

    def columns(self, chosen: Sequence[int], *, wide: bool = False) -> NDArray[np.uint8]:
        """One array row for each column chosen.

        To the type checker both types look like bytes: the kernel has a twin for either.
        """
        kind = np.uint16 if wide or self.needs_two_bytes(chosen) else np.uint8
        if kind not in self._columns:
            # A code that does not fit into a byte is never chosen as one.
            self._columns[kind] = np.ascontiguousarray(self.table.codes.T + 1, kind)
        return self._columns[kind][list(chosen)]


def closest(
    reference: Packed, asked: Table, *, columns: Sequence[int] | None = None, threads: int = 1
) -> Nearest:
    """The reference rows closest to each row asked for, in all or in the given columns.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> reference = Packed(Table(schema, np.array([[0, 0], [1, 1], [1, 0]])))
    >>> found = closest(reference, Table(schema, np.array([[1, 0]])))
    >>> found.distance.tolist(), found.row.tolist(), found.ties.tolist()
    ([0], [2], [1])
    """
    chosen = range(len(asked.schema)) if columns is None else columns
    rows, queries = reference.columns(chosen), Packed(asked).columns(chosen)
    return Nearest(*_native.nearest(rows, queries, threads))


def closest_values(
    reference: Packed, asked: Table, *, target: int, columns: Sequence[int], threads: int = 1
) -> NDArray[np.int64]:
    """How many of the closest reference rows hold each value of the target column."""
    size = reference.table.schema.attributes[target].size
    labels = np.ascontiguousarray(reference.table.codes[:, target])
    rows, queries = reference.columns(columns), Packed(asked).columns(columns)
    votes = _native.nearest_votes(rows, labels, size, queries, threads)
    return votes.reshape(len(asked), size)


def coincidences(
    reference: Packed, asked: Table, parts: tuple[Sequence[int], Sequence[int]], *, threads: int = 1
) -> NDArray[np.float64]:
    """The chance that a closest row in the one part of the columns is the one drawn in the other.

    Both are drawn evenly among the closest: |A ∩ B| / (|A| · |B|).
    """
    wide = any(reference.needs_two_bytes(part) for part in parts)
    queries = Packed(asked)
    packs = [
        (reference.columns(part, wide=wide), queries.columns(part, wide=wide)) for part in parts
    ]
    found = [Nearest(*_native.nearest(*pack, threads)) for pack in packs]
    both = _native.coincidences(*packs[0], found[0].distance, *packs[1], found[1].distance, threads)
    return np.asarray(both / (found[0].ties * found[1].ties), np.float64)
