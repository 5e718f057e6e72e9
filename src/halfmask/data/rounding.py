"""Rounding of counts to a base, as statistics offices do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["to_base"]


def to_base(counts: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """The nearest multiples of a base, never 0 for a count above it.

    >>> to_base(np.array([0, 1, 7, 8]), 5).tolist()
    [0, 5, 5, 10]
    """
    if base == 1:
        return counts
    nearest = (counts + base // 2) // base * base
    return np.where(counts > 0, np.maximum(nearest, base), 0)
