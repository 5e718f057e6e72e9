"""An original or a release as the asset sees it, attribute by attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfmask.assets.asset import Asset, Relation
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
from halfmask.data.counted import CountedRows
from halfmask.data.published.distorted_table import DistortedTable
from halfmask.errors import BadInput, NotMeasurable, UnknownName
from halfmask.methods.hiding.blocked import BlockedBaskets

Source: TypeAlias = Countable | Release | Sequence[Column] | CountedRows
"""What is evaluated: raw columns, a table, baskets of any kind, a release of them, or counts."""

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

    @property
    def known(self) -> tuple[str, ...]:
        """The attributes that there are."""
        return self.names or tuple(self.columns)

    def values(self, name: str, relation: Relation) -> Values:
        """A column read as the asset says; one that is not there is NULL in every row."""
        column = self.columns.get(name)
        if column is None:
            column = Column(name, (None,), np.zeros(len(self), np.int32))
        form = relation.attributes.get(name)
        return Values.of(column, "str" if form is None else form.type, nulls=relation.nulls)


def sets_read(asset: Asset) -> list[tuple[str, ...]]:
    """The columns that an evaluation reads together: one by one, in a constraint, as tuples."""
    sets: list[tuple[str, ...]] = [(name,) for name in asset.relation.attributes]
    sets += [constraint.attributes for constraint in asset.constraints]
    sets += [information.names for information in asset.informations]
    return list(dict.fromkeys(sets))


def rows_of(source: Source, relation: Relation) -> RawRows | CountedRows | Countable:
    """The rows of a source with the attributes of the relation, or the source that only counts."""
    if isinstance(source, CountedRows):
        return source
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


def original_rows(source: Source, relation: Relation) -> RawRows | CountedRows:
    """The rows of an original, which has some; a source that only counts is refused."""
    rows = rows_of(source, relation)
    if not isinstance(rows, RawRows | CountedRows):
        raise NotMeasurable("The original has only counts, and an asset is evaluated on rows.")
    return rows


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


def weighted(
    data: RawRows | CountedRows | Countable, names: Sequence[str], relation: Relation
) -> Weighted:
    """These attributes as combinations with weights: the rows, or the cells of a marginal."""
    if isinstance(data, RawRows):
        return Weighted({n: data.values(n, relation) for n in names}, np.ones(len(data)))
    if isinstance(data, CountedRows):
        combined, often = data.columns(tuple(names))
        lines = RawRows({column.name: column for column in combined}, len(often))
        return Weighted({n: lines.values(n, relation) for n in names}, np.array(often, float))
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


def check_attributes(rows: RawRows | CountedRows, relation: Relation) -> None:
    """The original must have every attribute that the asset speaks of, of the type it says."""
    for name in relation.attributes:
        if name not in rows.known:
            raise UnknownName("column", name, rows.known)
    for name in relation.attributes:
        weighted(rows, [name], relation).columns[name].refuse_unreadable()
