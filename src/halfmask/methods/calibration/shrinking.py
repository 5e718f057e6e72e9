"""Weights that meet counts as far as they say more than chance does.

The counts of a sample are observations of a population. A release that meets them exactly repeats
their sampling error: no better for a reader, who asks about people in general, and telling of who
was in the sample. So the generator is the prior, and the counts of two or more columns correct it.
Where they differ from what it draws by the deviance G over f free cells, chance alone gives f on
average; what is beyond, (G - f) / n, is the mean square of the corrections and so their prior
variance [empirical Bayes; Efron & Morris 1973]. Large cells are then hardly shrunk, small ones
nearly to what the generator draws by itself. A table that looks like chance keeps a small variance:
how far it is from chance is itself an estimate. `shrink` divides the variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Margin, Schema
from halfmask.methods.calibration.raking import MarginArrays, Raked, RakedPool, rake
from halfmask.methods.loglinear.fit import FitSettings, fit
from halfmask.methods.loglinear.observations import Observation, Observations

MOST_ROWS = 100_000
"""The counts of more rows are hardly off by chance, and are met as they are."""
SINGLE = 10.0
"""The standard deviation of the corrections of single columns: they are met."""
STEPS = (1.0, 1.0, 1.0, 0.7, 0.5, 0.4, 0.3, 0.2, 0.1)
"""The share of a Newton step of each pass over the tables."""
LEAST_SHARE = 1e-9
LEAST_VARIANCE = 0.01
"""Of the corrections of a table that looks like chance: a tenth up or down."""


@dataclass(frozen=True, eq=False)
class Shrinking:
    """Tables of counts and how far they are believed."""

    schema: Schema
    margins: Sequence[Margin]
    shrink: float

    @classmethod
    def of(cls, schema: Schema, margins: Sequence[Margin], shrink: float) -> Shrinking | None:
        """Nothing where the counts are to be met as they are, or are hardly off by chance."""
        shrinking = cls(schema, margins, shrink)
        return shrinking if shrink and margins and shrinking.rows <= MOST_ROWS else None

    @cached_property
    def rows(self) -> int:
        """The rows that were counted."""
        return max(margin.rows for margin in self.margins)

    @cached_property
    def _single(self) -> MarginArrays:
        single = [margin for margin in self.margins if len(margin.attributes) == 1]
        return MarginArrays.of(single, self.schema)

    @cached_property
    def _every(self) -> MarginArrays:
        return MarginArrays.of(self.margins, self.schema)

    def weigh(self, pool: RakedPool, *, threads: int = 1) -> Raked:
        """The pool with weights that meet the tables as far as they are believed."""
        start = rake(pool, self._single, threads=threads).weights
        parts, priors = [], []
        for margin in self.margins:
            counts, beyond = self._seen(margin, pool.codes, start)
            parts.append(counts)
            priors.append(max(beyond, LEAST_VARIANCE) / self.shrink)
        sizes = [attribute.size for attribute in self.schema]
        observed = Observations.of(sizes, parts, total=self.rows, sampling=1.0)
        fitted = fit(
            np.repeat(pool.codes, pool.multiplicities, axis=0),
            replace(observed, priors=np.array(priors)),
            key=0,  # no row is drawn anew
            settings=FitSettings(steps=(), last_steps=STEPS, threads=threads),
        )
        first = np.cumsum(pool.multiplicities) - pool.multiplicities
        weights = np.add.reduceat(fitted.weights, first)
        met = rake(replace(pool, multiplicities=weights), self._every, rounds=0, threads=threads)
        return replace(met, rounds=len(STEPS))

    def _seen(
        self, margin: Margin, codes: NDArray[np.int32], weights: NDArray[np.float64]
    ) -> tuple[Observation, float]:
        """The counts of all cells of a table, and the mean square of its corrections.

        The rest of the table is spread over its cells as the generator does.
        """
        columns = tuple(self.schema.position(name) for name in margin.attributes)
        shape = [self.schema[name].size for name in margin.attributes]
        cells = np.ravel_multi_index(tuple(codes[:, columns].T), shape)
        drawn = np.maximum(np.bincount(cells, weights, prod(shape)), LEAST_SHARE * weights.sum())
        drawn /= drawn.sum()
        classes, told = margin.classes(self.schema), margin.shares()
        expected = np.bincount(classes, drawn, len(told))
        counts = self.rows * told[classes] * drawn / expected[classes]
        seen = Observation.noisy(columns, counts, 0.0)
        if len(columns) == 1:
            return seen, self.shrink * SINGLE**2
        held = told > 0
        deviance = 2 * self.rows * float((told[held] * np.log(told[held] / expected[held])).sum())
        free = max(1, int(held.sum()) - 1 - sum(size - 1 for size in shape))
        return seen, (deviance - free) / self.rows
