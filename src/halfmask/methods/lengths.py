"""How long synthetic baskets are: lengths that many baskets have, the others in groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data.rounding import to_base

__all__ = ["Lengths"]


@dataclass(frozen=True, eq=False)
class Lengths:
    """How long baskets are: length `values[n]` with weight `counts[n]`.

    >>> Lengths.of(np.array([1] * 9 + [2] * 4 + [5, 7]), min_support=4)
    Lengths(values=array([1, 3]), counts=array([9, 6]))
    """

    values: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, lengths: NDArray[np.int64], *, min_support: int) -> Lengths:
        """Lengths from the longest down in groups of `min_support` baskets, each at its mean.

        A length that few baskets have would point at them; a mean over a group does not.
        """
        groups: list[tuple[int, int]] = []  # (baskets, items)
        baskets = items = 0
        counts = np.bincount(lengths)
        for length in np.flatnonzero(counts)[::-1].tolist():
            baskets += int(counts[length])
            items += int(counts[length]) * length
            if baskets >= min_support:
                groups.append((baskets, items))
                baskets = items = 0
        if baskets:
            last = groups.pop() if groups else (0, 0)
            groups.append((last[0] + baskets, last[1] + items))
        values = np.array([round(i / b) for b, i in groups[::-1]], np.int64)
        return cls(values, np.array([b for b, _ in groups[::-1]], np.int64))

    def rounded(self, base: int) -> Lengths:
        """The same lengths with multiples of a base, which add up to all baskets, rounded.

        Sums are rounded and taken apart again; a length that is left without baskets goes.

        >>> Lengths(np.array([1, 2, 3]), np.array([13, 13, 6])).rounded(5).counts.tolist()
        [15, 10, 5]
        """
        counts = np.diff(to_base(np.cumsum(self.counts), base), prepend=0)
        return Lengths(self.values[counts > 0], counts[counts > 0])

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Lengths drawn by weight."""
        return rng.choice(self.values, count, p=self.counts / self.counts.sum())

    def spread(self, count: int) -> NDArray[np.int64]:
        """About so many lengths in the exact proportions, without chance."""
        bounds = np.round(np.cumsum(self.counts) / self.counts.sum() * count)
        return np.repeat(self.values, np.diff(bounds, prepend=0).astype(np.int64))
