"""Forms: what is known of a column before a private release asks the table anything.

A steward declares it in a schema: the kind of a column, how its values are written, and which can
be. What is not declared is guessed, as for every release; the promise then holds for those who may
know that much, and the report says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.calendar import Layout, day_order
from halfmask.data.coding.identifiers import names_code
from halfmask.data.coding.kinds import Plan, plan_each
from halfmask.data.coding.scale import Scale, find_scale, is_number, is_word
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.data.column import Labelled
from halfmask.errors import BadInput

Fate = Literal["ordered", "category", "key", "drop"]
MOST_DECIMALS = 15


@dataclass(frozen=True, slots=True)
class ColumnForm:
    """One column as it may be known: what becomes of it, how it is written, what it can hold."""

    name: str
    fate: Fate
    storage: str = "string"
    told: bool = True
    """Whether the schema says all this; otherwise some of it was read off the data."""
    reason: str = ""
    """Why a column is left out."""
    scale: Scale | None = None
    range: tuple[int, int] | None = None
    """The least and the largest tick (of moments: day) that can be."""
    edges: tuple[int, ...] | None = None
    """The first ticks of all bins but the first."""
    bins: int | None = None
    values: tuple[str, ...] = ()
    missing: frozenset[str] = frozenset()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def has_clock(self) -> bool:
        """Whether its values are days with times."""
        return self.scale is not None and self.scale.per_day != 1

    @property
    def day_scale(self) -> Scale:
        """The scale of what is put into bins: of moments the days."""
        assert self.scale is not None  # noqa: S101 - of ordered columns only
        return self.scale.days if self.has_clock else self.scale

    def ticks(self, column: Labelled) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The tick of each label, and which of the labels are values at all."""
        scale = self.scale
        assert scale is not None  # noqa: S101 - of ordered columns only
        ticks = np.zeros(len(column.labels), np.int64)
        readable = np.zeros(len(column.labels), bool)
        for place, label in enumerate(column.labels):
            text = label if label is None or scale.is_moment else _plain(label, scale)
            if text is None or text in self.missing or is_word(text):
                continue
            try:
                ticks[place] = scale.ticks([text])[0]
                readable[place] = True
            except ValueError:
                continue
        return ticks, readable


def _plain(label: str, scale: Scale) -> str | None:
    """A number as it is read, or None where the label is no number."""
    text = label.strip()
    return text if is_number(text.replace(",", ".") if scale.comma else text) else None


def forms_of(columns: Sequence[Labelled], spec: TableSpec, *, floor: int) -> list[ColumnForm]:
    """What is known of each column: declared, or guessed where nothing is."""
    spec.check_names(tuple(column.name for column in columns))
    return [_form(column, spec, floor) for column in columns]


def _form(column: Labelled, spec: TableSpec, floor: int) -> ColumnForm:
    said = spec.of(column.name)
    missing = frozenset((*spec.missing, *said.missing))
    kind = said.kind or _implied(said)
    if said.role in ("identifier", "ignore") and kind != "key":
        why = "it identifies people" if said.role == "identifier" else "its role is ignore"
        return ColumnForm(column.name, "drop", reason=why)
    if kind is None:
        return _guessed(column, said, missing, floor)
    if kind == "key":
        return ColumnForm(column.name, "key", column.storage)
    if kind == "text":
        return ColumnForm(column.name, "drop", reason="the schema says that it is free text")
    if kind == "category":
        return _category(column, said, missing, told=True)
    return _ordered(column, said, missing, kind, floor)


def _implied(said: ColumnSpec) -> str | None:
    if said.values:
        return "category"
    if said.format is not None:
        return "date"
    if said.range is not None:
        return "number" if all(map(is_number, said.range)) else "date"
    return None


def _category(
    column: Labelled, said: ColumnSpec, missing: frozenset[str], *, told: bool
) -> ColumnForm:
    values = tuple(dict.fromkeys(said.values or said.order))
    grouped = {old for olds in said.groups.values() for old in olds}
    listed = (*(v for v in values if v not in grouped), *said.groups) if values else ()
    return ColumnForm(
        column.name,
        "category",
        column.storage,
        told,
        values=tuple(dict.fromkeys(listed)),
        missing=missing,
        groups=said.groups,
    )


def _ordered(
    column: Labelled, said: ColumnSpec, missing: frozenset[str], kind: str, floor: int
) -> ColumnForm:
    scale = _number_scale(said) if kind == "number" else _date_scale(column, said)
    told = scale is not None
    if scale is None:
        day = None if said.format is None else day_order(said.format)
        scale = find_scale(column, floor=floor, declared=tuple(missing), day=day)
    if scale is None or scale.is_moment != (kind == "date"):
        how = "step = 1" if kind == "number" else 'format = "%Y-%m-%d"'
        raise BadInput(
            f"Column {column.name!r} cannot be taken as a {kind}: say how its values are written "
            f"({how})."
        )
    return _with_range(column, said, missing, scale, told=told)


def _with_range(
    column: Labelled, said: ColumnSpec, missing: frozenset[str], scale: Scale, *, told: bool
) -> ColumnForm:
    days = scale.days if scale.per_day != 1 else scale
    ends = None if said.range is None else _ticks(column.name, "range", said.range, days)
    if ends is not None and ends[0] >= ends[1]:
        raise BadInput(f"The range of column {column.name!r} ends before it begins.")
    edges = None
    if isinstance(said.bins, tuple):
        edges = tuple(sorted(set(_ticks(column.name, "bins", said.bins, days))))
    if edges is not None and ends is not None:
        edges = tuple(edge for edge in edges if ends[0] < edge <= ends[1])
    if edges is not None and ends is None:
        raise BadInput(
            f"The bins of column {column.name!r} need its range: where does the last one end "
            "(range = [least, largest])?"
        )
    return ColumnForm(
        column.name,
        "ordered",
        storage_of_scale(scale) if column.storage in READ_OFF else column.storage,
        told,
        scale=scale,
        range=None if ends is None else (ends[0], ends[1]),
        edges=edges,
        bins=said.bins if isinstance(said.bins, int) else None,
        missing=missing,
    )


def storage_of_scale(scale: Scale) -> str:
    """The type of numbers or dates that are written so."""
    if scale.layout is None:
        return "int64" if scale.decimals <= 0 else "double"
    if scale.layout.day != "Y-m-d" or scale.layout.end:
        return "string"
    return "date32[day]" if scale.unit == "D" else "timestamp[us]"


def storage_of_values(values: Sequence[str], given: str) -> str:
    """The type of a category with these values, unless its own is one that no text file has.

    >>> storage_of_values(["0", "1"], "string"), storage_of_values(["0", "x"], "int64")
    ('int64', 'string')
    >>> storage_of_values(["a"], "dictionary<values=string, indices=int8, ordered=0>")
    'dictionary<values=string, indices=int8, ordered=0>'
    """
    if given not in READ_OFF:
        return given
    if all(map(_WHOLE.fullmatch, values)):
        return "int64"
    if all(map(_DECIMAL.fullmatch, values)):
        return "double"
    return "bool" if all(value.lower() in ("true", "false") for value in values) else "string"


READ_OFF = frozenset({"int64", "double", "bool", "date32[day]", "timestamp[us]", "null", "string"})
"""Types that reading a text file finds, so that one cell can change them."""
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})", re.ASCII)
_DECIMAL = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?", re.ASCII)


def _ticks(name: str, what: str, texts: Sequence[str], scale: Scale) -> list[int]:
    try:
        return [int(tick) for tick in scale.ticks(texts)]
    except ValueError:
        raise BadInput(
            f"The {what} of column {name!r} holds something that is not one of its values."
        ) from None


def _number_scale(said: ColumnSpec) -> Scale | None:
    """As the step says, or the ends of the range are written."""
    written = [said.step] if said.step is not None else list(said.range or ())
    if not written:
        return None
    try:
        exponents = [Decimal(text).normalize().as_tuple().exponent for text in written]
    except InvalidOperation:
        raise BadInput(f"{written[0]!r} is not a number.") from None
    decimals = max(-int(exponent) for exponent in exponents)
    return Scale(min(max(decimals, 0), MOST_DECIMALS))


def _date_scale(column: Labelled, said: ColumnSpec) -> Scale | None:
    """As the format says, or the type of a column that holds days only."""
    if said.format is None:
        return Scale(layout=Layout()) if column.storage.startswith("date") else None
    day, clock = day_order(said.format), re.search(r"[ T]%H:%M(:%S)?", said.format)
    if clock is None:
        return Scale(layout=Layout(day))
    return Scale(layout=Layout(day, clock[0][0]), unit="s" if clock[1] else "m")


def _guessed(column: Labelled, said: ColumnSpec, missing: frozenset[str], floor: int) -> ColumnForm:
    plan: Plan = plan_each(
        [column], TableSpec({column.name: said}, missing=tuple(missing)), floor=floor
    )[column.name]
    if plan.fate in ("key", "drop"):
        fate: Fate = "key" if plan.fate == "key" else "drop"
        return ColumnForm(column.name, fate, column.storage, told=False, reason=plan.reason)
    scale = plan.scale
    if plan.fate == "codes" and column.kind in ("number", "moment") and not names_code(column.name):
        scale = find_scale(column, floor=floor, declared=tuple(missing))
    if scale is None:
        return _category(column, said, missing, told=False)
    return _with_range(column, said, missing | frozenset(plan.codes), scale, told=False)
