"""Derivable groups of baskets: what a reader of a model can find out about few of them.

As of tables: each count that a model tells is known between two bounds, exact ones to the number.
Every basket that holds an item is covered once where it stands, so usages add up to supports; a set
is held by no more baskets than its parts, and the difference is those who hold the part alone;
lengths make up all baskets. A group is derivable where bounds narrowed by all these sums leave it
between 1 and `min_support - 1` baskets.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np

from halfmask.data import Itemset
from halfmask.data.intervals import Intervals
from halfmask.methods.baskets.model import BasketModel
from halfmask.methods.generator.derivable import Findings

USAGE, UNUSED = "a usage", "baskets that do not use a set"
ALONE, LENGTH = "a set without a larger one", "a length"


def derivable_baskets(model: BasketModel) -> Findings:
    """The groups below the minimum support that follow from what a model tells.

    >>> from halfmask.data import Assortment
    >>> from halfmask.methods.baskets.margins import Lengths
    >>> from halfmask.patterns.code_table import CodeTable
    >>> table = CodeTable(Assortment(("a", "b")), [(0, 1)], [17], [17], [4, 0], [21, 17], 21)
    >>> lengths = Lengths(np.array([1, 2]), np.array([4, 17]))
    >>> derivable_baskets(BasketModel(table, lengths, 10)).derivable
    {'a usage': 1, 'a set without a larger one': 1, 'a length': 1}
    """
    if model.min_support == 1:
        return Findings(0, 0, {})
    return _KnownBaskets(model).findings()


class _KnownBaskets:
    """A model of baskets as unknowns and equations."""

    def __init__(self, model: BasketModel) -> None:
        self.model, self.known = model, Intervals()
        self.kinds: list[tuple[range, str]] = []
        self.supports = self._supports()
        self._usages()
        self._alone()
        self._lengths()

    def findings(self) -> Findings:
        """What was looked at, and what is pinned to few baskets."""
        low, high = self.known.narrowed()
        found: Counter[str] = Counter()
        for unknowns, kind in self.kinds:
            part = slice(unknowns.start, unknowns.stop)
            found[kind] += int(((low[part] >= 1) & (high[part] < self.model.min_support)).sum())
        told = {kind: count for kind, count in found.items() if count}
        return Findings(self.known.size, self.known.equations, told)

    def _between(self, counts: list[int], *, down: bool = False, least: int = 0) -> range:
        """Unknowns behind told counts: to the nearest multiple of the base, or rounded down."""
        base = self.model.base
        told = np.array(counts, np.int64)
        below, above = (0, base - 1) if down else (base // 2, (base - 1) // 2)
        if base > 1 and not down:  # nothing above 0 is told as 0, so the first may be less
            below_first = np.where(told == base, base - 1, below)
            return self.known.more(np.maximum(told - below_first, least), told + above)
        return self.known.more(np.maximum(told - below, least), told + above)

    def _supports(self) -> dict[Itemset, int]:
        """The unknown support of every set that is told, items included."""
        model, table = self.model, self.model.code_table
        told: dict[Itemset, int] = {
            (item,): int(n) for item, n in enumerate(table.item_supports.tolist()) if n
        }
        told |= {
            tuple(sorted(s)): int(n)
            for s, n in zip(table.sets, table.supports.tolist(), strict=True)
        }
        if model.margins is not None:
            counts = model.margins.counts.tolist()
            told |= dict(zip(map(tuple, model.margins.sets), counts, strict=True))
        unknowns = self._between([*told.values()], least=model.min_support)
        return dict(zip(told, unknowns, strict=True))

    def _usages(self) -> None:
        """Usages of sets, of items alone, and what is left of supports."""
        table = self.model.code_table
        sets = [tuple(sorted(s)) for s in table.sets]
        of_sets = self._between(table.usages.tolist(), down=True)
        items = [item for (item,) in (s for s in self.supports if len(s) == 1)]
        # Where counts were rounded, that of an item alone is the rest of rounded numbers.
        rows = table.rows + self.model.base
        exact = self.model.base == 1
        alone = table.item_usages[items] if items else np.empty(0, np.int64)
        low, high = (alone, alone) if exact else (np.zeros_like(alone), np.full_like(alone, rows))
        of_items = self.known.more(low, high)
        unused = self.known.more(np.zeros(len(sets), np.int64), np.full(len(sets), rows))
        covering: dict[int, list[int]] = {item: [] for item in items}
        for number, held in enumerate(sets):
            self.known.add([self.supports[held]], [of_sets[number], unused[number]])
            for item in held:
                covering[item].append(of_sets[number])
        for place, item in enumerate(items):
            self.known.add([self.supports[item,]], [of_items[place], *covering[item]])
        self.kinds += [(of_sets, USAGE), (of_items, USAGE), (unused, UNUSED)]

    def _alone(self) -> None:
        """Those who hold a set without one more item."""
        rows = self.model.code_table.rows + self.model.base
        pairs = [
            (part, whole)
            for whole in self.supports
            if len(whole) > 1
            for part in combinations(whole, len(whole) - 1)
            if part in self.supports
        ]
        apart = self.known.more(np.zeros(len(pairs), np.int64), np.full(len(pairs), rows))
        for number, (part, whole) in enumerate(pairs):
            self.known.add([self.supports[part]], [self.supports[whole], apart[number]])
        self.kinds.append((apart, ALONE))

    def _lengths(self) -> None:
        """Lengths are told in groups; rounded ones make up sums that were rounded."""
        base, counts = self.model.base, self.model.lengths.counts
        low, high = (counts, counts) if base == 1 else (counts - base + 1, counts + base - 1)
        self.kinds.append((self.known.more(np.maximum(low, 0), high), LENGTH))
