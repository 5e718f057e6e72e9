"""Attributes: the frequencies of values, and of pairs of them."""

from __future__ import annotations

from typing import Any

from halfmask.measures import Readings
from halfmask.report.document import Document
from halfmask.report.drawing import ORIGINAL, QUIET, RELEASE, draw, per_cent
from halfmask.report.frequencies import Frequencies
from halfmask.report.words import details_of, share, short


def pairs(readings: Readings) -> str | None:
    """The pairs of attributes whose joint frequencies moved most."""
    details = details_of(readings, "marginals_2", "ten_worst")
    if details is None:
        return None
    worst = details["ten_worst"]

    def paint(axes: Any) -> None:
        for line, pair in enumerate(reversed(worst)):
            axes.barh(line, pair["distance"], height=0.3, color=RELEASE)
            label = short(" × ".join(pair["attributes"]), 40)
            axes.text(
                worst[0]["distance"] / 200,
                line + 0.22,
                f"{label}  {share(pair['distance'])}",
                va="bottom",
                fontsize=9,
            )
        axes.set(yticks=[], xticks=[], ylim=(-0.4, len(worst) - 0.15))
        axes.spines[["top", "right", "bottom"]].set_visible(False)

    listing = ", ".join(f"{' and '.join(p['attributes'])} {share(p['distance'])}" for p in worst)
    return draw(
        "pairs",
        "The pairs of attributes whose joint frequencies moved most",
        f"{listing}.",
        paint,
        height=0.4 + 0.36 * len(worst),
    )


def attribute(found: Frequencies, number: int, document: Document) -> str | None:
    """How often each value of an attribute stands in the original and in the release."""
    totals = max(document.original_rows, 1), max(document.release.size, 1)
    lines = [
        (value.label, (value.original or 0) / totals[0], (value.release or 0) / totals[1])
        for value in found.values
    ]
    if not lines:
        return None

    top = max(max(original, release) for _, original, release in lines)

    def paint(axes: Any) -> None:
        for line, (label, original, release) in enumerate(reversed(lines)):
            axes.barh(line, original, height=0.19, color=ORIGINAL)
            axes.barh(line - 0.2, release, height=0.19, color=RELEASE)
            axes.text(top / 200, line + 0.14, short(label, 44), va="bottom", fontsize=9)
        axes.set(yticks=[], ylim=(-0.4, len(lines) - 0.25), xlim=(0, top * 1.04 or 1))
        axes.spines[["top", "right", "bottom"]].set_visible(False)
        per_cent(axes.xaxis)
        axes.locator_params(axis="x", nbins=4)
        axes.tick_params(length=0, labelsize=8.5, colors=QUIET)

    listing = ", ".join(f"{label} {share(o)} and {share(r)}" for label, o, r in lines)
    return draw(
        f"attribute-{number}",
        f"{found.name}: original and release",
        f"Share of the rows in original and release: {listing}.",
        paint,
        height=0.45 + 0.4 * len(lines),
    )
