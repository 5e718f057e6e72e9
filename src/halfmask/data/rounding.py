"""Rounding of counts to a base, as statistics offices do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import BadInput

BASES = (1, 3, 5, 10)
"""What offices round to; 1 is not at all."""


def check_base(base: int) -> None:
    """Refuse a base that no office rounds to."""
    if base not in BASES or isinstance(base, bool):
        raise BadInput(f"round_margins is 1, 3, 5 or 10, not {base!r}.")


def to_base(counts: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """The nearest multiples of a base, never 0 for a count above it.

    >>> to_base(np.array([0, 1, 7, 8]), 5).tolist()
    [0, 5, 5, 10]
    """
    if base == 1:
        return counts
    nearest = (counts + base // 2) // base * base
    return np.where(counts > 0, np.maximum(nearest, base), 0)


def least_disclosed(floor: int, base: int) -> int:
    """What a count of the floor itself is rounded to; no larger count is told by less.

    >>> least_disclosed(10, 3), least_disclosed(20, 5)
    (9, 20)
    """
    return int(to_base(np.array([floor]), base)[0])
