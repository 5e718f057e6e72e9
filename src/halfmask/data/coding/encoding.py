"""Encoding: raw values ↔ codes, fitted once on the original and used for both sides.

How a single column is fitted, and what becomes of its rare values, stands in `fitting`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.alignment import align_column
from halfmask.data.coding.fitting import (
    Fitted,
    RareValues,
    TooRare,
    fit_bins,
    fit_codes,
    regrouped,
)
from halfmask.data.coding.identifiers import identifying
from halfmask.data.coding.kinds import Plan, check_some_left
from halfmask.data.coding.scale import is_word
from halfmask.data.coding.spec import RarePolicy
from halfmask.data.column import Column, Labelled
from halfmask.data.schema import Attribute, Key, KeyStyle, Schema
from halfmask.data.table import ABSENT, Table
from halfmask.errors import BadInput


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
    plans: Mapping[str, Plan] = field(default_factory=dict)
    """What was decided for each column; without one, its values are categories."""

    @classmethod
    def fit(
        cls,
        columns: Sequence[Labelled],
        *,
        min_support: int = 1,
        rare: RarePolicy = "group",
        plans: Mapping[str, Plan] | None = None,
    ) -> Encoding:
        """Give a code to each value held by at least `min_support` rows; `rare` rules the rest.

        A planned column of which nothing is left is dropped; its plan says why.
        """
        plans = dict(plans or {})
        by_name = {column.name: column for column in columns}
        fitted: list[Fitted] = []
        for column in columns:
            plan = plans.get(column.name)
            if plan is not None and plan.fate not in ("bins", "codes"):
                continue
            try:
                fitted.append(_fit(column, plan, min_support, rare, by_name))
            except TooRare as problem:
                if plan is None:
                    raise
                plans[column.name] = _dropped(plan, problem)
        if plans:
            check_some_left(plans)
        return cls(
            Schema(tuple(f.attribute for f in fitted), _keys(columns, plans)),
            tuple(f.code_of for f in fitted),
            tuple(f.rare for f in fitted if f.rare is not None),
            plans,
        )

    @classmethod
    def of_schema(cls, schema: Schema) -> Encoding:
        """The plain encoding of a schema: each value has its own code."""
        return cls(schema, tuple(_plain_codes(attribute) for attribute in schema))

    @classmethod
    def align(
        cls,
        original: Sequence[Column],
        release: Sequence[Column],
        *,
        min_support: int = 1,
        plans: Mapping[str, Plan] | None = None,
    ) -> Encoding:
        """One encoding for an original and a release that were both read from files.

        Numbers and dates that are planned as bins are cut by the original's values.

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
        mine = {column.name: column for column in original}
        parts = []
        for column in original:
            plan = (plans or {}).get(column.name)
            if plan is not None and plan.fate == "bins":
                parts.append(_fit(column, plan, min_support, "group", mine))
            else:
                parts.append(Fitted(*align_column(column, by_name[column.name])))
        schema = Schema(tuple(part.attribute for part in parts))
        return cls(schema, tuple(part.code_of for part in parts))

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
        made = (column.name for column in self.schema.made)
        by_name = _by_name(columns, self.schema.names, (*self.plans, *made))
        rows = {len(column) for column in columns} or {0}
        if len(rows) > 1:
            raise BadInput("The columns of the table have different numbers of rows.")
        codes = np.empty((rows.pop(), len(self.schema)), np.int32, order="F")
        for position, name in enumerate(self.schema.names):
            of_labels = self.codes_of(by_name[name], unknown=unknown)
            codes[:, position] = of_labels[by_name[name].index]
        return Table(self.schema, codes)

    def codes_of(
        self, column: Labelled, *, unknown: Literal["refuse", "leave out"] = "refuse"
    ) -> NDArray[np.int32]:
        """The code of every label of a column."""
        position = self.schema.position(column.name)
        attribute, code_of = self.schema.attributes[position], self.code_of[position]
        return _codes(column, attribute, code_of, refuse=unknown == "refuse")


def _fit(
    column: Labelled,
    plan: Plan | None,
    floor: int,
    rare: RarePolicy,
    columns: Mapping[str, Labelled],
) -> Fitted:
    """Fit one column as it was planned, with the floor that its own rule for rare values sets."""
    policy = rare if plan is None or plan.spec.rare is None else plan.spec.rare
    least = 1 if policy == "keep" else floor
    if plan is None:
        return fit_codes(column, least, policy)
    if plan.fate == "bins":
        target = plan.spec.target
        fitted = fit_bins(column, plan, least, None if target is None else columns[target])
        kept = replace(fitted.attribute, keeps_rare=policy == "keep" != rare)
        return replace(fitted, attribute=kept)
    groups = {**(plan.prefixes if policy == "group" else {}), **plan.spec.groups}
    fitted = fit_codes(regrouped(column, groups), least, policy, plan.spec.order)
    joined: dict[str | None, int] = {
        old: fitted.code_of[new]
        for new, olds in groups.items()
        for old in olds
        if new in fitted.code_of
    }
    kept = replace(fitted.attribute, keeps_rare=policy == "keep" != rare)
    return replace(fitted, attribute=kept, code_of={**fitted.code_of, **joined})


def _dropped(plan: Plan, problem: TooRare) -> Plan:
    reason = f"{problem.reason}; a lower minimum support would keep it"
    return Plan(plan.name, plan.kind, "drop", reason, spec=plan.spec)


def _keys(columns: Sequence[Labelled], plans: Mapping[str, Plan]) -> tuple[Key, ...]:
    """The key columns, each with its place among the columns of the release."""
    published = [c for c in columns if c.name not in plans or plans[c.name].fate != "drop"]
    return tuple(
        Key(column.name, position, column.storage, _style(column))
        for position, column in enumerate(published)
        if column.name in plans and plans[column.name].fate == "key"
    )


def _style(column: Labelled) -> KeyStyle:
    if column.kind == "number":
        return "number"
    held = [label for label in column.labels if label is not None]
    return "uuid" if identifying(held) == "UUIDs" else "text"


def _plain_codes(attribute: Attribute) -> dict[str | None, int]:
    if attribute.bins is None:
        return {value: code for code, value in enumerate(attribute.values)}
    first = len(attribute.bins.bins)
    codes: dict[str | None, int] = {None: ABSENT}
    return codes | {value: first + i for i, value in enumerate(attribute.values[first:])}


_UNKNOWN = -2


def _codes(
    column: Labelled, attribute: Attribute, code_of: Mapping[str | None, int], *, refuse: bool
) -> NDArray[np.int32]:
    """The code of every label of a column; one that the encoding never met is left out."""
    codes = np.array([code_of.get(label, _UNKNOWN) for label in column.labels], np.int32)
    open_ = np.flatnonzero(codes == _UNKNOWN)
    if attribute.bins is not None and len(open_):
        texts = [str(column.labels[i]) for i in open_]
        found, readable = attribute.bins.read(texts)
        words = np.array([is_word(text) for text in texts])
        codes[open_] = np.where(readable, found, np.where(words, code_of[None], _UNKNOWN))
    unknown = int((codes == _UNKNOWN).sum())
    if unknown and refuse:
        values = "a value" if unknown == 1 else f"{unknown:,} values"
        raise BadInput(f"Column {column.name!r} holds {values} that the original does not have.")
    codes[codes == _UNKNOWN] = ABSENT
    return codes


def _by_name(
    columns: Sequence[Column], wanted: Sequence[str], besides: Sequence[str] = ()
) -> dict[str, Column]:
    by_name = {column.name: column for column in columns}
    lacking = [name for name in wanted if name not in by_name]
    extra = [name for name in by_name if name not in {*wanted, *besides}]
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
