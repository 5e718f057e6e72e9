"""Values: one attribute of some rows, its distinct labels read as what the asset says they are."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.assets.document import Kind
from halfmask.data import Column
from halfmask.errors import BadInput

KINDS: dict[Kind, str] = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "date": "a date",
    "set": "a set of items",
}
"""What each type is called in a sentence."""

_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, eq=False)
class Values:
    """The labels of an attribute, what each reads as, and which label each row holds.

    A label `None` is NULL. A value `None` is NULL or cannot be read as its type: a release may
    hold a group (`30-39`, `other`) where the original holds a number.

    >>> ages = Column.of("age", ["34", "?", "34", "many"])
    >>> values = Values.of(ages, "int", nulls={"?"})
    >>> values.labels, values.values, values.unreadable
    (('34', None, 'many'), (Decimal('34'), None, None), 1)
    """

    name: str
    kind: Kind
    labels: tuple[str | None, ...]
    values: tuple[Any, ...]
    index: NDArray[np.int32]

    @classmethod
    def of(cls, column: Column, kind: Kind, *, nulls: Collection[str] = ()) -> Values:
        """A column read as its type; a label among `nulls` stands for no value."""
        labels = tuple(None if label in nulls else label for label in column.labels)
        index = column.index.astype(np.int32, copy=False)
        return cls(column.name, kind, labels, tuple(_or_none(kind, x) for x in labels), index)

    def __len__(self) -> int:
        return len(self.index)

    @property
    def unreadable(self) -> int:
        """How many labels cannot be read as the type."""
        pairs = zip(self.labels, self.values, strict=True)
        return sum(label is not None and value is None for label, value in pairs)

    @property
    def is_null(self) -> NDArray[np.bool_]:
        """Which rows hold no value."""
        return np.array([label is None for label in self.labels], bool)[self.index]

    def take(self, rows: NDArray[np.intp]) -> Values:
        """The given rows, in the given order; a row number below 0 stands for a row of NULLs."""
        absent = len(self.labels)
        index = np.where(rows < 0, absent, self.index[rows] if len(self.index) else absent)
        labels, values = (*self.labels, None), (*self.values, None)
        return Values(self.name, self.kind, labels, values, index.astype(np.int32))

    def refuse_unreadable(self) -> None:
        """The original must be what the asset says it is."""
        if self.unreadable:
            count = "a value" if self.unreadable == 1 else f"{self.unreadable:,} values"
            raise BadInput(
                f"The asset says that attribute {self.name!r} is {KINDS[self.kind]}, and the "
                f"original holds {count} in it that cannot be read so; correct its type, or "
                "list the labels that mean a missing value under null_tokens."
            )


def same_space(one: Values, two: Values) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """The rows of both as numbers of common values, -1 for NULL, and how many values there are.

    >>> old = Values.of(Column.of("dose", ["1", "2"]), "float")
    >>> new = Values.of(Column.of("dose", ["2.0", None]), "float")
    >>> [codes.tolist() for codes in same_space(old, new)[:2]]
    [[0, 1], [1, -1]]
    """
    number: dict[Any, int] = {}
    coded = []
    for side in (one, two):
        pairs = zip(side.labels, side.values, strict=True)
        codes = [
            -1 if label is None else number.setdefault(_identity(label, value), len(number))
            for label, value in pairs
        ]
        coded.append(np.array(codes, np.int64)[side.index])
    return coded[0], coded[1], len(number)


def read_label(kind: Kind, label: str) -> Any:
    """What a label means as this type; ValueError where it means nothing.

    >>> read_label("int", "7.0"), read_label("bool", "True"), read_label("set", "tea milk")
    (Decimal('7.0'), True, frozenset({...}))
    """
    return _READERS[kind](label)


def _or_none(kind: Kind, label: str | None) -> Any:
    try:
        return None if label is None else read_label(kind, label)
    except ValueError:
        return None


def _identity(label: str, value: Any) -> Any:
    return ("unread", label) if value is None else value


def _number(label: str) -> Decimal:
    try:
        number = Decimal(label.strip())
    except InvalidOperation:
        raise ValueError(label) from None
    if not number.is_finite():
        raise ValueError(label)
    return number


def _whole(label: str) -> Decimal:
    number = _number(label)
    if number != number.to_integral_value():
        raise ValueError(label)
    return number


def _truth(label: str) -> bool:
    if label.strip().lower() not in _TRUTHS:
        raise ValueError(label)
    return _TRUTHS[label.strip().lower()]


def _moment(label: str) -> datetime:
    moment = datetime.fromisoformat(label.strip())
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


_READERS: dict[Kind, Callable[[str], Any]] = {
    "int": _whole,
    "float": _number,
    "str": str,
    "bool": _truth,
    "date": _moment,
    "set": lambda label: frozenset(label.split()),
}
