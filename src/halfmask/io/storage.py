"""Storage: the Arrow types a column may have outside, and its values as text inside.

A label is the value written out so that reading it back gives the same value: numbers in their
shortest exact form, dates as ISO 8601, a duration as a count of its unit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from halfmask.errors import BadInput

_SCALARS = (
    pa.types.is_boolean,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal128,
    pa.types.is_decimal256,
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_date,
    pa.types.is_time,
    pa.types.is_timestamp,
    pa.types.is_duration,
    pa.types.is_null,
)
_DICTIONARY = re.compile(r"dictionary<values=(.+), indices=(\w+), ordered=([01])>")
_DECIMAL = re.compile(r"decimal(128|256)\((\d{1,2}), (-?\d{1,2})\)")
_ZONED = re.compile(r"timestamp\[(s|ms|us|ns), tz=([\w/+:-]{1,64})\]")


def is_supported(type_: pa.DataType) -> bool:
    """Whether a column of this type can be read as categories and written back."""
    scalar = type_.value_type if pa.types.is_dictionary(type_) else type_
    return any(test(scalar) for test in _SCALARS)


def storage_type(storage: str) -> pa.DataType:
    """The Arrow type that a storage text names; the inverse of `str(type)`.

    >>> storage_type("decimal128(10, 2)")
    Decimal128Type(decimal128(10, 2))
    >>> storage_type("dictionary<values=string, indices=int8, ordered=1>").ordered
    True
    """
    try:
        type_ = _parse(storage)
    except (ValueError, TypeError, pa.ArrowException):
        type_ = None
    if type_ is None or not is_supported(type_):
        raise BadInput(f"There is no column type {storage[:80]!r} that halfmask can write.")
    return type_


def _parse(storage: str) -> pa.DataType:
    if match := _DICTIONARY.fullmatch(storage):
        values, indices, ordered = match.groups()
        return pa.dictionary(pa.type_for_alias(indices), _parse(values), ordered == "1")
    if match := _DECIMAL.fullmatch(storage):
        make = pa.decimal128 if match[1] == "128" else pa.decimal256
        return make(int(match[2]), int(match[3]))
    if match := _ZONED.fullmatch(storage):
        return pa.timestamp(match[1], tz=match[2])
    return pa.type_for_alias(storage)


def to_labels(values: Any) -> list[str | None]:
    """The text of each value of an Arrow array."""
    if pa.types.is_duration(values.type):
        values = values.cast(pa.int64())
    labels: list[str | None] = values.cast(pa.string()).to_pylist()
    return labels


def to_values(labels: Sequence[str | None], type_: pa.DataType) -> Any:
    """The Arrow array of this type whose texts are `labels`; the inverse of `to_labels`.

    >>> to_values(["1", None, "3"], pa.int8()).to_pylist()
    [1, None, 3]
    """
    texts = pa.array(labels, pa.string())
    if pa.types.is_duration(type_):
        return texts.cast(pa.int64()).cast(type_)
    if pa.types.is_time(type_):
        # Arrow reads times of day only as part of a timestamp.
        moments = pc.binary_join_element_wise("1970-01-01", texts, " ")
        return moments.cast(pa.timestamp(type_.unit)).cast(type_)
    if pa.types.is_null(type_):
        return pa.nulls(len(labels))
    return texts.cast(type_)
