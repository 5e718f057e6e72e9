"""Fitting: which codes the values of one column get.

Here lies the first privacy rule of the house: a value held by fewer than `min_support` rows does
not get a code of its own. It joins the group "other", its neighbours on a scale, or the missing
ones; where even that would be held by too few rows, its cells are left out of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.alignment import group_label
from halfmask.data.coding.bins import Bins, Part
from halfmask.data.coding.cutting import CutTally, cut, tally_of
from halfmask.data.coding.kinds import Plan
from halfmask.data.coding.scale import Scale
from halfmask.data.coding.spec import RarePolicy
from halfmask.data.column import (
    AnyColumn,
    Column,
    CountedColumn,
    Labelled,
    PairCounts,
    sorted_labels,
)
from halfmask.data.schema import Attribute
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput


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
        fate = self.fate.replace("rare values", count)
        fate = fate.replace(" were ", " was ") if self.values == 1 else fate
        return f"Column {self.attribute!r}: {fate}."

    @property
    def fate(self) -> str:
        """The same, whatever the column and the number of its rare values."""
        if not self.values:
            return "there are too few missing cells to enter the model"
        if not self.grouped_rows:
            return "rare values were left out of the model"
        if self.became is None:
            return "rare values became missing"
        return f"rare values were grouped as {self.became!r}"


class TooRare(BadInput):
    """Too few rows hold any value of a column for it to be published."""

    def __init__(self, name: str, floor: int) -> None:
        self.reason = f"no value of it is held by {floor:,} rows or more"
        super().__init__(
            f"No value of column {name!r} is held by {floor:,} rows or more; leave the column out "
            f"(--drop {name}) or lower the minimum support."
        )


@dataclass(frozen=True, eq=False)
class Fitted:
    """The attribute of a column, the codes of its labels, and the account of its rare values."""

    attribute: Attribute
    code_of: Mapping[str | None, int]
    """Of a column with bins only the labels that are no values; the others are found by size."""
    rare: RareValues | None = None


def fit_codes(
    column: Labelled, floor: int, policy: RarePolicy, order: Sequence[str] = ()
) -> Fitted:
    """Decide for one column which labels keep their own code and where the others go."""
    count = dict(zip(column.labels, column.counts.tolist(), strict=True))
    common = [v for v, n in count.items() if v is not None and n >= floor]
    rare = [v for v, n in count.items() if v is not None and n < floor]
    rare_rows = sum(count[v] for v in rare)
    missing = count.get(None, 0)

    values: list[str | None] = list(_in_order(common, column.storage, order))
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
        raise TooRare(column.name, floor)
    attribute = Attribute(column.name, tuple(values), column.storage)
    left_out = (0 if placed else rare_rows) + (count.get(None, 0) if code[None] == ABSENT else 0)
    if not rare and not left_out:
        return Fitted(attribute, code)
    grouped = rare_rows if placed else 0
    return Fitted(attribute, code, RareValues(column.name, len(rare), grouped, left_out, target))


def _in_order(labels: Sequence[str], storage: str, order: Sequence[str]) -> list[str]:
    """Labels in the order that the steward gave, the others behind them in their own."""
    place = {label: i for i, label in enumerate(order)}
    found = sorted_labels(labels, storage)
    return sorted(found, key=lambda label: place.get(label, len(place)))


def fit_bins(column: Labelled, plan: Plan, floor: int, target: Labelled | None = None) -> Fitted:
    """Cut an ordered column into bins; the reasons for missing values follow them.

    >>> from halfmask.data.coding.scale import find_scale
    >>> ages = Column.of("age", [str(20 + i % 60) for i in range(600)] + ["-8"] * 30, "int64")
    >>> plan = Plan("age", "number", "bins", "", find_scale(ages, floor=10), codes=("-8",))
    >>> fit_bins(ages, plan, 10).attribute.values[-3:]
    ('68 to 74', '75 to 79', '-8')
    """
    scale = plan.scale
    assert scale is not None  # noqa: S101 - the plan says bins
    count = dict(zip(column.labels, column.counts.tolist(), strict=True))
    texts = [label for label in column.labels if label is not None and label not in plan.codes]
    rows = np.array([count[text] for text in texts], np.int64)
    if rows.sum() < floor:
        raise TooRare(column.name, floor)
    classes = None if target is None else _classes(column, texts, target)
    ticks = scale.ticks(texts)
    tally = tally_of(ticks // scale.per_day, rows, classes)
    clock = None if scale.per_day == 1 else _clock(ticks % scale.per_day, rows, scale, floor)
    parts = _cut(column.name, tally, plan, floor)
    bins = Bins(scale, parts, _common(plan.codes, count, floor), clock)
    values: list[str | None] = [*bins.labels, *bins.codes]
    rare = [code for code in plan.codes if code not in bins.codes]
    missing = count.get(None, 0) + sum(count.get(code, 0) for code in rare)
    if missing >= floor and missing > 0:
        values.append(None)
    code_of: dict[str | None, int] = {code: values.index(code) for code in bins.codes}
    nothing = len(values) - 1 if None in values else ABSENT
    code_of |= dict.fromkeys([None, *rare], nothing)
    attribute = Attribute(column.name, tuple(values), column.storage, bins)
    left_out = missing if nothing == ABSENT else 0
    account = RareValues(column.name, 0, 0, left_out, None) if left_out else None
    return Fitted(attribute, code_of, account)


def _clock(
    ticks: NDArray[np.int64], rows: NDArray[np.int64], scale: Scale, floor: int
) -> Bins | None:
    """The times of day of all rows as one bin: surgeries open at eight whatever the day."""
    found = cut(tally_of(ticks, rows), scale.clock, floor=floor)
    return Bins(scale.clock, (tuple(part for bin_ in found for part in bin_),))


def _common(codes: Sequence[str], count: Mapping[str | None, int], floor: int) -> tuple[str, ...]:
    return tuple(sorted(code for code in codes if count.get(code, 0) >= floor))


def _cut(name: str, tally: CutTally, plan: Plan, floor: int) -> tuple[tuple[Part, ...], ...]:
    whole, said = plan.scale or Scale(), plan.spec
    scale = whole if whole.per_day == 1 else whole.days
    try:
        bins = _first_ticks(said.bins, scale)
        return cut(tally, scale, floor=floor, bins=bins, by=said.cut)
    except BadInput as reason:
        raise BadInput(f"Column {name!r} cannot be cut into bins. {reason}") from None


def _first_ticks(bins: int | tuple[str, ...] | None, scale: Scale) -> int | tuple[int, ...] | None:
    if not isinstance(bins, tuple):
        return bins
    try:
        return tuple(sorted(set(scale.ticks(bins).tolist())))
    except ValueError:
        raise BadInput("One of the given bin borders is not a value of the column.") from None


def _classes(column: Labelled, texts: Sequence[str], target: Labelled) -> NDArray[np.int64]:
    """For each text, how many rows hold it with each value of the target."""
    place = {text: i for i, text in enumerate(texts)}
    class_of = {label: i for i, label in enumerate(target.labels)}
    counts = np.zeros((len(texts), len(class_of)), np.int64)
    for (label, its), rows in _beside(column, target).items():
        if label in place:
            counts[place[label], class_of[its]] += rows
    return counts


def _beside(column: Labelled, target: Labelled) -> PairCounts:
    if isinstance(column, Column) and isinstance(target, Column):
        return column.beside(target)
    assert isinstance(column, CountedColumn)  # noqa: S101 - there are no others
    return column.beside[target.name]


def regrouped(column: AnyColumn, groups: Mapping[str, Sequence[str]]) -> AnyColumn:
    """The column with the values that the steward put together under their new name."""
    new = {old: label for label, olds in groups.items() for old in olds}
    if not new:
        return column
    return column.relabelled(
        [new.get(label, label) if label is not None else None for label in column.labels]
    )
