"""Intervals: what counts can be when some are known between bounds and sums of them are equal.

Every unknown is a number of rows between two bounds. An equation says that a sum of some is a sum
of others; what the others can be bounds each. Bounds are narrowed until nothing changes: a reader
with a pencil cannot do more with one equation at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

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

    low: list[Numbers] = field(default_factory=list)
    high: list[Numbers] = field(default_factory=list)
    size: int = 0
    terms: list[tuple[Numbers, Numbers, Numbers]] = field(default_factory=list)
    """Equation, unknown and sign, a block of each at a time; the sum over an equation is 0."""
    equations: int = 0

    def more(self, low: Sequence[int] | Numbers, high: Sequence[int] | Numbers) -> range:
        """New unknowns between these bounds."""
        self.low.append(np.asarray(low, np.int64))
        self.high.append(np.asarray(high, np.int64))
        self.size += len(low)
        return range(self.size - len(low), self.size)

    def add(self, whole: Sequence[int], parts: Sequence[int]) -> None:
        """The sum of the one is the sum of the other."""
        unknowns = np.array([*whole, *parts], np.int64)
        signs = np.repeat(np.array([1, -1], np.int64), [len(whole), len(parts)])
        self._append(np.zeros(len(unknowns), np.int64), unknowns, signs, 1)

    def add_lines(self, wholes: Numbers, parts: Numbers) -> None:
        """For each line of parts: their sum is the whole of that line."""
        lines = np.arange(len(wholes), dtype=np.int64)
        equation = np.concatenate([lines, np.repeat(lines, parts.shape[1])])
        signs = np.repeat(np.array([1, -1], np.int64), [len(wholes), parts.size])
        self._append(equation, np.concatenate([wholes, parts.ravel()]), signs, len(wholes))

    def _append(self, equation: Numbers, unknown: Numbers, sign: Numbers, count: int) -> None:
        self.terms.append((equation + self.equations, unknown, sign))
        self.equations += count

    def narrowed(self, pairs: Numbers | None = None) -> tuple[Numbers, Numbers]:
        """The narrowest bounds that follow; of each pair the first is never the smaller one."""
        low, high = np.concatenate(self.low), np.concatenate(self.high)
        if not self.terms:
            return low, high
        equation, unknown, sign = (np.concatenate(each) for each in zip(*self.terms, strict=True))
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
        equation, unknown, _ = (np.concatenate(each) for each in zip(*self.terms, strict=True))
        touched = np.zeros(self.equations, bool)
        touched[equation[unknowns[unknown]]] = True
        found = np.zeros(self.size, bool)
        found[unknown[touched[equation]]] = True
        return found


def _sums(equation: Numbers, values: Numbers, count: int) -> Numbers:
    found = np.zeros(count, np.int64)
    np.add.at(found, equation, values)
    return found
