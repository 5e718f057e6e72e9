"""Fit the model: rounds of raking, resampling and redrawing a pool of rows, and draw a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.methods.loglinear.balancing import balanced
from halfmask.methods.loglinear.observations import Observations
from halfmask.methods.loglinear.tables import TableSet, by_column

Pairs = Sequence[tuple[int, int]]
"""Tied columns, drawn together."""


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How a fit goes about it; the same settings, key and pool give the same fit."""

    steps: tuple[float, ...] = (1.0, 1.0, 1.0)
    """Of each round: the share of a Newton step that is gone."""
    passes: int = 1
    """Over all tables in a round."""
    last_steps: tuple[float, ...] = ()
    """Of passes after the last round, by which the weights of the pool meet the tables."""
    pairs: Pairs = ()
    fixed: tuple[int, ...] = ()
    """Columns that are not drawn anew."""
    threads: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class FittedPool:
    """A pool of rows that stands for the model, and the potentials it was drawn with."""

    tables: TableSet
    codes: NDArray[np.int32]
    """A line for each row."""
    weights: NDArray[np.float64]
    """Of the rows, 1 on average."""
    potentials: NDArray[np.float64]
    expected: NDArray[np.float64]
    """Rows in each cell of each table, of the total that was observed."""


def fit(
    pool: NDArray[np.int32],
    observed: Observations,
    *,
    key: int,
    settings: FitSettings,
    potentials: NDArray[np.float64] | None = None,
) -> FittedPool:
    """Move a pool and the potentials of its tables towards what was observed."""
    tables = observed.tables
    drawn = np.ones(len(tables.sizes), np.uint8)
    drawn[list(settings.fixed)] = 0
    codes, weights, theta, expected = _native.fit_loglinear(
        by_column(pool),
        tables.size_array,
        tables.column_offsets,
        tables.flat,
        tables.cell_offsets,
        observed.counts,
        observed.variances,
        observed.priors,
        observed.sampling,
        observed.total,
        np.zeros(tables.cells) if potentials is None else potentials,
        np.array(settings.steps, np.float64),
        settings.passes,
        np.array(settings.last_steps, np.float64),
        drawn,
        np.array(settings.pairs, np.int32).ravel(),
        key,
        settings.threads,
        None,
    )
    lines = codes.reshape(len(tables.sizes), -1).T
    return FittedPool(tables, lines, weights, theta, expected)


def released(fitted: FittedPool, rows: int, start: float, key: int) -> NDArray[np.int32]:
    """`rows` rows of the pool, which together have its tables."""
    return np.ascontiguousarray(fitted.codes[chosen_rows(fitted, rows, start, key)])


def chosen_rows(fitted: FittedPool, rows: int, start: float, key: int) -> NDArray[np.int32]:
    """Which rows of the pool these are.

    First every so-many-th by weight of the pool in lexicographic order, where `start` in [0, 1) is
    the only chance; then these are balanced with `key`.
    """
    order = _native.row_order(by_column(fitted.codes), fitted.tables.size_array)
    reach = np.cumsum(fitted.weights[order])
    points = np.arange(rows, dtype=np.float64)
    points += start
    points *= reach[-1] / max(rows, 1)  # in place: of long releases there is one such array
    places = np.searchsorted(reach, points, side="right")
    del points
    chosen = order[np.minimum(places, len(reach) - 1, out=places)].astype(np.int32)
    del places
    return balanced(fitted.codes, fitted.tables.sizes, fitted.weights, chosen, key=key)
