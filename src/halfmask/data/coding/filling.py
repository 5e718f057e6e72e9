"""Filling: coded rows as a release shows them, with numbers, dates and keys drawn anew.

Rows that a model is asked about: in its codes, and what their values are within the bins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.alignment import GROUP_LABELS
from halfmask.data.coding.encoding import Encoding
from halfmask.data.coding.reordering import exchanged, placed
from halfmask.data.column import Column
from halfmask.data.schema import Attribute, Derived, Key, Schema
from halfmask.data.table import ABSENT, Table
from halfmask.randomness import Randomness, stream_from

SHORT_ROWS, SHORT_CELLS = 20_000, 1 << 20
"""A release of at most so many is made in one piece: its rows are looked at together."""


def is_short(table: Table, rows: int) -> bool:
    """Whether these are all rows of a release that is looked at as a whole."""
    return len(table) == rows <= min(SHORT_ROWS, SHORT_CELLS // max(len(table.schema), 1))


def asked_rows(columns: Sequence[Column], schema: Schema) -> Table:
    """The rows in the codes of a schema; a value without a code is one of the group "other".

    Without such a group the cell is absent, and a row with it cannot be drawn.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("town", ("Rome", "other")), Attribute("sex", ("f", "m"))))
    >>> rows = [Column.of("town", ["Rome", "Bra"]), Column.of("sex", ["x", "f"])]
    >>> asked_rows(rows, schema).codes.tolist()
    [[0, -1], [1, 0]]
    """
    table = Encoding.of_schema(schema).encode(columns, unknown="leave out")
    codes = table.codes.copy()
    for position, attribute in enumerate(schema):
        group = next((label for label in GROUP_LABELS if label in attribute.values), None)
        if attribute.bins is None and group is not None:
            codes[codes[:, position] == ABSENT, position] = attribute.code(group)
    return Table(schema, codes)


def log2_within_bins(columns: Sequence[Column], table: Table) -> NDArray[np.float64]:
    """For each row the probability (log2) of its values given the bins that they are in."""
    by_name = {column.name: column for column in columns}
    found = np.zeros(len(table))
    for position, attribute in enumerate(table.schema):
        if attribute.bins is not None:
            codes = table.codes[:, position]
            found += attribute.bins.log2_within_rows(by_name[attribute.name], codes)
    return found


class InPieces(Protocol):
    """Rows that are handed out a stretch at a time: a table, rows to be filled or to be drawn."""

    def pieces(self) -> Iterator[Table]:
        """Tables of the same columns, at least one."""
        ...


@dataclass(frozen=True, eq=False)
class Filling:
    """Coded rows and the randomness that fills them, whole or piece by piece with equal values."""

    coded: Table
    randomness: Randomness

    @cached_property
    def whole(self) -> Table:
        """All rows, in memory until this goes."""
        return fill(self.coded, self.randomness)

    def pieces(self) -> Iterator[Table]:
        """The same rows a stretch at a time, for a file or a database to take."""
        if is_short(self.coded, len(self.coded)):
            yield from self.whole.pieces()
            return
        first = 0
        for piece in self.coded.pieces():
            yield fill(piece, self.randomness, first_row=first, rows=len(self.coded))
            first += len(piece)


def fill(
    table: Table, randomness: Randomness, *, first_row: int = 0, rows: int | None = None
) -> Table:
    """The rows with a value drawn for every bin, and a fresh key where the original had one.

    Every cell takes one random number that depends on its row and column only, so a long release
    can be filled piece by piece, given how many `rows` it has in all. Those of a short one exchange
    values within bins, so that ranks go together as the schema tells.

    >>> from halfmask.data.coding.bins import Bins, Part
    >>> from halfmask.data.coding.scale import Scale
    >>> bins = Bins(Scale(), ((Part(0, 0, 9),), (Part(10, 19, 5),)))
    >>> schema = Schema((Attribute("age", ("0", "10 to 19"), "int64", bins),))
    >>> filled = fill(Table(schema, np.array([[0], [1], [1]])), Randomness(1))
    >>> [filled.schema["age"].values[code] for code in filled.codes[:, 0]]
    ['0', '17', '12']
    """
    schema = table.schema
    if not schema.made and all(attribute.bins is None for attribute in schema):
        return table
    uniforms = {
        attribute.name: stream_from(
            randomness.key(f"values of {attribute.name}"), first_row
        ).random(len(table))
        for attribute in schema
        if attribute.bins is not None
    }
    places = placed(table, uniforms)
    if is_short(table, len(table) if rows is None else rows):
        places = exchanged(table, places)
    parts = [
        _drawn(attribute, table.codes[:, position], places.get(attribute.name))
        for position, attribute in enumerate(schema)
    ]
    for column in sorted(schema.made, key=lambda column: column.position):
        if isinstance(column, Key):
            made = _numbered(column, len(table), randomness, first_row)
        else:
            made = _looked_up(column, table.codes[:, schema.position(column.source)])
        parts.insert(column.position, made)
    codes = np.empty((len(table), len(parts)), np.int32, order="F")
    for position, (_, of_rows) in enumerate(parts):
        codes[:, position] = of_rows
    return Table(Schema(tuple(attribute for attribute, _ in parts)), codes)


def _numbered(
    key: Key, rows: int, randomness: Randomness, first_row: int
) -> tuple[Attribute, NDArray[np.int32]]:
    fresh = key.fresh(rows, first=first_row, stream=randomness.key(f"key {key.name}"))
    return Attribute(key.name, tuple(fresh), key.storage), np.arange(rows, dtype=np.int32)


def _looked_up(column: Derived, source: NDArray[np.int32]) -> tuple[Attribute, NDArray[np.int32]]:
    values = tuple(dict.fromkeys(column.values))
    place = np.array([values.index(value) for value in column.values] + [ABSENT], np.int32)
    return Attribute(column.name, values, column.storage), place[source]


def _drawn(
    attribute: Attribute, codes: NDArray[np.int32], places: NDArray[np.float64] | None
) -> tuple[Attribute, NDArray[np.int32]]:
    """The attribute with the values that were drawn, and which of them each row holds."""
    bins = attribute.bins
    if bins is None or places is None:
        return attribute, codes
    count = len(bins.bins)
    in_bin = (codes >= 0) & (codes < count)
    ticks, place = np.unique(bins.draw(codes[in_bin], places[in_bin]), return_inverse=True)
    values = (*bins.scale.texts(ticks), *attribute.values[count:])
    drawn = np.where(codes == ABSENT, ABSENT, codes - count + len(ticks)).astype(np.int32)
    drawn[in_bin] = place
    return Attribute(attribute.name, values, attribute.storage), drawn
