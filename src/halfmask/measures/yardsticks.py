"""Yardsticks: releases that everybody understands, to hold a reading against."""

from __future__ import annotations

import numpy as np

from halfmask.data import Baskets, Table, Transactions


def independent_columns(
    original: Table | Baskets, rows: int, rng: np.random.Generator
) -> Table | Baskets:
    """A release that keeps every column's frequencies and no relation between columns.

    Each column of a table is shuffled by itself; each item of baskets is dealt out by itself.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> table = Table(schema, np.array([[0, 1]] * 3 + [[1, 0]] * 3))
    >>> release = independent_columns(table, 6, np.random.default_rng(0))
    >>> release.marginal(["sex"]).tolist(), release.marginal(["ill"]).tolist()
    ([3.0, 3.0], [3.0, 3.0])
    """
    if isinstance(original, Baskets):
        return _independent_items(original, rows, rng)
    codes = np.empty((rows, len(original.schema)), np.int32, order="F")
    for column in range(len(original.schema)):
        codes[:, column] = rng.permutation(_spread(original.codes[:, column], rows, rng))
    return Table(original.schema, codes)


def _spread(
    values: np.ndarray[tuple[int], np.dtype[np.int32]], rows: int, rng: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """The values in random order, cut or repeated to the number of rows."""
    return np.resize(rng.permutation(values), rows)


def _independent_items(original: Baskets, rows: int, rng: np.random.Generator) -> Baskets:
    rate = original.transactions.item_counts / max(original.size, 1.0)
    holders = [
        rng.choice(rows, size=min(rows, round(rows * float(share))), replace=False)
        for share in rate
    ]
    row = np.concatenate([np.empty(0, np.int64), *holders]).astype(np.int64)
    item = np.repeat(np.arange(len(holders)), [len(h) for h in holders]).astype(np.int64)
    order = np.lexsort((item, row))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]).astype(np.int64)
    transactions = Transactions(
        offsets, item[order].astype(np.int32), np.ones(rows, np.int64), original.schema.n_items
    )
    return Baskets(original.schema, transactions)
