"""Nearest: the rows that differ from a given row in the fewest attributes, searched exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Table

__all__ = ["Nearest", "closest", "closest_values", "coincidences"]


@dataclass(frozen=True, eq=False)
class Nearest:
    """For each row asked for: how far, which row first, and how many are as close."""

    distance: NDArray[np.int32]
    row: NDArray[np.int64]
    ties: NDArray[np.int64]


def closest(
    reference: Table, asked: Table, *, columns: Sequence[int] | None = None, threads: int = 1
) -> Nearest:
    """The reference rows closest to each row asked for, in all or in the given columns.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> reference = Table(schema, np.array([[0, 0], [1, 1], [1, 0]]))
    >>> found = closest(reference, Table(schema, np.array([[1, 0]])))
    >>> found.distance.tolist(), found.row.tolist(), found.ties.tolist()
    ([0], [2], [1])
    """
    chosen = _chosen(reference, columns)
    return Nearest(*_native.nearest(_pack(reference, chosen), _pack(asked, chosen), threads))


def closest_values(
    reference: Table, asked: Table, *, target: int, columns: Sequence[int], threads: int = 1
) -> NDArray[np.int64]:
    """How many of the closest reference rows hold each value of the target column."""
    size = reference.schema.attributes[target].size
    labels = np.ascontiguousarray(reference.codes[:, target])
    rows, queries = _pack(reference, columns), _pack(asked, columns)
    votes = _native.nearest_votes(rows, labels, size, queries, threads)
    return votes.reshape(len(asked), size)


def coincidences(
    reference: Table, asked: Table, parts: tuple[Sequence[int], Sequence[int]], *, threads: int = 1
) -> NDArray[np.float64]:
    """The chance that a closest row in the one part of the columns is the one drawn in the other.

    Both are drawn evenly among the closest: |A ∩ B| / (|A| · |B|).
    """
    wide = any(_is_wide(reference, part) for part in parts)
    packs = [(_pack(reference, part, wide=wide), _pack(asked, part, wide=wide)) for part in parts]
    found = [Nearest(*_native.nearest(rows, queries, threads)) for rows, queries in packs]
    both = _native.coincidences(*packs[0], found[0].distance, *packs[1], found[1].distance, threads)
    return np.asarray(both / (found[0].ties * found[1].ties), np.float64)


def _chosen(table: Table, columns: Sequence[int] | None) -> Sequence[int]:
    return range(len(table.schema)) if columns is None else columns


def _is_wide(table: Table, columns: Sequence[int]) -> bool:
    """Whether codes and distances need two bytes; absent is a code too."""
    largest = max((table.schema.attributes[c].size for c in columns), default=0)
    return largest > 255 or len(columns) > 255


def _pack(table: Table, columns: Sequence[int], *, wide: bool = False) -> NDArray[np.uint8]:
    """The codes of these columns, one array row for each, in the smallest type that holds them.

    To the type checker both types look like bytes: the kernel has a twin for either.
    """
    codes = table.codes[:, list(columns)].T + 1
    kind = np.uint16 if wide or _is_wide(table, columns) else np.uint8
    return np.ascontiguousarray(codes, kind)
