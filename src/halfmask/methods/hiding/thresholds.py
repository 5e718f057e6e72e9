"""The numbers a steward gives to a hiding method, checked where they come in."""

from __future__ import annotations

import math

from halfmask.errors import BadInput

__all__ = ["SLACK", "check_share", "min_count", "rows_to_edit"]

SLACK = 1e-9
"""Thresholds are shares of counts; this absorbs the rounding of their product."""


def check_share(name: str, value: float) -> None:
    """Refuse a share outside [0, 1].

    >>> check_share("disclosure threshold", 1.5)
    Traceback (most recent call last):
    halfmask.errors.BadInput: The disclosure threshold lies between 0 and 1, not at 1.5.
    """
    if not 0 <= value <= 1:
        raise BadInput(f"The {name} lies between 0 and 1, not at {value:g}.")


def min_count(min_support: float, size: float) -> int:
    """A minimum support as a number of rows: a whole number is one, a fraction is a share.

    >>> min_count(0.5, 6), min_count(2, 6), min_count(1 / 3, 6)
    (3, 2, 2)
    """
    if isinstance(min_support, int) and not isinstance(min_support, bool):
        if min_support < 1:
            raise BadInput(f"A minimum support is at least one row, not {min_support}.")
        return min_support
    check_share("minimum support as a share", min_support)
    return max(math.ceil(min_support * size - SLACK), 1)


def rows_to_edit(rows: int, psi: float) -> int:
    """How many of the rows that hold a pattern lose it when a share ψ may keep it.

    >>> rows_to_edit(10, 0.0), rows_to_edit(10, 0.25), rows_to_edit(10, 1.0)
    (10, 8, 0)
    """
    return math.ceil(rows * (1 - psi) - SLACK)
