"""Pictures of an original before anything is made of it, drawn like those of the report."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.bins import Bins, Part
from halfmask.data.schema import Attribute
from halfmask.report.axis import per_cent
from halfmask.report.drawing import INK, ORIGINAL, QUIET, Chart, draw
from halfmask.report.words import share, short

MOST_VALUES = 24
CELLS = 60
"""Stretches of a histogram."""
SPIKE = 10
"""A value that one row of so many shares is cut off at the top, so as not to flatten the rest."""


def histogram(attribute: Attribute, counts: NDArray[np.float64], rows: int) -> str:
    """How the values of a column lie: a histogram with the borders of bins, or bars."""
    if attribute.bins is None:
        return _bars(attribute, counts, rows)
    bins = attribute.bins
    parts = [part for bin_ in bins.bins for part in bin_ if part.rows]
    told = ", ".join(
        f"{label} {share(n / rows)}" for label, n in zip(bins.labels, counts.tolist(), strict=False)
    )

    def paint(chart: Chart) -> None:
        lows, heights, spikes = _cells(parts)
        plain = heights[~spikes]
        top = 1.25 * float(plain.max() if len(plain) else heights.max())
        width = lows[1] - lows[0]
        for low, height, spike in zip(lows, heights, spikes, strict=True):
            corner = (low + 0.95 * width, min(height, top))
            chart.block((low, 0), corner, QUIET if spike else ORIGINAL)
        for bin_ in bins.bins[1:]:
            chart.upright(bin_[0].low, INK, 0.8, dash="4 3")
        chart.y.low, chart.y.high, chart.y.ticks, chart.y.line = 0, top, (), False
        _ticks(chart, bins, parts)

    return draw(
        "column", f"{attribute.name}: how its values lie, and where bins begin", f"{told}.", paint,
        height=2.4, width=6.4,
    )  # fmt: skip


def _cells(
    parts: Sequence[Part],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Stretches of equal width, how many rows lie in each, and where many share one value.

    The rows of a part are spread evenly over it; nothing finer is known outside of the model.
    """
    low, high = parts[0].low, parts[-1].high + 1
    edges = np.linspace(low, high, min(CELLS, max(high - low, 1)) + 1)
    heights, spikes = np.zeros(len(edges) - 1), np.zeros(len(edges) - 1, bool)
    total = sum(part.rows for part in parts)
    for part in parts:
        inside = np.clip(edges, part.low, part.high + 1)
        share_of = np.diff(inside) / (part.high + 1 - part.low)
        heights += part.rows * share_of
        if part.low == part.high and part.rows > total / SPIKE:
            spikes |= share_of > 0
    return edges[:-1], heights, spikes


def _ticks(chart: Chart, bins: Bins, parts: Sequence[Part]) -> None:
    """A few borders of bins with their values as the column writes them."""
    scale = bins.scale if bins.clock is None else bins.scale.days
    places = [parts[0].low, *(bin_[0].low for bin_ in bins.bins[1:]), parts[-1].high]
    reach = max(1, places[-1] - places[0])
    kept: list[int] = []
    for place in places:
        if not kept or place - kept[-1] >= reach / 8:
            kept.append(place)
    chart.x.ticks, chart.x.size = kept, 8.5
    chart.x.names = list(scale.texts(np.array(kept, np.int64)))


def _bars(attribute: Attribute, counts: NDArray[np.float64], rows: int) -> str:
    order = np.argsort(-counts, kind="stable")[:MOST_VALUES].tolist()
    lines = [("(missing)" if (v := attribute.values[i]) is None else v, counts[i] / rows)
             for i in order]  # fmt: skip
    top = max(part for _, part in lines)

    def paint(chart: Chart) -> None:
        for line, (label, part) in enumerate(reversed(lines)):
            chart.bar(line, part, 0.3, ORIGINAL)
            words = f"{short(label, 50)}  {share(part)}"
            chart.text((0, line + 0.2), words, aside=(2, 0), level="above")
        chart.y.low, chart.y.high, chart.y.ticks = -0.4, len(lines) - 0.1, ()
        chart.x.low, chart.x.high, chart.x.line = 0, top * 1.04 or 1, False
        chart.x.words, chart.x.most, chart.x.size = per_cent, 4, 8.5

    told = ", ".join(f"{label} {share(part)}" for label, part in lines)
    return draw(
        "column", f"{attribute.name}: how often each value occurs", f"{told}.", paint,
        height=0.45 + 0.38 * len(lines), width=6.4,
    )  # fmt: skip
