"""Attributes: the frequencies of values, and of pairs of them.

Positions: where a release lies between a copy of the original and independent columns.

People: what comes back of them, and what attacks on them gain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from halfmask.judging.attacks import ATTACKS, widened
from halfmask.measures import Reading, Readings
from halfmask.report.document import Document, Frequencies
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
from halfmask.report.words import details_of, share, short, title_of


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


@dataclass(frozen=True, slots=True)
class _Position:
    """Where a reading lies when a copy is at 0 and independent columns are at 1."""

    title: str
    release: float
    holdout: float | None


def _position(reading: Reading) -> _Position | None:
    copy, independent = (reading.yardsticks.get(name) for name in ("copy", "independent"))
    if copy is None or independent is None or abs(independent - copy) < 0.01:
        return None
    holdout = reading.yardsticks.get("holdout")
    width = independent - copy
    return _Position(
        title_of(reading.name),
        (reading.value - copy) / width,
        None if holdout is None else (holdout - copy) / width,
    )


def positions(readings: Readings, room: str) -> str | None:
    """Every measure of a room on a line from a copy to independent columns."""
    found = [
        position
        for reading in readings.measured
        if reading.room == room
        and reading.name not in ATTACKS
        and reading.better != "neither"
        and not reading.details.get("diagnostic_only")
        and (position := _position(reading)) is not None
    ]
    if not found:
        return None
    sentence = "; ".join(f"{p.title} {share(p.release)}" for p in found)

    def paint(axes: Any) -> None:
        for line, position in enumerate(reversed(found)):
            axes.plot([0, 1], [line, line], color="#d5dade", linewidth=1.4, zorder=1)
            if position.holdout is not None:
                _mark(axes, position.holdout, line, {"c": HOLDOUT, "marker": "D", "s": 26})
            _mark(axes, position.release, line, {"c": RELEASE, "marker": "o", "s": 52})
            axes.text(0, line + 0.23, short(position.title, 44), va="bottom", fontsize=9)
        axes.set(xlim=(-0.09, 1.09), ylim=(-0.6, len(found) - 0.2), yticks=[])
        axes.set_xticks([0, 1], ["copy of\nthe original", "independent\ncolumns"])
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(length=0, pad=6)

    return draw(
        f"position-{room}",
        f"{room.capitalize()}: the release between a copy and independent columns",
        f"From a copy at 0 % to independent columns at 100 %: {sentence}.",
        paint,
        height=0.9 + 0.42 * len(found),
    )


def _mark(axes: Any, x: float, line: int, look: Mapping[str, Any]) -> None:
    """A mark on the scale; beyond its ends an arrowhead points to where it would be."""
    shape = "<" if x < -0.05 else ">" if x > 1.05 else look["marker"]
    place = min(max(x, -0.05), 1.05)
    axes.scatter(
        [place], [line], zorder=3, edgecolors="white", linewidths=0.8, **{**look, "marker": shape}
    )


def levels(readings: Readings) -> str | None:
    """The share of the original's rows found in the release, by how many persons share them."""
    details = details_of(readings, "nas", "levels", "share_per_level")
    if details is None:
        return None
    shared_by, found = details["levels"][:40], details["share_per_level"][:40]

    def paint(axes: Any) -> None:
        plain_axes(axes)
        axes.plot(shared_by, found, color=RELEASE, marker="o", markersize=4, linewidth=1.4)
        axes.set_ylim(-0.03, 1.05)
        per_cent(axes.yaxis)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel("people who share the row")
        axes.set_ylabel("found in the release")

    listing = ", ".join(f"{share(y)} at {x:,}" for x, y in zip(shared_by, found, strict=True))
    return draw(
        "levels",
        "Share of the original's rows found, by how many people share them",
        f"Share found: {listing}.",
        paint,
    )


def attacks(readings: Readings) -> str | None:
    """What each attack gains over the same attack on rows held back, with its intervals."""
    found = [r for name in ATTACKS if (r := readings.taken(name))]
    if not found:
        return None
    reaches = [widened(attack, len(found)) for attack in found]

    def paint(axes: Any) -> None:
        axes.axvline(0, color=INK, linewidth=1)
        for line, (attack, (low, high)) in enumerate(zip(found[::-1], reaches[::-1], strict=True)):
            proven = low > 0
            look = {"color": HOLDOUT if proven else RELEASE, "solid_capstyle": "butt"}
            axes.plot([low, high], [line, line], linewidth=1, **look)
            axes.plot([attack.low, attack.high], [line, line], linewidth=3, **look)
            axes.plot([attack.value], [line], "D" if proven else "o", ms=6, color=look["color"])
            axes.text(
                0.01,
                line + 0.2,
                short(title_of(attack.name), 44),
                va="bottom",
                fontsize=9,
                transform=axes.get_yaxis_transform(),
            )
        reach = max(0.1, *(abs(end) for ends in reaches for end in ends)) * 1.1
        axes.set(xlim=(-reach, reach), ylim=(-0.6, len(found) - 0.2), yticks=[])
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(length=0, pad=5)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel("gain over the same attack on held-out rows")

    listing = "; ".join(
        f"{title_of(a.name)} {a.value:.3f}, from {a.low:.3f} to {a.high:.3f}, "
        f"together with the others from {low:.3f} to {high:.3f}"
        for a, (low, high) in zip(found, reaches, strict=True)
    )
    return draw(
        "attacks",
        "What each attack gains over chance, with 95 % intervals",
        f"{listing}.",
        paint,
        height=0.8 + 0.42 * len(found),
    )
