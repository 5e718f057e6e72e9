"""SQL types: what a column is in each database, and the columns that databases hand out as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from halfmask.errors import BadInput
from halfmask.io.addresses import quote
from halfmask.io.storage import to_values

_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
"""The years 1 to 9999, in days from 1970."""
_A_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
_WIDEST = 38
_TESTS: tuple[tuple[str, Callable[[pa.DataType], bool]], ...] = (
    ("boolean", pa.types.is_boolean),
    ("huge", lambda type_: type_ == pa.uint64()),
    ("big", lambda type_: type_ in (pa.int64(), pa.uint32())),
    ("whole", lambda type_: type_ in (pa.int32(), pa.uint16())),
    ("small", pa.types.is_integer),
    ("double", pa.types.is_float64),
    ("single", pa.types.is_floating),
    ("decimal", pa.types.is_decimal),
    ("date", pa.types.is_date),
    ("moment", lambda type_: pa.types.is_timestamp(type_) and type_.tz is not None),
    ("timestamp", pa.types.is_timestamp),
    ("time", pa.types.is_time),
    ("duration", pa.types.is_duration),
)


@dataclass(frozen=True)
class Dialect:
    """For each sort of column the SQL type and the Arrow type in which it is handed over."""

    sorts: Mapping[str, tuple[str, pa.DataType | None]]
    """None: handed over as it is."""

    def columns(self, schema: pa.Schema) -> str:
        """The list of columns in a CREATE TABLE."""
        return ", ".join(f"{quote(field.name)} {self._type(field.type)[0]}" for field in schema)

    def cast(self, rows: pa.RecordBatchReader) -> pa.RecordBatchReader:
        """The rows in the Arrow types that the driver can write."""
        handed = [self._type(type_)[1] for type_ in rows.schema.types]
        return recast(
            rows,
            [type_ or _scalar(own) for type_, own in zip(handed, rows.schema.types, strict=True)],
        )

    def _type(self, type_: pa.DataType) -> tuple[str, pa.DataType | None]:
        scalar = _scalar(type_)
        sort = next((name for name, test in _TESTS if test(scalar)), "text")
        sql, handed = self.sorts[sort]
        if sort == "decimal":
            sql = f"{sql}({scalar.precision}, {scalar.scale})"
        return sql, handed


def without_dictionaries(rows: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """The rows with plain values: a dictionary would become an enumeration that lists them."""
    return recast(rows, [_scalar(type_) for type_ in rows.schema.types])


def recast(rows: pa.RecordBatchReader, types: Sequence[pa.DataType]) -> pa.RecordBatchReader:
    """The rows in these types, batch by batch; lists of values become plain ones on the way."""
    schema = pa.schema(list(zip(rows.schema.names, types, strict=True)))

    def cast(batch: pa.RecordBatch) -> pa.RecordBatch:
        arrays = [
            column.cast(_scalar(column.type)).cast(type_, safe=False)
            for column, type_ in zip(batch.columns, types, strict=True)
        ]
        return pa.record_batch(arrays, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, map(cast, rows))


def _scalar(type_: pa.DataType) -> pa.DataType:
    return type_.value_type if pa.types.is_dictionary(type_) else type_


POSTGRESQL = Dialect(
    {
        "boolean": ("BOOLEAN", None),
        "small": ("SMALLINT", pa.int16()),
        "whole": ("INTEGER", pa.int32()),
        "big": ("BIGINT", pa.int64()),
        "huge": ("NUMERIC(20, 0)", pa.decimal128(20, 0)),
        "single": ("REAL", pa.float32()),
        "double": ("DOUBLE PRECISION", None),
        "decimal": ("NUMERIC", None),
        "date": ("DATE", pa.date32()),
        "timestamp": ("TIMESTAMP", pa.timestamp("us")),
        "moment": ("TIMESTAMPTZ", pa.timestamp("us", "UTC")),
        "time": ("TIME", pa.time64("us")),
        "duration": ("INTERVAL", pa.duration("us")),
        "text": ("TEXT", pa.string()),
    }
)
SQLITE = Dialect(
    {
        "boolean": ("BOOLEAN", pa.int64()),
        **dict.fromkeys(("small", "whole", "big"), ("INTEGER", pa.int64())),
        "huge": ("DECIMAL(20, 0)", pa.string()),
        **dict.fromkeys(("single", "double"), ("REAL", pa.float64())),
        "decimal": ("DECIMAL", pa.string()),
        "date": ("DATE", pa.string()),
        **dict.fromkeys(("timestamp", "moment"), ("TIMESTAMP", pa.string())),
        "time": ("TIME", pa.string()),
        "duration": ("INTEGER", pa.int64()),
        "text": ("TEXT", pa.string()),
    }
)


def as_decimal(texts: pa.Array, name: str, size: tuple[int, int] | None) -> Any:
    """Numbers that came as text, with the precision and scale declared or those they show.

    >>> as_decimal(pa.array(["12.50", None, "3"]), "fee", None).type
    Decimal128Type(decimal128(38, 2))
    """
    if pc.any(pc.match_substring_regex(texts, "[^0-9.+-]")).as_py():
        raise BadInput(
            f"Column {name!r} holds NaN or infinity among its numbers; a query can leave such rows "
            "out, or make them NULL."
        )
    if size is None:
        decimals = pc.utf8_length(pc.replace_substring_regex(texts, r"^[^.]*\.?", ""))
        size = (_WIDEST, pc.max(decimals).as_py() or 0)
    try:
        make = pa.decimal128 if size[0] <= _WIDEST else pa.decimal256
        return texts.cast(make(*size))
    except (pa.ArrowException, ValueError):
        raise BadInput(
            f"Column {name!r} holds numbers of more than {_WIDEST} digits; round them in a query."
        ) from None


def as_declared(column: pa.Array, declared: str) -> Any:
    """A column of SQLite, which knows numbers and text only, in the type that its table declares.

    >>> as_declared(pa.array(["2024-02-29", None]), "DATE").type
    DataType(date32[day])
    """
    word, _, size = re.sub(r"\s+", "", declared.upper()).partition("(")
    target = _declared(word, size)
    if target is None:
        return column
    try:
        if pa.types.is_time(target):
            return to_values(column.to_pylist(), target)
        if pa.types.is_boolean(target) and (pc.max(column).as_py() or 0) > 1:
            return column
        return column.cast(target)
    except (pa.ArrowException, TypeError, ValueError):
        return column  # what is declared does not hold, and SQLite does not mind


def _declared(word: str, size: str) -> pa.DataType | None:
    numbers = re.fullmatch(r"(\d{1,2})(?:,(\d{1,2}))?\)", size)
    if word in ("DECIMAL", "NUMERIC") and numbers and int(numbers[1]) <= _WIDEST:
        return pa.decimal128(int(numbers[1]), int(numbers[2] or 0))
    if word.startswith(("DATETIME", "TIMESTAMP")):
        return pa.timestamp("us")
    if word.startswith(("TEXT", "VARCHAR", "CHAR", "NVARCHAR")):
        return pa.string()
    exact = {
        "BOOLEAN": pa.bool_(),
        "BOOL": pa.bool_(),
        "DATE": pa.date32(),
        "TIME": pa.time64("us"),
    }
    return exact.get(word)


def checked_dates(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Refuse dates that no calendar shows: PostgreSQL's infinity comes as such a date."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        ends = _days(column)
        if ends is None or (ends[0] >= _FIRST_DAY and ends[1] <= _LAST_DAY):
            continue
        raise BadInput(
            f"Column {name!r} holds a date outside the years 1 to 9999, such as infinity; a query "
            "can leave such rows out, or make the date NULL."
        )
    return batch


def _days(column: pa.Array) -> tuple[float, float] | None:
    """The first and the last day of a column of dates or moments."""
    if pa.types.is_date32(column.type):
        numbers, a_day = column.cast(pa.int32()), 1
    elif pa.types.is_timestamp(column.type):
        numbers, a_day = column.cast(pa.int64()), _A_DAY[column.type.unit]
    else:
        return None
    ends = pc.min_max(numbers).as_py()
    return None if ends["min"] is None else (ends["min"] // a_day, ends["max"] // a_day)
