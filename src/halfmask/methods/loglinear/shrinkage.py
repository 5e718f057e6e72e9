"""Counts of a sample, fitted with their sampling error: a release generalises instead of copying.

A table of two columns says more than its columns by 2n times their mutual information (G); by
chance alone it would say as much as it has free cells (f). What is beyond chance, (G - f) / n, is
the mean square of its potentials, and so their prior variance: a table that says little is shrunk
to nothing, one that says much is hardly shrunk [empirical Bayes; Efron & Morris 1973]. `strength`
multiplies it: less copies less of the sample, and keeps less of its patterns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halfmask.methods.loglinear.fit import FitSettings, FittedPool, fit
from halfmask.methods.loglinear.observations import Observation, Observations
from halfmask.methods.loglinear.start import drawn_from_tree, shares
from halfmask.methods.loglinear.tables import TableSet, count_cells

LEAST_VARIANCE = 1e-6


@dataclass(frozen=True, slots=True)
class ShrinkSettings:
    """How much of a sample's counts is believed."""

    strength: float = 1.0
    """Times the prior variance that the counts themselves suggest."""
    surprise: float = 1.0
    """A pair is taken when it says more than this many times what chance says."""
    single: float = 1.0
    """The standard deviation of the potentials of single columns."""
    pool: int = 60_000
    rounds: int = 18
    threads: int = 1


def surprise(table: NDArray[np.int64]) -> tuple[float, int]:
    """G and the free cells of a table of two columns, over the values that occur.

    >>> g, free = surprise(np.array([[20, 0], [0, 20]]))
    >>> round(g, 2), free
    (55.45, 1)
    >>> surprise(np.array([[5, 10], [10, 20]]))
    (0.0, 1)
    """
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    apart = np.outer(rows, columns) / max(int(table.sum()), 1)
    held = table > 0
    g = 2 * float((table[held] * np.log(table[held] / apart[held])).sum())
    free = max(0, int((rows > 0).sum()) - 1) * max(0, int((columns > 0).sum()) - 1)
    return max(0.0, g), free


def sampled(
    codes: NDArray[np.int32], sizes: Sequence[int], settings: ShrinkSettings
) -> Observations:
    """The single columns and the pairs beyond chance of a sample, with priors from the counts."""
    columns = [(c,) for c in range(len(sizes))]
    pairs = list(combinations(range(len(sizes)), 2))
    tables = TableSet(tuple(sizes), [*columns, *pairs])
    counts = tables.split(count_cells(codes, tables, threads=settings.threads))
    parts = [Observation.noisy(c, y, 0.0) for c, y in zip(columns, counts, strict=False)]
    priors = [settings.single**2] * len(columns)
    for (a, b), table in zip(pairs, counts[len(columns) :], strict=True):
        g, free = surprise(table.reshape(sizes[a], sizes[b]))
        if free and g > settings.surprise * free:
            beyond = max(g - free, 0.0) / len(codes)
            parts.append(Observation.noisy((a, b), table, 0.0))
            priors.append(max(settings.strength * beyond, LEAST_VARIANCE))
    observed = Observations.of(sizes, parts, total=len(codes), sampling=1.0)
    return replace(observed, priors=np.array(priors))


def shrunk(
    codes: NDArray[np.int32], sizes: Sequence[int], *, key: int, settings: ShrinkSettings
) -> FittedPool:
    """The model of a sample, as a pool of rows."""
    observed = sampled(codes, sizes, settings)
    singles = observed.tables.split(observed.counts)[: len(sizes)]
    rng = np.random.default_rng(key)
    tables = [shares(each, len(codes)) for each in singles]
    pool = drawn_from_tree(tables, {}, settings.pool, rng)
    steps = tuple(min(1.0, 1 / (1 + (k - 4) / 3)) if k > 4 else 1.0 for k in range(settings.rounds))
    plan = FitSettings(steps=steps, last_steps=(0.3, 0.2, 0.1), threads=settings.threads)
    return fit(pool, observed, key=key, settings=plan)
