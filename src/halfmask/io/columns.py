"""Columns: Arrow batches as dictionary-encoded columns of text, and a Table back as Arrow.

Of each column the different values are kept as text, once, and for every row the number of its
value in as few bytes as will do. What a batch was read from can be let go of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfmask.data import Attribute, Column, Table
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput
from halfmask.io.storage import is_supported, storage_type, to_labels, to_values

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


def columns_of_batches(
    schema: pa.Schema, batches: Iterable[pa.RecordBatch], where: str = "The table"
) -> list[Column]:
    """The columns of batches that follow each other, each with its distinct values as text.

    >>> table = pa.table({"age": [30, 40, None, 30]})
    >>> [column] = columns_of_batches(table.schema, table.to_batches(max_chunksize=1))
    >>> column.labels, column.index.tolist(), column.storage
    (('30', '40', None), [0, 1, 2, 0], 'int64')
    """
    growing = [GrowingColumn(field.name, field.type, where) for field in schema]
    for batch in batches:
        for column, cells in zip(growing, batch.columns, strict=True):
            column.add(cells)
    if not growing or not growing[0].rows:
        raise BadInput(f"{where} has no rows.")
    return [column.done() for column in growing]


def retyped(column: Column, convert: Callable[[Any], Any]) -> Column:
    """The column in another type, made of its different values; those that become one are one.

    >>> fees = Column.of("fee", ["1.5", None, "1.50"])
    >>> column = retyped(fees, lambda texts: texts.cast(pa.decimal128(5, 2)))
    >>> column.labels, column.index.tolist(), column.storage
    (('1.50', None), [0, 1, 0], 'decimal128(5, 2)')
    """
    values = convert(to_values(column.labels, storage_type(column.storage)))
    texts = to_labels(values)
    labels = tuple(dict.fromkeys(texts))
    place = {label: number for number, label in enumerate(labels)}
    of_label = np.array([place[text] for text in texts], smallest(len(labels)))
    return Column(column.name, labels, of_label[column.index], str(values.type))


class GrowingColumn:
    """One column on its way in; number 0 stands for a missing cell until the end."""

    def __init__(self, name: str, type_: pa.DataType, where: str) -> None:
        if not is_supported(type_):
            inside = "the table" if where == "The table" else where
            raise BadInput(
                f"Column {name!r} of {inside} holds {str(type_)[:60]}, which is neither a category "
                f"nor a number, date or text; leave it out (--drop {name})."
            )
        self.rows = 0
        self._name = name
        self._storage = str(type_)
        self._place: dict[str | None, int] = {None: 0}
        self._pieces: list[NDArray[Any]] = []

    def add(self, cells: Any) -> None:
        """The next rows."""
        if pa.types.is_null(cells.type):
            cells = pa.nulls(len(cells), pa.string())
        if not pa.types.is_dictionary(cells.type):
            cells = cells.dictionary_encode()
        place = self._place
        labels = to_labels(cells.dictionary)  # which may list a value twice, or list "missing"
        numbers = [place.setdefault(label, len(place)) for label in labels]
        of_label = np.array([*numbers, 0], smallest(len(place)))
        index = cells.indices.cast(pa.int32()).fill_null(len(labels))
        self._pieces.append(of_label[index.to_numpy(zero_copy_only=False)])
        self.rows += len(index)

    def done(self) -> Column:
        """The column, with only the labels that some row holds, the missing one last."""
        counts = np.zeros(len(self._place), np.int64)
        for piece in self._pieces:
            counts += np.bincount(piece, minlength=len(counts))
        labels = list(self._place)
        used = [i for i in (*range(1, len(labels)), 0) if counts[i]]
        place: NDArray[Any] = np.zeros(len(labels), smallest(len(used)))
        place[used] = np.arange(len(used))
        index: NDArray[Any] = np.empty(self.rows, place.dtype)
        end = self.rows
        while self._pieces:  # from the end, so that each is let go of
            piece = self._pieces.pop()
            index[end - len(piece) : end] = place[piece]
            end -= len(piece)
        return Column(self._name, tuple(labels[i] for i in used), index, self._storage)


def smallest(count: int) -> np.dtype[np.integer[Any]]:
    """The smallest type whose numbers can tell so many values apart.

    >>> smallest(256).name, smallest(257).name, smallest(70_000).name
    ('uint8', 'uint16', 'int32')
    """
    if count <= 1 << 8:
        return np.dtype(np.uint8)
    return np.dtype(np.uint16 if count <= 1 << 16 else np.int32)
