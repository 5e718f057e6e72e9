"""Tracing in plain Python: the two tests that score persons, as they are defined.

`linear_scores` solves (Σ + λD) w = q − r with full matrices; `tree_score` walks down one tree whose
columns are given. Both are slow and meant to be read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["linear_scores", "tree_score"]

Row = Sequence[int]


def linear_scores(
    release: Sequence[Row],
    reference: Sequence[Row],
    asked: Sequence[Row],
    sets: Sequence[Sequence[int]],
    ridge: float,
) -> list[float]:
    """The best linear scores over the cells of these sets of columns.

    >>> linear_scores([(0,), (0,), (1,)], [(0,), (1,)], [(0,), (1,)], [(0,)], 0.05)[0] > 0
    True
    """
    cells = sorted(
        {(tuple(s), tuple(row[c] for c in s)) for s in sets for row in (*release, *reference)}
    )
    x, y, z = (_indicators(rows, cells) for rows in (release, reference, asked))
    gap = x.mean(axis=0) - y.mean(axis=0)
    second = (x.T @ x / len(x) + y.T @ y / len(y)) / 2
    everybody = len(x) + len(y)
    diagonal = (x.sum(axis=0) + y.sum(axis=0) + 1) / (everybody + 1)
    w = np.linalg.solve(second + ridge * len(sets) * np.diag(diagonal), gap)
    return [float(score) for score in z @ w]


def _indicators(
    rows: Sequence[Row], cells: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
) -> NDArray[np.float64]:
    """1 where a row falls into a cell."""
    return np.array(
        [[float(tuple(row[c] for c in s) == values) for s, values in cells] for row in rows]
    )


def tree_score(
    release: Sequence[Row], reference: Sequence[Row], person: Row, columns: Sequence[int]
) -> float:
    """The logarithm of the two shares in the last place on the person's way where somebody is.

    >>> round(tree_score([(0, 0), (0, 0)], [(0, 1), (1, 1)], (0, 0), (0, 1)), 4)  # ln(1.25 / 0.25)
    1.6094
    """
    score, one = 0.0, 1 / (len(release) + len(reference))
    for depth in range(1, len(columns) + 1):
        asked = columns[:depth]
        mine, theirs = (
            sum(all(row[c] == person[c] for c in asked) for row in rows)
            for rows in (release, reference)
        )
        if mine + theirs == 0:
            break
        score = math.log((mine / len(release) + one) / (theirs / len(reference) + one))
    return score
