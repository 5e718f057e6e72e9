"""Dependencies: columns that follow from another one are left to it, and so are never at odds.

Where every postcode has one town, a model of both would draw towns that do not fit. The town is
taken out of the model and looked up by the postcode when a release is filled.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.encoding import Encoding
from halfmask.data.rows import Rows
from halfmask.data.schema import Derived, Schema
from halfmask.data.table import ABSENT, Sums, Table

_MOST_COLUMNS = 300
_MOST_VALUES = 1 << 17
_GLANCE = 500
"""Rows that are looked at first: most pairs of columns are at odds within them."""


CodedRows = TypeVar("CodedRows", bound=Rows)


@dataclass(frozen=True, eq=False)
class Coded(Generic[CodedRows]):
    """A table with the encoding that made it."""

    table: CodedRows
    encoding: Encoding


def fold(coded: Coded[CodedRows], *, keep: Collection[str] = ()) -> Coded[CodedRows]:
    """Take out the columns that follow from another; those named in `keep` stay.

    >>> from halfmask.data import Column
    >>> columns = [
    ...     Column.of("zip", ["20095", "20097", "80331", "80333"] * 10),
    ...     Column.of("town", ["Hamburg", "Hamburg", "Munich", "Munich"] * 10),
    ... ]
    >>> encoding = Encoding.fit(columns, min_support=10)
    >>> folded = fold(Coded(encoding.encode(columns), encoding))
    >>> folded.table.schema.names, folded.table.schema.derived[0].source
    (('zip',), 'zip')
    """
    table, encoding = coded.table, coded.encoding
    schema = table.schema
    following = _following(table, _candidates(table, keep))
    source_of = _sources(following)
    if not source_of:
        return coded
    stay = [i for i in range(len(schema)) if i not in source_of]
    derived = tuple(
        _derived(schema, follower, *_looked_up(follower, source_of, following), encoding)
        for follower in source_of
    )
    attributes = tuple(schema.attributes[i] for i in stay)
    smaller = Schema(attributes, schema.keys, derived)
    return Coded(
        table.with_columns(smaller, stay),
        Encoding(smaller, tuple(encoding.code_of[i] for i in stay), encoding.rare, encoding.plans),
    )


Pair = tuple[int, int]
"""A column and one that may follow from it."""


def _candidates(table: Rows, keep: Collection[str]) -> list[Pair]:
    """The pairs of columns that are not at odds in the rows that are looked at first."""
    schema = table.schema
    if len(schema) > _MOST_COLUMNS:  # every pair is looked at
        return []
    usable = [
        i
        for i, attribute in enumerate(schema)
        if attribute.bins is None and 1 < attribute.size <= _MOST_VALUES
    ]
    pairs = [
        (source, follower)
        for follower in usable
        for source in usable
        if schema.names[follower] not in keep and _may_follow(schema, source, follower)
    ]
    glance = table.part(_GLANCE)
    return [pair for pair, led in _led(glance, pairs).items() if led is not None]


def _may_follow(schema: Schema, source: int, follower: int) -> bool:
    """Of two columns that follow from each other, the first stays."""
    sizes = schema.attributes[source].size, schema.attributes[follower].size
    return sizes[0] > sizes[1] or (sizes[0] == sizes[1] and source < follower)


def _following(table: Rows, pairs: Sequence[Pair]) -> dict[Pair, NDArray[np.int64]]:
    """Of each pair in which the one follows in all rows, to which code each code leads."""
    found = _led(table, pairs) if pairs else {}
    return {pair: led for pair, led in found.items() if led is not None and (led >= 0).any()}


def _led(rows: Rows, pairs: Sequence[Pair]) -> dict[Pair, NDArray[np.int64] | None]:
    """To which code of the other column each code leads, -1 to none; None where to several.

    Rows of a code all have one follower where the sum of its squares is that of equal numbers;
    cells left out say nothing.
    """
    found: dict[Pair, NDArray[np.int64] | None] = {}
    for pair, (held, firsts, squares) in zip(
        pairs, rows.summed(partial(_sums, pairs)), strict=True
    ):
        one = firsts // np.maximum(held, 1)
        alike = (one * held == firsts).all() and (one * one * held == squares).all()
        found[pair] = np.where(held > 0, one.astype(np.int64), -1) if alike else None
    return found


def _sums(pairs: Sequence[Pair], piece: Table) -> Sums:
    """For each code of the first column: rows, and the sums of followers and their squares.

    Those of a piece are exact in floating point, since codes are below 2¹⁷ and rows below 2¹⁹.
    """
    found = []
    for source, follower in pairs:
        held, led = piece.codes[:, source], piece.codes[:, follower].astype(np.float64)
        both = (held != ABSENT) & (led != ABSENT)
        held, led = held[both], led[both]
        size = piece.schema.attributes[source].size
        sums = [np.bincount(held, weights, size) for weights in (None, led, led * led)]
        found.append(np.stack(sums).astype(np.uint64))
    return tuple(found)


def _sources(following: Collection[Pair]) -> dict[int, int]:
    """For each column that follows from others, the first of them that does not itself."""
    source_of: dict[int, int] = {}
    for source, follower in following:
        if source not in source_of:
            source_of.setdefault(follower, source)
    return source_of


def _looked_up(
    follower: int, source_of: Mapping[int, int], following: Mapping[Pair, NDArray[np.int64]]
) -> tuple[int, NDArray[np.int64]]:
    """The column that stays, from which a column follows, and to which code each of its leads."""
    source = source_of[follower]
    led = following[source, follower]
    while source in source_of:
        above = following[source_of[source], source]
        source = source_of[source]
        led = following.get((source, follower), np.where(above >= 0, led[above], -1))
    return source, led


def _derived(
    schema: Schema, position: int, source: int, led: NDArray[np.int64], encoding: Encoding
) -> Derived:
    attribute, known = schema.attributes[position], schema.attributes[source]
    values = tuple(None if code < 0 else attribute.values[code] for code in led.tolist())
    published = [n for n, plan in encoding.plans.items() if plan.fate != "drop"]
    names = published or list(schema.names)
    return Derived(
        attribute.name, names.index(attribute.name), known.name, values, attribute.storage
    )
