"""Dependencies: columns that follow from another one are left to it, and so are never at odds.

Where every postcode has one town, a model of both would draw towns that do not fit. The town is
taken out of the model and looked up by the postcode when a release is filled.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.encoding import Encoding
from halfmask.data.schema import Derived, Schema
from halfmask.data.table import ABSENT, Table

_MOST_COLUMNS = 300
_GLANCE = 500
"""Rows that are looked at first: most pairs of columns are at odds within them."""


@dataclass(frozen=True, eq=False)
class Coded:
    """A table with the encoding that made it."""

    table: Table
    encoding: Encoding


def fold(coded: Coded, *, keep: Collection[str] = ()) -> Coded:
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
    source_of = _sources(table, keep)
    if not source_of:
        return coded
    schema = table.schema
    stay = [i for i in range(len(schema)) if i not in source_of]
    derived = tuple(
        _derived(table, position, source, encoding) for position, source in source_of.items()
    )
    attributes = tuple(schema.attributes[i] for i in stay)
    smaller = Schema(attributes, schema.keys, derived)
    return Coded(
        Table(smaller, table.codes[:, stay]),
        Encoding(smaller, tuple(encoding.code_of[i] for i in stay), encoding.rare, encoding.plans),
    )


def _sources(table: Table, keep: Collection[str]) -> dict[int, int]:
    """For each column that follows from others, the first of them that follows from none."""
    schema = table.schema
    sizes = [attribute.size for attribute in schema]
    if len(schema) > _MOST_COLUMNS:  # every pair is looked at
        return {}
    usable = [
        i for i, attribute in enumerate(schema) if attribute.bins is None and attribute.size > 1
    ]
    source_of: dict[int, int] = {}
    for follower in usable:
        if schema.names[follower] in keep:
            continue
        for source in usable:
            if source == follower or source in source_of or sizes[source] < sizes[follower]:
                continue
            if sizes[source] == sizes[follower] and source > follower:
                continue  # each follows from the other: the first of the two stays
            if _follows(table.codes[:, source], table.codes[:, follower]):
                source_of[follower] = source
                break
    return {follower: _root(source_of, source) for follower, source in source_of.items()}


def _root(source_of: dict[int, int], source: int) -> int:
    while source in source_of:
        source = source_of[source]
    return source


def _follows(source: NDArray[np.int32], follower: NDArray[np.int32]) -> bool:
    """Whether rows alike in the one are alike in the other; cells left out say nothing."""
    both = (source != ABSENT) & (follower != ABSENT)
    source, follower = source[both], follower[both]
    if not len(source):
        return False
    for rows in (slice(_GLANCE), slice(None)):
        first = np.full(int(source.max()) + 1, -1, np.int32)
        first[source[rows]] = follower[rows]
        if (first[source[rows]] != follower[rows]).any():
            return False
    return True


def _derived(table: Table, position: int, source: int, encoding: Encoding) -> Derived:
    attribute, known = table.schema.attributes[position], table.schema.attributes[source]
    values: list[str | None] = [None] * known.size
    for code, follower in np.argwhere(table.marginal([known.name, attribute.name])).tolist():
        values[code] = attribute.values[follower]
    published = [n for n, plan in encoding.plans.items() if plan.fate != "drop"]
    names = published or list(table.schema.names)
    return Derived(
        attribute.name, names.index(attribute.name), known.name, tuple(values), attribute.storage
    )
