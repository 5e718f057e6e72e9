"""The two dials in one picture: a line for each order of calibration, supports along it.

Dotted lines join the same support in all orders, so that both dials can be followed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from halfmask.judging.dials import DialPoint
from halfmask.report.document import Document
from halfmask.report.drawing import HOLDOUT, ORIGINAL, QUIET, RELEASE, Chart, draw
from halfmask.report.words import gain, number

LOOKS = ((ORIGINAL, "o"), ("#56b4e9", "^"), (RELEASE, "s"), ("#00395c", "D"))
"""From the papers' generator to the highest order: darker, and each with a shape of its own."""

Link = Callable[[DialPoint], str]
"""Where the point of a setting leads."""

PAIRS = "pairs of attributes off by"
PEOPLE = "pairs off by, from people held back"


def _across(document: Document) -> tuple[str, str]:
    """How far pairs are off: from people, where some were held back, otherwise from the original.

    A release that repeats the noise of its original is no better for a reader.
    """
    here = document.here
    if here is not None and "people" in here.readings:
        return "people", PEOPLE
    return "marginals_2", PAIRS


@dataclass(frozen=True, slots=True)
class _Axes:
    """Which two readings are drawn against each other."""

    name: str
    title: str
    across: str
    across_label: str
    up: str
    up_label: str
    digits: Callable[[float], str] = number


def dials(document: Document, link: Link | None = None) -> str | None:
    """The anonymity score against the error of two-way tables."""
    return _drawn(
        document,
        _Axes(
            "dials", "Anonymity score against pairs of attributes, by minimum support and order",
            *_across(document), "nas", "NAS",
        ),
        link=link,
    )  # fmt: skip


def dials_unique(document: Document) -> str | None:
    """What is remembered of one-of-a-kind persons against the error of two-way tables."""
    reading = document.readings.taken("unique_excess")
    if reading is None:
        return None
    return _drawn(
        document,
        _Axes(
            "dials-unique", "Unique rows beyond the hold-out, by minimum support and order",
            *_across(document), "unique_excess", "unique rows beyond the hold-out", gain,
        ),
        luck=(reading.high - reading.low) / 2,
    )  # fmt: skip


def _drawn(
    document: Document, what: _Axes, luck: float | None = None, link: Link | None = None
) -> str | None:
    points = [p for p in document.dials if {what.across, what.up} <= p.readings.keys()]
    orders = sorted({p.order for p in points})
    if len(points) < 3 or len(orders) < 2:
        return None
    sample = _second_sample(document, what)

    leads = [] if link is None else [(p, link(p), _invited(p, what)) for p in points]

    def place(point: DialPoint) -> tuple[float, float]:
        return point.readings[what.across], point.readings[what.up]

    def paint(chart: Chart) -> None:
        chart.x.grid = True
        _scale(chart, [*map(place, points), *((limit, 0.0) for limit in sample)], luck)
        if luck is None:
            for support in sorted({p.min_support for p in points}):
                line = [place(p) for p in points if p.min_support == support]
                chart.line(line, "#aab2ba", 1, dash="1 2", layer=1)
            _notes(chart, [(p.min_support, place(p)) for p in points if p.order == orders[0]])
        for order in orders:
            line = [place(p) for p in points if p.order == order]
            _line(chart, order, line, faint=luck is not None)
        if document.here in points:
            chart.ring(place(document.here), 13)
        for limit in sample:
            chart.upright(limit, HOLDOUT, 1.2, dash="4 3")
        for point, address, words in leads:
            chart.link(place(point), address, words)
        chart.x.label, chart.y.label = what.across_label, what.up_label

    listing = "; ".join(_spoken(points, order, what) for order in orders)
    told = f"{listing}.{_here(document.here, what)}"
    told += "".join(f" A second sample of real rows is off by {number(x)}." for x in sample)
    return draw(what.name, what.title, told, paint, height=3.4)


def _invited(point: DialPoint, what: _Axes) -> str:
    """What a reader hears before pressing."""
    values = ", ".join(
        f"{label} {number(point.readings[name])}"
        for name, label in ((what.across, what.across_label), (what.up, what.up_label))
    )
    here = " (this release)" if point.here else ""
    return f"Minimum support {point.min_support:,}, counts of {point.order} columns{here}: {values}"


def _second_sample(document: Document, what: _Axes) -> list[float]:
    """How far as many real rows are off from people: one number, or none where it says nothing."""
    here = document.here
    if here is None or here.second_sample is None or what.across != "people":
        return []
    return [here.second_sample]


def _line(chart: Chart, order: int, line: Sequence[tuple[float, float]], *, faint: bool) -> None:
    """The settings of one order; where chance decides, a line would look like a finding."""
    colour, shape = LOOKS[order]
    chart.line(line, colour, 1.7, opacity=0.25 if faint else 1)
    chart.marks(line, shape, 5.5, colour)


def _notes(chart: Chart, supports: Sequence[tuple[int, tuple[float, float]]]) -> None:
    """Each support below its point of order 0: points of other orders lie above and to the left.

    Where two points nearly meet, the first of them is named.
    """
    named: list[tuple[float, float]] = []
    for support, place in supports:
        at = chart.x.share(place[0]), chart.y.share(place[1])
        if any(abs(at[0] - x) < 0.1 and abs(at[1] - y) < 0.06 for x, y in named):
            continue
        named.append(at)
        chart.text(
            place, f"{support:,}", aside=(0, -6), anchor="middle", level="below", size=8.5,
            colour=QUIET, halo=True,
        )  # fmt: skip


def _scale(chart: Chart, places: Sequence[tuple[float, float]], luck: float | None) -> None:
    """Errors grow by factors, so their axis does too; the score starts at 0."""
    across = [x for x, _ in places]
    low, high = min(across), max(across)
    if low > 0:
        chart.x.log, chart.x.ticks = True, _ticks(low, high)
        chart.x.low, chart.x.high = low / 1.25, high * (high / low) ** 0.14 * 1.05
    else:
        chart.x.low, chart.x.high = low, high * 1.1 or 1.0
    if luck is None:
        chart.y.low, chart.y.high = 0, max(0.05, *(y for _, y in places)) * 1.12
        return
    reach = max(luck, *(abs(y) for _, y in places)) * 1.2
    chart.y.low, chart.y.high = -reach, reach
    chart.across(0)
    chart.band(-luck, luck)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from about low to about high, at most six.

    >>> _ticks(0.011, 0.12)
    [0.01, 0.02, 0.05, 0.1]
    >>> _ticks(0.01, 1)
    [0.01, 0.05, 0.2, 1.0]
    >>> _ticks(0.034, 0.058)
    [0.03, 0.04, 0.05, 0.06]
    """
    from math import ceil, floor, log10

    inside: list[float] = []
    for steps in ((1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)):
        every = (
            round(step * 10.0**power, 12)
            for power in range(floor(log10(low)), floor(log10(high)) + 1)
            for step in steps
        )
        inside = [tick for tick in every if low / 1.2 <= tick <= high * 1.2]
        if len(inside) > 2:  # a short range needs finer steps
            break
    return inside[:: ceil(len(inside) / 6) or 1]


def _spoken(points: Sequence[DialPoint], order: int, what: _Axes) -> str:
    line = ", ".join(
        f"{number(p.readings[what.across])} and {what.digits(p.readings[what.up])} "
        f"at {p.min_support:,}"
        for p in points
        if p.order == order
    )
    return f"Counts of {order} columns, {what.across_label} and {what.up_label}: {line}"


def _here(here: DialPoint | None, what: _Axes) -> str:
    if here is None or not {what.across, what.up} <= here.readings.keys():
        return ""
    return (
        f" This release: {number(here.readings[what.across])} and "
        f"{what.digits(here.readings[what.up])}."
    )
