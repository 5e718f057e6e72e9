"""Calendar: dates and times of day as whole numbers, read from the ways people write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import BadInput

Unit = Literal["D", "m", "s", "ms", "us", "ns"]
UNITS: dict[Unit, float] = {"D": 86_400, "m": 60, "s": 1, "ms": 10**-3, "us": 10**-6, "ns": 10**-9}
"""How fine a moment is written, with its length in seconds."""
_DIGITS: dict[Unit, int] = {"ms": 3, "us": 6, "ns": 9}

DAYS = {
    "Y-m-d": r"(?P<Y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)",
    "Y/m/d": r"(?P<Y>\d{4})/(?P<m>\d\d?)/(?P<d>\d\d?)",
    "Ymd": r"(?P<Y>(?:1[89]|2[01])\d\d)(?P<m>\d\d)(?P<d>\d\d)",
    "d.m.Y": r"(?P<d>\d\d?)\.(?P<m>\d\d?)\.(?P<Y>\d{4})",
    "d/m/Y": r"(?P<d>\d\d?)/(?P<m>\d\d?)/(?P<Y>\d{4})",
    "m/d/Y": r"(?P<m>\d\d?)/(?P<d>\d\d?)/(?P<Y>\d{4})",
    "d-m-Y": r"(?P<d>\d\d?)-(?P<m>\d\d?)-(?P<Y>\d{4})",
}
"""The orders of day, month and year that are told apart; two that both fit tell nothing."""
_TIME = r"(?P<t>\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)"


@dataclass(frozen=True, slots=True)
class Layout:
    """How a moment is written: the order of the day's parts, what follows it, and its end.

    >>> layout = find_layout(["31.12.1999", "01.02.2000"])
    >>> layout.day, layout.parse(["01.01.1970"], "D").tolist(), layout.write(np.array([31]), "D")
    ('d.m.Y', [0], ['01.02.1970'])
    """

    day: str = "Y-m-d"
    """Empty for a time of day."""
    between: str = ""
    """What stands between day and time: nothing where there is no time."""
    end: str = ""
    """A time zone, written alike in every cell."""
    padded: bool = True

    @property
    def pattern(self) -> re.Pattern[str]:
        """What a text written so looks like."""
        time = _TIME if self.between or not self.day else ""
        body = DAYS.get(self.day, "") + re.escape(self.between) + time
        return re.compile(body + re.escape(self.end), re.ASCII)

    def parse(self, texts: Sequence[str], unit: Unit) -> NDArray[np.int64]:
        """Each text in units since 1970, or since midnight; ValueError where there is no such day.

        What is written finer than the unit is rounded down.
        """
        pattern = self.pattern
        found = [pattern.fullmatch(text) for text in texts]
        if not all(found):
            raise ValueError
        iso = [self._iso(match) for match in found if match is not None]
        moments = np.array(iso, "datetime64").astype(f"datetime64[{unit}]")
        return moments.astype(np.int64)

    def _iso(self, match: re.Match[str]) -> str:
        part = match.groupdict()
        if not self.day:
            return f"1970-01-01T{part['t']}"
        day = f"{part['Y']}-{part['m']:0>2}-{part['d']:0>2}"
        return f"{day}T{part['t']}" if self.between else day

    def write(self, ticks: NDArray[np.int64], unit: Unit) -> list[str]:
        """The texts of moments given in units since 1970 or midnight; the inverse of `parse`."""
        moments: NDArray[np.datetime64] = ticks.astype(f"datetime64[{unit}]")
        iso: list[str] = np.datetime_as_string(moments, unit=unit).tolist()
        return [self._text(*text.partition("T")[::2]) for text in iso]

    def _text(self, day: str, time: str) -> str:
        if not self.day:
            return time + self.end
        year, month, number = day.split("-")
        if not self.padded:
            month, number = month.lstrip("0"), number.lstrip("0")
        parts = {"Y": year, "m": month, "d": number}
        return "".join(parts.get(sign, sign) for sign in self.day) + self.between + time + self.end


def day_order(written: str) -> str:
    """The order of day, month and year in a format as `strftime` writes it; its time is found.

    >>> day_order("%d/%m/%Y"), day_order("%Y-%m-%d %H:%M")
    ('d/m/Y', 'Y-m-d')
    """
    day = re.split(r"[ T]", written)[0].replace("%", "")
    if day not in DAYS:
        known = ", ".join(re.sub(r"[Ymd]", r"%\g<0>", each) for each in DAYS)
        raise BadInput(f"There is no date format {written!r}; possible are {known}.")
    return day


def find_layout(texts: Sequence[str], *, day: str | None = None) -> Layout | None:
    """The one layout that fits every text, or none: 01/02/2020 alone could be of two.

    Where the order of the `day` is told, only layouts with it are looked at.

    >>> find_layout(["01/02/2020"]), find_layout(["12:30:05"]).day
    (None, '')
    """
    head = texts[: min(50, len(texts))]
    possible = [layout for layout in _possible() if day in (None, layout.day)]
    fitting = [layout for layout in possible if _fits(layout, head) and _fits(layout, texts)]
    if len(fitting) != 1:
        return None
    [layout] = fitting
    lengths = {len(text) for text in texts}
    padded = layout.day in ("", "Y-m-d", "Ymd") or len(lengths) == 1
    return Layout(layout.day, layout.between, layout.end, padded)


def _possible() -> list[Layout]:
    layouts = [Layout("", ""), *(Layout(day) for day in DAYS)]
    for end in ("", "Z"):
        for between in (" ", "T"):
            layouts += [Layout(day, between, end) for day in DAYS if day != "Ymd"]
    return layouts


def _fits(layout: Layout, texts: Sequence[str]) -> bool:
    try:
        layout.parse(texts, "s")
    except ValueError:
        return False
    return True


def readers() -> list[Callable[[str], bool]]:
    """For each layout with a day: whether a text is a day that exists, written so.

    >>> [sum(reads(text) for reads in readers()) for text in ("2020-12-31", "2020-13-31")]
    [1, 0]
    """
    return [partial(_reads, each, each.pattern) for each in _possible() if each.day]


def _reads(layout: Layout, pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None and _fits(layout, [text])


def resolution(text: str) -> Unit:
    """How fine a moment is written.

    >>> [resolution(text) for text in ("2020-01-31", "10:30", "10:30:05", "10:30:05.25")]
    ['D', 'm', 's', 'ms']
    """
    time = re.search(r"\d\d:\d\d(:\d\d)?(\.\d+)?", text)
    if time is None:
        return "D"
    if time[2]:
        return next(unit for unit, digits in _DIGITS.items() if len(time[2]) - 1 <= digits)
    return "s" if time[1] else "m"
