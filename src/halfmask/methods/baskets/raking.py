"""Raking of baskets: weights with which given shares of a pool hold given items, pairs, lengths.

As in `raking.py`, but a margin is not a table whose cells share out the rows: it is a set that some
rows hold and nearly all lack. Those who hold it are multiplied by the ratio of the odds wanted to
the odds found, which is proportional fitting of the table (in, out).
`basket_raking_reference.py` is the same in plain Python.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Transactions
from halfmask.methods.baskets.margins import Lengths
from halfmask.run import Progress

ROUNDS = 40
MAX_FACTOR = 10.0
"""One correction changes a weight at most so many times: see `raking.py`."""


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
        every = np.concatenate([self.counts, self.lengths.counts])
        object.__setattr__(self, "targets", every / max(self.rows, 1))

    def holders(self, pool: Transactions) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Offsets and numbers of the rows of a pool behind each target."""
        offsets, rows = _native.holders(
            pool.offsets,
            pool.items,
            pool.weights,
            pool.n_items,
            self.sets.offsets,
            self.sets.items,
        )
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
