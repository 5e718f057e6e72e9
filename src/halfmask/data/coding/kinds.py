"""Kinds: what a column is, told from its values and its name, with the reason for the guess."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from halfmask.data.coding.calendar import day_order, readers
from halfmask.data.coding.cutting import FEW_VALUES
from halfmask.data.coding.identifiers import (
    MANY_CODES,
    are_codes,
    identifying,
    is_serial,
    names_code,
    names_identifier,
    prefix_groups,
)
from halfmask.data.coding.scale import Scale, find_scale, is_number, split_codes
from halfmask.data.coding.spec import NOTHING_SAID, ColumnSpec, Kind, TableSpec
from halfmask.data.column import Labelled
from halfmask.errors import BadInput

NEARLY_ALL = 0.9
"""A column with more different values than this share of its filled rows identifies rows."""
MOST_CODES = 256
"""A column of numbers whose name says that they are codes has at most so many of them."""
ROWS_A_CODE = 3
"""Codes that fewer rows hold on average tell of rows and not of a classification."""
LONG_TEXT = 40
"""Texts that are this long on average (characters) and differ much are free text."""
MANY_TEXTS = 100
"""With at most so many different texts, long ones are names of categories."""
FEW_SLIPS = 0.05
"""Odd texts in at most this share of the rows are slips of the pen and not values."""
READ_FIRST = 200
"""How dates are written is told from so many values, those that most rows hold."""
ENOUGH = 0.5
"""Grouping rare values keeps a category's meaning while this share of rows keeps its value."""

Fate = Literal["bins", "codes", "key", "drop"]


@dataclass(frozen=True)
class Plan:
    """What is done with a column and why."""

    name: str
    kind: Kind
    fate: Fate
    reason: str
    scale: Scale | None = None
    spec: ColumnSpec = NOTHING_SAID
    codes: tuple[str, ...] = ()
    """Texts that say why there is no value."""
    doubt: str | None = None
    """A sentence for the steward when the guess may be wrong."""
    prefixes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Rare codes that share a label, because they begin alike."""
    instead: Literal["category", "key"] | None = None
    """What a column that is left out could be taken for, so that it stays."""


def plan_columns(columns: Sequence[Labelled], spec: TableSpec, *, floor: int) -> dict[str, Plan]:
    """What is done with each column; one without any value is dropped, all of them refused.

    >>> from halfmask.data.column import Column
    >>> plans = plan_columns(
    ...     [Column.of("id", [f"{n}" for n in range(100)], "int64")], TableSpec(), floor=10
    ... )
    Traceback (most recent call last):
    halfmask.errors.BadInput: No column can be published: 'id' (each row has a number of its own).
    """
    plans = plan_each(columns, spec, floor=floor)
    check_some_left(plans)
    return plans


def check_some_left(plans: Mapping[str, Plan]) -> None:
    """Refuse a table of which no column is left to publish."""
    if not any(plan.fate in ("bins", "codes") for plan in plans.values()):
        reasons = ", ".join(f"{p.name!r} ({p.reason})" for p in list(plans.values())[:8])
        raise BadInput(f"No column can be published: {reasons}.")


def plan_each(columns: Sequence[Labelled], spec: TableSpec, *, floor: int) -> dict[str, Plan]:
    """The plan of each column, whether or not anything is left to publish.

    >>> from halfmask.data.column import Column
    >>> ages = Column.of("age", [str(20 + i % 60) for i in range(600)], "int64")
    >>> plan = plan_each([ages], TableSpec(), floor=10)["age"]
    >>> plan.kind, plan.fate, plan.reason
    ('number', 'bins', '60 different numbers')
    """
    spec.check_names(tuple(column.name for column in columns))
    return {column.name: _plan(column, spec, floor) for column in columns}


def _plan(column: Labelled, spec: TableSpec, floor: int) -> Plan:
    said = spec.of(column.name)
    day = None if said.format is None else day_order(said.format)
    facts = _Facts.of(column, (*spec.missing, *said.missing), floor, day)
    if said.role in ("identifier", "ignore") and said.kind != "key":
        reason = "it identifies people" if said.role == "identifier" else "its role is ignore"
        return Plan(column.name, said.kind or "text", "drop", reason, spec=said)
    if said.kind is not None or day is not None:
        return _as_told(facts, said)
    plan = _guess(facts, said)
    if plan.fate != "drop" or not facts.values:
        return plan
    return replace(plan, instead="category" if facts.common else "key")


@dataclass(frozen=True)
class _Facts:
    """What is seen of a column before anything is decided."""

    column: Labelled
    values: list[str]
    codes: list[str]
    rows: Mapping[str | None, int]
    floor: int
    scale: Scale | None
    slips: int = 0
    """How many odd texts among numbers or dates are taken for slips of the pen."""

    @classmethod
    def of(
        cls, column: Labelled, missing: Sequence[str], floor: int, day: str | None = None
    ) -> _Facts:
        values, codes = split_codes(column, missing)
        rows = dict(zip(column.labels, column.counts.tolist(), strict=True))
        scale = find_scale(column, floor=floor, declared=missing, day=day)
        coded = scale is not None or names_code(column.name)
        slips = [] if coded else _slips(values, rows, floor)
        if slips:
            scale = find_scale(column, floor=floor, declared=(*missing, *slips), day=day)
            if scale is not None:
                values, codes = split_codes(column, (*missing, *slips))
                return cls(column, values, codes, rows, floor, scale, len(slips))
        if scale is None:  # the words are values like any other, except those that were declared
            declared = set(missing)
            values = [text for text in column.labels if text is not None and text not in declared]
            codes = [text for text in codes if text in declared]
        return cls(column, values, codes, rows, floor, scale)

    @property
    def filled(self) -> int:
        """Rows that hold a value."""
        return sum(self.rows[text] for text in self.values)

    @property
    def common(self) -> int:
        """Rows whose value enough others hold too."""
        return sum(n for text in self.values if (n := self.rows[text]) >= self.floor)

    def prefixes(self, said: ColumnSpec) -> dict[str, tuple[str, ...]]:
        """Groups of rare codes, if these are many codes of which most are held by several rows."""
        many = len(self.values) > MANY_CODES and self.filled >= ROWS_A_CODE * len(self.values)
        described = said.groups or said.order or said.rare in ("suppress", "keep")
        if described or not many or not self.column.is_text or not are_codes(self.values):
            return {}
        return prefix_groups({text: self.rows[text] for text in self.values}, self.floor)

    def plan(
        self, kind: Kind, fate: Fate, reason: str, spec: ColumnSpec, doubt: str | None = None
    ) -> Plan:
        """The plan, with what it needs to be carried out."""
        scale = self.scale if fate == "bins" else None
        if self.slips and fate == "bins":
            doubt = self._about_slips("dates" if kind == "date" else "numbers")
        return Plan(self.column.name, kind, fate, reason, scale, spec, tuple(self.codes), doubt)

    def _about_slips(self, things: str) -> str:
        odd = "a text that is not" if self.slips == 1 else f"{self.slips:,} texts that are not"
        return (
            f"Column {self.column.name!r} holds {things} and, in a few cells, {odd}; they are "
            "treated as missing."
        )


def _slips(values: Sequence[str], rows: Mapping[str | None, int], floor: int) -> list[str]:
    """The few odd texts in a column that otherwise holds numbers or dates; none that is common.

    Codes such as V58 among numbers are held by many rows: then the column is no number.
    """
    most = max(FEW_SLIPS * sum(rows[text] for text in values), floor - 1)
    common = sorted(values, key=lambda text: -rows[text])[:READ_FIRST]
    for fits in (is_number, *readers(common)):
        odd, held = [], 0
        for text in values:
            if fits(text):
                continue
            odd.append(text)
            held += rows[text]
            if held > most or rows[text] >= floor:
                break
        else:
            if 0 < len(odd) < len(values):
                return odd
    return []


def _as_told(facts: _Facts, said: ColumnSpec) -> Plan:
    name, kind = facts.column.name, said.kind or "date"
    if kind in ("number", "date"):
        moment = facts.scale is not None and facts.scale.is_moment
        if facts.scale is None or moment != (kind == "date"):
            raise BadInput(
                f"Column {name!r} cannot be taken as a {kind}: not every value is one"
                f"{f' written as {said.format}' if said.format else ''}; list those "
                f'that mean "no value" (missing = [...]), or take it as a category.'
            )
        return facts.plan(kind, "bins", "as the schema says", said)
    if kind == "key":
        return facts.plan("key", "key", "as the schema says", said)
    if kind == "text":
        return facts.plan("text", "drop", "the schema says that it is free text", said)
    if not facts.values:
        return facts.plan("category", "drop", "every cell is missing", said)
    return replace(
        facts.plan("category", "codes", "as the schema says", said), prefixes=facts.prefixes(said)
    )


def _guess(facts: _Facts, said: ColumnSpec) -> Plan:
    values = facts.values
    if not values:
        return facts.plan("category", "drop", "every cell is missing", said)
    pattern = identifying(values)
    if pattern is not None and len(values) > FEW_VALUES:
        if pattern == "UUIDs" and len(values) == len(facts.column):
            return facts.plan("key", "key", "each row has a UUID of its own", said)
        return facts.plan("text", "drop", f"it holds {pattern}", said)
    if facts.scale is not None:
        return _guess_ordered(facts, said)
    return _guess_text(facts, said)


def _guess_ordered(facts: _Facts, said: ColumnSpec) -> Plan:
    name, values, filled = facts.column.name, facts.values, facts.filled
    scale = facts.scale
    assert scale is not None  # noqa: S101 - the caller looked
    kind: Kind = "date" if scale.is_moment else "number"
    things = "points in time" if scale.is_moment else "numbers"
    count = f"{len(values):,} different {things}"
    if len(values) <= FEW_VALUES:
        coded = names_code(name) or names_identifier(name)
        if facts.common == filled or said.rare == "suppress" or coded:
            return facts.plan("category", "codes", f"{count}, few enough to keep each", said)
        return facts.plan(kind, "bins", f"{count}, some of them rare", said)
    whole = kind == "number" and scale.decimals == 0
    different = whole and len(values) == filled
    if different and (names_identifier(name) or is_serial(scale.ticks(values))):
        return _numbered(facts, said)
    if whole and names_identifier(name) and len(values) > ENOUGH * filled:
        return facts.plan(
            "text", "drop", "its name and its many values suggest an identifier", said
        )
    coded = names_code(name) or (whole and names_identifier(name))
    if kind == "number" and coded and len(values) <= MOST_CODES:
        return facts.plan("category", "codes", f"{count}, and its name suggests codes", said)
    return facts.plan(kind, "bins", count, said)


def _numbered(facts: _Facts, said: ColumnSpec) -> Plan:
    """Different numbers that number the rows, or only some of them."""
    if facts.filled == len(facts.column):
        return facts.plan("key", "key", "each row has a number of its own", said)
    return facts.plan("text", "drop", "no two rows share a number", said)


def _guess_text(facts: _Facts, said: ColumnSpec) -> Plan:
    values = facts.values
    if len(values) <= FEW_VALUES or facts.column.kind == "truth":
        return facts.plan("category", "codes", f"{len(values):,} different values", said)
    whole = len(values) == len(facts.column)
    if whole and are_codes(values) and max(map(len, values)) <= LONG_TEXT:
        return facts.plan("key", "key", "each row has a code of its own", said)
    prefixes = facts.prefixes(said)
    reason = _no_category(facts, prefixes)
    if reason is not None:
        return facts.plan("text", "drop", reason, said, _doubt(facts, "left out"))
    count = f"{len(values):,} different values"
    if prefixes:
        count += "; rare codes are grouped by prefix"
    plan = facts.plan("category", "codes", count, said, _doubt(facts, "taken as a category"))
    return replace(plan, prefixes=prefixes)


def _no_category(facts: _Facts, prefixes: Mapping[str, Sequence[str]]) -> str | None:
    """Why many different texts tell of people and not of groups."""
    values, filled = facts.values, facts.filled
    length = float(np.mean([len(text) for text in values]))
    if len(values) > NEARLY_ALL * filled:
        return "nearly every row has a value of its own"
    if names_identifier(facts.column.name) and len(values) > ENOUGH * filled:
        return "its name and its many values suggest an identifier"
    if len(values) > MANY_TEXTS and length > LONG_TEXT:
        return "it holds free text"
    joined = sum(facts.rows[code] for codes in prefixes.values() for code in codes)
    if facts.common + joined < ENOUGH * filled:
        return f"most of its {len(values):,} values are held by fewer than {facts.floor:,} rows"
    return None


def _doubt(facts: _Facts, fate: str) -> str | None:
    """Why a text column may have been meant as numbers or dates."""
    name = facts.column.name
    if names_identifier(name):
        return None
    numbers = sum(facts.rows[text] for text in facts.values if is_number(text))
    if numbers > ENOUGH * facts.filled and not _classifies(facts):
        return (
            f"Column {name!r} holds numbers in {numbers / facts.filled:.0%} of its rows and words "
            f'in the others; it is {fate}. If the words mean "no value", list them '
            f"(missing = [...]); if they are mistakes, correct them."
        )
    if all(map(_SLASHED.fullmatch, facts.values)):
        return (
            f"Column {name!r} holds dates that could be day/month or month/day, or begin with the "
            f'year; it is {fate}. Say which in a schema (format = "%d/%m/%Y" or "%m/%d/%y").'
        )
    return None


def _classifies(facts: _Facts) -> bool:
    """Whether the words among numbers are codes like V58 and E849, or the name says codes."""
    odd = [text for text in facts.values if not is_number(text)]
    return names_code(facts.column.name) or all(map(_LETTERED.fullmatch, odd))


_LETTERED = re.compile(r"[A-Za-z]{1,2}\d\d[\w.]*", re.ASCII)
_SLASHED = re.compile(r"\d\d?[/-]\d\d?[/-]\d\d(\d\d)?( .*)?", re.ASCII | re.DOTALL)
