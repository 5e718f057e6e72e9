"""Correlation of items: the mean-square contingency φ², in two forms.

    φ²_cell = (f11 − fi·fj)² / (fi·fj)                        the cell "both present" alone
    φ²_full = (f11 − fi·fj)² / (fi(1 − fi) · fj(1 − fj))      all four cells (Cramér's V²)

The first is what the article on multi-dimension anatomy prints: an absent item tells nothing.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Transactions

Phi = Literal["cell", "full"]


def pair_counts(rows: Transactions, items: NDArray[np.int64]) -> NDArray[np.uint32]:
    """How many rows hold both of two items, for all pairs of the given items.

    >>> pair_counts(Transactions.of([(0, 1), (0,)], n_items=2), np.array([0, 1])).tolist()
    [[2, 1], [1, 1]]
    """
    counts = _native.pair_counts(
        rows.offsets, rows.items, rows.weights, rows.n_items, _slots(rows, items), len(items)
    )
    return counts.reshape(len(items), len(items))


def cross_counts(
    rows: Transactions, left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """How many rows hold an item of the left and one of the right, for all such pairs."""
    counts = _native.cross_counts(
        rows.offsets,
        rows.items,
        rows.weights,
        rows.n_items,
        _slots(rows, left),
        len(left),
        _slots(rows, right),
        len(right),
    )
    return counts.reshape(len(left), len(right))


def _slots(rows: Transactions, items: NDArray[np.int64]) -> NDArray[np.int32]:
    slots = np.full(rows.n_items, -1, np.int32)
    slots[items] = np.arange(len(items), dtype=np.int32)
    return slots


def phi_squared(
    rows: Transactions, items: NDArray[np.int64], *, phi: Phi = "cell", signed: bool = False
) -> NDArray[np.float64]:
    """φ² of all pairs of items that occur; the diagonal holds an item with itself.

    `signed` sets φ² to 0 where two items are together less often than by chance; otherwise items
    that exclude one another look correlated.

    >>> rows = Transactions.of([(0, 1), (0, 1), (2,), ()], n_items=3)
    >>> phi_squared(rows, np.arange(3))[0].round(3).tolist()
    [0.25, 0.25, 0.125]
    """
    together = pair_counts(rows, items)
    f = np.diagonal(together) / rows.size
    return _phi(together / rows.size, (f, f), phi=phi, signed=signed)


def phi_squared_between(
    rows: Transactions,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    *,
    phi: Phi = "cell",
    signed: bool = False,
) -> NDArray[np.float64]:
    """φ² of each item on the left with each on the right."""
    together = cross_counts(rows, left, right)
    f = rows.item_counts / rows.size
    return _phi(together / rows.size, (f[left], f[right]), phi=phi, signed=signed)


def _phi(
    together: NDArray[np.float64],
    alone: tuple[NDArray[np.float64], NDArray[np.float64]],
    *,
    phi: Phi,
    signed: bool,
) -> NDArray[np.float64]:
    fi, fj = alone
    # In place: with 5,000 items one such matrix is 200 MB.
    result = together
    result -= np.outer(fi, fj)
    if signed:
        np.maximum(result, 0.0, out=result)
    result *= result
    spread_i, spread_j = (fi, fj) if phi == "cell" else (fi * (1 - fi), fj * (1 - fj))
    # An item in every row says nothing about another one: 0/0 of the full form is 0.
    result /= np.maximum(np.outer(spread_i, spread_j), np.finfo(np.float64).tiny)
    return result
