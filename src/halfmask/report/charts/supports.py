"""Supports: how far the supports of common patterns moved."""

from __future__ import annotations

from typing import Any

from halfmask.measures import Readings
from halfmask.report.drawing import INK, RELEASE, draw, per_cent, plain_axes
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
        f"The most common difference lies between {100 * edges[peak]:.2f} and "
        f"{100 * edges[peak + 1]:.2f} per cent of the rows, for {share(heights[peak])} of "
        "the patterns.",
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
