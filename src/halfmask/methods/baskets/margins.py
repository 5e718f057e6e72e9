"""What is counted of baskets, and the ties between items that the counts of pairs show.

How long synthetic baskets are: lengths that many baskets have, the others in groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data import BasketMargins, Transactions
from halfmask.errors import BadInput
from halfmask.patterns.mining import Itemsets, TooManyItemsets, mine

HIGHEST_ORDER = 3
MOST_SETS = 100_000
"""Of more sets, those with the largest counts are told: a model stays a file of a few megabytes."""


def check_order(order: int) -> None:
    """Refuse what is no number of items counted together."""
    if isinstance(order, bool) or int(order) != order or not 0 <= order <= HIGHEST_ORDER:
        raise BadInput(f"calibrate is a whole number from 0 to {HIGHEST_ORDER}, not {order!r}.")


def count_sets(rows: Transactions, *, min_support: int, order: int) -> BasketMargins:
    """All sets of up to `order` items that at least `min_support` baskets hold, with their counts.

    >>> rows = Transactions.of([(0, 1)] * 5 + [(0,)] * 3 + [(2,)], n_items=3)
    >>> counted = count_sets(rows, min_support=4, order=2)
    >>> list(counted.sets), counted.counts.tolist()
    ([(0,), (1,), (0, 1)], [8, 5, 5])
    """
    found = _mined(rows, min_support, order)
    listed = sorted((len(items), items, count) for items, count in found)
    return BasketMargins(
        Transactions.of([items for _, items, _ in listed], rows.n_items),
        np.array([count for _, _, count in listed], np.int64),
        rows=rows.size,
        min_support=min_support,
        order=order,
    )


def _mined(rows: Transactions, min_support: int, order: int) -> Itemsets:
    try:
        return mine(rows, min_support=min_support, max_length=order, limit=MOST_SETS)
    except TooManyItemsets as excess:
        return _mined(rows, max(excess.fits, min_support + 1), order)


@dataclass(frozen=True, eq=False)
class Links:
    """The items that each item is found with more often than by chance, and how much more often."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, margins: BasketMargins | None, n_items: int) -> Links:
        """The links that counts of pairs show, in both directions; none without such counts.

        A link weighs the baskets beyond those that two independent items would share. By plain
        counts it would lead from anywhere to whatever is common.

        >>> sets = Transactions.of([(0,), (1,), (2,), (0, 1), (0, 2)], n_items=3)
        >>> margins = BasketMargins(sets, np.array([50, 20, 60, 20, 30]), 100, 20, order=2)
        >>> links = Links.of(margins, 3)
        >>> links.offsets.tolist(), links.items.tolist(), links.weights.tolist()
        ([0, 1, 2, 2], [1, 0], [10.0, 10.0])
        """
        if margins is None:
            return cls(np.zeros(n_items + 1, np.int64), np.empty(0, np.int32), np.empty(0))
        alone = np.zeros(n_items)
        single, pairs = (np.flatnonzero(margins.held == size) for size in (1, 2))
        alone[margins.sets.take(single).items] = margins.counts[single]
        one, other = margins.sets.take(pairs).items.reshape(-1, 2).T
        beyond = margins.counts[pairs] - alone[one] * alone[other] / margins.rows
        start, end = np.concatenate([one, other]), np.concatenate([other, one])
        kept = np.flatnonzero(np.concatenate([beyond, beyond]) > 0)
        order = kept[np.lexsort((end[kept], start[kept]))]
        offsets = np.searchsorted(start[order], np.arange(n_items + 1)).astype(np.int64)
        return cls(offsets, end[order], np.concatenate([beyond, beyond])[order])

    def __len__(self) -> int:
        return len(self.items)


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

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Lengths drawn by weight."""
        return rng.choice(self.values, count, p=self.counts / self.counts.sum())

    def spread(self, count: int) -> NDArray[np.int64]:
        """About so many lengths in the exact proportions, without chance."""
        bounds = np.round(np.cumsum(self.counts) / self.counts.sum() * count)
        return np.repeat(self.values, np.diff(bounds, prepend=0).astype(np.int64))
