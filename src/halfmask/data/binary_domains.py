"""Baskets of few items as a table, one column in or out for each, and back.

So the experiments with Quest data were done: the code table then also knows what is absent. With
thousands of items use the basket generator instead.
"""

from __future__ import annotations

import numpy as np

from halfmask.data.baskets import Assortment, Baskets
from halfmask.data.schema import Attribute, Schema
from halfmask.data.table import Table
from halfmask.data.transactions import Transactions
from halfmask.errors import BadInput

MAX_ITEMS = 256
"""Columns above this make rows that are nearly all "out" and searches that never end."""

OUT_IN = ("0", "1")


def binary_table(baskets: Baskets, *, prefix: str = "") -> Table:
    """A column for each item: 0 out of the basket, 1 in it.

    A `prefix` before the names of items makes them names of columns, where they are numbers.

    >>> binary_table(Baskets.of([["milk", "tea"], ["tea"]])).codes.tolist()
    [[1, 1], [0, 1]]
    """
    n_items = baskets.schema.n_items
    if n_items > MAX_ITEMS:
        raise BadInput(
            f"A column for each of {n_items:,} items is too many (at most {MAX_ITEMS}); use the "
            "basket generator, which needs no columns."
        )
    rows = baskets.transactions
    codes = np.zeros((len(rows), n_items), np.int32)
    codes[np.repeat(np.arange(len(rows)), np.diff(rows.offsets)), rows.items] = 1
    return Table(
        Schema(tuple(Attribute(f"{prefix}{name}", OUT_IN) for name in baskets.schema.names)), codes
    )


def from_binary_table(table: Table) -> Baskets:
    """The baskets of a table whose columns are items.

    >>> table = binary_table(Baskets.of([["milk", "tea"], ["tea"], []]))
    >>> list(from_binary_table(table).transactions)
    [(0, 1), (1,), ()]
    """
    for attribute in table.schema:
        if attribute.values != OUT_IN:
            raise BadInput(f"Column {attribute.name!r} is not an item: its values are not 0 and 1.")
    inside = table.codes == 1
    offsets = np.concatenate([[0], np.cumsum(inside.sum(axis=1))]).astype(np.int64)
    items = np.nonzero(np.ascontiguousarray(inside))[1].astype(np.int32)
    schema = Assortment(table.schema.names)
    rows = Transactions(offsets, items, np.ones(len(table), np.int64), schema.n_items)
    return Baskets(schema, rows)
