"""Telling: a model of baskets as it may leave the house, with counts that nobody can subtract.

As of tables: every count is rounded by chance, right on average, before baskets are drawn. A count
stands in several places of a model, an item's also as the sum of the usages that cover it; rounding
one of them alone would tell the others' exact value. Only the number of all baskets stays exact.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace

import numpy as np

from halfmask.data import BasketMargins, Itemset, Transactions
from halfmask.data.rounding import Name, Rounding, own_base
from halfmask.methods.baskets.derivable import derivable_baskets
from halfmask.methods.baskets.margins import Lengths
from halfmask.methods.baskets.model import BasketModel
from halfmask.patterns.code_table import CodeTable

ATTEMPTS = 5
"""Counts that tell of few baskets are rounded anew so often, then all a quarter more coarsely."""
MOST_ATTEMPTS = 50


def told_baskets(model: BasketModel, rows: Transactions, asked: int = 1) -> BasketModel:
    """The model with every count rounded; exact where the minimum support is 1.

    Chance comes from the baskets themselves, which no reader has: the same baskets are told the
    same way each time, so that many publications tell no more than one.

    >>> from halfmask.data import Assortment
    >>> table = CodeTable(Assortment(("a", "b")), [(0, 1)], [37], [37], [14, 0], [51, 37], 51)
    >>> exact = BasketModel(table, Lengths(np.array([1, 2]), np.array([14, 37])), 10)
    >>> found = told_baskets(exact, Transactions.of([(0, 1)] * 37 + [(0,)] * 14, 2))
    >>> found.base, found.code_table.rows, found.code_table.supports[0] in (36, 42)
    (6, 51, True)
    """
    base = own_base(model.min_support, asked)
    if base == 1:
        return model
    rounding, again = Rounding(model.min_support, base, _secret_of(rows)), Counter[Name]()
    for attempt in range(1, MOST_ATTEMPTS + 1):
        found = _Telling(model, replace(rounding, again=again)).model
        findings = derivable_baskets(found)
        if findings.will_do(attempt):
            break
        again.update(findings.involved)
        if attempt % ATTEMPTS == 0:
            rounding = replace(rounding, base=rounding.base + -(-base // 4))
    return found


def _secret_of(rows: Transactions) -> bytes:
    """What only those know who have all baskets in their order."""
    found = hashlib.blake2b()
    for part in (rows.offsets, rows.items, rows.weights):
        found.update(np.ascontiguousarray(part).tobytes())
    return found.digest()


class _Telling:
    """A model whose counts are exact, and how they are rounded."""

    def __init__(self, exact: BasketModel, rounding: Rounding) -> None:
        self.exact, self.rounding = exact, rounding
        table = exact.code_table
        self.items = [
            self._enough(count, (item,)) if count else 0
            for item, count in enumerate(table.item_supports.tolist())
        ]
        self.sets = {
            items: min(self._enough(count, items), *(self.items[item] for item in items))
            for items, count in zip(table.sets, table.supports.tolist(), strict=True)
        }

    def _enough(self, count: int, name: Itemset) -> int:
        """What is told of a group that is told in any case; never more than all baskets."""
        return min(self.rounding.told_of_enough(count, name), self.exact.code_table.rows)

    @property
    def model(self) -> BasketModel:
        """The model with rounded counts."""
        margins = self.exact.margins
        return replace(
            self.exact,
            code_table=self._code_table(),
            lengths=self._lengths(),
            margins=None if margins is None else self._margins(margins),
            base=self.rounding.base,
        )

    def _code_table(self) -> CodeTable:
        table, told = self.exact.code_table, self.rounding.told
        usages = [
            min(told(usage, ("usage", *items)), self.sets[items])
            for items, usage in zip(table.sets, table.usages.tolist(), strict=True)
        ]
        alone = [
            min(told(usage, ("usage", item)), self.items[item])
            for item, usage in enumerate(table.item_usages.tolist())
        ]
        supports = [self.sets[items] for items in table.sets]
        return CodeTable(
            table.schema, table.sets, usages, supports, alone, self.items, table.rows,
            self.rounding.base,
        )  # fmt: skip

    def _lengths(self) -> Lengths:
        lengths, rows = self.exact.lengths, self.exact.code_table.rows
        pairs = zip(lengths.values.tolist(), lengths.counts.tolist(), strict=True)
        told = [min(self.rounding.told_of_enough(n, ("length", v)), rows) for v, n in pairs]
        return Lengths(lengths.values, np.array(told, np.int64))

    def _margins(self, margins: BasketMargins) -> BasketMargins:
        """Sets that are no patterns are told only where their number comes out above the floor."""
        kept: list[tuple[Itemset, int]] = []
        for items, count in zip(margins.sets, margins.counts.tolist(), strict=True):
            told = self.items[items[0]] if len(items) == 1 else self._of_set(items, count)
            if told >= min(self.rounding.least, margins.rows):
                kept.append((items, told))
        return replace(
            margins,
            sets=Transactions.of([items for items, _ in kept], margins.sets.n_items),
            counts=np.array([told for _, told in kept], np.int64),
        )

    def _of_set(self, items: Itemset, count: int) -> int:
        if items in self.sets:
            return self.sets[items]
        return min(self.rounding.told(count, items), *(self.items[item] for item in items))
