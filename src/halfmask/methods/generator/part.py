"""The part that is searched: of a long table some rows tell which patterns there are.

What a search costs grows faster than the rows, while the patterns of a table are those of a large
part of it. So patterns are looked for in rows drawn at random, and counted in all of them: every
support, every usage and the floor that a pattern must reach are those of the whole table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Itemset, Table, Transactions
from halfmask.patterns.code_table import CodeTable
from halfmask.patterns.cover import encode

SEARCHED = {"krimp": 1_000_000, "slim": 100_000}
"""Rows in which each search looks for patterns unless told: about a minute on one core."""
LEAST = 10
"""A pattern that fewer rows of the part hold may be chance, whatever the whole table says."""


def part_of(table: Table, rows: int) -> Table:
    """So many rows of the table in their order, drawn with a fixed key: the same ones each time."""
    if rows >= len(table):
        return table
    drawn = np.random.default_rng(0).choice(len(table), rows, replace=False, shuffle=False)
    return table.take(np.sort(drawn))


def floor_in_part(support: int, part: int, rows: int) -> int:
    """The support that stands, in a part of a table, for one in the whole.

    >>> floor_in_part(10_000, 200_000, 10_000_000), floor_in_part(50, 200_000, 10_000_000)
    (200, 10)
    """
    return min(support, max(LEAST, math.ceil(support * part / rows)))


def recounted(found: CodeTable, table: Table, *, min_support: int) -> CodeTable:
    """The sets that at least `min_support` rows of the table hold, counted in all of its rows.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> table = Table(schema, np.array([[0, 1]] * 7 + [[1, 0]] * 3))
    >>> part = CodeTable(schema, [(0, 3), (1, 2)], [2, 1], [2, 1], [0] * 4, [2, 1, 1, 2], 3)
    >>> whole = recounted(part, table, min_support=5)
    >>> whole.sets, whole.usages.tolist(), whole.item_usages.tolist(), whole.rows
    (((0, 3),), [7], [0, 3, 3, 0], 10)
    """
    supports = np.zeros(len(found.sets), np.int64)
    item_supports = np.zeros(found.schema.n_items, np.int64)
    for piece in table.pieces():
        supports += piece.transactions.support(found.sets)
        item_supports += piece.transactions.item_counts
    kept = supports >= min_support
    sets = [itemset for itemset, keep in zip(found.sets, kept.tolist(), strict=True) if keep]
    usages, item_usages = _usages(sets, table)
    return CodeTable(
        found.schema, sets, usages, supports[kept], item_usages, item_supports, len(table)
    )


def _usages(sets: Sequence[Itemset], table: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many rows use each set, and each single item, when the rows are covered in this order."""
    n_items = table.schema.n_items
    elements = Transactions.of(sets, n_items)
    no_bits = np.zeros(len(sets)), np.zeros(n_items)
    usages, item_usages = np.zeros(len(sets), np.int64), np.zeros(n_items, np.int64)
    for piece in table.pieces():
        covered = encode(piece.transactions, elements, *no_bits)
        usages += covered.set_usages
        item_usages += covered.item_usages
    return usages, item_usages
