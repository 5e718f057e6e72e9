"""Spread rows: a coded table whose rows stay with their engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfmask.data import Column, Countable, Encoding, Schema, Table
from halfmask.data.keyed import Numbers
from halfmask.data.rows import Matches, SpreadRows
from halfmask.data.table import Sums
from halfmask.engines.pieces import Engine, added, summed

_CODES = pa.schema([("number", pa.int64()), ("codes", pa.binary())])


@dataclass(frozen=True, eq=False)
class Coding:
    """How columns of a piece become a coded table of some of the encoded columns."""

    encoding: Encoding
    """What all columns are coded by, those included that follow from others."""
    schema: Schema
    columns: tuple[int, ...]
    """The places of the columns of the schema among those encoded."""

    @classmethod
    def of(cls, encoding: Encoding) -> Coding:
        """All columns."""
        return cls(encoding, encoding.schema, tuple(range(len(encoding.schema))))

    def table(self, columns: Sequence[Column]) -> Table:
        """The rows; a value that only people hold who were held back is left out."""
        coded = self.encoding.encode(columns, unknown="leave out")
        return coded.with_columns(self.schema, self.columns)


@dataclass(frozen=True, eq=False)
class SpreadTable(SpreadRows):
    """Coded rows of an engine, without those that are held back; answers what a table answers."""

    engine: Engine
    coding: Coding
    rows: int
    held_back: Sequence[Column]

    @property
    def schema(self) -> Schema:  # type: ignore[override]
        """The columns and their values."""
        return self.coding.schema

    def __len__(self) -> int:
        return self.rows

    def summed(self, count: Callable[[Table], Sums]) -> Sums:
        """What is counted in each piece of the rows, added up over all pieces."""
        every = self.engine.reduced(partial(_summed, self.coding, count), added)
        if not self.held_back:
            return every
        apart = self.coding.table(self.held_back).summed(count)
        return tuple(a - b for a, b in zip(every, apart, strict=True))

    def part(self, rows: int) -> Table:
        """So many rows, drawn by their content."""
        apart = self.coding.table(self.held_back).numbers() if self.held_back else _nothing()
        most, every = min(rows, self.rows), self.rows + len(apart)
        numbers, _ = self.engine.smallest(partial(_numbers, self.coding), most, apart, every)
        wanted = np.unique(numbers)
        found = self.engine.gathered(partial(_wanted, self.coding, wanted), _CODES)
        held = found["number"].to_numpy().view(np.uint64)
        _, first = np.unique(held, return_index=True)
        codes = _codes(found["codes"].take(pa.array(first)), len(self.schema))
        return Table(self.schema, codes[np.searchsorted(wanted, numbers)])

    def matched(self, release: Countable, asked: Table) -> Matches:
        """How often rows come here and in a release, by the numbers of rows."""
        apart = self.coding.table(self.held_back).numbers() if self.held_back else _nothing()
        return self.engine.matched(partial(_numbers, self.coding), apart, release, asked.numbers())

    def with_columns(self, schema: Schema, columns: Sequence[int]) -> Self:
        """The same rows with some of the columns, under another schema."""
        own = tuple(self.coding.columns[column] for column in columns)
        return replace(self, coding=replace(self.coding, schema=schema, columns=own))


def _nothing() -> Numbers:
    return np.empty(0, np.uint64)


def _summed(coding: Coding, count: Callable[[Table], Sums], pieces: Iterator[list[Column]]) -> Sums:
    return summed(count(coding.table(columns)) for columns in pieces)


def _numbers(coding: Coding, columns: list[Column]) -> Numbers:
    return coding.table(columns).numbers()


def _wanted(coding: Coding, wanted: Numbers, columns: list[Column]) -> pa.Table:
    """The codes of one row of each number that is wanted."""
    table = coding.table(columns)
    numbers, first = np.unique(table.numbers(), return_index=True)
    some = first[np.isin(numbers, wanted)]
    return coded_rows(table.numbers()[some], table.codes[some])


def coded_rows(numbers: Numbers, codes: NDArray[np.int32]) -> pa.Table:
    """Rows of codes on their way here, each with its number."""
    lines = np.ascontiguousarray(codes, "<i4")
    width = 4 * codes.shape[1]
    cells = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(width), len(lines), [None, pa.py_buffer(lines.tobytes())]
    ).cast(pa.binary())
    return pa.table([pa.array(numbers.view(np.int64)), cells], schema=_CODES)


def _codes(cells: pa.ChunkedArray, columns: int) -> NDArray[np.int32]:
    joined = b"".join(cells.to_pylist())
    return np.frombuffer(joined, "<i4").reshape(-1, columns)


def gathered_table(
    engine: Engine, coding: Coding, number: Callable[[list[Column]], Numbers]
) -> tuple[Numbers, Table]:
    """All rows of an engine that has few, coded, each with its number, in no order."""
    found = engine.gathered(partial(_all, coding, number), _CODES)
    codes = _codes(found["codes"], len(coding.schema))
    return found["number"].to_numpy().view(np.uint64), Table(coding.schema, codes)


def _all(
    coding: Coding, number: Callable[[list[Column]], Numbers], columns: list[Column]
) -> pa.Table:
    return coded_rows(number(columns), coding.table(columns).codes)
