"""Pieces: raw rows that an engine hands out a piece at a time, and what is asked of each.

An engine runs our functions where its rows are. A function sees the Arrow batches of one piece and
answers with something small, which is added to the answers of the other pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Protocol, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfmask.data import Column, Schema, Table
from halfmask.data.column import CountedColumn
from halfmask.data.keyed import Numbers
from halfmask.data.rows import Matches
from halfmask.data.table import Sums
from halfmask.errors import BadInput
from halfmask.io.columns import columns_of_batches
from halfmask.io.storage import is_supported

T = TypeVar("T")
P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)
"""What the rows of a piece come as, about `AT_ONCE` at a time: raw columns, or a coded table."""
Batches = Iterator[pa.RecordBatch]
Answer = Callable[[Iterator[P]], T]
"""What is made of the rows of one piece."""
Numbering = Callable[[P], Numbers]
"""The number of each row, by its content."""

AT_ONCE = 1 << 16
"""Rows that are looked at together: fewer cost calls, more cost memory of each executor."""
MOST_HERE = 1_000_000
"""Rows that are brought here at most to be measured; of more, counts are."""
MOST_VALUES = 2_000_000
"""Different values of a column that are counted: about 300 MB of the driver's memory."""


class Engine(Protocol[P_co]):
    """Rows of some columns, in pieces wherever they lie."""

    def reduced(self, answer: Answer[P_co, T], merge: Callable[[T, T], T]) -> T:
        """The answers of all pieces, merged two by two in any order."""
        ...

    def smallest(
        self, number: Numbering[P_co], most: int, without: Numbers, rows: int
    ) -> tuple[Numbers, NDArray[np.int64]]:
        """The numbers of the rows with the `most` smallest keys of so many rows, in their order.

        `without` are the numbers of rows that do not count. Beside each number stands which copy
        of it is meant.
        """
        ...

    def matched(
        self, number: Numbering[P_co], without: Numbers, release: Any, asked: Numbers
    ) -> Matches:
        """How often rows come here and in a release that this engine drew, by their numbers."""
        ...

    def gathered(self, wanted: Callable[[P_co], pa.Table], schema: pa.Schema) -> pa.Table:
        """Rows made of those of all pieces, brought here; few, and in no order."""
        ...

    def gathered_once(
        self, wanted: Callable[[P_co], pa.Table], schema: pa.Schema, number: str
    ) -> pa.Table:
        """One row of each number in this column, of those that the pieces have; in no order."""
        ...


class RawEngine(Engine[list[Column]], Protocol):
    """Rows as they stand in the table."""

    @property
    def schema(self) -> pa.Schema:
        """The columns, with the types of their values."""
        ...

    def coded(self, code: Callable[[list[Column]], Table], schema: Schema) -> Engine[Table]:
        """The same rows, coded once and kept in codes where they are, for all further questions."""
        ...


def fits_here(rows: int) -> bool:
    """Whether so many rows are few enough to be brought here."""
    return rows <= MOST_HERE


def added(one: Sums, other: Sums) -> Sums:
    """Counts of two pieces together; those of a piece without rows are none."""
    if not one or not other:
        return one or other
    return tuple(a + b for a, b in zip(one, other, strict=True))


def summed(parts: Iterable[Sums]) -> Sums:
    """Counts of several pieces together."""
    return reduce(added, parts, ())


def check_types(schema: pa.Schema, where: str) -> None:
    """Refuse a column whose values are neither categories nor numbers, dates or texts."""
    for one in schema:
        if not is_supported(one.type):
            kind = "maps" if pa.types.is_map(one.type) else "several values in a cell"
            kind = "structs" if pa.types.is_struct(one.type) else kind
            kind = "bytes" if pa.types.is_binary(one.type) else kind
            raise BadInput(
                f"Column {one.name!r} of {where} holds {kind} ({str(one.type)[:60]}); leave it out "
                f"(--drop {one.name}), or make a column of each of its parts first."
            )


def in_columns(batches: Iterable[pa.RecordBatch]) -> Iterator[list[Column]]:
    """The rows of batches as columns, about `AT_ONCE` rows at a time."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) >= AT_ONCE:
            yield columns_of_batches(batch.schema, waiting)
            waiting = []
    if any(map(len, waiting)):
        yield columns_of_batches(waiting[0].schema, waiting)


@dataclass
class ValueCounts:
    """Of each column how many rows hold each label; none where there are too many labels."""

    rows: int = 0
    counts: dict[str, dict[str | None, int] | None] = field(default_factory=dict)

    @classmethod
    def of(cls, names: Collection[str], pieces: Iterator[list[Column]]) -> ValueCounts:
        """Those of one piece, of the columns of these names."""
        found = cls()
        for columns in pieces:
            asked = [column for column in columns if column.name in names]
            piece = cls(len(columns[0]))
            for column in asked:
                piece.counts[column.name] = dict(
                    zip(column.labels, column.counts.tolist(), strict=True)
                )
            found.add(piece)
        return found

    def add(self, other: ValueCounts) -> ValueCounts:
        """With those of another piece."""
        self.rows += other.rows
        for name, counts in other.counts.items():
            mine = self.counts.setdefault(name, {})
            if mine is None or counts is None:
                self.counts[name] = None
                continue
            for label, count in counts.items():
                mine[label] = mine.get(label, 0) + count
            if len(mine) > MOST_VALUES:
                self.counts[name] = None
        return self

    def columns(
        self, schema: pa.Schema, names: Sequence[str], without: Sequence[Column] = ()
    ) -> tuple[CountedColumn, ...]:
        """The columns of these names, with the rows of `without` taken off.

        One that was not counted has no values.
        """
        off = {column.name: column for column in without}
        rows = self.rows - (len(without[0]) if without else 0)
        empty = np.array([rows], np.int64)
        storage = {one.name: str(one.type) for one in schema}
        return tuple(
            self._column(schema.field(name), off.get(name))
            if name in self.counts
            else CountedColumn(name, (None,), empty, storage.get(name, "string"))
            for name in names
        )

    def _column(self, one: pa.Field, off: Column | None) -> CountedColumn:
        counts = self.counts[one.name]
        if counts is None:
            raise BadInput(
                f"Column {one.name!r} has more than {MOST_VALUES:,} different values; leave it out "
                f'(--drop {one.name}, or role = "identifier" in a schema), or round its values '
                "first."
            )
        left = dict(counts)
        if off is not None:
            for label, count in zip(off.labels, off.counts.tolist(), strict=True):
                left[label] -= count
        held = {label: count for label, count in left.items() if count}
        return CountedColumn(
            one.name, tuple(held), np.array(list(held.values()), np.int64), str(one.type)
        )
