"""Tails: what lies beyond the ends that enough rows reach, as it would go on from there.

The last ten values are those of ten people, and none of them is told. Without them the spread of a
small table is too small, and the ends are heaps. How far a tail reaches is told by ranks that
enough rows reach (k, 2k and 4k rows from the end) [Pickands 1975], and how fast it thins out by the
mean of its rows, none of which counts for more than the reach.
"""

from __future__ import annotations

from dataclasses import replace
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.bins import STEEPEST, Part
from halfmask.data.coding.scale import Scale

_THICKEST, _USUAL, _THINNEST = 1.4, 0.8, 0.5
"""How each halving of the rows lengthens the way to the next: a half is that of an even spread, 0.8
that of a bell, and 1 would be that of waiting times."""
_REACH, _LENGTH = 6.0, 5.0
"""How long a tail is at most, in terms of how far its rows are expected to lie from its beginning;
and how long it is in terms of how far they do, if it is that of waiting times: of an even spread,
half of that."""
FEWEST = 5
"""A mean of fewer rows tells of single ones."""
_BEYOND = 1 / 3
"""An end that many share is a value by itself unless so many of its rows lie beyond it."""
_HEAPED = 0.9
_FALLS = np.arange(5, STEEPEST + 1, 5)
"""How tails thin out, in tenths; no finer, so that a mean is told roughly."""
_MEANS = np.array([10 / fall - 1 / (exp(fall / 10) - 1) for fall in _FALLS])
"""The mean of each, as a share of its length."""


def with_tails(
    bins: tuple[tuple[Part, ...], ...],
    ticks: NDArray[np.int64],
    rows: NDArray[np.int64],
    scale: Scale,
    floor: int,
) -> tuple[tuple[Part, ...], ...]:
    """The bins of numbers with a tail where a heap of `floor` rows or more stands for the rest.

    >>> ticks, rows = np.arange(100), np.ones(100, np.int64)
    >>> ends = ((Part(10, 10, 11), Part(11, 79, 69)), (Part(80, 80, 20),))
    >>> found = with_tails(ends, ticks, rows, Scale(), 10)
    >>> [(part.low, part.high, part.tail) for part in (found[0][0], found[-1][-1])]
    [(0, 10, -5), (80, 110, 25)]
    """
    if scale.is_moment or len(bins) < 2 or floor < FEWEST:
        return bins
    every = [list(bin_) for bin_ in bins]
    every[0][0] = _tail(every[0][0], -ticks[::-1], rows[::-1], scale, floor, side=-1)
    every[-1][-1] = _tail(every[-1][-1], ticks, rows, scale, floor, side=1)
    return tuple(tuple(bin_) for bin_ in every)


def _tail(  # noqa: PLR0913 - the heap, and what is known of the rows in it
    heap: Part,
    ticks: NDArray[np.int64],
    rows: NDArray[np.int64],
    scale: Scale,
    floor: int,
    *,
    side: int,
) -> Part:
    """The heap as a tail upwards (of mirrored ticks: downwards), or as it is."""
    end = side * heap.low
    beyond = ticks >= end
    count = int(rows[beyond].sum())
    shared = int(rows[ticks == end].sum())
    if heap.low != heap.high or heap.rows < floor or count < floor:
        return heap
    if shared >= floor and count - shared < max(floor, _BEYOND * count):
        return heap
    expected, ratio = _expected(ticks, rows, end, count)
    reach = end + _REACH * expected
    mean = np.average(np.minimum(ticks[beyond], reach) - end, weights=rows[beyond])
    bounds = [bound for bound in _bounds(end, side, scale) if rows[ticks > bound].sum() < floor]
    far = min([reach, end + _LENGTH * ratio * float(mean), *bounds])
    about = sorted((side * round(far * 0.95 + end * 0.05), side * round(far)))
    last = side * scale.roundest(*about, last=side > 0)
    if last <= end:
        return heap
    low, high = sorted((side * end, side * last))
    step = _step(ticks[beyond], rows[beyond], scale, low, high)
    fall = int(_FALLS[np.argmin(np.abs(_MEANS - mean / (last - end)))])
    return replace(heap, low=low, high=high, step=step, tail=side * fall)


def _expected(
    ticks: NDArray[np.int64], rows: NDArray[np.int64], end: int, count: int
) -> tuple[float, float]:
    """How far the rows beyond the end should lie from it on average, by ranks that more reach.

    Then the ratio by which each halving of the rows lengthens the way to the next.
    """
    ends = np.cumsum(rows)
    ranks = np.maximum(ends[-1] - np.array([2 * count, 4 * count]), 0)
    second, third = ticks[np.minimum(np.searchsorted(ends, ranks, "right"), len(ticks) - 1)]
    near, far = float(end - second), float(second - third)
    if near <= 0 or far <= 0:
        return 0.0, _USUAL
    # Two ways are few to tell a shape from: half of what they say, and half of what is usual.
    ratio = min(max(sqrt(near / far * _USUAL), _THINNEST), _THICKEST)
    near = (near + far * ratio) / 2
    if abs(ratio - 1) < 1e-6:
        return near / log(2), ratio
    return near * ratio / (1 - ratio) * -log(ratio) / (log(2) - log(ratio)), ratio


def _bounds(end: int, side: int, scale: Scale) -> list[float]:
    """A tail stops at 0, and at the whole of a share (1 or 100) where the column comes near it."""
    unit = 10.0**scale.decimals
    wholes = (unit, 100 * unit) if side > 0 else ()
    near = [whole for whole in wholes if 0.9 * whole < end <= whole]
    return [*near, *([0.0] if end < 0 else [])]


def _step(
    ticks: NDArray[np.int64], rows: NDArray[np.int64], scale: Scale, low: int, high: int
) -> int:
    """The step on which nearly all of these rows lie."""
    for step in scale.steps():
        places = high // step - -(-low // step) + 1
        if places > 1 and rows[ticks % step == 0].sum() >= _HEAPED * rows.sum():
            return step
    return 1
