"""What a minimum support means: a number of rows, given as such or as a share of all rows."""

from __future__ import annotations

import math
from numbers import Integral, Real

from halfmask.errors import BadInput

__all__ = ["absolute_support"]

_ROUNDING = 1e-9
"""0.003 · 1000 is 3 rows although its floating-point product may lie a little above."""


def absolute_support(min_support: float, rows: int) -> int:
    """The minimum support as a number of rows; a fraction is rounded up.

    >>> absolute_support(20, rows=1000), absolute_support(0.0015, rows=1000)
    (20, 2)
    >>> absolute_support(1, rows=1000), absolute_support(1.0, rows=1000)
    (1, 1000)
    """
    whole = isinstance(min_support, Integral) and not isinstance(min_support, bool)
    if whole and 1 <= min_support <= rows:
        return int(min_support)
    # A comparison with nan is false, so nan is refused here too.
    fraction = isinstance(min_support, Real) and not isinstance(min_support, Integral)
    if fraction and rows >= 1 and 0 < min_support <= 1:
        return max(1, math.ceil(float(min_support) * rows - _ROUNDING))
    raise BadInput(
        f"A minimum support of {min_support!r} is not possible for {rows:,} rows; it is a whole "
        f"number from 1 to {rows:,}, or a fraction above 0 and up to 1.0."
    )
