"""Noisy tables made to agree: what several of them say of the same margin, each by its precision.

A table of counts is the sum of parts that do not overlap: its total, what each column adds, what
each pair adds, and so on (the residuals of Xiao, He, Zhang & Kifer 2023). Noise of one variance in
all cells is independent from part to part, so the best linear estimate of a part is the mean of
what the tables that hold it say, weighted by precision; and tables put together from such parts
agree wherever they overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from halfmask.methods.loglinear.observations import Observation
from halfmask.methods.loglinear.tables import Columns


@dataclass(slots=True)
class _Part:
    """The weighted sum of what tables say of a part, and the sum of the weights."""

    weighted: NDArray[np.float64]
    precision: float = 0.0

    @property
    def estimate(self) -> NDArray[np.float64]:
        return self.weighted / self.precision


def consistent(sizes: Sequence[int], observed: Sequence[Observation]) -> list[Observation]:
    """One observation of each table, all in agreement; columns of a table must increase.

    The variance of a table's counts is taken to be the same in all its cells.

    >>> column = Observation.noisy((0,), np.array([10.0, 20.0]), 1.0)
    >>> table = Observation.noisy((0, 1), np.array([8.0, 8.0, 10.0, 10.0]), 1.0)
    >>> one, both = consistent((2, 2), [column, table])
    >>> one.counts.tolist(), both.counts.tolist()
    ([12.0, 20.0], [6.0, 6.0, 10.0, 10.0])
    """
    parts: dict[Columns, _Part] = {}
    for each in observed:
        _add(parts, each, sizes)
    tables = dict.fromkeys(each.columns for each in observed)
    return [_together(parts, columns, sizes) for columns in tables]


def _add(parts: dict[Columns, _Part], table: Observation, sizes: Sequence[int]) -> None:
    counts = table.counts.reshape([sizes[c] for c in table.columns])
    variance = float(table.variances.mean())
    for subset in _subsets(table.columns):
        others = tuple(k for k, c in enumerate(table.columns) if c not in subset)
        residual = counts.sum(axis=others)
        for axis in range(len(subset)):
            residual = residual - residual.mean(axis=axis, keepdims=True)
        precision = 1 / (variance * prod(counts.shape[k] for k in others))
        part = parts.setdefault(subset, _Part(np.zeros_like(residual)))
        part.weighted = part.weighted + precision * residual
        part.precision += precision


def _together(parts: dict[Columns, _Part], columns: Columns, sizes: Sequence[int]) -> Observation:
    shape = tuple(sizes[c] for c in columns)
    counts, variance = np.zeros(shape), 0.0
    for subset in _subsets(columns):
        spread = prod(sizes[c] for c in columns if c not in subset)
        own = parts[subset].estimate.reshape([sizes[c] if c in subset else 1 for c in columns])
        counts = counts + own / spread
        free = prod(1 - 1 / sizes[c] for c in subset)
        variance += free / parts[subset].precision / spread**2
    cells = counts.ravel()
    return Observation(columns, cells, np.full(len(cells), max(variance, 1e-12)))


def _subsets(columns: Columns) -> Iterator[Columns]:
    for order in range(len(columns) + 1):
        yield from combinations(columns, order)
