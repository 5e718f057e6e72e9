"""Streams: rows that are read from their beginning as often as a question is asked.

A file or a table of a database that is larger than memory: nothing of it is kept but what was
counted, and its rows in codes, in a file without a name.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, Generic
from weakref import finalize

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfmask.data import Column, Schema, Table
from halfmask.data.keyed import Numbers, keys_of
from halfmask.data.rows import Matches
from halfmask.engines.pieces import Answer, Batches, Numbering, P, T, in_columns
from halfmask.engines.rows import packed, unpacked
from halfmask.errors import BadInput

MERGED = 1 << 20
"""Different numbers that are put together at a time."""


@dataclass(frozen=True, eq=False)
class Passes(Generic[P]):
    """One piece: rows that can be asked for again and again."""

    read: Callable[[], Iterator[P]]

    def reduced(self, answer: Answer[P, T], merge: Callable[[T, T], T]) -> T:  # noqa: ARG002 - one
        """The answer of the only piece."""
        return answer(self.read())

    def smallest(
        self,
        number: Numbering[P],
        most: int,
        without: Numbers,
        rows: int,  # noqa: ARG002 - all are counted
    ) -> tuple[Numbers, NDArray[np.int64]]:
        """The numbers of the rows with the smallest keys; 16 bytes of each number are kept."""
        return smallest_keys(*self._counted(number, without), most)

    def _counted(self, number: Numbering[P], without: Numbers) -> tuple[Numbers, NDArray[np.int64]]:
        counted = Counted.of(without, -1)
        for piece in self.read():
            counted.add(Counted.of(number(piece)))
        return counted.all()

    def matched(
        self, number: Numbering[P], without: Numbers, release: Any, asked: Numbers
    ) -> Matches:
        """How often rows come in the stream and in a release that is here."""
        own = self._counted(number, without)
        drawn = np.unique(release.numbers(), return_counts=True)
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

    def gathered(self, wanted: Callable[[P], pa.Table], schema: pa.Schema) -> pa.Table:
        """Rows made of those of the stream."""
        return pa.concat_tables([wanted(piece).cast(schema) for piece in self.read()])

    def gathered_once(
        self, wanted: Callable[[P], pa.Table], schema: pa.Schema, number: str
    ) -> pa.Table:
        """One row of each number, the first of the stream."""
        found, seen = [schema.empty_table()], np.empty(0, np.int64)
        for piece in self.read():
            rows = wanted(piece).cast(schema)
            numbers, first = np.unique(rows[number].to_numpy(), return_index=True)
            new = ~np.isin(numbers, seen, assume_unique=True)
            found.append(rows.take(np.sort(first[new])))
            seen = np.union1d(seen, numbers[new])
        return pa.concat_tables(found)


@dataclass(frozen=True, eq=False)
class Stream(Passes[list[Column]]):
    """Batches that can be asked for again and again."""

    schema: pa.Schema

    @classmethod
    def of(cls, schema: pa.Schema, batches: Callable[[], Batches]) -> Stream:
        """The stream of such batches."""
        return cls(partial(_columns, batches), schema)

    def coded(self, code: Callable[[list[Column]], Table], schema: Schema) -> Passes[Table]:
        """The rows in codes, in a file without a name: nobody else can open it.

        It goes with the last who asks, and with the process, whatever ends that.
        """
        kept = CodedFile.of(code(columns) for columns in self.read())
        return Passes(partial(kept.tables, schema))


def _columns(batches: Callable[[], Batches]) -> Iterator[list[Column]]:
    return in_columns(batches())


@dataclass(frozen=True, eq=False)
class CodedFile:
    """Coded rows in a file without a name."""

    file: BinaryIO
    lengths: list[int]
    """The bytes of each piece."""

    @classmethod
    def of(cls, tables: Iterator[Table]) -> CodedFile:
        """All pieces, written one after the other."""
        with _told_of_room():
            file: Any = tempfile.TemporaryFile(prefix="halfmask-")  # noqa: SIM115 - asked again
        kept = cls(file, [])
        finalize(kept, file.close)
        for table in tables:
            with _told_of_room():
                kept.lengths.append(file.write(packed(table)))
                file.flush()
        return kept

    def tables(self, schema: Schema) -> Iterator[Table]:
        """The pieces again."""
        start = 0
        for length in self.lengths:
            self.file.seek(start)
            yield unpacked(schema, self.file.read(length))
            start += length


@contextmanager
def _told_of_room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadInput(
            f"The rows in codes could not be kept in {tempfile.gettempdir()!r} "
            f"({error.strerror}); name a folder with more room (TMPDIR)."
        ) from None


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
