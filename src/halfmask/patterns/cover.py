"""Cover and encode rows with the elements of a code table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Itemset, Transactions


@dataclass(frozen=True, eq=False)
class Encoded:
    """A database written in the codes of a table."""

    bits: NDArray[np.float64]
    """The length of each row; of one copy where a row stands for several."""
    set_usages: NDArray[np.int64]
    """How many of these rows use each set, in cover order."""
    item_usages: NDArray[np.int64]
    """How many of these rows use each single item."""
    total: float
    """The length of the whole database."""


def cover(row: Iterable[int], sets: Sequence[Itemset]) -> tuple[Itemset, ...]:
    """The elements that cover one row: sets in cover order as they still fit, then single items.

    >>> cover((0, 1, 2, 3), [(0, 1), (1, 2)])
    ((0, 1), (2,), (3,))
    """
    left = set(row)
    used: list[Itemset] = []
    for itemset in sets:
        if left.issuperset(itemset):
            used.append(itemset)
            left.difference_update(itemset)
    return (*used, *((item,) for item in sorted(left)))


def encode(
    rows: Transactions,
    sets: Transactions,
    set_bits: NDArray[np.float64],
    item_bits: NDArray[np.float64],
) -> Encoded:
    """Rows in given codes; an element without a code (usage 0) has infinite length."""
    bits, usages = _native.encode(
        rows.offsets,
        rows.items,
        rows.weights,
        rows.n_items,
        sets.offsets,
        sets.items,
        np.concatenate([set_bits, item_bits]),
    )
    return Encoded(
        bits, usages[: len(sets)], usages[len(sets) :], float((bits * rows.weights).sum())
    )
