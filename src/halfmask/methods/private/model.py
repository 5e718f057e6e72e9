"""The model of a noisy log: a pool of rows that follows the tables as they come in.

Everything here is a function of the log; the table it is about is out of reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halfmask.methods.loglinear import (
    FitSettings,
    FittedPool,
    Observation,
    Observations,
    TableSet,
    consistent,
    count_cells,
    drawn_from_tree,
    fit,
    released,
    tied_pairs,
)
from halfmask.methods.loglinear.start import shares
from halfmask.methods.loglinear.tables import Columns
from halfmask.methods.private.log import LeafTable, Measurement, NoisyLog, PoolSettings, noisy_rows

_STRIDE = 0x9E3779B97F4A7C15
"""Between the keys of steps, so that no two share a stream."""

LAST_STEPS = (0.3, 0.2, 0.1)
ENLARGING_STEPS = (0.2, 0.1)
MOST_ROWS = 2_000_000
"""Of a pool: in a longer release rows stand twice."""
LEAST_SPREAD = 0.03
"""A table that says nothing keeps potentials of about this size."""
LEAF_PRIOR = 2.0
"""The standard deviation of the potentials of leaf × target: many columns decide more than few."""
LEAF_ROUNDS = 10


@dataclass(frozen=True, slots=True, eq=False)
class PrivateModel:
    """The pool after some steps of a log."""

    sizes: tuple[int, ...]
    settings: PoolSettings
    key: int
    total: float
    parts: tuple[Observation, ...]
    potentials: Mapping[Columns, NDArray[np.float64]]
    pool: NDArray[np.int32]
    spreads: Mapping[Columns, float] = field(default_factory=dict)
    step: int = 0

    @classmethod
    def of(
        cls,
        sizes: tuple[int, ...],
        singles: Sequence[Measurement],
        settings: PoolSettings,
        key: int,
    ) -> PrivateModel:
        """Independent columns, as their noisy counts say."""
        total = float(noisy_rows(tuple(singles)))
        tables = [shares(each.counts.astype(float), total) for each in singles]
        pool = drawn_from_tree(tables, {}, settings.rows, np.random.default_rng(key))
        parts = tuple(each.observation() for each in singles)
        first = cls(sizes, settings, key, total, parts, {}, pool)
        return first.fitted((1.0,))

    def measured(self, tables: Sequence[Measurement]) -> PrivateModel:
        """The model with some more tables."""
        new = tuple(each.observation() for each in tables)
        spreads = {
            part.columns: self._spread(part) for part in new if part.columns not in self.spreads
        }
        grown = replace(self, parts=(*self.parts, *new), spreads={**self.spreads, **spreads})
        return grown.fitted((1.0,) * self.settings.rounds)

    def _spread(self, part: Observation) -> float:
        """The variance of a new table's potentials: less, the less it says beyond its noise."""
        expected = self.expected(TableSet(self.sizes, [part.columns]))
        chance = expected * (self.total / len(self.pool))
        said = float(((part.counts - expected) ** 2 / (part.variances + chance)).sum())
        prior = self.settings.priors[min(len(part.columns), len(self.settings.priors)) - 1]
        beyond = max(0.0, 1 - self.settings.doubt * len(expected) / said)
        return max(prior**2 * beyond, LEAST_SPREAD**2)

    def expected(self, tables: TableSet) -> NDArray[np.float64]:
        """What the pool expects in each cell of some tables, of the rows of the original."""
        counts = count_cells(self.pool, tables, threads=self.settings.threads)
        scaled: NDArray[np.float64] = counts * np.float64(self.total / len(self.pool))
        return scaled

    def finished(self, leaves: LeafTable | None = None, rows: int = 0) -> FittedPool:
        """A larger pool, settled with ever smaller steps; weights meet the tables in the end.

        For more `rows` than it has, it is enlarged and all of it drawn anew.
        """
        copies = -(-self.settings.last_rows // len(self.pool))
        large = np.tile(self.pool, (copies, 1))[: self.settings.last_rows]
        steps = tuple(1 / (1 + k / 4) for k in range(self.settings.last_rounds))
        settled = replace(self, pool=large).fit(steps, LAST_STEPS)
        if rows > len(large):
            settled = self._enlarged(settled, min(rows, MOST_ROWS))
        return settled if leaves is None else self._along(leaves, settled)

    def _enlarged(self, settled: FittedPool, rows: int) -> FittedPool:
        split = settled.tables.split(settled.potentials)
        potentials = dict(zip(settled.tables.columns, split, strict=True))
        pool = released(settled, rows, 0.5, self.key)
        large = replace(self, pool=pool, potentials=potentials, step=self.step + 1)
        return large.fit(ENLARGING_STEPS, LAST_STEPS)

    def _along(self, leaves: LeafTable, settled: FittedPool) -> FittedPool:
        """The target drawn anew where the leaves of a tree say more; the rest of a row stays."""
        leaf = len(self.sizes)
        sizes = (*self.sizes, len(leaves.counts))
        pool = np.column_stack([settled.codes, leaves.leaves(settled.codes)])
        sigma = float(leaves.variance) ** 0.5
        table = Observation.noisy((leaf, leaves.target), leaves.counts, sigma)
        parts = [*consistent(self.sizes, self.parts), table]
        observed = Observations.of(sizes, parts, total=parts[0].total, priors=self.settings.priors)
        observed.priors[-1] = LEAF_PRIOR**2
        settings = FitSettings(
            steps=tuple(1 / (1 + k / 4) for k in range(LEAF_ROUNDS)),
            last_steps=LAST_STEPS,
            fixed=tuple(c for c in range(leaf + 1) if c != leaves.target),
            threads=self.settings.threads,
        )
        start = np.concatenate([settled.potentials, np.zeros(leaves.counts.size)])
        done = fit(pool, observed, key=self.key, settings=settings, potentials=start)
        return replace(done, tables=settled.tables, codes=np.asfortranarray(done.codes[:, :leaf]))

    def fitted(self, steps: tuple[float, ...]) -> PrivateModel:
        """The same with its pool and potentials moved on by some rounds."""
        done = self.fit(steps)
        split = dict(zip(done.tables.columns, done.tables.split(done.potentials), strict=True))
        return replace(self, pool=done.codes, potentials=split, step=self.step + 1)

    def fit(self, steps: tuple[float, ...], last_steps: tuple[float, ...] = ()) -> FittedPool:
        """Rounds with the steps said, from the pool and the potentials there are."""
        parts = consistent(self.sizes, self.parts)
        observed = Observations.of(
            self.sizes, parts, total=max(parts[0].total, 1.0), priors=self.settings.priors
        )
        for k, part in enumerate(parts):
            observed.priors[k] = self.spreads.get(part.columns, observed.priors[k])
        start = [self.potentials.get(part.columns, np.zeros(len(part.counts))) for part in parts]
        settings = FitSettings(
            steps=steps,
            last_steps=last_steps,
            pairs=self._tied(),
            threads=self.settings.threads,
        )
        key = (self.key + (self.step + 1) * _STRIDE) % 2**64
        return fit(
            self.pool, observed, key=key, settings=settings, potentials=np.concatenate(start)
        )

    def _tied(self) -> list[tuple[int, int]]:
        """Columns of measured tables that nearly decide each other in the pool."""
        together = {pair for part in self.parts for pair in combinations(sorted(part.columns), 2)}
        if not together or not self.settings.most_tied:
            return []
        columns = [(c,) for c in range(len(self.sizes))]
        pairs = sorted(together)
        tables = TableSet(self.sizes, [*columns, *pairs])
        counts = tables.split(count_cells(self.pool, tables) / len(self.pool))
        joint = {
            (a, b): table.reshape(self.sizes[a], self.sizes[b])
            for (a, b), table in zip(pairs, counts[len(columns) :], strict=True)
        }
        return tied_pairs(
            counts[: len(columns)], joint, least=self.settings.tied, most=self.settings.most_tied
        )


def replay(log: NoisyLog) -> PrivateModel:
    """The model of a log, without the table."""
    model = PrivateModel.of(log.sizes, log.steps[0], log.pool, log.key)
    for tables in log.steps[1:]:
        model = model.measured(tables)
    return model


def draw(log: NoisyLog, *, rows: int | None = None) -> NDArray[np.int32]:
    """A release: as many rows as the log says there are, or as are asked for."""
    fitted = replay(log).finished(log.leaves)
    start = float(np.random.default_rng(log.key).random())
    return released(fitted, log.rows if rows is None else rows, start, log.key)
