"""Cuts that tell a target column apart, by the MDL criterion.

[Fayyad & Irani, Multi-Interval Discretization of Continuous-Valued Attributes, IJCAI 1993]
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def entropy_cuts(classes: NDArray[np.int64], *, most: int, floor: int) -> list[int]:
    """The ranks at which rows sorted by value are cut so that their classes differ most.

    `classes[i, c]` is the number of rows with the i-th value and class c. A cut is kept while it
    saves more bits than it takes to write down; at most `most` - 1 are, those that save most.

    >>> entropy_cuts(np.array([[9, 0], [9, 1], [0, 9], [1, 9]]), most=10, floor=1)
    [19]
    """
    ends = np.concatenate([np.zeros((1, classes.shape[1]), np.int64), np.cumsum(classes, axis=0)])
    found: list[tuple[float, int]] = []
    open_: list[tuple[int, int]] = [(0, len(classes))]
    while open_:
        start, end = open_.pop()
        best = _best(ends, start, end, floor)
        if best is not None:
            gain, at = best
            found.append((gain, at))
            open_ += [(start, at), (at, end)]
    kept = sorted(found, reverse=True)[: most - 1]
    return sorted(int(ends[at].sum()) for _, at in kept)


def _best(ends: NDArray[np.int64], start: int, end: int, floor: int) -> tuple[float, int] | None:
    """The cut that saves most bits in all, if it pays for itself."""
    if end - start < 2:
        return None
    whole = ends[end] - ends[start]
    left = ends[start + 1 : end] - ends[start]
    right = whole - left
    rows, lefts, rights = whole.sum(), left.sum(axis=1), right.sum(axis=1)
    allowed = (lefts >= floor) & (rights >= floor)
    if not allowed.any():
        return None
    before = _entropy(whole[None, :])[0]
    after = (lefts * _entropy(left) + rights * _entropy(right)) / rows
    after[~allowed] = math.inf
    at = int(after.argmin())
    k, k1, k2 = ((counts > 0).sum() for counts in (whole, left[at], right[at]))
    e1, e2 = _entropy(left[at][None, :])[0], _entropy(right[at][None, :])[0]
    written = math.log2(3.0**k - 2) - (k * before - k1 * e1 - k2 * e2)
    gain = before - after[at]
    if gain <= (math.log2(rows - 1) + written) / rows:
        return None
    return float(gain * rows), start + 1 + at


def _entropy(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The entropy in bits of each row of counts."""
    totals = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shares = counts / totals
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    entropy: NDArray[np.float64] = -(shares * logs).sum(axis=1)
    return entropy
