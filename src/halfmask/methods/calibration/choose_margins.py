"""The choice of margins: which tables of the original a release is to meet.

Where counts are shrunk and tables are few, all of one and two attributes are taken: what one that
looks like chance says is still nearer to people than nothing, and shrinking takes most of the
chance off. Of others, only those that the generator gets wrong by more than chance would: one that
the weighed pool meets as well as another sample of the same people would has little to learn from
the original, and leaving it out keeps the model small. Tables of one attribute come first, then of
two, then of three; of each the worst are taken, the pool is raked, and the others are looked at
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Margin, Margins
from halfmask.data.rows import Rows
from halfmask.methods.calibration.raking import MarginArrays, Raked, RakedPool, rake, systematic
from halfmask.methods.calibration.settings import (
    CalibrationSettings,
    candidate_tables,
    count_margins,
)
from halfmask.methods.calibration.shrinking import MOST_ROWS
from halfmask.methods.calibration.target_trees import grow_trees
from halfmask.methods.generator.constraints import FencedProcess
from halfmask.methods.generator.process import Process

POOL_FACTOR = 10
"""Rows drawn for each row wanted."""
MOST_POOL_CELLS = 1 << 25
"""Codes of one pool: 128 MB."""
CHOICE_FACTOR, FEW_ROWS = 4, 250_000
"""Rows drawn for each row counted while tables are chosen, and the pool up to which it is as many
as for a release: what a smaller pool has more of chance is taken off."""
NOISE = 2.0
"""A table is wrong when its distance exceeds what chance gives by so many standard deviations."""
SHARE_TAKEN = 0.25
"""Of the wrong tables so many are taken before the others are looked at again."""
PASSES = 8
SHRUNK_ORDER, FEW_TABLES = 2, 300
"""Shrunk tables of so few attributes are all taken where they are few; more would take long."""
ROUNDS = 3
"""Of raking after each pass: the next goes on from there."""
GROWN_ON = 1 << 16
LEAST_GROWN_ON = 1 << 14
"""Rows of the pool, at most and at least, on which trees are grown."""
LEAST_WEIGHT = 2.0**-500
"""No row is lost for good: a weight that became 0 could never rise again."""


@dataclass(frozen=True, eq=False)
class Distances:
    """How far each table is from its targets, as χ² of a sample as large as the original."""

    chi_squared: NDArray[np.float64]
    freedom: NDArray[np.int64]

    @classmethod
    def of(
        cls, arrays: MarginArrays, shares: NDArray[np.float64], rows: float | NDArray[np.int64]
    ) -> Distances:
        """The distances of shares from the targets of all tables; `rows` of all or of each class.

        The mean of the two shares stands below the fraction: a cell that is empty on one side then
        counts as many as it has rows on the other, and not without end.
        """
        middle = np.maximum((shares + arrays.targets) / 2, np.finfo(np.float64).tiny)
        terms = rows * (shares - arrays.targets) ** 2 / middle
        starts = arrays.class_offsets[:-1]
        chi_squared = np.add.reduceat(terms, starts) if len(terms) else terms
        return cls(chi_squared, np.maximum(np.diff(arrays.class_offsets) - 1, 1))

    @property
    def beyond(self) -> NDArray[np.float64]:
        """What is left when that which chance gives on average is taken off."""
        return self.chi_squared - self.freedom

    @property
    def deviations(self) -> NDArray[np.float64]:
        """The same in standard deviations of chance."""
        return np.asarray(self.beyond / np.sqrt(2 * self.freedom))


def choose_margins(  # noqa: PLR0913 - what to choose from, and how to go about it
    table: Rows,
    process: Process | FencedProcess,
    settings: CalibrationSettings,
    *,
    min_support: int,
    hide_together: Sequence[tuple[str, str]] = (),
    longest: int | None = None,
    rows: int | None = None,
    threads: int = 1,
) -> Margins:
    """The checked margins of a table that what this process draws does not meet by itself.

    The pool for it is drawn with a fixed key, for it is no secret: who has the model can draw it.
    With fewer `rows` than the table has, its counts are held to the chance of a sample of so many:
    quicker, and good enough for a release of that size. Target trees are grown on rows of the pool
    when it meets the tables, and hold at most `longest` attributes.
    """
    sample = min(len(table), rows or len(table))
    size = min(pool_rows(sample, len(table.schema)), max(CHOICE_FACTOR * sample, FEW_ROWS))
    pool = RakedPool.of(table.schema, process.draw(size, key=0, threads=threads))
    chosen = _Chosen(pool, sample, threads)
    around = settings.order == 1 and settings.target is not None
    widest = min(settings.order + around, len(table.schema))
    names = [
        each
        for order in range(1, widest + 1)
        for each in candidate_tables(
            table.schema, settings, hide_together=hide_together, order=order
        )
    ]
    every = count_margins(table, names, min_support=min_support, base=settings.base)
    shrunk = settings.shrink > 0 and len(table) <= MOST_ROWS
    for order in range(1, widest + 1):
        tables = [m for m in every if len(m.attributes) == order]
        whole = shrunk and order <= SHRUNK_ORDER and len(tables) <= FEW_TABLES
        chosen = chosen.also(tables) if whole and tables else chosen.with_wrong_of(tables)
    target_trees = None
    if settings.order > 1 and settings.target is not None:
        target_trees = grow_trees(
            table,
            chosen.sample(min(max(sample, LEAST_GROWN_ON), GROWN_ON)),
            settings,
            min_support=min_support,
            hide_together=hide_together,
            longest=longest,
        )
    return Margins(chosen.margins, min_support, settings.base, target_trees)


def pool_rows(rows: int, columns: int) -> int:
    """How many rows are drawn to choose `rows` from, as far as memory is set aside for it."""
    return min(POOL_FACTOR * rows, max(MOST_POOL_CELLS // max(columns, 1), 1))


@dataclass(frozen=True, eq=False)
class _Chosen:
    """The margins taken so far, and the pool weighed to meet them."""

    pool: RakedPool
    rows: int
    threads: int
    margins: tuple[Margin, ...] = ()

    def with_wrong_of(self, candidates: Sequence[Margin]) -> _Chosen:
        """Take the tables that are wrong, the worst first, and rake in between."""
        chosen, left = self, list(candidates)
        for _ in range(PASSES):
            distances = chosen.distances(left)
            wrong = np.flatnonzero(distances.deviations > NOISE)
            if not len(wrong):
                break
            worst = wrong[np.argsort(-distances.beyond[wrong], kind="stable")]
            picked = set(worst[: ceil(SHARE_TAKEN * len(wrong))].tolist())
            chosen = chosen.also([left[n] for n in sorted(picked)])
            left = [margin for n, margin in enumerate(left) if n not in picked]
        return chosen

    def distances(self, others: Sequence[Margin]) -> Distances:
        """How far tables that were not taken are from what the pool gives now."""
        looked = self._raked(others, rounds=0)
        # What a small pool has of chance, beyond one of full size, adds up with that of the sample.
        pool = max(len(self.pool.patterns_used), 1)
        beyond = max(0.0, 1 / pool - 1 / (POOL_FACTOR * self.rows))
        return Distances.of(looked.arrays, looked.shares, 1 / (1 / self.rows + beyond))

    def also(self, more: Sequence[Margin]) -> _Chosen:
        """With more tables taken and the pool raked to meet them, from where it stands."""
        margins = (*self.margins, *more)
        weights = np.maximum(self._raked(margins, rounds=ROUNDS).weights, LEAST_WEIGHT)
        return replace(self, margins=margins, pool=replace(self.pool, multiplicities=weights))

    def sample(self, rows: int) -> NDArray[np.int32]:
        """Codes of rows of the pool, by weight."""
        return self.pool.codes[systematic(self.pool.multiplicities.astype(np.float64), rows, 0.5)]

    def _raked(self, margins: Sequence[Margin], *, rounds: int) -> Raked:
        arrays = MarginArrays.of(margins, self.pool.schema)
        return rake(self.pool, arrays, rounds=rounds, threads=self.threads)
