"""Columns: an Arrow table as dictionary-encoded columns of text, and a Table back as Arrow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from halfmask.data import Attribute, Column, Table
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput
from halfmask.io.growing import columns_of_batches
from halfmask.io.storage import storage_type, to_values

MAX_COLUMNS = 10_000
"""A wider table is a mistake of the reader (a wrong delimiter, a transposed file)."""


def check_names(names: list[str], where: str) -> None:
    """Refuse a table without columns, with too many, or with a name used twice."""
    if not names:
        raise BadInput(f"{where} has no columns.")
    if len(names) > MAX_COLUMNS:
        raise BadInput(
            f"{where} has {len(names):,} columns; halfmask reads at most {MAX_COLUMNS:,}. Is "
            "the table transposed, or the delimiter wrong?"
        )
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise BadInput(
                f"{where} has two columns called {name!r}; every column needs its own name."
            )
        seen.add(name)


def columns_of(table: pa.Table, where: str = "The table") -> list[Column]:
    """The columns of an Arrow table, each with its distinct values as text.

    >>> [column] = columns_of(pa.table({"age": [30, 40, None, 30]}))
    >>> column.labels, column.index.tolist(), column.storage
    (('30', '40', None), [0, 1, 2, 0], 'int64')
    """
    check_names(list(table.column_names), where)
    return columns_of_batches(table.schema, table.to_batches(), where)


def table_to_arrow(table: Table) -> pa.Table:
    """The rows with the storage types of their attributes; a cell left out becomes missing."""
    arrays = [
        values_of(attribute, table.codes[:, position])
        for position, attribute in enumerate(table.schema)
    ]
    return pa.table(arrays, names=list(table.schema.names))


def values_of(attribute: Attribute, codes: Any) -> Any:
    """The values that these codes stand for, in the attribute's own type."""
    type_ = storage_type(_storage(attribute))
    listed = [i for i, value in enumerate(attribute.values) if value is not None]
    place = np.full(attribute.size + 1, -1, np.int32)  # the last place answers ABSENT (-1)
    place[listed] = np.arange(len(listed))
    index = place[np.where(codes == ABSENT, attribute.size, codes)]
    cells = pa.array(index, mask=index < 0)
    values = read_back(attribute)
    if pa.types.is_string_view(type_):  # Arrow cannot take from views
        return values.cast(pa.string()).take(cells).cast(type_)
    if not pa.types.is_dictionary(type_):
        return values.take(cells)
    width = np.iinfo(type_.index_type.to_pandas_dtype()).max
    if len(listed) <= width:  # the label "other" may be one value more than the type can number
        cells = cells.cast(type_.index_type)
    return pa.DictionaryArray.from_arrays(cells, values, ordered=type_.ordered)


def _storage(attribute: Attribute) -> str:
    """Rows that were not filled yet show the names of their bins, which are texts."""
    return attribute.storage if attribute.bins is None else "string"


def read_back(attribute: Attribute) -> Any:
    """The values of an attribute (without missing) as an array of the type they are stored in."""
    type_ = storage_type(_storage(attribute))
    value_type = type_.value_type if pa.types.is_dictionary(type_) else type_
    try:
        return to_values([value for value in attribute.values if value is not None], value_type)
    except pa.ArrowException:
        raise BadInput(
            f"Column {attribute.name!r} lists a value that cannot be written as {value_type}."
        ) from None
