"""Encoding: raw values ↔ codes, fitted once on the original and used for both sides.

Here lies the first privacy rule of the house: a value held by fewer than `min_support` rows does
not get a code of its own. It joins the group "other", becomes missing, or, where even that would
be held by too few rows, its cells are left out of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask.data.alignment import align_column, group_label
from halfmask.data.column import Column, sorted_labels
from halfmask.data.schema import Attribute, Schema
from halfmask.data.table import ABSENT, Table
from halfmask.errors import BadInput

__all__ = ["Column", "Encoding", "RarePolicy", "RareValues"]

RarePolicy = Literal["group", "suppress", "keep"]


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

    def __str__(self) -> str:
        """The account as a sentence; it tells no count that could be below the minimum support.

        >>> str(RareValues("town", 12, 40, 0, "other"))
        "Column 'town': 12 rare values were grouped as 'other'."
        """
        count = "a rare value" if self.values == 1 else f"{self.values:,} rare values"
        was = "was" if self.values == 1 else "were"
        if not self.values:
            fate = "the missing cells are too few to enter the model"
        elif not self.grouped_rows:
            fate = f"{count} {was} left out of the model"
        elif self.became is None:
            fate = f"{count} became missing"
        else:
            fate = f"{count} {was} grouped as {self.became!r}"
        return f"Column {self.attribute!r}: {fate}."


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

    @classmethod
    def align(cls, original: Sequence[Column], release: Sequence[Column]) -> Encoding:
        """One encoding for an original and a release that were both read from files.

        A value may be spelled differently in the two (1 and 1.0). Where the release has the group
        "other" and the original has not, the values of the original that the release does not
        hold are those of the group.

        >>> old = [Column.of("town", ["Rome", "Rome", "Lodi", "Bra"])]
        >>> new = [Column.of("town", ["Rome", "other"])]
        >>> both = Encoding.align(old, new)
        >>> both.schema["town"].values, both.encode(old).marginal(["town"]).tolist()
        (('Rome', 'other'), [2.0, 2.0])
        """
        by_name = _by_name(release, [column.name for column in original])
        parts = [align_column(column, by_name[column.name]) for column in original]
        return cls(Schema(tuple(a for a, _ in parts)), tuple(codes for _, codes in parts))

    def decode(self, table: Table) -> list[Column]:
        """The columns of a table; a cell that was left out is missing."""
        return [
            _decode_column(attribute, table.codes[:, position])
            for position, attribute in enumerate(self.schema)
        ]

    def encode(
        self, columns: Sequence[Column], *, unknown: Literal["refuse", "leave out"] = "refuse"
    ) -> Table:
        """The table of these columns; their names must be those of the schema, in any order.

        A value that the encoding never met is refused, or its cells are left out: the rows of a
        hold-out may hold what no other row does.
        """
        by_name = _by_name(columns, self.schema.names)
        rows = {len(column) for column in columns} or {0}
        if len(rows) > 1:
            raise BadInput("The columns of the table have different numbers of rows.")
        codes = np.empty((rows.pop(), len(self.schema)), np.int32, order="F")
        for position, name in enumerate(self.schema.names):
            column, code_of = by_name[name], self.code_of[position]
            if unknown == "refuse":
                _refuse_unknown(column, code_of)
            codes_of_labels = [code_of.get(label, ABSENT) for label in column.labels]
            codes[:, position] = np.array(codes_of_labels, np.int32)[column.index]
        return Table(self.schema, codes)


def _refuse_unknown(column: Column, code_of: Mapping[str | None, int]) -> None:
    unknown = sum(label not in code_of for label in column.labels)
    if unknown:
        values = "a value" if unknown == 1 else f"{unknown:,} values"
        raise BadInput(f"Column {column.name!r} holds {values} that the original does not have.")


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


def _decode_column(attribute: Attribute, codes: NDArray[np.int32]) -> Column:
    labels = list(attribute.values)
    if None not in labels:
        labels.append(None)
    index = np.where(codes == ABSENT, labels.index(None), codes).astype(np.int32)
    return Column(attribute.name, tuple(labels), index, attribute.storage)


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
        sorted_labels([v for v in common if v is not None], column.storage)
    )
    target: str | None = None
    placed = False
    if policy == "group" and column.is_text and rare_rows >= floor and rare:
        target = group_label(column)
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
