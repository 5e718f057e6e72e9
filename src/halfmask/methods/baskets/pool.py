"""Calibrated baskets: a pool drawn from patterns and links, weighed to meet counts, and sampled.

Many baskets are made in blocks that each have a pool of their own, so that memory is bounded. Each
is weighed from the start: the factors of another pool fit its own few baskets of rare sets.

Weights are raked as those of tables are (`calibration/raking.py`), but a margin is not a table
whose cells share out the rows: it is a set that some rows hold and nearly all lack. Those who hold
it are multiplied by the ratio of the odds wanted to the odds found, which is proportional fitting
of the table (in, out). `reference/raking.py` is the same in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Assortment, BasketMargins, Transactions
from halfmask.data.release import Fact
from halfmask.methods.baskets.margins import Lengths
from halfmask.methods.calibration.choose_margins import POOL_FACTOR
from halfmask.methods.calibration.pool import block_sizes
from halfmask.methods.calibration.raking import systematic
from halfmask.randomness import Randomness
from halfmask.run import Progress

ROUNDS = 40
MAX_FACTOR = 10.0
"""One correction changes a weight at most so many times: see `calibration/raking.py`."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """The sets that shares of the baskets are to hold, and the lengths they are to have."""

    sets: Transactions
    counts: NDArray[np.int64]
    lengths: Lengths
    rows: int
    """Of how many baskets these are counts."""
    targets: NDArray[np.float64] = field(init=False, repr=False)
    """The shares of the sets, then of the lengths."""

    def __post_init__(self) -> None:
        # Lengths that were rounded need not add up to all baskets; their shares do.
        long = self.lengths.counts / max(int(self.lengths.counts.sum()), 1)
        shares = self.counts / max(self.rows, 1)
        object.__setattr__(self, "targets", np.concatenate([shares, long]))

    def holders(self, pool: Transactions) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Offsets and numbers of the rows of a pool behind each target."""
        offsets, rows = _native.holders(*pool.arrays, self.sets.offsets, self.sets.items)
        long = pool.lengths
        order = np.argsort(long, kind="stable").astype(np.int32)
        starts, stops = (
            np.searchsorted(long[order], self.lengths.values, side) for side in ("left", "right")
        )
        parts = [order[start:stop] for start, stop in zip(starts, stops, strict=True)]
        ends = len(rows) + np.cumsum(stops - starts)
        return np.concatenate([offsets, ends]), np.concatenate([rows, *parts])


@dataclass(frozen=True, eq=False)
class RakedBaskets:
    """Weights of the rows of a pool, and the share of the weight behind each target."""

    weights: NDArray[np.float64]
    shares: NDArray[np.float64]
    unreachable: NDArray[np.bool_]
    """The targets that no row of the pool helps to."""
    rounds: int


def rake_baskets(
    pool: Transactions,
    wanted: Wanted,
    *,
    rounds: int = ROUNDS,
    tolerance: float = 0.0,
    progress: Progress | None = None,
) -> RakedBaskets:
    """Weigh a pool; done after `rounds`, or when no share is off by more than `tolerance`.

    A row of the pool counts as often as its own weight says.
    """
    offsets, rows = wanted.holders(pool)
    weights, shares, done = _native.rake_sets(
        pool.weights.astype(np.float64),
        offsets,
        rows,
        wanted.targets,
        rounds,
        tolerance,
        MAX_FACTOR,
        progress,
    )
    return RakedBaskets(weights, shares, np.diff(offsets) == 0, done)


@dataclass(frozen=True, slots=True)
class Effort:
    """Baskets drawn for each basket wanted, and rounds of weighing them."""

    pool: int
    rounds: int


FOR_PAIRS = Effort(5, ROUNDS)
"""A pool of 3 or 10 times the baskets gives the same errors on the click streams."""
FOR_TRIPLES = Effort(15, 100)
"""So many more counts need more baskets to choose from: with fewer they are met by a few baskets
that come again and again, and sets of four and more items are lost."""
MORE = 3
"""The only pool, where it lacks baskets for some count, is drawn so many times more; of several
pools another has them."""


@dataclass(frozen=True, eq=False)
class DrawnBaskets:
    """Baskets, and how many steps filling them took."""

    rows: Transactions
    steps: int


Draw = Callable[[NDArray[np.int64], int], DrawnBaskets]
"""`draw(sizes, first)`: baskets of these sizes, the same whatever was drawn before."""


@dataclass(frozen=True, eq=False)
class BasketFit:
    """How well the weighed pools meet the counts."""

    wanted: Wanted
    margins: BasketMargins
    rounds: int
    pool: int
    """How many baskets were drawn to choose from."""
    errors: NDArray[np.float64]
    """The share of baskets by which each target is off in the worst of the blocks."""
    unreachable: NDArray[np.bool_]
    """The targets that no basket drawn helps to."""

    @classmethod
    def of(
        cls, wanted: Wanted, margins: BasketMargins, blocks: Sequence[RakedBaskets], pool: int
    ) -> BasketFit:
        """What the worst of the blocks gives."""
        none = np.zeros(len(wanted.targets))
        off = [np.abs(raked.shares - wanted.targets) for raked in blocks]
        return cls(
            wanted,
            margins,
            rounds=max((raked.rounds for raked in blocks), default=0),
            pool=pool,
            errors=np.max([none, *off], axis=0),
            unreachable=np.any([none > 0, *(raked.unreachable for raked in blocks)], axis=0),
        )

    @property
    def missed(self) -> NDArray[np.bool_]:
        """The targets that are off by more than two standard errors of their count."""
        chance = np.sqrt(np.maximum(self.wanted.targets, 1 / self.wanted.rows) / self.wanted.rows)
        return np.asarray(self.errors > 2 * chance)

    def facts(self) -> dict[str, Fact]:
        """What a reader may know of it."""
        return {
            "calibrate": self.margins.order,
            "calibrated_cells": len(self.wanted.targets),
            "calibrated_smallest_count": self.margins.smallest,
            "calibration_rounds": self.rounds,
            "calibration_pool": self.pool,
            "calibration_largest_error": float(self.errors.max(initial=0.0)),
            "calibration_sets_missed": int(self.missed.sum()),
            "calibration_unreachable": int(self.unreachable.sum()),
        }

    def named(self, schema: Assortment, most: int) -> list[str]:
        """Sets that were missed, the worst first, by the names of their items."""
        sets = list(self.wanted.sets)
        worst = np.argsort(-self.errors, kind="stable")
        found = [n for n in worst.tolist() if n < len(sets) and self.missed[n]]
        return ["{" + ", ".join(map(schema.label, sets[n])) + "}" for n in found[:most]]


def calibrated_baskets(
    draw: Draw, wanted: Wanted, margins: BasketMargins, count: int, *, randomness: Randomness
) -> tuple[DrawnBaskets, BasketFit]:
    """Baskets that meet counts; the same randomness gives the same baskets."""
    lengths, chosen = (
        randomness.child(f"calibrated basket {use}") for use in ("lengths", "choice")
    )
    parts: list[DrawnBaskets] = []
    blocks: list[RakedBaskets] = []
    drawn = 0
    effort = FOR_TRIPLES if margins.order > 2 else FOR_PAIRS
    sizes = block_sizes(count, _entries(wanted, effort))
    for block in sizes:
        size = effort.pool * block
        pool = draw(wanted.lengths.draw(size, lengths), drawn)
        drawn += len(pool.rows)
        distinct, raked = _weighed(pool, wanted, block, effort)
        if raked.unreachable.any() and len(pool.rows) == size and len(sizes) == 1:
            more = draw(wanted.lengths.draw(MORE * size, lengths), drawn)
            drawn += len(more.rows)
            pool = joined([pool, more], wanted.sets.n_items)
            distinct, raked = _weighed(pool, wanted, block, effort)
        possible = min(block, len(pool.rows) // effort.pool)  # fewer when drawing was stopped
        steps = round(possible * pool.steps / max(len(pool.rows), 1))  # as many for each of them
        taken = chosen.permutation(systematic(raked.weights, possible, chosen.random()))
        parts.append(DrawnBaskets(distinct.take(taken), steps))
        blocks.append(raked)
        if possible < block:
            break
    return joined(parts, wanted.sets.n_items), BasketFit.of(wanted, margins, blocks, drawn)


def joined(parts: Sequence[DrawnBaskets], n_items: int) -> DrawnBaskets:
    """The baskets of all parts, one after the other."""
    sizes = np.concatenate([np.empty(0, np.int64), *(p.rows.lengths for p in parts)])
    items = np.concatenate([np.empty(0, np.int32), *(p.rows.items for p in parts)])
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = Transactions(offsets, items, np.ones(len(sizes), np.int64), n_items)
    return DrawnBaskets(rows, sum(part.steps for part in parts))


def _entries(wanted: Wanted, effort: Effort) -> int:
    """About how many numbers one basket of a pool takes: its items, and the counts it is in.

    Blocks are cut for pools as large as those of tables, and these are smaller or larger.
    """
    items = float((wanted.lengths.values * wanted.lengths.counts).sum())
    each = items / max(wanted.rows, 1) + float(wanted.targets.sum())
    return max(1, ceil(each * effort.pool / POOL_FACTOR))


def _weighed(
    pool: DrawnBaskets, wanted: Wanted, block: int, effort: Effort
) -> tuple[Transactions, RakedBaskets]:
    """The different baskets of a pool in lexicographic order, and their weights.

    Half a basket is as near to a count as whole baskets can come.
    """
    distinct = pool.rows.distinct()
    tolerance = 0.5 / block
    return distinct, rake_baskets(distinct, wanted, rounds=effort.rounds, tolerance=tolerance)
