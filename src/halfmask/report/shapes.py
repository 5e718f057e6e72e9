"""Shapes on paper, as SVG: lengths are points, from the left and from the top."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from typing import Literal

LETTER = 0.56
"""The width of a letter, as a share of its height: about that of most fonts."""

Place = tuple[float, float]
Level = Literal["above", "middle", "below"]
"""Where words stand: above the height given, around it, or below."""


def length(value: float) -> str:
    """A length on the paper, to a hundredth of a point."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def path(places: Iterable[Place]) -> str:
    """Straight lines from place to place."""
    return "M" + "L".join(f"{length(x)} {length(y)}" for x, y in places)


def rectangle(left: float, top: float, right: float, bottom: float, look: str) -> str:
    """An upright rectangle; one that would have less than no width has none."""
    box = f'x="{length(left)}" y="{length(top)}" width="{length(max(right - left, 0.0))}"'
    return f'<rect {box} height="{length(max(bottom - top, 0.0))}" {look}/>'


_TURNS = {
    "D": (4, 0.0, 1.15),
    "s": (4, 45.0, 1.2),
    "^": (3, 0.0, 1.2),
    ">": (3, 90.0, 1.2),
    "v": (3, 180.0, 1.2),
    "<": (3, 270.0, 1.2),
}
"""Corners of a shape, by how much it is turned, and how far they are out."""


def mark(shape: str, x: float, y: float, radius: float, look: str) -> str:
    """A mark around a place: o circle, s square, D diamond, * star, < > ^ v arrowheads."""
    if shape == "o":
        return f'<circle cx="{length(x)}" cy="{length(y)}" r="{length(radius)}" {look}/>'
    if shape == "*":
        out = [(36.0 * n, radius * (1.25 if n % 2 == 0 else 0.5)) for n in range(10)]
    else:
        corners, turn, far = _TURNS[shape]
        out = [(turn + 360.0 * n / corners, radius * far) for n in range(corners)]
    places = (
        (x + far * math.sin(math.radians(angle)), y - far * math.cos(math.radians(angle)))
        for angle, far in out
    )
    return f'<path d="{path(places)}Z" {look}/>'


def words_at(place: Place, words: str, look: str, size: float, level: Level) -> str:
    """Words in one or more lines; the place has their middle, or the end that is given."""
    x, y = place
    lines, tall = words.split("\n"), 1.25 * size
    first = {"above": -0.25, "middle": 0.35, "below": 0.8}[level] * size
    first -= {"above": 1.0, "middle": 0.5, "below": 0.0}[level] * tall * (len(lines) - 1)
    if len(lines) == 1:
        return f'<text x="{length(x)}" y="{length(y + first)}" {look}>{escape(words)}</text>'
    spans = "".join(
        f'<tspan x="{length(x)}" y="{length(y + first + n * tall)}">{escape(line)}</tspan>'
        for n, line in enumerate(lines)
    )
    return f"<text {look}>{spans}</text>"


def width_of(words: str, size: float) -> float:
    """About how wide words are, the longest of their lines."""
    return LETTER * size * max(map(len, words.split("\n")))
