"""Pictures of the experiments: bars, histograms, lines and labelled points, each a file of its own.

They use the drawing of the report, so they are the same on every run; a white ground makes them
readable on a dark page too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from halfmask.report.drawing import HOLDOUT, INK, ORIGINAL, RELEASE
from halfmask_reproduction.drawing import draw, plain_axes
from halfmask_reproduction.labels import label_points
from halfmask_reproduction.result import Picture

COLOURS = (RELEASE, HOLDOUT, ORIGINAL, "#009e73", "#cc79a7", "#b8860b", INK, "#56b4e9")
MARKS = "osD^vPX*"
WIDE = 62
"""Letters that stand side by side in a legend."""
BINS = 24
"""Bars of a histogram."""
SAME_LINE = 0.005
"""Lines closer than this share of the greatest value are one to the eye."""


def picture(
    name: str, title: str, words: str, paint: Callable[[Any], None], *, height: float = 3.0
) -> Picture:
    """A drawing as a file: white ground, the same names in every run."""
    svg = draw(name, title, words, paint, height=height)
    opening = svg.index("</desc>") + len("</desc>")
    ground = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return Picture(name, title, words, svg[:opening] + ground + svg[opening:] + "\n")


def bars(
    name: str,
    title: str,
    series: Mapping[str, Mapping[str, float]],
    *,
    label: str,
    log: bool = False,
) -> Picture:
    """Horizontal bars: for each thing one bar of each series."""
    things = list(dict.fromkeys(thing for values in series.values() for thing in values))

    def paint(axes: Any) -> None:
        plain_axes(axes, grid="x")
        height = 0.8 / len(series)
        for number, (words, values) in enumerate(series.items()):
            places = [things.index(thing) + (number - (len(series) - 1) / 2) * height
                      for thing in values]  # fmt: skip
            axes.barh(places, list(values.values()), height * 0.9, color=COLOURS[number],
                      label=words)  # fmt: skip
        axes.set_yticks(range(len(things)), things)
        axes.invert_yaxis()
        if log:
            axes.set_xscale("log")
            _plain_ticks(axes, _powers_of_ten([v for vs in series.values() for v in vs.values()]))
        axes.set_xlabel(label)
        _legend(axes, series)

    return picture(name, title, _told(series, label), paint, height=1.2 + 0.3 * len(things))


def histograms(
    name: str, title: str, series: Mapping[str, Sequence[float]], *, label: str, bins: int = BINS
) -> Picture:
    """The distribution of several samples of one quantity, as outlines over common bins."""
    import numpy as np

    edges = np.histogram_bin_edges(np.concatenate([np.asarray(v) for v in series.values()]), bins)

    def paint(axes: Any) -> None:
        plain_axes(axes)
        for number, (words, values) in enumerate(series.items()):
            weights = np.full(len(values), 1 / len(values))
            colour = COLOURS[number]
            axes.hist(values, edges, weights=weights, histtype="stepfilled", alpha=0.25,
                      color=colour)  # fmt: skip
            axes.hist(values, edges, weights=weights, histtype="step", color=colour, linewidth=1.4,
                      label=words)  # fmt: skip
        axes.set_xlabel(label)
        axes.set_ylabel("share")
        _legend(axes, series)

    told = "; ".join(
        f"{words}: {len(v):,} values, middle {np.median(v):.4g}, from {np.min(v):.4g} to "
        f"{np.max(v):.4g}" for words, v in series.items()
    )  # fmt: skip
    return picture(name, title, f"{label}. {told}.", paint)


def lines(  # noqa: PLR0913 - what a graph has
    name: str,
    title: str,
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    across: str,
    up: str,
    log: bool = False,
    log_up: bool = False,
) -> Picture:
    """One line through the points of each series; those that lie on each other share one."""
    drawn = _told_apart(series)

    def paint(axes: Any) -> None:
        plain_axes(axes, grid="both")
        for number, (words, path) in enumerate(drawn.items()):
            axes.plot([x for x, _ in path], [y for _, y in path], color=_colour(number),
                      marker=MARKS[number % len(MARKS)], markersize=4, linewidth=1.4,
                      label=words)  # fmt: skip
        if log:
            axes.set_xscale("log")
            _plain_ticks(axes, sorted({x for path in series.values() for x, _ in path}))
        if log_up:
            axes.set_yscale("log")
        else:
            axes.set_ylim(bottom=0)
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        _legend(axes, drawn)

    told = {words: {f"{x:g}": y for x, y in path} for words, path in series.items()}
    return picture(name, title, _told(told, f"{up} over {across}"), paint)


def points(  # noqa: PLR0913 - what a graph has
    name: str,
    title: str,
    groups: Mapping[str, Mapping[str, tuple[float, float]]],
    *,
    across: str,
    up: str,
    log: bool = False,
    wide_below: float | None = None,
) -> Picture:
    """Labelled points; each group has its own colour and mark.

    Where most of them lie near 0, `wide_below` gives those below it most of the height.
    """

    def paint(axes: Any) -> None:
        plain_axes(axes, grid="both")
        for number, (words, places) in enumerate(groups.items()):
            axes.plot([x for x, _ in places.values()], [y for _, y in places.values()],
                      MARKS[number % len(MARKS)], color=_colour(number), markersize=5,
                      label=words)  # fmt: skip
        if log:
            axes.set_xscale("log")
        if wide_below is not None:
            _widen(axes, wide_below)
        axes.margins(x=0.14, y=0.12)
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        _legend(axes, groups)
        label_points(axes, [one for places in groups.values() for one in places.items()])

    told = "; ".join(
        f"{label}: {x:.3g} and {y:.3g}"
        for places in groups.values()
        for label, (x, y) in places.items()
    )
    return picture(
        name, title, f"{across} and {up}. {told}.", paint, height=3.6 if wide_below is None else 4.4
    )


def _told_apart(
    series: Mapping[str, Sequence[tuple[float, float]]],
) -> dict[str, Sequence[tuple[float, float]]]:
    """The lines an eye can tell apart, each named by its first series and how many lie on it."""
    near = SAME_LINE * max(y for path in series.values() for _, y in path)
    groups: dict[str, list[str]] = {}
    for words, path in series.items():
        home = next((first for first in groups if _on_each_other(series[first], path, near)), words)
        groups.setdefault(home, []).append(words)
    return {
        f"{first}, and {len(alike) - 1} alike" if len(alike) > 1 else first: series[first]
        for first, alike in groups.items()
    }


def _on_each_other(
    one: Sequence[tuple[float, float]], other: Sequence[tuple[float, float]], near: float
) -> bool:
    return [x for x, _ in one] == [x for x, _ in other] and all(
        abs(y - z) <= near for (_, y), (_, z) in zip(one, other, strict=True)
    )


def _powers_of_ten(values: Sequence[float]) -> list[float]:
    """Those that span the values."""
    lowest, highest = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [10.0**power for power in range(lowest, highest + 1)]


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _legend(axes: Any, series: Mapping[str, object]) -> None:
    """Above the drawing, where it covers nothing."""
    if len(series) > 1:
        axes.legend(
            frameon=False,
            fontsize=8,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            borderaxespad=0.2,
            columnspacing=1.2,
            handlelength=1.4,
            ncols=max(1, WIDE // (5 + max(map(len, series)))),
        )


def _told(series: Mapping[str, Mapping[str, float]], what: str) -> str:
    parts = (
        f"{words}: " + ", ".join(f"{thing} {value:.3g}" for thing, value in values.items())
        for words, values in series.items()
    )
    return f"{what}. {'; '.join(parts)}."


def _widen(axes: Any, below: float) -> None:
    """An upward scale that is even below a value and logarithmic above it, with plain numbers."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set_yscale("symlog", linthresh=below, linscale=1.8)
    ticks = [share * below for share in (-2, -1, -0.5, 0, 0.5, 1, 2, 5, 10, 20)]
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))


def _plain_ticks(axes: Any, places: Sequence[float]) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.xaxis.set_major_locator(FixedLocator(places))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,g}"))
