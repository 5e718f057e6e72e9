"""The trade-off over the minimum support, with this release marked.

Privacy against quality; both over the support (the papers' Figure 3); and privacy against the
patterns that make a row (their Figure 5).

Supports: how far the supports of common patterns moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from halfmask.judging.tradeoff import Point
from halfmask.measures import Readings
from halfmask.report.axis import per_cent
from halfmask.report.document import Document
from halfmask.report.drawing import HOLDOUT, INK, ORIGINAL, QUIET, RELEASE, Chart, draw
from halfmask.report.words import details_of, share

SMALLEST_REACH = 0.002
"""The axis of differences goes at least so far to both sides, in shares of the rows."""


def differences(readings: Readings) -> str | None:
    """How the signed differences are distributed, the papers' Figure 4."""
    details = details_of(readings, "support_difference", "histogram", "histogram_edges")
    if details is None:
        return None
    edges, heights = details["histogram_edges"], details["histogram"]
    # Supports that hardly moved are drawn as such, on an axis whose ends have words.
    reach = max(edges[-1], SMALLEST_REACH)

    def paint(chart: Chart) -> None:
        chart.steps(edges, heights, RELEASE)
        chart.upright(0)
        chart.x.low, chart.x.high, chart.x.most = -1.05 * reach, 1.05 * reach, 5
        chart.x.words = lambda x: f"{100 * x:+.1f} %" if x else "0"
        chart.y.low, chart.y.words = 0, per_cent
        chart.x.label = "support in the release less support in the original"
        chart.y.label = "share of the patterns"

    peak = max(range(len(heights)), key=lambda i: heights[i])
    return draw(
        "differences",
        "How far the supports of common patterns moved",
        f"The most common difference is between {100 * edges[peak]:.2f} and "
        f"{100 * edges[peak + 1]:.2f} per cent of the rows, for {share(heights[peak])} of the "
        "patterns.",
        paint,
    )


def beyond(readings: Readings) -> str | None:
    """The share of patterns that moved by more than δ, equation 3 of the papers."""
    details = details_of(readings, "support_difference", "deltas", "share_beyond_delta")
    if details is None:
        return None
    deltas, beyond = details["deltas"], details["share_beyond_delta"]

    def paint(chart: Chart) -> None:
        path = list(zip(deltas, beyond, strict=True))
        chart.line(path, RELEASE, 1.6)
        chart.marks(path, "o", 4, RELEASE)
        chart.x.log, chart.x.words, chart.y.words = True, per_cent, per_cent
        chart.y.low, chart.y.high = -0.03, 1.05
        chart.x.label, chart.y.label = "δ, share of the rows", "moved by more than δ"

    listing = ", ".join(f"{share(y)} beyond {x:.2%}" for x, y in zip(deltas, beyond, strict=True))
    return draw(
        "beyond", "Share of patterns whose support moved by more than δ", f"{listing}.", paint
    )


def against(document: Document) -> str | None:
    """Expected NAS against how far pairs are off from people, or against DS, for each support."""
    pairs = document.readings.taken("marginals_2")
    if pairs is not None and pairs.against_holdout is not None:
        return _path(
            document,
            name="against",
            label="pairs off by, from people held back",
            reading="marginals_2",
            across=lambda point: point.people,
        )
    return _path(
        document,
        name="against",
        label="dissimilarity (DS)",
        reading="ds",
        across=lambda point: point.ds,
    )


def made_of(document: Document) -> str | None:
    """Expected NAS against the patterns that make a row, a point for each support."""
    return _path(
        document,
        name="made-of",
        label="patterns per row",
        reading="patterns_per_row",
        across=lambda point: point.patterns_per_row,
    )


def _path(
    document: Document,
    *,
    name: str,
    label: str,
    reading: str,
    across: Callable[[Point], float | None],
) -> str | None:
    """The expected score against another number, support by support, and the release itself."""
    points = [(x, point) for point in document.trade_off if (x := across(point)) is not None]
    if len(points) < 2:
        return None
    here = _measured(document, reading)
    every = [*((x, point.nas) for x, point in points), *([here] if here else [])]

    def paint(chart: Chart) -> None:
        path = [(x, point.nas) for x, point in points]
        chart.line(path, RELEASE, 1.6)
        chart.marks(path, "o", 4, RELEASE)
        for x, point in points[:: max(1, len(points) // 4)]:
            _note(chart, f"{point.min_support:,}", (x, point.nas), colour=QUIET)
        if here:
            chart.ring(here)
        _limits(chart, [x for x, _ in every], [y for _, y in every])
        chart.x.label, chart.y.label = label, "expected NAS"

    listing = ", ".join(f"{x:.2f} and {p.nas:.2f} at {p.min_support:,}" for x, p in points)
    words = f" This release: {here[0]:.2f} and {here[1]:.2f}." if here else ""
    description = f"{label} and expected NAS by minimum support: {listing}.{words}"
    title = f"Expected anonymity score against {label}"
    return draw(name, title, description[0].upper() + description[1:], paint)


def _measured(document: Document, reading: str) -> tuple[float, float] | None:
    """Where the release itself lies, by its own readings."""
    across, up = (document.readings.taken(name) for name in (reading, "nas"))
    if across is None or up is None:
        return None
    people = across.against_holdout if reading == "marginals_2" else None
    return (across.value if people is None else people, up.value)


def _note(chart: Chart, words: str, place: tuple[float, float], *, colour: str = INK) -> None:
    chart.text(place, words, aside=(7, 3), level="above", size=8.5, colour=colour)


def _limits(chart: Chart, across: Sequence[float], up: Sequence[float]) -> None:
    """Room for the ring on the left and for words on the right; the score starts at 0."""
    width = max(across) - min(across) or max(across) or 1.0
    chart.x.low, chart.x.high = min(across) - 0.08 * width, max(across) + 0.16 * width
    chart.y.low, chart.y.high, chart.x.grid = 0, max(0.05, *up) * 1.22, True


@dataclass(frozen=True, slots=True)
class _Line:
    """What is drawn over the minimum support: its name, its look, and its points."""

    words: str
    colour: str
    marker: str
    points: list[tuple[int, float]]


def over_support(document: Document) -> str | None:
    """Expected NAS, DS and the shift of single values over the minimum support."""
    levels = [point.min_support for point in document.trade_off]
    if len(levels) < 2:
        return None
    lines = _lines(document.trade_off)

    def paint(chart: Chart) -> None:
        _paint_lines(chart, lines)
        for name in ("nas", "ds"):
            reading = document.readings.taken(name)
            if reading is not None:
                chart.ring((document.min_support, reading.value))
        chart.x.log, chart.x.ticks = True, levels[:: max(1, (len(levels) + 4) // 5)]
        chart.x.low = levels[0] / 1.25
        chart.x.high = levels[-1] * (levels[-1] / levels[0]) ** 0.14
        chart.x.words = lambda level: f"{level:,.0f}"
        chart.y.low, chart.x.label = 0, "minimum support (rows)"

    listing = "; ".join(
        f"{line.words}: " + ", ".join(f"{y:.2f} at {x:,}" for x, y in line.points) for line in lines
    )
    return draw(
        "over-support",
        "Privacy and quality over the minimum support",
        f"{listing}. This release: {document.min_support:,}.",
        paint,
    )


def _lines(points: Sequence[Point]) -> list[_Line]:
    """A line for each number that at least two supports have."""
    numbers: dict[tuple[str, str, str], list[float | None]] = {
        ("NAS", RELEASE, "o"): [point.nas for point in points],
        ("DS", HOLDOUT, "D"): [point.ds for point in points],
        ("values", ORIGINAL, "s"): [point.single_values for point in points],
    }
    found = [
        _Line(*look, [(p.min_support, y) for p, y in zip(points, up, strict=True) if y is not None])
        for look, up in numbers.items()
    ]
    return [line for line in found if len(line.points) > 1]


def _paint_lines(chart: Chart, lines: Sequence[_Line]) -> None:
    """The lines, each with its name at its right end."""
    for line in lines:
        chart.line(line.points, line.colour, 1.6)
        chart.marks(line.points, line.marker, 4, line.colour)
    top = max(y for line in lines for _, y in line.points)
    ends = _apart([line.points[-1][1] for line in lines], top / 12)
    for line, height in zip(lines, ends, strict=True):
        shade = line.colour if line.colour != ORIGINAL else QUIET
        _note(chart, line.words, (line.points[-1][0], height), colour=shade)


def _apart(heights: Sequence[float], least: float) -> list[float]:
    """The heights of words, moved up until no two stand closer than `least`.

    >>> _apart([0.5, 0.0, 0.01], 0.1)
    [0.5, 0.0, 0.1]
    """
    placed = list(heights)
    lowest = -least
    for place in sorted(range(len(placed)), key=lambda i: heights[i]):
        lowest = placed[place] = max(placed[place], lowest + least)
    return placed
