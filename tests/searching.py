"""What the tests of both searches share: rows to search, and when two tables are the same."""

from __future__ import annotations

import numpy as np

from halfmask.data import Assortment, Transactions

__all__ = ["drawn", "same", "schema_of"]


def schema_of(rows: Transactions) -> Assortment:
    """Names for the items of some rows."""
    return Assortment(tuple(f"i{i}" for i in range(rows.n_items)))


def same(one, other) -> bool:
    """Whether two code tables have the same sets, with the same counts."""
    return (
        one.sets == other.sets
        and one.usages.tolist() == other.usages.tolist()
        and one.supports.tolist() == other.supports.tolist()
        and one.item_usages.tolist() == other.item_usages.tolist()
    )


def drawn(seed: int, rows: int = 300, columns: int = 8, values: int = 3) -> Transactions:
    """Rows with structure: the later columns mostly copy earlier ones."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(values, size=(rows, columns))
    for c in range(1, columns):
        copy = rng.random(rows) < 0.7
        codes[copy, c] = codes[copy, rng.integers(c)]
    return Transactions.of(codes + values * np.arange(columns), values * columns)
