"""Pictures of an original before anything is made of it, drawn like those of the report."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.bins import Bins, Part
from halfmask.data.schema import Attribute
from halfmask.report.drawing import INK, ORIGINAL, QUIET, draw, per_cent, plain_axes
from halfmask.report.words import share, short

MOST_VALUES = 24


def histogram(attribute: Attribute, counts: NDArray[np.float64], rows: int) -> str:
    """How the values of a column lie: a histogram with the borders of bins, or bars."""
    if attribute.bins is None:
        return _bars(attribute, counts, rows)
    bins = attribute.bins
    parts = [part for bin_ in bins.bins for part in bin_ if part.rows]
    told = ", ".join(
        f"{label} {share(n / rows)}" for label, n in zip(bins.labels, counts.tolist(), strict=False)
    )

    def paint(axes: Any) -> None:
        plain_axes(axes)
        wide = [max(1, part.high - part.low + 1) for part in parts]
        dense = [part.rows / width for part, width in zip(parts, wide, strict=True)]
        top = _top(dense, wide)
        for part, width, height in zip(parts, wide, dense, strict=True):
            axes.bar(part.low, min(height, top), width, align="edge", color=ORIGINAL,
                     edgecolor="white", linewidth=0.4)  # fmt: skip
        for bin_ in bins.bins[1:]:
            axes.axvline(bin_[0].low, color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
        axes.set_ylim(0, top * 1.05)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        _ticks(axes, bins, parts)

    return draw(
        "column", f"{attribute.name}: how its values lie, and where bins begin", f"{told}.", paint,
        height=2.4, width=6.4,
    )  # fmt: skip


def _top(dense: list[float], wide: list[int]) -> float:
    """The height of the picture: single values that many share must not flatten the others."""
    stretches = [d for d, width in zip(dense, wide, strict=True) if width > 1]
    return min(max(dense), 4 * max(stretches)) if stretches else max(dense)


def _ticks(axes: Any, bins: Bins, parts: list[Part]) -> None:
    """A few borders of bins with their values as the column writes them."""
    scale = bins.scale if bins.clock is None else bins.scale.days
    places = [parts[0].low, *(bin_[0].low for bin_ in bins.bins[1:]), parts[-1].high]
    reach = max(1, places[-1] - places[0])
    kept: list[int] = []
    for place in places:
        if not kept or place - kept[-1] >= reach / 8:
            kept.append(place)
    axes.set_xticks(kept, scale.texts(np.array(kept, np.int64)))
    axes.tick_params(length=0, labelsize=8.5, colors=QUIET)


def _bars(attribute: Attribute, counts: NDArray[np.float64], rows: int) -> str:
    order = np.argsort(-counts, kind="stable")[:MOST_VALUES].tolist()
    lines = [("(missing)" if (v := attribute.values[i]) is None else v, counts[i] / rows)
             for i in order]  # fmt: skip
    top = max(part for _, part in lines)

    def paint(axes: Any) -> None:
        for line, (label, part) in enumerate(reversed(lines)):
            axes.barh(line, part, height=0.3, color=ORIGINAL)
            axes.text(top / 300, line + 0.2, f"{short(label, 50)}  {share(part)}", va="bottom",
                      fontsize=9)  # fmt: skip
        axes.set(yticks=[], ylim=(-0.4, len(lines) - 0.1), xlim=(0, top * 1.04))
        axes.spines[["top", "right", "bottom"]].set_visible(False)
        per_cent(axes.xaxis)
        axes.locator_params(axis="x", nbins=4)
        axes.tick_params(length=0, labelsize=8.5, colors=QUIET)

    told = ", ".join(f"{label} {share(part)}" for label, part in lines)
    return draw(
        "column", f"{attribute.name}: how often each value occurs", f"{told}.", paint,
        height=0.45 + 0.38 * len(lines), width=6.4,
    )  # fmt: skip
