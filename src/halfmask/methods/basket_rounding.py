"""Rounding of every count that a model of baskets tells, as statistics offices round tables.

A count stands in several places of a model: an item's also as the sum of the usages that cover it.
Rounding one of them alone would tell the others' exact value, so all are multiples of the base.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from halfmask.data import BasketMargins
from halfmask.data.rounding import least_told, to_base
from halfmask.methods.basket_model import BasketModel
from halfmask.patterns.code_table import CodeTable

__all__ = ["round_margins", "round_model"]


def round_model(model: BasketModel, base: int) -> BasketModel:
    """The model with lengths, supports and usages as multiples of a base; patterns stay.

    >>> from halfmask.data import Assortment
    >>> from halfmask.methods.lengths import Lengths
    >>> table = CodeTable(Assortment(("a", "b")), [(0, 1)], [17], [17], [4, 0], [21, 17], 21)
    >>> lengths = Lengths(np.array([1, 2]), np.array([4, 17]))
    >>> told = round_model(BasketModel(table, lengths, 4), 5)
    >>> told.lengths.counts.tolist(), told.code_table.rows
    ([5, 15], 20)
    >>> told.code_table.usages.tolist(), told.code_table.item_usages.tolist()
    ([15], [5, 0])
    """
    lengths = model.lengths.rounded(base)
    table = _rounded_table(model.code_table, base, rows=int(lengths.counts.sum()))
    return replace(model, code_table=table, lengths=lengths, base=base)


def _rounded_table(table: CodeTable, base: int, *, rows: int) -> CodeTable:
    """Usages of sets go down: then they never add up to more than the items they cover.

    What that takes from an item in sets is added to its usage alone.
    """
    usages = table.usages // base * base
    item_supports = to_base(table.item_supports, base)
    sizes = np.diff(table.elements.offsets)
    covered = np.bincount(
        table.elements.items, np.repeat(usages, sizes), minlength=table.schema.n_items
    )
    return CodeTable(
        table.schema,
        table.sets,
        usages,
        to_base(table.supports, base),
        item_supports - covered.astype(np.int64),
        item_supports,
        rows,
    )


def round_margins(margins: BasketMargins, base: int) -> BasketMargins:
    """Checked margins as multiples of a base, and the number of baskets with them."""
    return replace(
        margins,
        counts=to_base(margins.counts, base),
        rows=least_told(margins.rows, base),
        min_support=least_told(margins.min_support, base),
    )
