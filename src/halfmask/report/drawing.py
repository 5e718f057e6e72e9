"""Drawing: charts as inline SVG that reads alone, is the same on every run and loads nothing.

A chart is a plane with two axes. What stands on it is given in the numbers of the axes and drawn
when the whole is: only then is it known how far they reach and how much room their words take.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Literal

from halfmask.report.axis import SIZE, Axis
from halfmask.report.shapes import Level, Place, length, mark, path, rectangle, width_of, words_at

# Okabe and Ito's palette, which colour-blind readers can tell apart; shapes differ as well.
RELEASE = "#0072b2"
HOLDOUT = "#c25700"
ORIGINAL = "#8a929b"
INK = "#1d2733"
QUIET = "#56616d"
_LINE, _GRID = "#aab2ba", "#e3e7eb"
_GROUND, _AXES = -1, 0
"""What lies below everything else."""

POINTS = 72.0
"""Of an inch; everything is drawn in points."""
WIDTH = 4.4
"""Inches: narrow enough that the letters stay readable on a phone."""
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class _Plane:
    """Where the numbers of both axes are on the paper."""

    x: Axis
    y: Axis
    left: float
    top: float
    width: float
    height: float

    def at(self, place: Place) -> Place:
        return self.left + self.x.share(place[0]) * self.width, self.up(place[1])

    def up(self, value: float) -> float:
        return self.top + (1 - self.y.share(value)) * self.height


class Chart:
    """A chart while it is drawn: what is added first lies below."""

    def __init__(self) -> None:
        self.x, self.y = Axis(), Axis(grid=True)
        self.leads = False
        """Whether something in it leads elsewhere: it is then no mere picture."""
        self._drawn: list[tuple[int, Callable[[_Plane], str]]] = []

    def no_frame(self) -> None:
        """No axes at all."""
        for axis in (self.x, self.y):
            axis.ticks, axis.line, axis.grid = (), False, False

    def line(  # noqa: PLR0913 - where it goes, and how it looks
        self,
        places: Iterable[Place],
        colour: str,
        width: float = 1.5,
        *,
        dash: str = "",
        opacity: float = 1.0,
        layer: int = 2,
    ) -> None:
        """A line through these places."""
        found = self._seen(places)
        look = f'stroke="{colour}" stroke-width="{width:g}"'
        look += f' stroke-dasharray="{dash}"' if dash else ' stroke-linejoin="round"'
        look += f' opacity="{opacity:g}"' if opacity < 1 else ""
        self._add(layer, lambda p: f'<path d="{path(map(p.at, found))}" fill="none" {look}/>')

    def marks(  # noqa: PLR0913 - where they stand, and how they look
        self,
        places: Iterable[Place],
        shape: str,
        size: float,
        colour: str,
        *,
        edge: str = "white",
        layer: int = 3,
    ) -> None:
        """A mark at each place: o circle, s square, D diamond, * star, and < > ^ v arrowheads."""
        found = self._seen(places)
        look = f'fill="{colour}" stroke="{edge}" stroke-width="0.6"'
        self._add(layer, lambda p: "".join(mark(shape, *p.at(x), size / 2, look) for x in found))

    def ring(self, place: Place, size: float = 12.0) -> None:
        """A ring around a place."""
        (found,) = self._seen([place])
        look = f'fill="none" stroke="{INK}" stroke-width="1.6"'
        self._add(5, lambda p: mark("o", *p.at(found), size / 2, look))

    def bar(self, height: float, reach: float, thickness: float, colour: str) -> None:
        """A bar from 0 to `reach` along x, around a height."""
        self.block((0.0, height - thickness / 2), (reach, height + thickness / 2), colour)

    def block(self, low: Place, high: Place, colour: str) -> None:
        """A rectangle between two corners."""
        self._seen([low, high])

        def drawn(plane: _Plane) -> str:
            (left, bottom), (right, top) = plane.at(low), plane.at(high)
            return rectangle(left, top, right, bottom, f'fill="{colour}"')

        self._add(2, drawn)

    def steps(self, edges: Sequence[float], heights: Sequence[float], colour: str) -> None:
        """A histogram: for each two edges a height."""
        self._seen([*((edge, 0.0) for edge in edges), *((edges[0], h) for h in heights)])

        def drawn(plane: _Plane) -> str:
            corners = [plane.at((edges[0], 0.0))]
            for (left, right), height in zip(pairwise(edges), heights, strict=True):
                corners += [plane.at((left, height)), plane.at((right, height))]
            outline = path([*corners, plane.at((edges[-1], 0.0))])
            return f'<path d="{outline}Z" fill="{colour}" opacity="0.85"/>'

        self._add(2, drawn)

    def across(self, height: float, colour: str = INK, width: float = 0.8, dash: str = "") -> None:
        """A line over the whole width."""
        look = f'stroke="{colour}" stroke-width="{width:g}"'
        look += f' stroke-dasharray="{dash}"' if dash else ""
        self._add(
            1,
            lambda p: (
                f'<path d="M{length(p.left)} {length(p.up(height))}h{length(p.width)}" {look}/>'
            ),
        )

    def upright(self, x: float, colour: str = INK, width: float = 0.8, dash: str = "") -> None:
        """A line over the whole height."""
        look = f'stroke="{colour}" stroke-width="{width:g}"'
        look += f' stroke-dasharray="{dash}"' if dash else ""
        self._add(
            1,
            lambda p: (
                f'<path d="M{length(p.at((x, 0))[0])} {length(p.top)}v{length(p.height)}" {look}/>'
            ),
        )

    def band(self, low: float, high: float, colour: str = "#eef1f3") -> None:
        """The ground between two heights in another colour."""
        self._add(
            _GROUND,
            lambda p: rectangle(
                p.left, p.up(high), p.left + p.width, p.up(low), f'fill="{colour}"'
            ),
        )

    def text(  # noqa: PLR0913 - where it stands, and how it looks
        self,
        place: Place,
        words: str,
        *,
        aside: Place = (0.0, 0.0),
        anchor: Anchor = "start",
        level: Level = "middle",
        size: float = 9.0,
        colour: str = INK,
        bold: bool = False,
        halo: bool = False,
        edge: bool = False,
    ) -> None:
        """Words beside a place, `aside` points to the right and upwards; at the left `edge`."""
        look = f'font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"'
        look += ' font-weight="bold"' if bold else ""
        look += ' stroke="white" stroke-width="2.5" paint-order="stroke"' if halo else ""

        def drawn(plane: _Plane) -> str:
            x, y = plane.at(place)
            x = plane.left if edge else x
            return words_at((x + aside[0], y - aside[1]), words, look, size, level)

        self._add(4, drawn)

    def box(self, low: Place, high: Place, colour: str) -> None:
        """A box with round corners."""
        self._seen([low, high])
        look = f'fill="{colour}" fill-opacity="0.1" stroke="{colour}" stroke-width="0.9" rx="6"'

        def drawn(plane: _Plane) -> str:
            (left, bottom), (right, top) = plane.at(low), plane.at(high)
            return rectangle(left, top, right, bottom, look)

        self._add(1, drawn)

    def arrow(self, start: Place, end: Place, *, bend: float = 0.0) -> None:
        """An arrow, bent aside by a share of its length."""

        def drawn(plane: _Plane) -> str:
            (ax, ay), (bx, by) = plane.at(start), plane.at(end)
            mx, my = (ax + bx) / 2 - bend * (by - ay), (ay + by) / 2 + bend * (bx - ax)
            far = math.hypot(bx - mx, by - my) or 1.0
            ux, uy = (bx - mx) / far, (by - my) / far
            head = [(bx, by), *((bx - 6 * ux + s * uy, by - 6 * uy - s * ux) for s in (2.4, -2.4))]
            shaft = f"{path([(ax, ay)])}Q" + path([(mx, my), (bx - 4 * ux, by - 4 * uy)])[1:]
            shaft = shaft.replace("L", " ")
            look = f'fill="none" stroke="{QUIET}" stroke-width="0.9"'
            return f'<path d="{shaft}" {look}/><path d="{path(head)}Z" fill="{QUIET}"/>'

        self._add(2, drawn)

    def link(self, place: Place, address: str, words: str) -> None:
        """A place to press, wider than a mark, that leads to an address."""
        (found,) = self._seen([place])
        self.leads = True
        lead = f'<a href="{escape(address)}" aria-label="{escape(words)}">'
        look = 'fill="#ffffff" fill-opacity="0.01"'
        self._add(6, lambda p: f"{lead}{mark('o', *p.at(found), 7.0, look)}</a>")

    def svg(self, width: float, height: float) -> str:
        """Everything, inside a paper of so many points."""
        self.x.settle()
        self.y.settle()
        plane = self._plane(width, height)
        drawn = [*self._drawn, (_AXES, _axes)]
        return "".join(draw(plane) for _, draw in sorted(drawn, key=lambda one: one[0]))

    def _plane(self, width: float, height: float) -> _Plane:
        tall = 1.25 * self.x.size
        beside = max((width_of(w, self.y.size) for _, w in self.y.written), default=0.0)
        left = 2.0 + (beside + 7 if beside else 0.0) + (15 if self.y.label else 0.0)
        lines = max((w.count("\n") + 1 for _, w in self.x.written), default=0)
        below = 3.0 + (lines * tall + 5 if lines else 0.0) + (15 if self.x.label else 0.0)
        right = 6.0
        for tick, words in self.x.written:
            wide = width_of(words, self.x.size) / 2
            left = max(left, wide - self.x.share(tick) * (width - left - right))
            right = max(right, wide - (1 - self.x.share(tick)) * (width - left - right))
        return _Plane(self.x, self.y, left, 6.0, width - left - right, height - below - 6.0)

    def _seen(self, places: Iterable[Place]) -> list[Place]:
        found = [(float(x), float(y)) for x, y in places]
        self.x.seen += [x for x, _ in found]
        self.y.seen += [y for _, y in found]
        return found

    def _add(self, layer: int, drawn: Callable[[_Plane], str]) -> None:
        self._drawn.append((layer, drawn))


def draw(  # noqa: PLR0913 - what is drawn, what it is called, and how large
    name: str,
    title: str,
    description: str,
    paint: Callable[[Chart], None],
    *,
    height: float = 2.9,
    width: float = WIDTH,
) -> str:
    """What `paint` puts on a chart as one SVG element with a title and a description.

    Several drawings share a page, so the name must be one of a kind in it.
    """
    chart = Chart()
    paint(chart)
    size = width * POINTS, height * POINTS
    role = "group" if chart.leads else "img"
    return (
        f'<svg viewBox="0 0 {length(size[0])} {length(size[1])}" role="{role}" '
        f'aria-labelledby="{name}-t {name}-d" font-family="sans-serif" '
        'xmlns="http://www.w3.org/2000/svg">'
        f'<title id="{name}-t">{escape(title)}</title>'
        f'<desc id="{name}-d">{escape(description)}</desc>{chart.svg(*size)}</svg>'
    )


def _axes(plane: _Plane) -> str:
    """The grid, the two lines and the words along them."""
    left, top, bottom = plane.left, plane.top, plane.top + plane.height
    right, parts = left + plane.width, []
    for axis in (plane.x, plane.y):
        upright = axis is plane.x
        look = f'font-size="{axis.size:g}" fill="{QUIET}"'
        for tick, words in axis.written:
            x, y = left + axis.share(tick) * plane.width, plane.up(tick)
            if axis.grid:
                ends = [(x, top), (x, bottom)] if upright else [(left, y), (right, y)]
                parts.append(f'<path d="{path(ends)}" stroke="{_GRID}" stroke-width="0.7"/>')
            if upright:
                anchored = f'{look} text-anchor="middle"'
                parts.append(words_at((x, bottom + 5), words, anchored, axis.size, "below"))
            else:
                anchored = f'{look} text-anchor="end"'
                parts.append(words_at((left - 6, y), words, anchored, axis.size, "middle"))
    if plane.x.line:
        line = path([(left, bottom), (right, bottom)])
        parts.append(f'<path d="{line}" stroke="{_LINE}" stroke-width="0.8"/>')
    if plane.y.line:
        line = path([(left, top), (left, bottom)])
        parts.append(f'<path d="{line}" stroke="{_LINE}" stroke-width="0.8"/>')
    return "".join([*parts, *_labels(plane)])


def _labels(plane: _Plane) -> Iterable[str]:
    """What both axes are about."""
    look = f'font-size="{SIZE:g}" fill="{QUIET}" text-anchor="middle"'
    lines = max((w.count("\n") + 1 for _, w in plane.x.written), default=0)
    if plane.x.label:
        y = plane.top + plane.height + lines * 1.25 * plane.x.size + 6
        middle = plane.left + plane.width / 2
        yield words_at((middle, y), plane.x.label, look, SIZE, "below")
    if plane.y.label:
        x, y = 10.0, plane.top + plane.height / 2
        turned = f'{look} transform="rotate(-90 {length(x)} {length(y)})"'
        yield words_at((x, y), plane.y.label, turned, SIZE, "above")
