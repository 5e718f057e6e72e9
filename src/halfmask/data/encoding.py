"""Encoding: raw values ↔ codes, fitted once on the original and used for both sides.

Here lies the first privacy rule of the house: a value held by fewer than `min_support` rows does
not get a code of its own. It joins the group "other", becomes missing, or, where even that would
be held by too few rows, its cells are left out of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask.data.schema import Attribute, Schema
from halfmask.data.table import ABSENT, Table
from halfmask.errors import BadInput

__all__ = ["Column", "Encoding", "RarePolicy", "RareValues"]

RarePolicy = Literal["group", "suppress", "keep"]


@dataclass(frozen=True, eq=False)
class Column:
    """A raw column: its distinct values as text (`None` is missing) and which each row holds."""

    name: str
    labels: tuple[str | None, ...]
    index: NDArray[np.int32]
    storage: str = "string"

    @classmethod
    def of(cls, name: str, cells: Sequence[str | None], storage: str = "string") -> Column:
        """A column from its cells."""
        labels = tuple(dict.fromkeys(cells))
        code = {label: i for i, label in enumerate(labels)}
        return cls(name, labels, np.array([code[cell] for cell in cells], np.int32), storage)

    @property
    def is_text(self) -> bool:
        """Whether any word can be written in this column."""
        return "string" in self.storage

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows hold each label."""
        return np.bincount(self.index, minlength=len(self.labels))


@dataclass(frozen=True, slots=True)
class RareValues:
    """What became of the rare values of one column."""

    attribute: str
    values: int
    """How many values were too rare to enter the model."""
    grouped_rows: int
    """Rows whose value joined the group or became missing."""
    left_out: int
    """Cells that entered the model not at all."""
    became: str | None
    """The label of the group, or None when the values became missing or were left out."""


@dataclass(frozen=True, eq=False)
class Encoding:
    """For each attribute, the code of every raw label; several labels may share a code.

    >>> ages = Column.of("age", ["30"] * 12 + ["40"] * 11 + ["99", "98"] * 5)
    >>> encoding = Encoding.fit([ages], min_support=10)
    >>> encoding.schema["age"].values
    ('30', '40', 'other')
    >>> encoding.encode([ages]).marginal(["age"]).tolist()
    [12.0, 11.0, 10.0]
    """

    schema: Schema
    code_of: tuple[Mapping[str | None, int], ...]
    rare: tuple[RareValues, ...] = ()

    @classmethod
    def fit(
        cls, columns: Sequence[Column], *, min_support: int = 1, rare: RarePolicy = "group"
    ) -> Encoding:
        """Give a code to each value held by at least `min_support` rows; `rare` rules the rest."""
        parts = [
            _encode_column(column, 1 if rare == "keep" else min_support, rare) for column in columns
        ]
        return cls(
            Schema(tuple(attribute for attribute, _, _ in parts)),
            tuple(codes for _, codes, _ in parts),
            tuple(account for _, _, account in parts if account is not None),
        )

    @classmethod
    def of_schema(cls, schema: Schema) -> Encoding:
        """The plain encoding of a schema: each value has its own code."""
        return cls(schema, tuple({v: i for i, v in enumerate(a.values)} for a in schema))

    def encode(self, columns: Sequence[Column]) -> Table:
        """The table of these columns; their names must be those of the schema, in any order."""
        by_name = _by_name(columns, self.schema.names)
        rows = len(columns[0].index) if columns else 0
        codes = np.empty((rows, len(self.schema)), np.int32, order="F")
        for position, (attribute, code_of) in enumerate(
            zip(self.schema, self.code_of, strict=True)
        ):
            column = by_name[attribute.name]
            unknown = [label for label in column.labels if label not in code_of]
            if unknown:
                raise BadInput(
                    f"Column {attribute.name!r} holds {len(unknown)} value(s) that the schema does "
                    f"not list; it lists {attribute.size}."
                )
            translation = np.array([code_of[label] for label in column.labels], np.int32)
            codes[:, position] = translation[column.index]
        return Table(self.schema, codes)


def _by_name(columns: Sequence[Column], wanted: Sequence[str]) -> dict[str, Column]:
    by_name = {column.name: column for column in columns}
    lacking = [name for name in wanted if name not in by_name]
    extra = [name for name in by_name if name not in set(wanted)]
    if lacking or extra:
        parts = []
        if lacking:
            parts.append("lacks " + ", ".join(map(repr, lacking[:5])))
        if extra:
            parts.append("has besides " + ", ".join(map(repr, extra[:5])))
        raise BadInput(
            f"The table does not have the columns of the original: it {' and '.join(parts)}."
        )
    return by_name


def _sorted_labels(labels: Sequence[str], storage: str) -> list[str]:
    """Ordered categories as they come, numbers by size, everything else by the alphabet."""
    if storage.endswith("ordered=1>"):
        return list(labels)
    if is_numeric(storage):
        return sorted(labels, key=_size)
    return sorted(labels)


def is_numeric(storage: str) -> bool:
    """Whether the labels of a column stored so are numbers.

    >>> is_numeric("decimal128(5, 2)"), is_numeric("dictionary<values=int64, ...>"), is_numeric("x")
    (True, True, False)
    """
    kind = storage.removeprefix("dictionary<values=")
    return kind.startswith(("int", "uint", "float", "double", "half", "decimal", "duration"))


def _size(label: str) -> tuple[bool, Decimal]:
    """A number as it sorts, exactly; what is not a number comes last."""
    number = Decimal(label)
    return (True, Decimal(0)) if number.is_nan() else (False, number)


def _encode_column(
    column: Column, floor: int, policy: RarePolicy
) -> tuple[Attribute, dict[str | None, int], RareValues | None]:
    """Decide for one column which labels keep their own code and where the others go."""
    count = dict(zip(column.labels, column.counts.tolist(), strict=True))
    common = [v for v, n in count.items() if v is not None and n >= floor]
    rare = [v for v, n in count.items() if v is not None and n < floor]
    rare_rows = sum(count[v] for v in rare)
    missing = count.get(None, 0)

    values: list[str | None] = list(
        _sorted_labels([v for v in common if v is not None], column.storage)
    )
    target: str | None = None
    placed = False
    if policy == "group" and column.is_text and rare_rows >= floor and rare:
        target = "other" if "other" not in count else "other (grouped)"
        values.append(target)
        placed = True
    elif rare and rare_rows + missing >= floor:
        missing += rare_rows
        placed = True
    if missing >= floor and missing > 0:
        values.append(None)

    code: dict[str | None, int] = {v: i for i, v in enumerate(values)}
    code.setdefault(None, ABSENT)
    for v in rare:
        code[v] = code[target] if placed else ABSENT
    if not any(v is not None for v in values):
        raise BadInput(
            f"No value of column {column.name!r} is held by {floor:,} rows or more; "
            f"leave the column out (--drop {column.name}) or lower the minimum support."
        )
    attribute = Attribute(column.name, tuple(values), column.storage)
    left_out = (0 if placed else rare_rows) + (count.get(None, 0) if code[None] == ABSENT else 0)
    if not rare and not left_out:
        return attribute, code, None
    grouped = rare_rows if placed else 0
    return attribute, code, RareValues(column.name, len(rare), grouped, left_out, target)
