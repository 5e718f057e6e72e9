"""Positions: where a release lies between a copy of the original and independent columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from halfmask.judging.verdict import ATTACKS
from halfmask.measures import Reading, Readings
from halfmask.report.drawing import HOLDOUT, RELEASE, draw
from halfmask.report.words import share, short, title_of


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
