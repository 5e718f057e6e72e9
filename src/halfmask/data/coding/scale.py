"""Scale: the ordered values of a column as whole numbers (ticks), and back as they were written.

A whole number, a decimal, a date, a moment and a time of day differ only in how they are written;
once they are ticks they are cut into bins and drawn by the same few functions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.amounts import bare, dressed, split_amounts
from halfmask.data.coding.calendar import DAYS, UNITS, Layout, Unit, find_layout, resolution
from halfmask.data.column import Labelled

MISSING_WORDS = frozenset(
    {"", "?", ".", "-", "--", "na", "n/a", "nan", "none", "null", "nil", "missing", "unknown",
     "inf", "-inf", "+inf", "infinity", "-infinity", "#n/a", "not available", "not applicable",
     "n.a.", "<na>", "#null!", "#div/0!", "#value!"}
)  # fmt: skip
"""Words that stand for no number in a column of numbers, compared without case."""
_BOUND = re.compile(r"[<>≤≥]=?\s?[+-]?\d+([.,]\d+)?|\d+\+", re.ASCII)
"""<5 and 90+: on which side of a number the value lies, and not where."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LARGEST = 2**53
"""Ticks beyond this would not be told apart by the arithmetic."""
_MOSTLY = 0.9
_FINEST = 300
"""Decimals beyond this have no power of ten to count in."""
_BEYOND = 1e100
"""A number of this size measures nothing: it is a label, such as one for no value."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How the values of a column are written, and what one tick is.

    >>> price = Scale(decimals=2, fixed=True)
    >>> price.ticks(["9.95", "10"]).tolist(), price.texts(np.array([995, 1000]))
    ([995, 1000], ['9.95', '10.00'])
    """

    decimals: int = 0
    """A tick of a number is 10 to the power of minus this."""
    fixed: bool = False
    """Whether a number is written with all its decimals."""
    layout: Layout | None = None
    """How a date or time is written; None for a number."""
    unit: Unit = "D"
    """The tick of a date or time."""
    comma: bool = False
    """Whether a number is written with a comma before its decimals."""
    least: int = 0
    """So many decimals a number is written with in any case."""
    around: tuple[str, str, str] = ("", "", "")
    """What stands before and after each number, and between its thousands."""
    plus: bool = False
    """Whether a number above 0 is written with its sign."""

    @property
    def is_moment(self) -> bool:
        """Whether this is a date, a moment or a time of day."""
        return self.layout is not None

    @property
    def per_day(self) -> int:
        """The ticks of a day where there are days and times; 1 for everything else."""
        if self.layout is None or not self.layout.day or self.unit == "D":
            return 1
        return round(UNITS["D"] / UNITS[self.unit])

    @property
    def days(self) -> Scale:
        """The scale of the days of a moment."""
        day = self.layout or Layout()
        return Scale(layout=Layout(day.day, padded=day.padded))

    @property
    def clock(self) -> Scale:
        """The scale of its times of day."""
        return Scale(layout=Layout(""), unit=self.unit)

    def ticks(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Each text in ticks, to the nearest; ValueError where one cannot be read."""
        if self.layout is not None:
            return self.layout.parse(texts, self.unit)
        if any(self.around):
            texts = [bare(text, self.around) for text in texts]
        if self.decimals == 0:
            try:
                return np.array([int(text) for text in texts], np.int64)
            except (ValueError, OverflowError):
                pass  # 3.0, or beyond 64 bits
        if self.comma:
            texts = [text.replace(",", ".") for text in texts]
        with np.errstate(over="ignore"):  # what overflows is clipped
            scaled = np.array(texts, "U").astype(np.float64) * 10.0**self.decimals
        return np.rint(np.clip(scaled, -_LARGEST, _LARGEST)).astype(np.int64)

    def texts(self, ticks: NDArray[np.int64]) -> list[str]:
        """Each tick as the column writes it; the inverse of `ticks`."""
        if self.layout is not None:
            return self.layout.write(ticks, self.unit)
        if self.decimals <= 0:
            found = [str(tick * 10**-self.decimals) for tick in ticks.tolist()]
        else:
            found = [self._decimal(tick) for tick in ticks.tolist()]
        if self.plus:
            found = [
                f"+{text}" if tick > 0 else text
                for text, tick in zip(found, ticks.tolist(), strict=True)
            ]
        if not any(self.around):
            return found
        return [dressed(text, self.around, "," if self.comma else ".") for text in found]

    def _decimal(self, tick: int) -> str:
        digits = f"{abs(tick):0{self.decimals + 1}d}"
        point = "," if self.comma else "."
        sign = "-" if tick < 0 else ""
        text = f"{sign}{digits[: -self.decimals]}{point}{digits[-self.decimals :]}"
        if self.fixed:
            return text
        kept = len(text) - self.decimals + self.least
        return (text[:kept] + text[kept:].rstrip("0")).rstrip(point)

    def roundest(self, low: int, high: int, *, last: bool = False) -> int:
        """The tick from `low` to `high` that a person would call the roundest.

        Of several that are equally round it is the first, or the `last`.

        >>> Scale().roundest(37, 52), Scale().roundest(-3, 8), Scale().roundest(41, 49)
        (50, 0, 45)
        >>> days = Scale(layout=Layout())
        >>> days.texts(np.array([days.roundest(18_200, 18_290)]))
        ['2020-01-01']
        """
        if low <= 0 <= high and not (self.layout is not None and self.layout.day):
            return 0
        for step in self._steps(high - low):
            first, final = -(-low // step) * step, high // step * step
            if first <= final:
                return final if last else first
        if self.unit == "D" and self.layout is not None:
            return _first_of(low, high)
        return high if last else low

    def steps(self) -> tuple[int, ...]:
        """The distances in which people heap their answers, the widest first."""
        if self.layout is not None:
            per = round(1 / UNITS[self.unit]) if UNITS[self.unit] < 1 else 1
            seconds = (86_400, 3_600, 1_800, 900, 300, 60, 1)
            found = {s * per // (60 if self.unit == "m" else 1) for s in seconds}
            return (1,) if self.unit == "D" else tuple(sorted(found - {0}, reverse=True))
        return tuple(f * 10**p for p in range(15, -1, -1) for f in ((10, 5) if p else (10, 5, 1)))

    def _steps(self, width: int) -> tuple[int, ...]:
        if self.layout is not None:
            return () if self.unit == "D" else self.steps()
        top = len(str(max(width, 1)))
        powers = (10**p for p in range(top + 1, -1, -1))
        return tuple(f * p for p in powers for f in (10, 5, 2, 1))


def _first_of(low: int, high: int) -> int:
    """The first of a year or a month in a stretch of days, or its first day."""
    for unit in ("Y", "M"):
        start = np.datetime64(low, "D").astype(f"datetime64[{unit}]")
        for candidate in (start, start + 1):
            day = int(candidate.astype("datetime64[D]").astype(np.int64))
            if low <= day <= high:
                return day
    return low


def is_number(text: str) -> bool:
    """Whether a text is a number in the way programs write one.

    >>> [is_number(text) for text in ("-1.5e3", "1,5", "inf", "007")]
    [True, False, False, True]
    """
    return _NUMBER.fullmatch(text) is not None


def split_codes(column: Labelled, declared: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """The texts of a column that are values, and those that say why there is none.

    >>> from halfmask.data.column import Column
    >>> ages = Column.of("age", ["31", "44", "-8", "NA", None], "string")
    >>> split_codes(ages, ["-8"])
    (['31', '44'], ['-8', 'NA'])

    So does a number that is too large to be one, and a bound such as <5 or 90+.
    """
    wanted = {_plain(code) for code in declared}
    values: list[str] = []
    codes: list[str] = []
    for text in column.labels:
        if text is not None:
            is_code = is_word(text) or _is_beyond(text) or _plain(text) in wanted
            (codes if is_code else values).append(text)
    return values, codes


def is_word(text: str) -> bool:
    """Whether a text says, among numbers or dates, that there is no value or only a bound.

    >>> [is_word(text) for text in ("NA", " n/a", "<5", "90+", "5", "5-10")]
    [True, True, True, True, False, False]
    """
    return text.strip().lower() in MISSING_WORDS or _BOUND.fullmatch(text.strip()) is not None


def _plain(text: str) -> str | Decimal:
    try:
        return Decimal(text).normalize() if is_number(text) else text
    except ArithmeticError:  # an exponent beyond all that is written in earnest
        return text


def _is_beyond(text: str) -> bool:
    return is_number(text) and abs(float(text)) >= _BEYOND


def find_scale(
    column: Labelled, *, floor: int, declared: Sequence[str] = (), day: str | None = None
) -> Scale | None:
    """The scale of a column whose values are all numbers or all moments, or none.

    `day` is the order of day, month and year where it was told.

    Its tick is the finest that at least `floor` rows are written in: one cell with nine decimals
    must not show through in the release.

    >>> from halfmask.data.column import Column
    >>> find_scale(Column.of("x", ["1.5", "2.25", "?"] * 4), floor=4).decimals
    2
    """
    values, _ = split_codes(column, declared)
    if not values:
        return None
    rows = dict(zip(column.labels, column.counts.tolist(), strict=True))
    weights = np.array([rows[text] for text in values])
    if column.kind in ("number", "text") and all(map(is_number, values)):
        names = [bool(_NUMBERED.match(text)) for text in values]
        if column.kind == "text" and weights[names].sum() >= min(floor, weights.sum() / 2):
            return None  # 007 is a name, not a number
        return _of_moments(values, weights, floor, ("Ymd",)) or _of_numbers(values, weights, floor)
    if column.kind == "text" and _with_commas(values):
        points = [text.replace(",", ".") for text in values]
        return replace(_of_numbers(points, weights, floor), comma=True)
    if column.kind in ("text", "moment", "time"):
        found = _of_moments(values, weights, floor, day=day)
        return found or (_of_amounts(values, weights, floor) if column.kind == "text" else None)
    return None


def _with_commas(values: Sequence[str]) -> bool:
    """Whether all are numbers with a comma before the decimals, or without any.

    >>> _with_commas(["3,14", "2"]), _with_commas(["1,250", "980"]), _with_commas(["0,250", "9"])
    (True, False, True)

    1,250 can be more than a thousand: something must speak for decimals.
    """
    broken = [text for text in values if "," in text]
    decimals = any(not _THOUSANDS.fullmatch(text) for text in broken)
    return decimals and all(map(_COMMA.fullmatch, values))


def _of_amounts(values: Sequence[str], weights: NDArray[np.int64], floor: int) -> Scale | None:
    """The scale of amounts with a currency, a unit or marks between thousands, all alike.

    >>> _of_amounts(["$1,250.00", "$980.50"], np.array([5, 5]), 5)
    Scale(decimals=2, fixed=True, ..., around=('$', '', ','), plus=False)
    """
    around, comma, plain = split_amounts(values)
    if not any(around) or not all(map(is_number, plain)):
        return None
    return replace(_of_numbers(plain, weights, floor), around=around, comma=comma)


_COMMA = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:,\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)


_NUMBERED = re.compile(r"[+-]?0\d", re.ASCII)


def _of_numbers(values: list[str], weights: NDArray[np.int64], floor: int) -> Scale:
    places = np.array([_decimals(text) for text in values])
    decimals = min(_FINEST, int(_reached(places, weights, floor)))
    numbers = np.array([float(text) for text in values])
    largest = _reached(np.abs(numbers), weights, floor)
    while largest * 10.0**decimals > _LARGEST:
        decimals -= 1
    written = weights[places == decimals].sum() >= _MOSTLY * weights.sum()
    fixed = bool(decimals > 0 and written)
    least = 0 if fixed else max(0, min(decimals, -int(_reached(-places, weights, floor))))
    signed = weights[[text.startswith("+") for text in values]].sum()
    plus = bool(signed >= max(floor, _MOSTLY * weights[numbers > 0].sum()))
    return Scale(decimals, fixed=fixed, least=least, plus=plus)


def _reached(
    sizes: NDArray[np.int64] | NDArray[np.float64], weights: NDArray[np.int64], floor: int
) -> float:
    """The largest size that at least `floor` rows reach."""
    order = np.argsort(-sizes, kind="stable")
    reached = np.searchsorted(np.cumsum(weights[order]), min(floor, int(weights.sum())))
    return float(sizes[order][reached])


def _decimals(text: str) -> int:
    mantissa, _, exponent = text.lower().partition("e")
    places = len(mantissa.partition(".")[2])
    return places - int(min(max(float(exponent), -1e6), 1e6)) if exponent else places


def _of_moments(
    values: list[str],
    weights: NDArray[np.int64],
    floor: int,
    days: tuple[str, ...] = (),
    *,
    day: str | None = None,
) -> Scale | None:
    layout = find_layout(values, day=day)
    wanted = days or tuple(known for known in ("", *DAYS) if known != "Ymd" or known == day)
    if layout is None or layout.day not in wanted:
        return None
    units = list(UNITS)
    sizes = np.array([units.index(resolution(text)) for text in values])
    return Scale(layout=layout, unit=units[int(_reached(sizes, weights, floor))])
