"""Growth: how the time of a method rises with the size of the data.

A power law, seconds = c · rows^b, is a straight line in logarithms, so b is its slope. An interval
comes with it: four or five sizes say little about a slope when the clock is noisy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halfmask.errors import BadInput, NotMeasurable

LEAST_SIZES = 4
"""Fewer sizes leave at most one degree of freedom for the error: an interval of no use."""

_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""The 97.5 % points of Student's t for 1 to 10 degrees of freedom."""


@dataclass(frozen=True, slots=True)
class Growth:
    """The exponent of time over rows with its 95 % interval, and what it was fitted to.

    >>> str(Growth(1.02, 0.9, 1.14, (500, 1000, 2000, 4000), (1.0, 2.0, 4.1, 8.3)))
    'rows^1.02 (0.90 to 1.14)'
    """

    exponent: float
    low: float
    high: float
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    def __str__(self) -> str:
        return f"rows^{self.exponent:.2f} ({self.low:.2f} to {self.high:.2f})"


def fit_growth(sizes: Sequence[int], seconds: Sequence[float]) -> Growth:
    """Fit log seconds = a + b · log rows by least squares; the interval is Student's.

    >>> found = fit_growth([1000, 2000, 4000, 8000], [0.5, 1.0, 2.0, 4.0])
    >>> round(found.exponent, 6), round(found.high - found.low, 6)
    (1.0, 0.0)
    """
    if len(sizes) != len(seconds):
        raise BadInput("Every size of the data needs its time.")
    if len(set(sizes)) < LEAST_SIZES:
        raise NotMeasurable(
            f"Growth is fitted over at least {LEAST_SIZES} sizes; {len(set(sizes))} were timed."
        )
    if min(sizes) < 1 or not all(0 < time < math.inf for time in seconds):
        raise NotMeasurable("Growth needs sizes and times above 0.")
    x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(seconds, float))
    dx = x - x.mean()
    slope = float(dx @ y / (dx @ dx))
    rest = y - y.mean() - slope * dx
    freedom = len(x) - 2
    error = math.sqrt(float(rest @ rest) / freedom / float(dx @ dx))
    reach = student(freedom) * error
    return Growth(slope, slope - reach, slope + reach, tuple(sizes), tuple(seconds))


def student(freedom: int) -> float:
    """The 97.5 % point of Student's t; beyond the table by the expansion in 1/freedom.

    >>> student(2), round(student(30), 3)
    (4.303, 2.042)
    """
    if freedom <= len(_STUDENT):
        return _STUDENT[freedom - 1]
    z = 1.959964
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def sizes_up_to(rows: int, count: int = 5) -> tuple[int, ...]:
    """Sizes from an eighth of the rows to all of them, each the same factor above the last.

    >>> sizes_up_to(4000)
    (500, 841, 1414, 2378, 4000)
    """
    if count < LEAST_SIZES:
        raise BadInput(f"Growth is fitted over at least {LEAST_SIZES} sizes, not {count}.")
    if rows < 16 * count:
        raise BadInput(
            f"A generic database needs at least {16 * count} rows to be timed at {count} sizes, "
            f"not {rows:,}."
        )
    return tuple(round(float(size)) for size in np.geomspace(rows / 8, rows, count))
