"""Ranks: how the order of one column goes with that of another, told by a few correlations.

Bins of a small table are wide and hold few rows together, so that counts say little about how two
numbers go together. A rank correlation (Spearman's) is a sum over all rows. Those that are told are
chosen one by one: each that the ones told before do not imply; what no pair tells follows from the
others in the least committal way [covariance selection; Dempster 1972].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import BadInput

MOST_PAIRS = 400
"""Pairs that are told at most."""
ROWS_A_PAIR = 6
"""So many rows stand behind each pair that is told, or more."""
FEWEST_ROWS_A_PAIR = 3
"""As many stand behind each of the pairs that tie all columns together."""
BEYOND_CHANCE, OF_MANY = 1.2, 2.0
"""A correlation is told if it is so many standard errors from what the others imply, and so many
more where there are as many pairs as rows."""
STRONGEST = 0.99
_SWEEPS, _LAST_SWEEPS = 3, 40
_GRIDS = (0.01, 0.02, 0.05, 0.1)
ROWS_A_STEP = 4
"""Correlations are rounded to steps that so many rows make up."""
_Z = np.linspace(-6, 6, 4801)
_P = np.array([NormalDist().cdf(z) for z in _Z.tolist()])

Variable = tuple[str, int | None]
"""An ordered column, or a value of a category by its code."""


def normal_share(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of a normal distribution below z."""
    found: NDArray[np.float64] = np.interp(z, _Z, _P)
    return found


def normal_score(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """The point below which this share of a normal distribution lies.

    >>> normal_score(np.array([0.025, 0.5, 0.975])).round(2).tolist()
    [-1.96, 0.0, 1.96]
    """
    found: NDArray[np.float64] = np.interp(p, _P, _Z)
    return found


def mid_ranks(counts: NDArray[Any]) -> NDArray[np.float64]:
    """The place of each value among the rows, from -½ to ½, from how many rows hold each.

    >>> mid_ranks(np.array([10, 10])).tolist()
    [-0.25, 0.25]
    """
    ends = np.cumsum(counts)
    return np.asarray((ends - counts / 2) / max(float(ends[-1]), 1e-9) - 0.5)


@dataclass(frozen=True, slots=True)
class RankPair:
    """A column, another column or one value of it, and the correlation of their ranks."""

    one: str
    other: str
    value: int | None
    """The code of a value of a category without order; None for a column that has one."""
    correlation: float

    def __post_init__(self) -> None:
        if self.one == self.other or not -STRONGEST <= self.correlation <= STRONGEST:
            raise BadInput("A rank correlation lies between -0.99 and 0.99, of two columns.")


@dataclass(frozen=True)
class Ranks:
    """The rank correlations that are told of a table.

    >>> ranks = Ranks((RankPair("a", "b", None, 0.8), RankPair("b", "c", None, 0.5)), 1000)
    >>> ranks.variables
    (('a', None), ('b', None), ('c', None))
    >>> ranks.matrix.round(2).tolist()
    [[1.0, 0.8, 0.4], [0.8, 1.0, 0.5], [0.4, 0.5, 1.0]]
    """

    pairs: tuple[RankPair, ...]
    rows: int
    """How many rows they were computed from."""

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """Everything that a pair names, columns first."""
        named = [v for p in self.pairs for v in ((p.one, None), (p.other, p.value))]
        return tuple(sorted(dict.fromkeys(named), key=lambda v: v[1] is not None))

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """The correlations of all variables: those told, and those that follow."""
        place = {variable: n for n, variable in enumerate(self.variables)}
        edges = [(place[p.one, None], place[p.other, p.value], p.correlation) for p in self.pairs]
        return completed(np.eye(len(place)), edges, _LAST_SWEEPS)

    @property
    def columns(self) -> tuple[str, ...]:
        """The ordered columns that are named."""
        return tuple(name for name, value in self.variables if value is None)


def completed(
    start: NDArray[np.float64], edges: list[tuple[int, int, float]], sweeps: int
) -> NDArray[np.float64]:
    """The correlations of all variables given those of some pairs, as little committal as can be.

    Iterative proportional scaling: each pair in turn is given its correlation, and what depends on
    it follows. Every matrix on the way is a correlation matrix, also where pairs are at odds.
    """
    found = start.copy()
    for _ in range(sweeps):
        off = 0.0
        for i, j, wanted in edges:
            off = max(off, abs(found[i, j] - wanted))
            both = found[:, [i, j]]
            here = found[np.ix_([i, j], [i, j])]
            inverse = np.linalg.inv(here)
            change = np.array([[1.0, wanted], [wanted, 1.0]]) - here
            found += both @ (inverse @ change @ inverse) @ both.T
        if off < 1e-3:
            break
    spread = np.sqrt(np.diag(found))
    return np.asarray(found / np.outer(spread, spread))


def chosen(
    observed: NDArray[np.float64], allowed: NDArray[np.bool_], rows: int
) -> list[tuple[int, int, float]]:
    """The pairs worth telling, strongest surprise first, shrunk and rounded.

    What a pair says beyond those told before is shrunk by its chance error, as an estimate of
    people and not of these rows; the number of pairs is bounded by the rows, since many numbers
    about few people tell who they are.
    """
    grid = next((g for g in _GRIDS if g * rows >= ROWS_A_STEP), _GRIDS[-1])
    most = max(rows // ROWS_A_PAIR, min(len(observed) - 1, rows // FEWEST_ROWS_A_PAIR))
    most = min(MOST_PAIRS, most)
    # Of many pairs the largest are large by chance: those would tell of these very rows.
    candidates = int(np.triu(allowed, 1).sum())
    beyond_chance = BEYOND_CHANCE + OF_MANY * min(1.0, candidates / max(rows, 1))
    least = beyond_chance / sqrt(max(rows, 1))
    found, told = np.eye(len(observed)), np.zeros_like(allowed)
    edges: list[tuple[int, int, float]] = []
    while len(edges) < most:
        beyond = np.where(np.triu(allowed & ~told, 1), observed - found, 0.0)
        batch = _batch(np.abs(beyond), least, most - len(edges))
        if not batch:
            break
        for i, j in batch:
            kept = 1 - beyond_chance**2 / 2 / (rows * beyond[i, j] ** 2)
            wanted = round((found[i, j] + kept * beyond[i, j]) / grid) * grid
            edges.append((i, j, round(float(np.clip(wanted, -STRONGEST, STRONGEST)), 2)))
            told[i, j] = told[j, i] = True
        found = completed(found, edges, _SWEEPS)
    return edges


def _batch(surprise: NDArray[np.float64], least: float, most: int) -> list[tuple[int, int]]:
    """The most surprising pairs of which no two share a variable."""
    order = np.argsort(-surprise, axis=None, kind="stable")[: 4 * len(surprise)]
    taken: set[int] = set()
    batch: list[tuple[int, int]] = []
    for place in order.tolist():
        i, j = divmod(place, len(surprise))
        if surprise[i, j] <= least or len(batch) == most:
            break
        if not taken & {i, j}:
            batch.append((i, j))
            taken |= {i, j}
    return batch
