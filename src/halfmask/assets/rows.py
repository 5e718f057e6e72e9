"""An original or a release as the asset sees it, attribute by attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfmask.assets.asset import Relation
from halfmask.assets.values import Values
from halfmask.data import (
    Baskets,
    Column,
    Countable,
    DistortedBaskets,
    Encoding,
    Release,
    Schema,
    Table,
    Transactions,
)
from halfmask.data.published.distorted_table import DistortedTable
from halfmask.errors import BadInput, NotMeasurable, UnknownName
from halfmask.methods.hiding.blocked import BlockedBaskets

Source: TypeAlias = Countable | Release | Sequence[Column]
"""What can be evaluated: raw columns, a table, baskets of any kind, or a release of them."""

_TRUTHS = ("false", "true", None)


@dataclass(frozen=True, eq=False)
class RawRows:
    """Raw columns by name, all of the same length."""

    columns: Mapping[str, Column]
    size: float
    names: tuple[str, ...] = ()
    """What could have been asked for, if that is more than the columns."""

    def __len__(self) -> int:
        return int(self.size)

    def values(self, name: str, relation: Relation) -> Values:
        """A column read as the asset says; one that is not there is NULL in every row."""
        column = self.columns.get(name)
        if column is None:
            column = Column(name, (None,), np.zeros(len(self), np.int32))
        form = relation.attributes.get(name)
        return Values.of(column, "str" if form is None else form.type, nulls=relation.nulls)


def rows_of(source: Source, relation: Relation) -> RawRows | Countable:
    """The rows of a source with the attributes of the relation, or the source that only counts."""
    data = source.data if isinstance(source, Release) else source
    if isinstance(data, DistortedBaskets | DistortedTable):
        data = data.observed
    if isinstance(data, Table):
        decoded = Encoding.of_schema(data.schema).decode(data)
        return RawRows({column.name: column for column in decoded}, len(data))
    if isinstance(data, Baskets):
        return _basket_rows(data.schema.names, data.transactions, None, relation)
    if isinstance(data, BlockedBaskets):
        return _basket_rows(data.schema.names, data.certain, data.unknown, relation)
    if isinstance(data, Sequence):
        return RawRows({column.name: column for column in data}, len(data[0]) if data else 0)
    return data


def _basket_rows(
    names: Sequence[str], held: Transactions, unknown: Transactions | None, relation: Relation
) -> RawRows:
    """An attribute for each item that the relation names, true where the basket holds it."""
    if (held.weights != 1).any():
        raise NotMeasurable("Baskets that were merged have no single rows.")
    sets = [name for name, form in relation.attributes.items() if form.type == "set"]
    if sets:
        return RawRows({sets[0]: _set_column(sets, names, held, unknown)}, len(held))
    number = {name: item for item, name in enumerate(names)}
    listed = [name for name in relation.attributes if name in number]
    row_of = held.row_of
    columns = {}
    for name in listed:
        index = np.zeros(len(held), np.int32)
        index[row_of[held.items == number[name]]] = 1
        if unknown is not None:
            index[unknown.row_of[unknown.items == number[name]]] = 2
        columns[name] = Column(name, _TRUTHS, index, "bool")
    return RawRows(columns, len(held), tuple(names))


def _set_column(
    sets: Sequence[str], names: Sequence[str], held: Transactions, unknown: Transactions | None
) -> Column:
    """Each basket as one value; a basket with an unknown item is itself unknown."""
    if len(sets) > 1:
        raise BadInput(
            "A basket is one set of items, and the asset lists two attributes of type set."
        )
    cells: list[str | None] = [" ".join(names[item] for item in row) for row in held]
    if unknown is not None:
        for row in np.flatnonzero(unknown.lengths).tolist():
            cells[row] = None
    return Column.of(sets[0], cells)


@dataclass(frozen=True, eq=False)
class Weighted:
    """Some attributes of a source: combinations of values, and how many rows hold each."""

    columns: Mapping[str, Values]
    weights: NDArray[np.float64]


def weighted(data: RawRows | Countable, names: Sequence[str], relation: Relation) -> Weighted:
    """These attributes as combinations with weights: the rows, or the cells of a marginal."""
    if isinstance(data, RawRows):
        return Weighted({n: data.values(n, relation) for n in names}, np.ones(len(data)))
    counts = data.marginal(names)
    places = np.indices(counts.shape).reshape(len(names), -1)
    columns = {
        name: Column(name, _domain(data, name), place.astype(np.int32))
        for name, place in zip(names, places, strict=True)
    }
    held = RawRows(columns, counts.size)
    return Weighted({n: held.values(n, relation) for n in names}, counts.ravel())


def _domain(data: Countable, name: str) -> tuple[str | None, ...]:
    schema = data.schema
    return schema[name].values if isinstance(schema, Schema) else _TRUTHS[:2]


def check_attributes(rows: RawRows, relation: Relation) -> None:
    """The original must have every attribute that the asset speaks of."""
    for name in relation.attributes:
        if name not in rows.columns:
            raise UnknownName("column", name, rows.names or list(rows.columns))
