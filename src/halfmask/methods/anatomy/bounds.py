"""Bounds: how large a bucket must be for c copies of a value, ⌈c · rises / falls⌉ rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from halfmask.methods.anatomy.cells import Cells


@dataclass(frozen=True, eq=False)
class Bounds:
    """One fraction per value, at least 1; 0 where the value is exempt."""

    rises: NDArray[np.int64]
    falls: NDArray[np.int64]

    @classmethod
    def equal(cls, cells: Cells, level: Fraction) -> Bounds:
        """The same l for every value: c copies need c · l rows."""
        n = len(cells.values)
        return cls._of(cells, np.full(n, level.numerator), np.full(n, level.denominator))

    @classmethod
    def relative(cls, cells: Cells, level: Fraction, slack: Fraction) -> Bounds:
        """A share of max(1/l, (1 + slack) · the value's share in the whole), and at most 1."""
        own = np.maximum(cells.counts, 1) * (1 + slack).numerator
        whole = np.full(len(own), len(cells.kept) * (1 + slack).denominator)
        over = own * level.numerator > whole * level.denominator
        rises = np.where(over, np.maximum(whole, own), level.numerator)
        falls = np.where(over, own, level.denominator)
        shared = np.gcd(rises, falls)
        return cls._of(cells, rises // shared, falls // shared)

    @classmethod
    def per_column(cls, cells: Cells, level: Fraction) -> Bounds:
        """The asked l for an eligible column, the largest feasible l for another."""
        eligible = cells.is_eligible(level)
        rises = np.where(eligible, level.numerator, len(cells.kept))
        falls = np.where(eligible, level.denominator, np.maximum(cells.largest_counts, 1))
        sizes = np.diff(cells.values.starts)
        return cls._of(cells, np.repeat(rises, sizes), np.repeat(falls, sizes))

    @classmethod
    def _of(cls, cells: Cells, rises: NDArray[np.int64], falls: NDArray[np.int64]) -> Bounds:
        rises = rises.astype(np.int64)
        if cells.empty == "exempt":
            rises[cells.values.starts[:-1]] = 0
        return cls(rises, falls.astype(np.int64))

    def largest_share(self) -> float:
        """The largest share of a bucket that any bounded value may have."""
        bounded = self.rises > 0
        if not bounded.any():
            return 1.0
        return float((self.falls[bounded] / self.rises[bounded]).max())
