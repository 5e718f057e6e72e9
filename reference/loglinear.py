"""The log-linear model of tables with errors: exactly where all rows can be listed, and by a pool.

A row x has a share in proportion to exp(sum of the potentials of its cells), and mu = total ·
share is what a cell expects. For a count y with variance v and potentials with prior variance τ²
the fit is where

    mu (y - mu) / v = potential / τ²      for every cell of every table,

the mode of each potential given the rest, when log mu moves with it one for one. With v = mu (the
counts of a sample) this is the maximum of y·θ - n log Z(θ) - |θ|²/2τ², which is concave; with other
variances it is the fixed point of such maxima, each with the penalty v/(mu τ²) of the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import exp

import numpy as np
from scipy.optimize import minimize

MOST_STEP = 1.5


@dataclass(frozen=True)
class Problem:
    """Tables over columns of some sizes, with counts, variances and prior variances."""

    sizes: tuple[int, ...]
    tables: Sequence[tuple[int, ...]]
    counts: Sequence[np.ndarray]
    variances: Sequence[np.ndarray]
    priors: Sequence[float]
    total: float
    sampling: float = 0.0

    def cells(self, rows: np.ndarray) -> list[np.ndarray]:
        """The cell of each row in each table."""
        return [
            np.ravel_multi_index(tuple(rows[:, c] for c in table), [self.sizes[c] for c in table])
            for table in self.tables
        ]

    def zeros(self) -> list[np.ndarray]:
        """A potential of 0 for each cell."""
        return [np.zeros(len(counts)) for counts in self.counts]


def all_rows(sizes: Sequence[int]) -> np.ndarray:
    """Every row there can be."""
    return np.array(list(product(*(range(size) for size in sizes))), np.int32)


def exact_shares(problem: Problem, potentials: Sequence[np.ndarray]) -> np.ndarray:
    """The share of every row there can be."""
    cells = problem.cells(all_rows(problem.sizes))
    logs = sum((theta[of] for theta, of in zip(potentials, cells, strict=True)), start=0.0)
    weights = np.exp(logs - np.max(logs))
    return np.asarray(weights / weights.sum())


def expected(problem: Problem, rows: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:
    """What each cell of each table expects under rows with weights."""
    scale = problem.total / weights.sum()
    return [
        np.bincount(of, weights, len(counts)) * scale
        for of, counts in zip(problem.cells(rows), problem.counts, strict=True)
    ]


def exact_fit(problem: Problem, *, rounds: int = 200) -> tuple[list[np.ndarray], np.ndarray]:
    """Potentials and shares of the fit, by listing every row there can be."""
    rows = all_rows(problem.sizes)
    cells = problem.cells(rows)
    ends = np.cumsum([len(counts) for counts in problem.counts])[:-1]
    design = np.zeros((len(rows), sum(len(counts) for counts in problem.counts)))
    for of, first in zip(cells, [0, *ends], strict=True):
        design[np.arange(len(rows)), first + of] = 1
    y, v = np.concatenate(problem.counts), np.concatenate(problem.variances)
    prior = np.repeat(problem.priors, [len(counts) for counts in problem.counts])
    theta = np.zeros(design.shape[1])
    mu = design.T @ np.full(len(rows), problem.total / len(rows))
    for _ in range(rounds):
        penalty = (v + problem.sampling * mu) / (np.maximum(mu, 1e-9) * prior)
        theta = _mode(design, y, penalty, problem.total, theta)
        shares = _softmax(design @ theta)
        before, mu = mu, problem.total * (design.T @ shares)
        if np.abs(mu - before).max() < 1e-7 * problem.total:
            break
    return np.split(theta, ends), _softmax(design @ theta)


def _mode(
    design: np.ndarray, y: np.ndarray, penalty: np.ndarray, total: float, start: np.ndarray
) -> np.ndarray:
    """Where y·θ - n log Z(θ) - Σ penalty θ²/2 is largest."""

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        logs = design @ theta
        top = logs.max()
        value = total * (top + np.log(np.exp(logs - top).sum())) - y @ theta
        slope = total * (design.T @ _softmax(logs)) - y + penalty * theta
        return (value + (penalty * theta**2).sum() / 2) / total, slope / total

    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 30}
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", options=options).x)


def _softmax(logs: np.ndarray) -> np.ndarray:
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def plain_pass(
    problem: Problem,
    rows: np.ndarray,
    weights: np.ndarray,
    potentials: list[np.ndarray],
    step: float,
) -> np.ndarray:
    """One raking pass: damped Newton steps of the potentials, table by table; new weights."""
    least = 0.5 * problem.total / len(rows)
    for t, of in enumerate(problem.cells(rows)):
        scale = problem.total / weights.sum()
        for cell, y in enumerate(problem.counts[t]):
            mu = max(scale * weights[of == cell].sum(), least)
            variance = problem.variances[t][cell] + problem.sampling * mu
            theta = potentials[t][cell]
            slope = mu * (y - mu) / variance - theta / problem.priors[t]
            bend = mu * max(mu, (mu + y) / 2) / variance + 1 / problem.priors[t]
            change = step * min(max(slope / bend, -MOST_STEP), MOST_STEP)
            potentials[t][cell] += change
            weights = np.where(of == cell, weights * exp(change), weights)
    return np.asarray(weights * (len(rows) / weights.sum()))


def plain_sweep(
    problem: Problem,
    rows: np.ndarray,
    potentials: Sequence[np.ndarray],
    rng: np.random.Generator,
) -> np.ndarray:
    """Every cell of every row drawn anew given the others, column after column."""
    rows = rows.copy()
    for column, size in enumerate(problem.sizes):
        shares = conditional(problem, rows, potentials, column)
        reach = np.cumsum(shares, axis=1)
        drawn = (rng.random(len(rows))[:, None] * reach[:, -1:] >= reach).sum(axis=1)
        rows[:, column] = np.minimum(drawn, size - 1)
    return rows


def conditional(
    problem: Problem, rows: np.ndarray, potentials: Sequence[np.ndarray], column: int
) -> np.ndarray:
    """The share of each value of a column given the rest of each row."""
    logs = np.zeros((len(rows), problem.sizes[column]))
    for value in range(problem.sizes[column]):
        changed = rows.copy()
        changed[:, column] = value
        for theta, of, table in zip(
            potentials, problem.cells(changed), problem.tables, strict=True
        ):
            if column in table:
                logs[:, value] += theta[of]
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def plain_fit(
    problem: Problem, rows: np.ndarray, steps: Sequence[float], rng: np.random.Generator
) -> tuple[np.ndarray, list[np.ndarray]]:
    """The pool and the potentials after rounds of a pass, resampling by weight and a sweep."""
    potentials = problem.zeros()
    for step in steps:
        weights = plain_pass(problem, rows, np.ones(len(rows)), potentials, step)
        points = (np.arange(len(rows)) + rng.random()) / len(rows) * weights.sum()
        chosen = np.searchsorted(np.cumsum(weights), points, side="right")
        rows = rows[np.minimum(chosen, len(rows) - 1)]
        rows = plain_sweep(problem, rows, potentials, rng)
    return rows, potentials
