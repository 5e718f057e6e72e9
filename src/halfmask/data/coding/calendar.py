"""Calendar: dates and times of day as whole numbers, read from the ways people write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import BadInput

Unit = Literal["D", "m", "s", "ms", "us", "ns"]
UNITS: dict[Unit, float] = {"D": 86_400, "m": 60, "s": 1, "ms": 10**-3, "us": 10**-6, "ns": 10**-9}
"""How fine a moment is written, with its length in seconds."""
_DIGITS: dict[Unit, int] = {"ms": 3, "us": 6, "ns": 9}
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip

_PARTS = {
    "Y": r"(?P<Y>\d{4})",
    "y": r"(?P<y>\d\d)",
    "m": r"(?P<m>\d\d?)",
    "d": r"(?P<d>\d\d?)",
    "b": f"(?P<b>{'|'.join(month[:3] for month in MONTHS)})",
    "B": f"(?P<B>{'|'.join(MONTHS)})",
}
"""The signs of `strftime`: year, month, day in digits, and the name of a month, short or full."""
_EXACT = {
    "Y-m-d": r"(?P<Y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)",
    "Ymd": r"(?P<Y>(?:1[89]|2[01])\d\d)(?P<m>\d\d)(?P<d>\d\d)",
}
"""Orders of which every part has its digits, whatever the day."""
DAYS = (
    "Y-m-d", "Y/m/d", "Ymd", "d.m.Y", "d/m/Y", "m/d/Y", "d-m-Y",
    "d.m.y", "d/m/y", "m/d/y", "y/m/d", "d-m-y", "m-d-y", "y-m-d",
    "d b Y", "d-b-Y", "d-b-y", "dbY", "b d, Y", "d B Y", "B d, Y",
)  # fmt: skip
"""The orders of day, month and year that are told apart; two that both fit tell nothing."""
_TIME = (
    r"(?P<hour>\d\d?)(?P<rest>:\d\d(?::\d\d(?:\.\d{1,9})?)?)"
    r"(?P<half> ?(?:[AP]M|[ap]m))?(?P<end>Z|[+-]\d\d:?\d\d)?"
)
_CENTURY = 69
"""A year of two digits lies in the 1900s from here on, as programs have it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a moment is written: the order of the day's parts, what follows it, and its end.

    >>> layout = find_layout(["31.12.1999", "01.02.2000"])
    >>> layout.day, layout.parse(["01.01.1970"], "D").tolist(), layout.write(np.array([31]), "D")
    ('d.m.Y', [0], ['01.02.1970'])
    >>> find_layout(["Aug 4, 2021 9:05 PM"]).write(np.array([0]), "m")
    ['Jan 1, 1970 12:00 AM']
    >>> find_layout(["8:15", "30:02"]).write(np.array([1_802]), "m")
    ['30:02']
    """

    day: str = "Y-m-d"
    """Empty for a time of day, or a stretch of time, which may be longer than one."""
    between: str = ""
    """What stands between day and time: nothing where there is no time."""
    end: str = ""
    """A time zone, written alike in every cell."""
    padded: bool = True
    """Whether days, and months in digits, have two digits each."""
    half: str = ""
    """How the half of a day is written that begins at midnight, such as " AM"; of 24 hours none."""
    hours: bool = True
    """Whether hours have two digits each."""
    names: Literal["Aug", "AUG", "aug"] = "Aug"
    """The capital letters of a month's name."""

    def __post_init__(self) -> None:
        known = self.day in ("", *DAYS) and self.names in _NAMES
        if not known or self.half not in ("", "AM", " AM", "am", " am"):
            raise BadInput(f"There is no way to write moments as {self.day!r}, {self.half!r}.")

    def parse(self, texts: Sequence[str], unit: Unit) -> NDArray[np.int64]:
        """Each text in units since 1970, or since midnight; ValueError where there is no such day.

        What is written finer than the unit is rounded down.
        """
        pattern = _pattern(self.day)
        found = [pattern.fullmatch(text) for text in texts]
        own = self.between, self.half, self.end
        if not all(match is not None and _around(match) == own for match in found):
            raise ValueError
        iso = [self._iso(match) for match in found if match is not None]
        moments = np.array(iso, "datetime64").astype(f"datetime64[{unit}]")
        return moments.astype(np.int64)

    def _iso(self, match: re.Match[str]) -> str:
        part = match.groupdict()
        if not self.day:
            days, hour = divmod(self._hour(part), 24)
            return f"1970-01-{1 + days:02d}T{hour:02d}{part['rest']}"
        day = f"{_year(part)}-{_month(part):0>2}-{part['d']:0>2}"
        return f"{day}T{self._hour(part):02d}{part['rest']}" if self.between else day

    def _hour(self, part: dict[str, str]) -> int:
        hour = int(part["hour"])
        if not self.half:
            return hour
        if not 1 <= hour <= 12:
            raise ValueError
        return hour % 12 + 12 * ("p" in part["half"].lower())

    def write(self, ticks: NDArray[np.int64], unit: Unit) -> list[str]:
        """The texts of moments given in units since 1970 or midnight; the inverse of `parse`."""
        moments: NDArray[np.datetime64] = ticks.astype(f"datetime64[{unit}]")
        iso: list[str] = np.datetime_as_string(moments, unit=unit).tolist()
        return [self._text(*text.partition("T")[::2]) for text in iso]

    def _text(self, day: str, time: str) -> str:
        if time:
            days = 0 if self.day else int(np.datetime64(day, "D").astype(np.int64))
            time = self._time(24 * days + int(time[:2]), time[2:]) + self.end
        if not self.day:
            return time
        year, month, number = day.split("-")
        name = _NAMES[self.names](MONTHS[int(month) - 1])
        if not self.padded:
            month, number = month.lstrip("0"), number.lstrip("0")
        parts = {"Y": year, "y": year[-2:], "m": month, "d": number, "b": name[:3], "B": name}
        return "".join(parts.get(sign, sign) for sign in self.day) + self.between + time

    def _time(self, hour: int, rest: str) -> str:
        half = self.half
        if half:
            half = half if hour < 12 else half.replace("A", "P").replace("a", "p")
            hour = hour % 12 or 12
        return f"{hour:02d}{rest}{half}" if self.hours else f"{hour}{rest}{half}"


_NAMES: dict[str, Callable[[str], str]] = {"Aug": str.title, "AUG": str.upper, "aug": str.lower}


@cache
def _pattern(day: str) -> re.Pattern[str]:
    """What a text with this order of day, month and year looks like, with a time or without."""
    body = _EXACT.get(day) or "".join(_PARTS.get(sign, re.escape(sign)) for sign in day)
    if re.search("[bB]", day):
        body = f"(?i:{body})"
    if not day:
        return re.compile(_TIME, re.ASCII)
    return re.compile(body if day == "Ymd" else f"{body}(?:(?P<between>[ T]){_TIME})?", re.ASCII)


def _around(match: re.Match[str]) -> tuple[str, str, str]:
    """What stands between day and time, how the halves of a day are written, and the end."""
    part = match.groupdict()
    half = (part.get("half") or "").replace("P", "A").replace("p", "a")
    return part.get("between") or "", half, part.get("end") or ""


def _year(part: dict[str, str]) -> str:
    if "y" not in part:
        return part["Y"]
    return ("19" if int(part["y"]) >= _CENTURY else "20") + part["y"]


def _month(part: dict[str, str]) -> str:
    name = part.get("b") or part.get("B")
    if name is None:
        return part["m"]
    return str(next(n for n, month in enumerate(MONTHS, 1) if month[:3] == name[:3].title()))


def day_order(written: str) -> str:
    """The order of day, month and year in a format as `strftime` writes it; its time is left out.

    >>> day_order("%d/%m/%Y"), day_order("%Y-%m-%d %H:%M"), day_order("%b %d, %Y")
    ('d/m/Y', 'Y-m-d', 'b d, Y')
    """
    day = re.sub(r"[ T]%[HI].*", "", written).replace("%", "")
    if day not in DAYS:
        known = ", ".join(re.sub(r"[YymdbB]", r"%\g<0>", each) for each in DAYS)
        raise BadInput(f"There is no date format {written!r}; possible are {known}.")
    return day


def find_layout(texts: Sequence[str], *, day: str | None = None) -> Layout | None:
    """The one layout that fits every text, or none: 01/02/2020 alone could be of two.

    Where the order of the `day` is told, only layouts with it are looked at.

    >>> find_layout(["01/02/2020"]), find_layout(["12:30:05"]).day
    (None, '')
    """
    head = texts[: min(50, len(texts))]
    fitting = [
        found
        for order in (("", *DAYS) if day is None else (day,))
        if _layout(order, head) is not None and (found := _layout(order, texts)) is not None
    ]
    # May is the short name and the full one.
    short = [layout for layout in fitting if "B" not in layout.day]
    fitting = short or fitting
    return fitting[0] if len(fitting) == 1 else None


def _layout(day: str, texts: Sequence[str]) -> Layout | None:
    """The layout with this order of day, month and year, if it fits every text."""
    pattern = _pattern(day)
    found = []
    for text in texts:
        match = pattern.fullmatch(text)
        if match is None:
            return None
        found.append(match)
    if len({_around(match) for match in found}) != 1:
        return None
    parts = [match.groupdict() for match in found]
    between, half, end = _around(found[0])
    layout = Layout(
        day,
        between,
        end,
        padded=all(len(part.get(sign) or "00") == 2 for part in parts for sign in "dm"),
        half=half,
        hours=all(len(part.get("hour") or "00") == 2 for part in parts),
        names=_capitals(parts[0].get("b") or parts[0].get("B") or "Aug"),
    )
    try:
        layout.parse(texts, "s")
    except ValueError:
        return None
    return layout


def _capitals(name: str) -> Literal["Aug", "AUG", "aug"]:
    return "AUG" if name.isupper() else "aug" if name.islower() else "Aug"


def readers(texts: Sequence[str]) -> list[Callable[[str], bool]]:
    """For each way in which one of these is written: whether a text is a day, written so.

    >>> reads = readers(["2020-12-31", "noon"])
    >>> [[read(text) for text in ("2021-01-31", "2020-13-31", "1/1/2020")] for read in reads]
    [[True, False, False]]
    """
    ways = {
        (day, _around(match)): None
        for day in DAYS
        for text in texts
        if (match := _pattern(day).fullmatch(text))
    }
    return [partial(_reads, day, around) for day, around in ways]


def _reads(day: str, around: tuple[str, str, str], text: str) -> bool:
    layout = _layout(day, [text])
    return layout is not None and around == (layout.between, layout.half, layout.end)


def resolution(text: str) -> Unit:
    """How fine a moment is written.

    >>> [resolution(text) for text in ("2020-01-31", "10:30", "10:30:05", "10:30:05.25")]
    ['D', 'm', 's', 'ms']
    """
    time = re.search(r"\d\d?:\d\d(:\d\d)?(\.\d+)?", text)
    if time is None:
        return "D"
    if time[2]:
        return next(unit for unit, digits in _DIGITS.items() if len(time[2]) - 1 <= digits)
    return "s" if time[1] else "m"
