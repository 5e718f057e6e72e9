"""The part that is searched: of a long table some rows tell which patterns there are.

What a search costs grows faster than the rows, while the patterns of a table are those of a large
part of it. So patterns are looked for in rows drawn at random, and counted in all of them: every
support, every usage and the floor that a pattern must reach are those of the whole table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from halfmask.data import Itemset, Table, Transactions
from halfmask.data.rows import Rows
from halfmask.data.table import Sums
from halfmask.patterns.code_table import CodeTable, encode

SEARCHED = {"krimp": 1_000_000, "slim": 100_000}
"""Rows in which each search looks for patterns unless told: about a minute on one core."""
LEAST = 10
"""A pattern that fewer rows of the part hold may be chance, whatever the whole table says."""


def floor_in_part(support: int, part: int, rows: int) -> int:
    """The support that stands, in a part of a table, for one in the whole.

    >>> floor_in_part(10_000, 200_000, 10_000_000), floor_in_part(50, 200_000, 10_000_000)
    (200, 10)
    """
    return min(support, max(LEAST, math.ceil(support * part / rows)))


def recounted(found: Mapping[int, CodeTable], rows: Rows) -> dict[int, CodeTable]:
    """Of each of these tables the sets that enough rows hold, counted in all of them.

    They come by the number of rows that is enough. All are counted in two passes.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> table = Table(schema, np.array([[0, 1]] * 7 + [[1, 0]] * 3))
    >>> part = CodeTable(schema, [(0, 3), (1, 2)], [2, 1], [2, 1], [0] * 4, [2, 1, 1, 2], 3)
    >>> whole = recounted({5: part}, table)[5]
    >>> whole.sets, whole.usages.tolist(), whole.item_usages.tolist(), whole.rows
    (((0, 3),), [7], [0, 3, 3, 0], 10)
    """
    every = sorted({itemset for table in found.values() for itemset in table.sets})
    supports, item_supports = rows.summed(partial(_supports, every))
    support_of = dict(zip(every, supports.tolist(), strict=True))
    kept = {
        floor: [itemset for itemset in table.sets if support_of[itemset] >= floor]
        for floor, table in found.items()
    }
    covered = rows.summed(partial(_usages, list(kept.values())))
    return {
        floor: CodeTable(
            rows.schema,
            sets,
            usages[: len(sets)],
            [support_of[itemset] for itemset in sets],
            usages[len(sets) :],
            item_supports,
            len(rows),
        )
        for (floor, sets), usages in zip(kept.items(), covered, strict=True)
    }


def _supports(sets: Sequence[Itemset], piece: Table) -> Sums:
    """How many rows hold each set, and each single item."""
    return piece.transactions.support(sets), piece.transactions.item_counts


def _usages(tables: Sequence[Sequence[Itemset]], piece: Table) -> Sums:
    """How many rows use each set, and each single item, when covered by each of the tables."""
    n_items = piece.schema.n_items
    found = []
    for sets in tables:
        elements = Transactions.of(sets, n_items)
        covered = encode(piece.transactions, elements, np.zeros(len(sets)), np.zeros(n_items))
        found.append(np.concatenate([covered.set_usages, covered.item_usages]))
    return tuple(found)
