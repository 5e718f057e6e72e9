"""Labels of points that cover neither each other nor a point, found without a rendering engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.report.drawing import QUIET

SIZE = 7.5
"""Points of a letter's height."""
LETTER = 0.6
"""The width of a letter, as a share of its height."""
REACH = (4.5, 9.0, 16.0, 24.0, 33.0)
"""How far from its point a label may stand, in points; a line leads to those that stand far."""
NEAR = 9.0
AROUND = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


def label_points(axes: Any, named: Sequence[tuple[str, tuple[float, float]]]) -> None:
    """Write each label beside its point. The scales and limits of the axes must be set."""
    room = _room(axes)
    shares = axes.transAxes.inverted().transform(
        axes.transData.transform([place for _, place in named])
    )
    points = shares * np.array(room[2:])
    boxes = placed([label for label, _ in named], points, room)
    for (label, place), point, box in zip(named, points, boxes, strict=True):
        leader = {"arrowstyle": "-", "color": QUIET, "linewidth": 0.4, "shrinkA": 0, "shrinkB": 3}
        axes.annotate(
            label,
            place,
            xytext=(box[0] - point[0], (box[1] + box[3]) / 2 - point[1]),
            textcoords="offset points",
            fontsize=SIZE,
            color=QUIET,
            verticalalignment="center",
            arrowprops=leader if _leader(box, point) else None,
        )


def placed(labels: Sequence[str], points: NDArray[np.float64], room: Box) -> list[Box]:
    """A box for each label, beside its point and inside the room, clear of all that stands there.

    The most crowded points choose first; one that finds no free place takes the least bad.

    >>> a, b = placed(["one", "two"], np.array([[50.0, 50.0], [52.0, 50.0]]), (0, 0, 200, 200))
    >>> _overlap(a, b)
    0.0
    """
    taken = [(x - 3.0, y - 3.0, x + 3.0, y + 3.0) for x, y in points]
    crowd = [np.sum(np.hypot(*(points - one).T) < 40.0) for one in points]
    found: dict[int, Box] = {}
    for at in sorted(range(len(labels)), key=lambda at: (-crowd[at], at)):
        wide = LETTER * SIZE * len(labels[at])
        choices = [_box(points[at], side, reach, wide) for reach in REACH for side in AROUND]
        others = [box for number, box in enumerate(taken) if number != at]
        costs = [_cost([box, *_leader(box, points[at])], others, room) for box in choices]
        found[at] = choices[int(np.argmin(costs))]
        taken += [found[at], *_leader(found[at], points[at])]
    return [found[at] for at in range(len(labels))]


def _box(point: NDArray[np.float64], side: tuple[int, int], reach: float, wide: float) -> Box:
    x, y = float(point[0]) + side[0] * reach, float(point[1]) + side[1] * reach
    left = x - wide if side[0] < 0 else x if side[0] > 0 else x - wide / 2
    middle = y + side[1] * SIZE / 2 if not side[0] else y
    return (left, middle - SIZE * 0.55, left + wide, middle + SIZE * 0.55)


def _leader(box: Box, point: NDArray[np.float64]) -> list[Box]:
    """The line from a label that stands far to its point, as small boxes along it."""
    if _apart(box, point) <= NEAR:
        return []
    middle = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
    steps = (point + (middle - point) * share for share in np.linspace(0.1, 0.9, 9))
    return [(x - 1, y - 1, x + 1, y + 1) for x, y in steps if _apart(box, np.array([x, y])) > 0]


def _cost(boxes: Sequence[Box], taken: Sequence[Box], room: Box) -> float:
    """What boxes cover, and what of them lies outside; the first of equals is the nearest."""
    covered = sum(_overlap(box, one) for box in boxes for one in taken)
    outside = sum(_overlap(box, box) - _overlap(box, room) for box in boxes)
    return covered + 4 * outside


def _overlap(one: Box, other: Box) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    up = min(one[3], other[3]) - max(one[1], other[1])
    return max(across, 0.0) * max(up, 0.0)


def _apart(box: Box, point: NDArray[np.float64]) -> float:
    """How far a point lies from a box, across or up."""
    x, y = float(point[0]), float(point[1])
    return max(box[0] - x, x - box[2], box[1] - y, y - box[3])


def _room(axes: Any) -> Box:
    """The drawing area in points, from its lower left corner, once it was laid out."""
    figure = axes.figure
    figure.draw_without_rendering()
    box = axes.get_window_extent()
    return (0.0, 0.0, float(box.width * 72 / figure.dpi), float(box.height * 72 / figure.dpi))
