"""How much a person has: classes of numbers of items or of children, and a bound from noisy counts.

One person is in one class, however much she has, so that counting the classes costs what a single
column costs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FIRSTS = np.array([*range(21), 21, 25, 31, 41, 61, 101], np.int64)
"""The first number of each class; nothing here is from the data."""
SIZES = np.array([*range(21), 22, 27, 35, 49, 75, 120], np.int64)
"""The numbers that stand for the classes."""
SURE = 3.0
"""A class is believed when its count shows so many times the noise."""


def classes_of(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many people are in each class.

    >>> classes_of(np.array([0, 1, 1, 23]))[[0, 1, 21]].tolist()
    [1, 2, 1]
    """
    found = np.searchsorted(FIRSTS, numbers, side="right") - 1
    return np.bincount(found, minlength=len(FIRSTS)).astype(np.int64)


def believed(counts: NDArray[np.int64], sigma: float) -> NDArray[np.int64]:
    """The counts that show beyond the noise; the others are 0."""
    return np.where(counts >= SURE * sigma, counts, 0)


def bound_of(counts: NDArray[np.int64], sigma: float, kept: float) -> int:
    """The smallest bound on what one person has that keeps so large a share of all.

    >>> bound_of(classes_of(np.array([1] * 50 + [2] * 40 + [9] * 10)), 1.0, 0.75)
    4
    """
    sure = believed(counts, sigma)
    left = np.array([(sure * np.minimum(SIZES, most)).sum() for most in SIZES])
    return max(1, int(SIZES[np.argmax(left >= kept * left[-1])]))
