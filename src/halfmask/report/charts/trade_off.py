"""The trade-off over the minimum support, with this release marked.

Privacy against quality; both over the support (the papers' Figure 3); and privacy against the
patterns that make a row (their Figure 5).

Supports: how far the supports of common patterns moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from halfmask.judging.tradeoff import Point
from halfmask.measures import Readings
from halfmask.report.document import Document
from halfmask.report.drawing import (
    HOLDOUT,
    INK,
    ORIGINAL,
    QUIET,
    RELEASE,
    draw,
    per_cent,
    plain_axes,
)
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

    def paint(axes: Any) -> None:
        plain_axes(axes)
        axes.stairs(heights, edges, fill=True, color=RELEASE, edgecolor=RELEASE, alpha=0.85)
        axes.set_xlim(-1.05 * reach, 1.05 * reach)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:+.1f} %" if x else "0")
        per_cent(axes.yaxis)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel("support in the release less support in the original")
        axes.set_ylabel("share of the patterns")

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

    def paint(axes: Any) -> None:
        plain_axes(axes)
        axes.plot(deltas, beyond, color=RELEASE, marker="o", markersize=4, linewidth=1.6)
        axes.set_xscale("log")
        axes.set_ylim(-0.03, 1.05)
        per_cent(axes.xaxis)
        per_cent(axes.yaxis)
        axes.set_xlabel("δ, share of the rows")
        axes.set_ylabel("moved by more than δ")

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

    def paint(axes: Any) -> None:
        plain_axes(axes, grid="both")
        axes.plot(
            [x for x, _ in points],
            [point.nas for _, point in points],
            color=RELEASE,
            marker="o",
            markersize=3.5,
            linewidth=1.6,
        )
        for x, point in points[:: max(1, len(points) // 4)]:
            _note(axes, f"{point.min_support:,}", (x, point.nas), colour=QUIET)
        if here:
            _ring(axes, *here)
        _limits(axes, [x for x, _ in every], [y for _, y in every])
        axes.set_xlabel(label)
        axes.set_ylabel("expected NAS")

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


def _ring(axes: Any, x: float, y: float) -> None:
    axes.plot([x], [y], "o", ms=11, mfc="none", mec=INK, mew=1.6, clip_on=False, zorder=4)


def _note(axes: Any, words: str, place: tuple[float, float], *, colour: str = INK) -> None:
    axes.annotate(
        words, place, xytext=(8, 5), textcoords="offset points", fontsize=8.5, color=colour
    )


def _limits(axes: Any, across: Sequence[float], up: Sequence[float]) -> None:
    """Room for the ring on the left and for words on the right; the score starts at 0."""
    width = max(across) - min(across) or max(across) or 1.0
    axes.set_xlim(min(across) - 0.08 * width, max(across) + 0.16 * width)
    axes.set_ylim(0, max(0.05, *up) * 1.22)


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

    def paint(axes: Any) -> None:
        plain_axes(axes)
        _paint_lines(axes, lines)
        for name in ("nas", "ds"):
            reading = document.readings.taken(name)
            if reading is not None:
                _ring(axes, document.min_support, reading.value)
        axes.set_xscale("log")
        axes.set_xlim(levels[0] / 1.25, levels[-1] * (levels[-1] / levels[0]) ** 0.14)
        axes.set_ylim(bottom=0)
        _plain_log_ticks(axes, levels)
        axes.set_xlabel("minimum support (rows)")

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


def _paint_lines(axes: Any, lines: Sequence[_Line]) -> None:
    """The lines, each with its name at its right end."""
    for line in lines:
        across, up = zip(*line.points, strict=True)
        axes.plot(across, up, color=line.colour, marker=line.marker, markersize=3.5, linewidth=1.6)
    top = max(y for line in lines for _, y in line.points)
    ends = _apart([line.points[-1][1] for line in lines], top / 12)
    for line, height in zip(lines, ends, strict=True):
        shade = line.colour if line.colour != ORIGINAL else QUIET
        _note(axes, line.words, (line.points[-1][0], height), colour=shade)


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


def _plain_log_ticks(axes: Any, levels: Sequence[int]) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    step = max(1, (len(levels) + 4) // 5)
    axes.xaxis.set_major_locator(FixedLocator(levels[::step]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
