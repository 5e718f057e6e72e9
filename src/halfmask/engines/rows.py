"""Spread rows: a coded table whose rows stay with their engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

import numpy as np
import pyarrow as pa

from halfmask.data import Column, Countable, Encoding, Schema, Table
from halfmask.data.keyed import Numbers, is_among
from halfmask.data.rows import Matches, SpreadRows
from halfmask.data.table import Sums
from halfmask.engines.pieces import Engine, RawEngine, added, summed

_ROW = pa.schema([("number", pa.int64()), ("codes", pa.binary())])
_CODES = pa.schema([("numbers", pa.binary()), ("codes", pa.binary())])
NOBODY: Numbers = np.empty(0, np.uint64)


def coded_by(encoding: Encoding) -> Callable[[Sequence[Column]], Table]:
    """How columns of a piece become codes; a value that only people held back hold is left out."""
    return partial(encoding.encode, unknown="leave out")


@dataclass(frozen=True, eq=False)
class SpreadTable(SpreadRows):
    """Coded rows of an engine, without those that are held back; answers what a table answers."""

    engine: Engine[Table]
    view: View
    rows: int
    held_back: Table | None
    """With all columns of the engine."""
    _largest: list[Table] = field(init=False, default_factory=list, repr=False)
    """The largest part that was drawn so far."""

    @property
    def schema(self) -> Schema:  # type: ignore[override]
        """The columns and their values."""
        return self.view.schema

    def __len__(self) -> int:
        return self.rows

    def summed(self, count: Callable[[Table], Sums]) -> Sums:
        """What is counted in each piece of the rows, added up over all pieces."""
        every = self.engine.reduced(partial(_summed, self.view, count), added)
        if self.held_back is None:
            return every
        apart = self.view.of(self.held_back).summed(count)
        return tuple(a - b for a, b in zip(every, apart, strict=True))

    def part(self, rows: int) -> Table:
        """So many rows, drawn by their content; the largest part so far begins with any smaller."""
        most = min(rows, self.rows)
        if not self._largest or len(self._largest[0]) < most:
            self._largest[:] = [self._part(most)]
        [held] = self._largest
        return held if len(held) == most else Table(self.schema, held.codes[:most])

    def _part(self, most: int) -> Table:
        apart = self._numbers_apart
        every = self.rows + len(apart)
        numbers, _ = self.engine.smallest(partial(_numbers, self.view), most, apart, every)
        wanted = np.unique(numbers)
        found = self.engine.gathered_once(partial(_wanted, self.view, wanted), _ROW, "number")
        held = found["number"].to_numpy().view(np.uint64)
        table = unpacked(self.schema, b"".join(found["codes"].to_pylist()))
        return table.take(np.argsort(held)[np.searchsorted(wanted, numbers)])

    @property
    def _numbers_apart(self) -> Numbers:
        return NOBODY if self.held_back is None else _numbers(self.view, self.held_back)

    def matched(self, release: Countable, asked: Table) -> Matches:
        """How often rows come here and in a release, by the numbers of rows."""
        number = partial(_numbers, self.view)
        return self.engine.matched(number, self._numbers_apart, release, asked.numbers())

    def with_columns(self, schema: Schema, columns: Sequence[int]) -> Self:
        """The same rows with some of the columns, under another schema."""
        own = tuple(self.view.columns[column] for column in columns)
        return replace(self, view=View(schema, own))


@dataclass(frozen=True, eq=False)
class View:
    """Some of the columns that an engine keeps in codes."""

    schema: Schema
    columns: tuple[int, ...]
    """Their places among those of the engine."""

    @classmethod
    def whole(cls, schema: Schema) -> View:
        """All columns."""
        return cls(schema, tuple(range(len(schema))))

    def of(self, piece: Table) -> Table:
        """These columns of a piece."""
        return piece.with_columns(self.schema, self.columns)


def _summed(view: View, count: Callable[[Table], Sums], pieces: Iterator[Table]) -> Sums:
    return summed(count(view.of(piece)) for piece in pieces)


def _numbers(view: View, piece: Table) -> Numbers:
    return view.of(piece).numbers()


def _wanted(view: View, wanted: Numbers, piece: Table) -> pa.Table:
    """The codes of one row of each number that is wanted; these are in order."""
    table = view.of(piece)
    numbers, first = np.unique(table.numbers(), return_index=True)
    some = is_among(numbers, wanted)
    codes = in_lines(packed(table.take(first[some])), packed_row(table.schema).itemsize)
    return pa.table([pa.array(numbers[some].view(np.int64)), codes], schema=_ROW)


def in_lines(content: bytes, width: int) -> pa.Array:
    """Bytes cut into cells of so many, the last with the rest.

    >>> in_lines(b"abcde", 2).to_pylist()
    [b'ab', b'cd', b'e']
    """
    ends = np.array([*range(0, len(content), width), len(content)], np.int32)
    return pa.Array.from_buffers(
        pa.binary(), len(ends) - 1, [None, pa.py_buffer(ends), pa.py_buffer(content)]
    )


def coded_rows(numbers: Numbers, table: Table) -> pa.Table:
    """Rows of codes on their way here, with their numbers: one line for all, which are many."""
    cells = [[numbers.astype("<u8").tobytes()], [packed(table)]]
    return pa.table([pa.array(each, pa.binary()) for each in cells], schema=_CODES)


def _together(schema: Schema, lines: pa.Table) -> tuple[Numbers, Table]:
    """The numbers and the rows that came here."""
    numbers, codes = (b"".join(lines[name].to_pylist()) for name in _CODES.names)
    return np.frombuffer(numbers, "<u8"), unpacked(schema, codes)


def gathered_table(
    engine: RawEngine,
    encoding: Encoding,
    number: Callable[[list[Column]], Numbers],
) -> tuple[Numbers, Table]:
    """All rows of an engine that has few, coded, each with its number, in no order."""
    found = engine.gathered(partial(_all, coded_by(encoding), number), _CODES)
    return _together(encoding.schema, found)


def _all(
    code: Callable[[list[Column]], Table],
    number: Callable[[list[Column]], Numbers],
    columns: list[Column],
) -> pa.Table:
    return coded_rows(number(columns), code(columns))


def packed(table: Table) -> bytes:
    """The codes of a piece in as few bytes as tell its values apart, row after row.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> content = packed(Table(schema, np.array([[0, 1], [-1, 0]])))
    >>> len(content), unpacked(schema, content).codes.tolist()
    (4, [[0, 1], [-1, 0]])
    """
    rows = np.empty(len(table), packed_row(table.schema))
    for n, name in enumerate(rows.dtype.names or ()):
        rows[name] = table.codes[:, n]
    return rows.tobytes()


def unpacked(schema: Schema, content: Any) -> Table:
    """The piece that was packed."""
    rows = np.frombuffer(content, packed_row(schema))
    codes = np.empty((len(rows), len(schema)), np.int32, order="F")
    for n, name in enumerate(rows.dtype.names or ()):
        codes[:, n] = rows[name]
    return Table(schema, codes)


def packed_row(schema: Schema) -> np.dtype[Any]:
    """Of each column the smallest type that holds its codes, and -1."""
    types = [np.min_scalar_type(-max(attribute.size, 1)) for attribute in schema]
    return np.dtype([(str(n), type_.newbyteorder("<")) for n, type_ in enumerate(types)])
