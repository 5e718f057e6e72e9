"""Raking: give the rows of a pool weights with which its tables meet checked margins.

Iterative proportional fitting [Deming & Stephan 1940; Deville, Särndal & Sautory 1993]: table
after table, the rows of each cell are multiplied by what should be there over what is there, and
again, until all tables fit at once. `raking_reference.py` is the same in plain Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Margin, Schema
from halfmask.methods.generator.process import Drawn
from halfmask.run import Progress

ROUNDS = 20
MAX_FACTOR = 10.0
"""One correction changes a weight at most so many times: a cell that the pool hardly has is not
filled with copies of one row at once."""


@dataclass(frozen=True, eq=False)
class RakedPool:
    """Rows drawn to choose from, in lexicographic order; equal ones are weighed once.

    The order matters: taking every so-many-th row of a sorted list takes from each group of like
    rows its share, which a list in any order does by chance only.
    """

    schema: Schema
    codes: NDArray[np.int32]
    """The distinct rows, column after column."""
    multiplicities: NDArray[np.int64]
    patterns_used: NDArray[np.uint16]
    """Of every row that was drawn, in the order of the pool."""
    attempts: int
    """Rows that were begun to draw it."""

    @classmethod
    def of(cls, schema: Schema, drawn: Drawn) -> RakedPool:
        """Sort the rows and merge equal ones."""
        if not len(drawn.codes):
            return cls(schema, drawn.codes, np.empty(0, np.int64), drawn.patterns_used, 0)
        order = row_order(drawn.codes, schema)
        ordered = drawn.codes[order]
        first = runs(ordered)
        return cls(
            schema,
            np.asfortranarray(ordered[first]),
            np.diff(first, append=len(order)),
            drawn.patterns_used[order],
            drawn.attempts,
        )

    def __len__(self) -> int:
        return int(self.multiplicities.sum())

    @property
    def drawn(self) -> Drawn:
        """Every row that was drawn, in the order of the pool."""
        every = np.repeat(self.codes, self.multiplicities, axis=0)
        return Drawn(every, self.patterns_used, self.attempts)


@dataclass(frozen=True, eq=False)
class MarginArrays:
    """Margins as the kernel reads them: see native/calibration/raking.hpp."""

    column_offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    cell_offsets: NDArray[np.int64]
    class_of: NDArray[np.int32]
    class_offsets: NDArray[np.int64]
    targets: NDArray[np.float64]

    @classmethod
    def of(cls, margins: Sequence[Margin], schema: Schema) -> MarginArrays:
        """The arrays of margins over a schema."""
        shares = [margin.shares() for margin in margins]
        classes = [margin.classes(schema) for margin in margins]
        class_offsets = _offsets([len(each) for each in shares])
        columns = [[schema.position(name) for name in margin.attributes] for margin in margins]
        return cls(
            _offsets([len(each) for each in columns]),
            np.array([c for each in columns for c in each], np.int32),
            _offsets([len(each) for each in classes]),
            np.concatenate(
                [np.empty(0), *(c + n for c, n in zip(classes, class_offsets, strict=False))]
            ).astype(np.int32),
            class_offsets,
            np.concatenate([np.empty(0), *shares]),
        )

    def distances(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of the rows that would have to change for each table to be met."""
        off = np.abs(shares - self.targets) / 2
        return np.add.reduceat(off, self.class_offsets[:-1]) if len(off) else off

    def errors(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far the worst class of each table is from its target, as a share of the rows."""
        off = np.abs(shares - self.targets)
        return np.maximum.reduceat(off, self.class_offsets[:-1]) if len(off) else off


@dataclass(frozen=True, eq=False)
class Raked:
    """Weights of the distinct rows of a pool, and how well its tables then fit."""

    arrays: MarginArrays
    weights: NDArray[np.float64]
    factors: NDArray[np.float64]
    """What the rows of each class were multiplied by: the start for another pool."""
    shares: NDArray[np.float64]
    rounds: int

    @cached_property
    def errors(self) -> NDArray[np.float64]:
        """How far the worst cell of each table is off, as a share of the rows."""
        return self.arrays.errors(self.shares)

    @property
    def largest_error(self) -> float:
        """The worst of all."""
        return float(self.errors.max(initial=0.0))


def rake(  # noqa: PLR0913 - what to rake, and how to go about it
    pool: RakedPool,
    arrays: MarginArrays,
    *,
    factors: NDArray[np.float64] | None = None,
    rounds: int = ROUNDS,
    tolerance: float = 0.0,
    stalled: float = inf,
    threads: int = 1,
    progress: Progress | None = None,
) -> Raked:
    """Weigh a pool; done after `rounds`, or when no cell is off by more than `tolerance`.

    The same weights come out whatever the number of threads. A cell that no row of the pool is in
    cannot be reached and stays empty; tables that contradict each other for it never fit at once,
    and it is also done when a round finds more than the share `stalled` of what the one before
    found, over all cells.
    """
    weights, factors, shares, done = _native.rake(
        np.asarray(pool.codes, np.int32).ravel(order="F"),
        _sizes(pool.schema),
        pool.multiplicities.astype(np.float64),
        arrays.column_offsets,
        arrays.columns,
        arrays.cell_offsets,
        arrays.class_of,
        arrays.class_offsets,
        arrays.targets,
        np.ones(len(arrays.targets)) if factors is None else factors,
        rounds,
        tolerance,
        MAX_FACTOR,
        stalled,
        threads,
        progress,
    )
    return Raked(arrays, weights, factors, shares, done)


def systematic(weights: NDArray[np.float64], rows: int, start: float) -> NDArray[np.intp]:
    """`rows` numbers, each as often as its weight asks: every so-many-th point of their sum.

    `start` in [0, 1) is the only chance in it; a weight of a whole number of rows is met exactly.

    >>> systematic(np.array([1.0, 2.0, 1.0]), 4, 0.5).tolist()
    [0, 1, 1, 2]
    """
    reach = np.cumsum(weights)
    points = (np.arange(rows) + start) * (reach[-1] / max(rows, 1)) if len(reach) else np.empty(0)
    return np.minimum(np.searchsorted(reach, points, side="right"), len(reach) - 1)


def row_order(codes: NDArray[np.int32], schema: Schema) -> NDArray[np.int32]:
    """The rows sorted by their codes, the first column first; equal rows stay in their order."""
    return _native.row_order(codes.ravel(order="F"), _sizes(schema))


def runs(ordered: NDArray[np.int32]) -> NDArray[np.intp]:
    """Where rows begin that differ from the one before.

    >>> runs(np.array([[0, 1], [0, 1], [0, 2]], np.int32)).tolist()
    [0, 2]
    """
    new = np.ones(len(ordered), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return np.flatnonzero(new)


def _sizes(schema: Schema) -> NDArray[np.int32]:
    return np.diff(schema.offsets).astype(np.int32)


def _offsets(lengths: list[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
