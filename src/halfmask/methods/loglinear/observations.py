"""What is known of the tables: counts, how far each may be off, and their priors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import BadInput
from halfmask.methods.loglinear.tables import Columns, TableSet

PRIORS = (10.0, 0.7, 0.5)
"""The standard deviation of the potentials of a table of one, two, three and more columns."""


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """The counts of one table, each with the variance of its error."""

    columns: Columns
    counts: NDArray[np.float64]
    variances: NDArray[np.float64]

    @classmethod
    def noisy(cls, columns: Columns, counts: NDArray[Any], sigma: float) -> Observation:
        """Counts to which noise of one standard deviation was added."""
        cells = np.asarray(counts, np.float64).ravel()
        return cls(columns, cells, np.full(len(cells), sigma**2))

    @property
    def total(self) -> float:
        """The rows of the table, and the variance of that is the sum of the variances."""
        return float(self.counts.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """Observations of different tables, and the priors of their potentials."""

    tables: TableSet
    counts: NDArray[np.float64]
    variances: NDArray[np.float64]
    priors: NDArray[np.float64]
    """The variance of the potentials of each table."""
    total: float
    """The rows that the counts are of."""
    sampling: float = 0.0
    """Times the expected count: added to each variance. 1 for the counts of a sample."""

    @classmethod
    def of(
        cls,
        sizes: Sequence[int],
        parts: Sequence[Observation],
        *,
        total: float,
        sampling: float = 0.0,
        priors: Sequence[float] = PRIORS,
    ) -> Observations:
        """Observations with the priors that belong to their numbers of columns."""
        tables = TableSet(tuple(sizes), [part.columns for part in parts])
        spread = [priors[min(len(part.columns), len(priors)) - 1] for part in parts]
        if not total > 0:
            raise BadInput(f"A model is of a number of rows above 0, not of {total}.")
        return cls(
            tables,
            np.concatenate([np.empty(0), *(part.counts for part in parts)]),
            np.concatenate([np.empty(0), *(part.variances for part in parts)]),
            np.array(spread, np.float64) ** 2,
            float(total),
            sampling,
        )


def combined(parts: Sequence[Observation]) -> list[Observation]:
    """Observations of the same table made one, each counting by its precision.

    >>> first, second = (Observation.noisy((0,), np.array([v]), 1.0) for v in (4.0, 8.0))
    >>> [(each.counts.tolist(), each.variances.tolist()) for each in combined([first, second])]
    [([6.0], [0.5])]
    """
    same: dict[Columns, list[Observation]] = {}
    for part in parts:
        same.setdefault(part.columns, []).append(part)
    return [_one(columns, each) for columns, each in same.items()]


def _one(columns: Columns, parts: list[Observation]) -> Observation:
    precision = np.sum([1 / part.variances for part in parts], axis=0)
    weighted = np.sum([part.counts / part.variances for part in parts], axis=0)
    return Observation(columns, weighted / precision, 1 / precision)
