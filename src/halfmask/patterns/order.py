"""The number an item has inside a search: its rank by support.

Candidates of equal support and length are ordered by these ranks, so they decide ties: the most
frequent item has rank 0, and of equally frequent items the one with the larger item number comes
first (the numbering of the authors' program).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Transactions

__all__ = ["item_ranks"]


def item_ranks(rows: Transactions) -> NDArray[np.int32]:
    """The rank of every item.

    >>> item_ranks(Transactions.of([(0, 2), (2,), (1, 2)], n_items=3)).tolist()
    [2, 1, 0]
    """
    counts = rows.item_counts
    by_rank = np.lexsort((-np.arange(rows.n_items), -counts))
    ranks = np.empty(rows.n_items, np.int32)
    ranks[by_rank] = np.arange(rows.n_items, dtype=np.int32)
    return ranks
