"""From supports to a marginal: what lies in and out, by inclusion and exclusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halfmask.data.countable import Itemset
from halfmask.errors import NotCountable

__all__ = ["MAX_ITEMS", "marginal_of_supports", "subsets"]

MAX_ITEMS = 16
"""A question about k items needs 2^k supports; beyond this nobody waits for the answer."""


def subsets(itemset: Itemset) -> list[Itemset]:
    """All subsets, the empty one first.

    >>> subsets((3, 7))
    [(), (3,), (7,), (3, 7)]
    """
    if len(itemset) > MAX_ITEMS:
        raise NotCountable(
            f"A question about {len(itemset)} items together needs 2^{len(itemset)} counts; "
            f"ask for at most {MAX_ITEMS} items at once."
        )
    return [part for size in range(len(itemset) + 1) for part in combinations(itemset, size)]


def marginal_of_supports(
    support: Callable[[Sequence[Itemset]], NDArray[np.float64]], items: Sequence[int]
) -> NDArray[np.float64]:
    """Joint counts of being out (0) or in (1), one axis per item, from the supports of all subsets.

    The function asked must answer linearly, as a count, an expectation or an estimate does.

    >>> from halfmask.data import Baskets
    >>> baskets = Baskets.of([["a", "b"], ["a"], ["a"], []])
    >>> marginal_of_supports(baskets.support, [0, 1]).tolist()
    [[1.0, 0.0], [2.0, 1.0]]
    """
    if len(set(items)) != len(items):
        raise NotCountable("An item was asked for twice in one marginal.")
    asked = subsets(tuple(items))
    table = np.empty((2,) * len(items))
    for part, count in zip(asked, support([tuple(sorted(p)) for p in asked]), strict=True):
        table[tuple(int(item in part) for item in items)] = count
    for axis in range(len(items)):
        out, within = np.moveaxis(table, axis, 0)
        out -= within
    return table
