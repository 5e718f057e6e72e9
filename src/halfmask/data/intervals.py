"""Intervals: what counts can be when some are known between bounds and sums of them are equal.

Every unknown is a number of rows between two bounds. An equation says that a sum of some is a sum
of others; what the others can be bounds each. Bounds are narrowed until nothing changes: a reader
with a pencil cannot do more with one equation at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
MOST_PASSES = 50


@dataclass(eq=False)
class Intervals:
    """Unknown counts, numbered from 0, and what is known of them.

    >>> known = Intervals()
    >>> whole, part, rest = known.more([40, 35, 0], [40, 35, 40])
    >>> known.add([whole], [part, rest])
    >>> low, high = known.narrowed()
    >>> low.tolist(), high.tolist()
    ([40, 35, 5], [40, 35, 5])
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
        """The sum of the one is the sum of the other."""
        self.unknowns.extend(whole)
        self.unknowns.extend(parts)
        self.signs.extend([1] * len(whole) + [-1] * len(parts))
        self.lengths.append(len(whole) + len(parts))

    def add_lines(self, wholes: Numbers, parts: Numbers) -> None:
        """For each line of parts: their sum is the whole of that line."""
        for whole, line in zip(wholes.tolist(), parts.tolist(), strict=True):
            self.add([whole], line)

    def _terms(self) -> tuple[Numbers, Numbers, Numbers]:
        """The equation, the unknown and the sign of each term."""
        lengths = np.frombuffer(self.lengths, np.int64)
        equation = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
        return equation, np.frombuffer(self.unknowns, np.int64), np.frombuffer(self.signs, np.int64)

    def narrowed(self, pairs: Numbers | None = None) -> tuple[Numbers, Numbers]:
        """The narrowest bounds that follow; of each pair the first is never the smaller one."""
        low, high = np.array(self.low, np.int64), np.array(self.high, np.int64)
        if not self.equations:
            return low, high
        equation, unknown, sign = self._terms()
        for _ in range(MOST_PASSES):
            before = (low.copy(), high.copy())
            if pairs is not None and len(pairs):
                np.maximum.at(low, pairs[:, 0], low[pairs[:, 1]])
                np.minimum.at(high, pairs[:, 1], high[pairs[:, 0]])
            smallest = np.where(sign > 0, low[unknown], -high[unknown])
            largest = np.where(sign > 0, high[unknown], -low[unknown])
            at_most = smallest - _sums(equation, smallest, self.equations)[equation]
            at_least = largest - _sums(equation, largest, self.equations)[equation]
            np.maximum.at(low, unknown, np.where(sign > 0, at_least, -at_most))
            np.minimum.at(high, unknown, np.where(sign > 0, at_most, -at_least))
            if np.array_equal(low, before[0]) and np.array_equal(high, before[1]):
                break
        return low, high

    def beside(self, unknowns: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which unknowns share an equation with one of these."""
        equation, unknown, _ = self._terms()
        touched = np.zeros(self.equations, bool)
        touched[equation[unknowns[unknown]]] = True
        found = np.zeros(self.size, bool)
        found[unknown[touched[equation]]] = True
        return found


def _sums(equation: Numbers, values: Numbers, count: int) -> Numbers:
    found = np.zeros(count, np.int64)
    np.add.at(found, equation, values)
    return found
