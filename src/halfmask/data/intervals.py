"""Intervals: what counts can be when some are known between bounds and sums of them are equal.

Every unknown is a number of rows between two bounds. An equation says that a sum of some is a sum
of others. Which groups are few in every solution is settled exactly: a solution in whole numbers
that gives a group no rows, or enough, clears it, and a search that ends without one proves that
there is none (`native/arithmetic/settle.hpp`). Only what takes too much work stays open.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from halfmask import _native

Numbers = NDArray[np.int64]
MOST_WORK = 300_000_000
"""Terms of equations that are looked at; about a second. It is counted, so that what is settled is
the same on every machine."""
CLEARED, PINNED, OPEN = range(3)


@dataclass(eq=False)
class Intervals:
    """Unknown counts, numbered from 0, and what is known of them.

    >>> known = Intervals()
    >>> whole, part, rest = known.more([40, 35, 0], [40, 35, 40])
    >>> known.add([whole], [part, rest])
    >>> known.settled(np.array([part, rest]), np.array([10, 10])).tolist() == [CLEARED, PINNED]
    True
    """

    low: array[int] = field(default_factory=partial(array, "q"))
    high: array[int] = field(default_factory=partial(array, "q"))
    unknowns: array[int] = field(default_factory=partial(array, "q"))
    """The terms of all equations, one equation after the other; the sum over each is 0."""
    signs: array[int] = field(default_factory=partial(array, "q"))
    lengths: array[int] = field(default_factory=partial(array, "q"))
    """How many terms each equation has."""

    @property
    def size(self) -> int:
        """How many unknowns there are."""
        return len(self.low)

    @property
    def equations(self) -> int:
        """How many equations there are."""
        return len(self.lengths)

    def more(self, low: Iterable[int], high: Iterable[int]) -> range:
        """New unknowns between these bounds."""
        first = self.size
        self.low.extend(low)
        self.high.extend(high)
        return range(first, self.size)

    def add(self, whole: Sequence[int], parts: Sequence[int]) -> None:
        """The sum of the one is the sum of the other; what stands on both sides cancels."""
        both = set(whole).intersection(parts)
        if both:
            whole, parts = ([n for n in side if n not in both] for side in (whole, parts))
        self.unknowns.extend(whole)
        self.unknowns.extend(parts)
        self.signs.extend([1] * len(whole) + [-1] * len(parts))
        self.lengths.append(len(whole) + len(parts))

    def add_lines(self, wholes: Numbers, parts: Numbers) -> None:
        """For each line of parts: their sum is the whole of that line."""
        for whole, line in zip(wholes.tolist(), parts.tolist(), strict=True):
            self.add([whole], line)

    def settled(self, groups: Numbers, floors: Numbers) -> NDArray[np.int8]:
        """What becomes of each group: CLEARED, PINNED or OPEN.

        A group is cleared by a solution in whole numbers that gives it 0, or its floor or more.
        """
        low, high, unknowns, signs = (
            np.array(each, np.int64) for each in (self.low, self.high, self.unknowns, self.signs)
        )
        offsets = np.concatenate([[0], np.cumsum(np.array(self.lengths, np.int64))])
        return _native.settle(low, high, offsets, unknowns, signs, groups, floors, MOST_WORK)

    def _terms(self) -> tuple[Numbers, Numbers]:
        """The equation and the unknown of each term."""
        lengths = np.frombuffer(self.lengths, np.int64)
        equation = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
        return equation, np.frombuffer(self.unknowns, np.int64)

    def beside(self, unknowns: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which unknowns share an equation with one of these."""
        equation, unknown = self._terms()
        touched = np.zeros(self.equations, bool)
        touched[equation[unknowns[unknown]]] = True
        found = np.zeros(self.size, bool)
        found[unknown[touched[equation]]] = True
        return found
