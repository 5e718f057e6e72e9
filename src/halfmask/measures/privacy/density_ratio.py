"""The best linear test for who is in a sample, read off counts of cells.

A person who is in a sample of n rows raises the share of each of her cells by about 1/n. With q and
r the shares of the cells in the release and in reference rows, x the 0/1 vector of a person's cells
and Σ the second moments of x, the linear score that tells members from strangers best is

    score(x) = w · x,   (Σ + λD) w = q − r,   D = diagonal of Σ, λ a ridge

which is also the least-squares estimate of the ratio of the two densities. Without Σ it is the
plain sum of (q − r) / D over a person's cells; Σ takes out what the cells have in common. Σ is
estimated from some rows of both sides, D from all; λ is a share of the number of sets of columns,
since the largest value that Σ has relative to D is that number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.measures.cells import CellsOfRows

RIDGE = 0.05
"""λ for each set of columns."""

_MOST_STEPS = 30
_CLOSE = 1e-4
"""The equations are solved when what is left is this much smaller than q − r."""


@dataclass(frozen=True, eq=False)
class Observed:
    """What is known of one side: counts of all its rows, and the cells of some of them."""

    counts: NDArray[np.float64]
    rows: float
    some: NDArray[np.int32]
    """Sets of columns × rows, as `Cells.of` numbers them; may be empty."""


def ratio_weights(
    cells: CellsOfRows, release: Observed, reference: Observed
) -> NDArray[np.float64]:
    """The weight of each cell; a person's score is the sum over the cells she falls into.

    One column, released 3 : 1 and 1 : 1 in the reference: who holds the first value scores higher.

    >>> from halfmask.data import Attribute, Schema
    >>> cells = CellsOfRows(Schema((Attribute("a", ("x", "y")),)), ((0,),))
    >>> none = np.empty((1, 0), np.int32)
    >>> first, second = Observed(np.array([3.0, 1, 0]), 4, none), Observed(np.ones(3), 2, none)
    >>> w = ratio_weights(cells, first, second)
    >>> bool(w[0] > w[1])
    True
    """
    gap = release.counts / release.rows - reference.counts / reference.rows
    everybody = release.rows + reference.rows
    held = np.maximum(release.counts, 0)  # what rounded counts leave may be less than nothing
    diagonal = (held + reference.counts + 1) / (everybody + 1)
    sides = [side.some for side in (release, reference) if side.some.shape[1]]
    some = np.hstack([np.empty((len(cells.sets), 0), np.int32), *sides])
    shares = [np.full(side.shape[1], 1 / (len(sides) * side.shape[1])) for side in sides]
    share = np.concatenate([np.empty(0), *shares])
    ridge = RIDGE * len(cells.sets) * diagonal
    weights = gap / ridge  # of cells that none of these rows is in, which nothing else bears on
    seen = np.flatnonzero(np.bincount(some.ravel(), minlength=cells.total))
    place = np.zeros(cells.total, np.int32)
    place[seen] = np.arange(len(seen))
    of_rows, ridge = place[some.T].ravel(), ridge[seen]

    def moments(w: NDArray[np.float64]) -> NDArray[np.float64]:
        return _native.cell_moments(of_rows, share, len(some), w) + ridge * w

    weights[seen] = _solve(moments, gap[seen], diagonal[seen])
    return weights


def _solve(
    moments: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    gap: NDArray[np.float64],
    diagonal: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Conjugate gradients, preconditioned by the diagonal."""
    w, left = np.zeros_like(gap), gap.copy()
    direction = left / diagonal
    size = first = _product(left, direction)
    for _ in range(_MOST_STEPS):
        if size <= _CLOSE**2 * first or size == 0:
            break
        image = moments(direction)
        step = size / _product(direction, image)
        w += step * direction
        left -= step * image
        scaled = left / diagonal
        size, before = _product(left, scaled), size
        direction = scaled + size / before * direction
    return w


def _product(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Of two vectors, without the threads of a library, which wait for each other longer."""
    return float((one * other).sum())
