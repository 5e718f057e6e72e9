"""Streams: rows that are read from their beginning as often as a question is asked.

A file or a table of a database that is larger than memory: nothing of it is kept but what was
counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfmask.data import Column
from halfmask.data.keyed import Numbers, keys_of
from halfmask.data.rows import Matches
from halfmask.engines.pieces import Answer, Batches, Numbering, T, in_columns

MERGED = 1 << 20
"""Different numbers that are put together at a time."""


@dataclass(frozen=True, eq=False)
class Stream:
    """One piece: batches that can be asked for again and again."""

    schema: pa.Schema
    batches: Callable[[], Batches]

    def reduced(self, answer: Answer[T], merge: Callable[[T, T], T]) -> T:  # noqa: ARG002 - one
        """The answer of the only piece."""
        return answer(in_columns(self.batches()))

    def smallest(
        self,
        number: Numbering,
        most: int,
        without: Numbers,
        rows: int,  # noqa: ARG002 - all are counted
    ) -> tuple[Numbers, NDArray[np.int64]]:
        """The numbers of the rows with the smallest keys; 16 bytes of each number are kept."""
        counted = Counted.of(without, -1)
        for columns in in_columns(self.batches()):
            counted.add(Counted.of(number(columns)))
        return smallest_keys(*counted.all(), most)

    def matched(self, number: Numbering, without: Numbers, release: Any, asked: Numbers) -> Matches:
        """How often rows come in the stream and in a release that is here."""
        counted = Counted.of(without, -1)
        for columns in in_columns(self.batches()):
            counted.add(Counted.of(number(columns)))
        own, drawn = counted.all(), np.unique(release.numbers(), return_counts=True)
        every = np.union1d(own[0], drawn[0])
        here, there = (_held(every, *side) for side in (own, drawn))
        supports, place = np.unique(here, return_inverse=True)
        return Matches(
            supports,
            np.bincount(place),
            np.bincount(place, there > 0).astype(np.int64),
            np.bincount(place, there).astype(np.int64),
            (_held(asked, *own), _held(asked, *drawn)),
        )

    def gathered(self, wanted: Callable[[list[Column]], pa.Table], schema: pa.Schema) -> pa.Table:
        """Rows made of those of the stream."""
        parts = [wanted(columns) for columns in in_columns(self.batches())]
        return pa.concat_tables([part.cast(schema) for part in parts])


class Counted:
    """How often each number came, merged now and then."""

    def __init__(self, numbers: Numbers, counts: NDArray[np.int64]) -> None:
        self._parts = [(numbers, counts)]
        self._waiting = 0

    @classmethod
    def of(cls, numbers: Numbers, weight: int = 1) -> Counted:
        """Those of some rows, each so many times."""
        different, counts = np.unique(numbers, return_counts=True)
        return cls(different, weight * counts.astype(np.int64))

    def add(self, other: Counted) -> None:
        """With those of other rows."""
        self._parts += other._parts
        self._waiting += sum(len(numbers) for numbers, _ in other._parts)
        if self._waiting > max(MERGED, len(self._parts[0][0])):
            self._parts, self._waiting = [self.all()], 0

    def all(self) -> tuple[Numbers, NDArray[np.int64]]:
        """Each number once, and how often it came."""
        numbers, counts = (np.concatenate(parts) for parts in zip(*self._parts, strict=True))
        different, place = np.unique(numbers, return_inverse=True)
        summed = np.zeros(len(different), np.int64)
        np.add.at(summed, place, counts)
        return different, summed


def _held(asked: Numbers, numbers: Numbers, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each number asked for came."""
    if not len(numbers):
        return np.zeros(len(asked), np.int64)
    place = np.minimum(np.searchsorted(numbers, asked), len(numbers) - 1)
    return np.where(numbers[place] == asked, counts[place], 0)


def smallest_keys(
    numbers: Numbers, counts: NDArray[np.int64], most: int, below: int | None = None
) -> tuple[Numbers, NDArray[np.int64]]:
    """The numbers with the smallest keys and which copies they are, those first.

    Where it is known, only keys `below` something are looked at.

    >>> numbers, copies = smallest_keys(np.array([3, 8], np.uint64), np.array([2, 1]), 2)
    >>> len(numbers), sorted(set(numbers.tolist()) - {3, 8})
    (2, [])
    """
    counts = np.maximum(counts, 0)
    every = np.repeat(numbers, counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    copy = np.arange(len(every)) - first
    keys = keys_of(every, copy)
    order = np.arange(len(keys)) if below is None else np.flatnonzero(keys < np.uint64(below))
    order = order[np.argsort(keys[order])][:most]
    return every[order], copy[order]
