"""Calibrated rows: a pool drawn from the generator, weighed to meet margins, and sampled.

Where the margins tell of a target along trees, it is drawn anew in the whole pool, which is then
weighed once more: tables that hold the target then shape the other columns too. In the rows that
are chosen it is drawn anew again, because weighing prefers rows whose target is a rare one.
Long releases are made in blocks that each have a pool of their own, so that memory is bounded. Each
is weighed from the start: with the factors of the block before, a row that is in several sparse
cells at once, which that pool may not have had, would outweigh all others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Margins, Schema
from halfmask.data.release import Fact
from halfmask.methods.calibration.choose_margins import NOISE, POOL_FACTOR, Distances, pool_rows
from halfmask.methods.calibration.raking import MarginArrays, Raked, RakedPool, rake, systematic
from halfmask.methods.calibration.shrinking import Shrinking
from halfmask.methods.calibration.target_trees import Allowed, fit_classes, redrawn
from halfmask.methods.generator.process import Drawn
from halfmask.methods.loglinear.balancing import RankLinks, balanced
from halfmask.randomness import Randomness

FITTED_ON = 1 << 13, 1 << 16
"""Rows on which the shares of a target are fitted, at least and at most."""
STALLED = 0.995
"""Tables that contradict each other are raked until a round brings them nearer by less than this.
Those of hospital stays (595 tables of 48 columns) are nearest after four rounds; sixteen more only
put larger weights on fewer rows. Tables that can be met come nearer by 1.5 % or more in each."""
ENLARGED = 4
"""A pool that lacks rows for some cells is drawn so many times as large, once."""
LEAST_ENLARGED = 2
"""A pool that memory lets grow by less is kept: it would be drawn anew for a few more rows."""
LACKING = 0.0005
"""Where the cells without any should have more than this share of the rows, in the mean table."""
LONG, LONG_FACTOR = 1_000_000, 3
"""In a release of more rows than this, a cell has rows enough to choose from in fewer drawn."""
WIDE, WIDE_FACTOR = 3, 20
"""Tables of so many columns have many cells, which need more rows to choose from."""

Draw = Callable[[int, int], Drawn]
"""`draw(rows, first_row)`: rows of the generator, the same whatever was drawn before."""


@dataclass(frozen=True, eq=False)
class Fit:
    """How well the weighed pools meet the margins."""

    margins: Margins
    rounds: int
    pool: int
    """How many rows were drawn to choose from."""
    largest_error: float
    """The share of rows by which the worst cell of all is off."""
    missed: Mapping[str, float]
    """The tables that are further off than another sample of the same people would be, the furthest
    first, with the share of rows that would have to change for each to be met."""
    mean_distance: float
    """That share, on average over all tables."""

    def facts(self) -> dict[str, Fact]:
        """What a reader may know of it."""
        target_trees = self.margins.target_trees
        return {
            "calibrated_tables": len(self.margins),
            "calibrated_cells": self.margins.cells,
            "calibrated_smallest_count": self.margins.smallest,
            "calibrated_trees": 0 if target_trees is None else len(target_trees.trees),
            "calibration_rounds": self.rounds,
            "calibration_pool": self.pool,
            "calibration_largest_error": self.largest_error,
            "calibration_mean_distance": self.mean_distance,
            "calibration_missed": tuple(self.missed),
        }


@dataclass(frozen=True, eq=False)
class BlockFit:
    """How well one block meets the margins."""

    rounds: int
    pool: int
    """Rows that were drawn to choose from."""
    largest_error: float
    off: NDArray[np.float64]
    """For each table the share of rows it is off by, and that in standard deviations of chance."""

    @classmethod
    def of(cls, margins: Margins, raked: Raked, pool: int) -> BlockFit:
        """That of a pool of so many rows, weighed."""
        return cls(raked.rounds, pool, raked.largest_error, _off(margins, raked))


@dataclass
class Fitting:
    """How well the blocks made so far meet the margins; of their weights nothing is kept."""

    margins: Margins
    rounds: int = 0
    pool: int = 0
    largest_error: float = 0.0
    off: NDArray[np.float64] | None = None

    def add(self, block: BlockFit) -> None:
        """One more block."""
        self.off = block.off if self.off is None else np.maximum(self.off, block.off)
        self.rounds = max(self.rounds, block.rounds)
        self.largest_error = max(self.largest_error, block.largest_error)
        self.pool += block.pool

    @property
    def fit(self) -> Fit:
        """What the worst of the blocks gives."""
        distances, deviations = np.zeros((2, len(self.margins))) if self.off is None else self.off
        missed = [n for n in np.argsort(-distances, kind="stable") if deviations[n] > NOISE]
        return Fit(
            self.margins,
            rounds=self.rounds,
            pool=self.pool,
            largest_error=self.largest_error,
            missed={str(self.margins.tables[n]): float(distances[n]) for n in missed},
            mean_distance=float(distances.mean()) if len(distances) else 0.0,
        )


@dataclass
class Gathered:
    """Rows made so far, column after column in the memory that all of them will take."""

    codes: NDArray[np.int32]
    used: NDArray[np.uint16]
    rows: int = 0
    attempts: int = 0

    @classmethod
    def of(cls, rows: int, columns: int) -> Gathered:
        """Room for so many rows."""
        return cls(np.empty((rows, columns), np.int32, order="F"), np.empty(rows, np.uint16))

    def add(self, part: Drawn) -> None:
        """The rows of one more block."""
        end = self.rows + len(part.codes)
        self.codes[self.rows : end] = part.codes
        self.used[self.rows : end] = part.patterns_used
        self.rows, self.attempts = end, self.attempts + part.attempts

    @property
    def drawn(self) -> Drawn:
        """All of them."""
        return Drawn(self.codes[: self.rows], self.used[: self.rows], self.attempts)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Rows that meet margins, block by block; each depends on the randomness and its place only.

    The same randomness gives the same rows whatever the threads, and wherever a block is made.
    """

    draw: Draw
    schema: Schema
    margins: Margins
    rows: int
    randomness: Randomness
    _: KW_ONLY
    shrink: float = 0.0
    """How much of the counts is taken for chance."""
    first_row: int = 0
    """Another place of the endless pool, for another release."""
    allowed: Allowed | None = None
    """Which values of a target may stand in a row."""
    threads: int = 1

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """The first row of each block, and how many it has."""
        sizes = block_sizes(self.rows, len(self.schema), self._factor)
        return list(zip(np.cumsum([0, *sizes]).tolist(), sizes, strict=False))

    @cached_property
    def _factor(self) -> int:
        return _factor(self.rows, self.margins)

    @cached_property
    def _arrays(self) -> MarginArrays:
        return MarginArrays.of(self.margins.tables, self.schema)

    @cached_property
    def _shrinking(self) -> Shrinking | None:
        return Shrinking.of(self.schema, self.margins.tables, self.shrink)

    def make(self, number: int) -> tuple[Drawn, BlockFit]:
        """One block, and how well it meets the margins; fewer rows when drawing was stopped."""
        start, rows = self.places[number]
        rng = self.randomness.child(f"calibrated rows from {self.first_row + start}")
        first = POOL_FACTOR * ENLARGED * (self.first_row + start)
        weigh = _weighing(self._arrays, self._shrinking, rows, threads=self.threads)
        pool = _rich_pool(
            partial(_pool, self.draw, self.schema, first),
            partial(rake, arrays=self._arrays, rounds=0, threads=self.threads),
            self._factor * rows,
            pool_rows(ENLARGED * rows, len(self.schema)),
        )
        raked = weigh(pool)
        possible = min(rows, len(pool) // self._factor)
        redraw, target_trees = None, self.margins.target_trees
        if target_trees is not None and possible:
            redraw = partial(
                _target_redrawn,
                margins=self.margins,
                rng=rng,
                allowed=self.allowed,
                threads=self.threads,
            )
            pool = RakedPool.of(self.schema, redraw(pool.drawn, pool, raked.weights, rows=rows))
            raked = weigh(pool)
        anew = () if redraw is None or target_trees is None else (target_trees.target,)
        part = _sampled(pool, raked.weights, possible, rng, anew=anew)
        if redraw is not None:
            part = redraw(part, pool, raked.weights, rows=rows)
        return part, BlockFit.of(self.margins, raked, len(pool))


def block_sizes(rows: int, columns: int, factor: int = POOL_FACTOR) -> list[int]:
    """How many rows are made at a time: all, or equal parts whose pools fit the memory.

    `factor` rows are drawn for each that is made.

    >>> block_sizes(1000, 15), block_sizes(10**6, 15)
    ([1000], [200000, 200000, 200000, 200000, 200000])
    """
    most = max(pool_rows(factor * rows, columns) // factor, 1)
    count = -(-rows // most)
    return [rows // count + (n < rows % count) for n in range(count)]


def _factor(rows: int, margins: Margins) -> int:
    """Rows drawn for each row of a release of this length."""
    if rows > LONG:
        return LONG_FACTOR
    return WIDE_FACTOR if margins.order >= WIDE else POOL_FACTOR


def _weighing(
    arrays: MarginArrays, shrinking: Shrinking | None, rows: int, *, threads: int
) -> Callable[[RakedPool], Raked]:
    """How a pool is weighed: shrunk, or to meet the counts as they are."""
    if shrinking is not None:
        return partial(shrinking.weigh, threads=threads)
    return partial(
        rake,
        arrays=arrays,
        tolerance=0.5 / rows,  # half a row is as near as whole rows can come
        stalled=STALLED,
        threads=threads,
    )


def _rich_pool(
    pool_of: Callable[[int], RakedPool], look: Callable[[RakedPool], Raked], size: int, larger: int
) -> RakedPool:
    """A pool, drawn larger where that puts a row into cells without any."""
    pool = pool_of(size)
    empty = _empty(look(pool))
    if empty > LACKING and larger >= LEAST_ENLARGED * size:
        other = pool_of(larger)
        pool = other if _empty(look(other)) < empty else pool
    return pool


def _pool(draw: Draw, schema: Schema, first: int, size: int) -> RakedPool:
    return RakedPool.of(schema, draw(size, first))


def _empty(raked: Raked) -> float:
    """The share of the rows that classes without any in the pool should have, in the mean table."""
    tables = max(len(raked.arrays.class_offsets) - 1, 1)
    return float(raked.arrays.targets[raked.shares == 0].sum()) / tables


def _sampled(
    pool: RakedPool,
    weights: NDArray[np.float64],
    rows: int,
    rng: np.random.Generator,
    anew: Sequence[str] = (),
) -> Drawn:
    """Rows of the pool by weight, in random order: sorted ones would look unlike a table.

    Together they meet what the weights say of pairs of columns, but for those drawn `anew` later.
    """
    chosen = rng.permutation(systematic(weights, rows, rng.random())).astype(np.int32)
    schema = pool.schema
    distinct = balanced(
        pool.codes,
        [attribute.size for attribute in schema],
        weights,
        chosen,
        key=int(rng.integers(2**63)),
        without=[schema.position(name) for name in anew],
        links=RankLinks.of(schema, pool.codes, weights, rows),
    )
    first = np.cumsum(pool.multiplicities) - pool.multiplicities
    begun = round(rows * pool.attempts / max(len(pool), 1))  # for each row of the pool as many
    return Drawn(pool.codes[distinct], pool.patterns_used[first[distinct]], begun)


def _target_redrawn(  # noqa: PLR0913 - what to draw anew, and what from
    drawn: Drawn,
    pool: RakedPool,
    weights: NDArray[np.float64],
    *,
    rows: int,
    margins: Margins,
    rng: np.random.Generator,
    allowed: Allowed | None,
    threads: int,
) -> Drawn:
    """Rows with the target drawn anew, from shares fitted where the weighed pool has its rows."""
    assert margins.target_trees is not None  # noqa: S101 - asked for where there are some
    least, most = FITTED_ON
    fitted_on = pool.codes[systematic(weights, min(max(rows, least), most), 0.5)]
    fit, _ = fit_classes(
        margins.target_trees, pool.schema, fitted_on, min_support=margins.min_support
    )
    return replace(
        drawn, codes=redrawn(drawn.codes, fit, rng=rng, allowed=allowed, threads=threads)
    )


def _off(margins: Margins, raked: Raked) -> NDArray[np.float64]:
    """How far off each table is: as a share of the rows, and in standard deviations of chance."""
    arrays = raked.arrays
    rows = np.repeat([margin.rows for margin in margins], np.diff(arrays.class_offsets))
    deviations = Distances.of(arrays, raked.shares, rows).deviations
    return np.stack([arrays.distances(raked.shares), deviations])
