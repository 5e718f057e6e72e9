"""Derivable groups of baskets: what a reader of a model can find out about few of them.

As of tables: each count that a model tells is known between two bounds, exact ones to the number.
Every basket that holds an item is covered once where it stands, so usages add up to supports; a set
is held by no more baskets than its parts, and the difference is those who hold the part alone;
lengths make up all baskets. A group is derivable where every solution of all these sums gives it
between 1 and `min_support - 1` baskets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import combinations

import numpy as np

from halfmask.data import Itemset
from halfmask.data.intervals import CLEARED, OPEN, PINNED, Intervals
from halfmask.data.rounding import Name, Rounding
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
        self.rounding = Rounding(model.min_support, model.base)
        self.kinds: list[tuple[range, str, list[tuple[Name, ...]]]] = []
        """Groups of baskets, what they are called, and the counts that tell of each."""
        self.supports = self._supports()
        self._usages()
        self._alone()
        self._lengths()

    def findings(self) -> Findings:
        """What was looked at, and what is pinned to few baskets."""
        groups = np.concatenate([np.array(unknowns, np.int64) for unknowns, _, _ in self.kinds])
        fates = self.known.settled(groups, np.full(len(groups), self.model.min_support))
        kinds = [(kind, each) for _, kind, names in self.kinds for each in names]
        found: Counter[str] = Counter()
        involved: set[Name] = set()
        for (kind, names), fate in zip(kinds, fates.tolist(), strict=True):
            found[kind] += fate == PINNED
            involved.update(names if fate != CLEARED else ())
        told = {kind: count for kind, count in found.items() if count}
        return Findings(
            len(groups), self.known.equations, told, int((fates == OPEN).sum()), frozenset(involved)
        )

    def _of(self, bounds: Callable[[int], tuple[int, int]], counts: Iterable[int]) -> range:
        """Unknowns behind told counts; exact ones are what they say."""
        told = list(counts)
        ends = [(n, n) for n in told] if self.rounding.base == 1 else [bounds(n) for n in told]
        low, high = np.array(ends, np.int64).reshape(-1, 2).T
        return self.known.more(low, high)

    def _supports(self) -> dict[Itemset, int]:
        """The unknown support of every set that is told, items included."""
        table, margins = self.model.code_table, self.model.margins
        always: dict[Itemset, int] = {
            (item,): int(n) for item, n in enumerate(table.item_supports.tolist()) if n
        }
        always |= dict(zip(table.sets, table.supports.tolist(), strict=True))
        told = (
            {} if margins is None else dict(zip(margins.sets, margins.counts.tolist(), strict=True))
        )
        others = {items: n for items, n in told.items() if items not in always}
        found = dict(
            zip(always, self._of(self.rounding.group_bounds, always.values()), strict=True)
        )
        untold = self._of(self.rounding.cell_bounds, others.values())
        return found | dict(zip(others, untold, strict=True))

    def _usages(self) -> None:
        """Usages of sets, of items alone, and what is left of supports."""
        table = self.model.code_table
        sets, rows = table.sets, table.rows + self.model.base
        of_sets = self._of(self.rounding.bounds, table.usages.tolist())
        items = [item for (item,) in (s for s in self.supports if len(s) == 1)]
        of_items = self._of(self.rounding.bounds, table.item_usages[items].tolist())
        unused = self.known.more(np.zeros(len(sets), np.int64), np.full(len(sets), rows))
        covering: dict[int, list[int]] = {item: [] for item in items}
        for number, held in enumerate(sets):
            self.known.add([self.supports[held]], [of_sets[number], unused[number]])
            for item in held:
                covering[item].append(of_sets[number])
        for place, item in enumerate(items):
            self.known.add([self.supports[item,]], [of_items[place], *covering[item]])
        by_set: list[tuple[Name, ...]] = [(("usage", *held),) for held in sets]
        by_item: list[tuple[Name, ...]] = [(("usage", item),) for item in items]
        both: list[tuple[Name, ...]] = [(held, ("usage", *held)) for held in sets]
        self.kinds += [(of_sets, USAGE, by_set), (of_items, USAGE, by_item), (unused, UNUSED, both)]

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
        self.kinds.append((apart, ALONE, list(pairs)))

    def _lengths(self) -> None:
        """Lengths are told in groups, which make up all baskets."""
        bounds, counts = self.rounding.group_bounds, self.model.lengths.counts.tolist()
        every = self._of(bounds, counts)
        total = self.known.more(*2 * [np.array([self.model.code_table.rows])])
        self.known.add([total[0]], list(every))
        names: list[tuple[Name, ...]] = [
            (("length", n),) for n in self.model.lengths.values.tolist()
        ]
        self.kinds.append((every, LENGTH, names))
