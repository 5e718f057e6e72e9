"""Rounding of counts to a base, as statistics offices do."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import BadInput

BASES = (1, 3, 5, 10)
"""What offices round to; 1 is not at all."""


def check_base(base: int) -> None:
    """Refuse a base that no office rounds to."""
    if base not in BASES or isinstance(base, bool):
        raise BadInput(f"round_margins is 1, 3, 5 or 10, not {base!r}.")


def to_base(counts: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """The nearest multiples of a base, never 0 for a count above it.

    >>> to_base(np.array([0, 1, 7, 8]), 5).tolist()
    [0, 5, 5, 10]
    """
    if base == 1:
        return counts
    nearest = (counts + base // 2) // base * base
    return np.where(counts > 0, np.maximum(nearest, base), 0)


Name = tuple[object, ...]
"""What a count is of; the same rows under the same name are rounded to the same number."""


def own_base(floor: int, asked: int = 1) -> int:
    """The base that keeps counts uncertain at this floor: what was asked for, or more.

    A number that is told must leave open whether fewer than `floor` rows are behind it: half the
    floor and 1 is the finest base that does, and 3 the finest that offices use.

    >>> own_base(10), own_base(10, asked=10), own_base(1)
    (6, 10, 1)
    """
    return asked if floor == 1 else max(asked, floor // 2 + 1, BASES[1])


@dataclass(frozen=True)
class Rounding:
    """Counts are told as multiples of `base`, rounded up or down by chance.

    A count is rounded up the more often the nearer the next multiple is, so that it is right on
    average. The chance follows from a secret and the name of the count: who does not have the
    secret knows a count only between its bounds, and publishing again brings nothing new.

    >>> rounding = Rounding(floor=10, base=6, secret=b"")
    >>> rounding.least, rounding.bounds(0), rounding.bounds(6), rounding.bounds(30)
    (12, (0, 5), (1, 11), (25, 35))
    >>> sorted({rounding.told(20, ("cell", n)) for n in range(50)})
    [18, 24]
    """

    floor: int
    base: int
    secret: bytes = field(default=b"", repr=False)
    again: Mapping[Name, int] = field(default_factory=dict, repr=False)
    """How often a count was rounded anew."""

    @property
    def least(self) -> int:
        """The smallest number that is told of a group.

        It is above the floor, so that a group which is not told may well have as many rows.
        """
        return self.base * (self.floor // self.base + 1) if self.base > 1 else self.floor

    def told(self, count: int, name: Name) -> int:
        """The number that is told in place of a count."""
        steps, beyond = divmod(count, self.base)
        return self.base * (steps + (beyond > self.base * self._chance(name)))

    def told_of_enough(self, count: int, name: Name) -> int:
        """The same for a group of at least `floor` rows that is told in any case."""
        return max(self.told(count, name), self.least)

    def bounds(self, told: int) -> tuple[int, int]:
        """What the count behind a number can be."""
        return max(told - self.base + 1, 0), told + self.base - 1

    def group_bounds(self, told: int) -> tuple[int, int]:
        """The same for a group of at least `floor` rows that is told in any case."""
        low = self.floor if told == self.least else told - self.base + 1
        return max(low, self.floor), told + self.base - 1

    def cell_bounds(self, told: int) -> tuple[int, int]:
        """The same for one that is told only where its number is large enough."""
        return max(told - self.base + 1, self.floor), told + self.base - 1

    def _chance(self, name: Name) -> float:
        words = repr((name, self.again.get(name, 0))).encode()
        drawn = hashlib.blake2b(words, key=self.secret[:64], digest_size=7).digest()
        return int.from_bytes(drawn) / 2**56
