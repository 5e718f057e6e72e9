"""Columns: Arrow batches as dictionary-encoded columns of text, and a Table back as Arrow.

Of each column the different values are kept as text, once, and for every row the number of its
value in as few bytes as will do. What a batch was read from can be let go of.

Of text its different words tell what they are. A word is read as a number only when writing the
number gives the word back: "007" stays text. The words themselves remain the labels, so a release
is spelled as the original was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
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


_PATTERNS: tuple[tuple[str, str], ...] = (
    ("int64", r"^-?(0|[1-9][0-9]*)$"),
    ("double", r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"),
    ("bool", r"^([Tt]rue|TRUE|[Ff]alse|FALSE)$"),
    ("date32[day]", r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
    (
        "timestamp[us]",
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$",
    ),
)


def infer_storage(words: Sequence[str]) -> str:
    """The narrowest type that every word can be read as.

    >>> infer_storage(["1", "-2"]), infer_storage(["1", "2.50"]), infer_storage(["007", "12"])
    ('int64', 'double', 'string')
    """
    if not words:
        return "null"
    texts = pa.array(words, pa.string())
    for storage, pattern in _PATTERNS:
        if _fits(texts, storage, pattern):
            return storage
    return "string"


def _fits(texts: pa.Array, storage: str, pattern: str) -> bool:
    # The first words decide for most columns and spare the look at all of them.
    if not pc.all(pc.match_substring_regex(texts[:16], pattern)).as_py():
        return False
    if not pc.all(pc.match_substring_regex(texts, pattern)).as_py():
        return False
    try:
        texts.cast(pa.type_for_alias(storage))
    except pa.ArrowInvalid:  # 2021-02-30 is a word
        return False
    return storage != "double" or _is_measured(texts)


def _is_measured(texts: pa.Array) -> bool:
    """Whether these numbers are decimals within range.

    Whole numbers that are too large for int64 come here too: they are identifiers, and a double
    would make neighbours equal.
    """
    whole = pc.all(pc.match_substring_regex(texts, _PATTERNS[0][1])).as_py()
    beyond = pc.any(pc.is_inf(texts.cast(pa.float64()))).as_py()
    return not whole and not beyond


def typed(column: Column) -> Column:
    """The column with its inferred storage; two spellings of one number become one value."""
    storage = infer_storage([label for label in column.labels if label is not None])
    column = replace(column, storage=storage)
    return _one_spelling(column) if storage in ("double", "bool") else column


def _one_spelling(column: Column) -> Column:
    """Give all spellings of a value (1.5, 1.50) the spelling that most rows use."""
    rows = column.counts
    by_use = sorted(range(len(column.labels)), key=lambda i: -int(rows[i]))
    spelling: dict[Decimal | str | None, int] = {}
    place = np.empty(len(column.labels), np.int32)
    for i in by_use:
        place[i] = spelling.setdefault(_value(column.labels[i]), len(spelling))
    labels = [column.labels[i] for i in by_use]
    kept = {
        int(place[i]): label for i, label in zip(reversed(by_use), reversed(labels), strict=True)
    }
    return replace(
        column, labels=tuple(kept[p] for p in range(len(kept))), index=place[column.index]
    )


def _value(label: str | None) -> Decimal | str | None:
    if label is None:
        return None
    try:
        return Decimal(label)
    except InvalidOperation:
        return label.lower()
