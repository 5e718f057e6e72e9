"""Derivable groups: what a reader of a model can find out about few rows by arithmetic.

Each count that a model tells is known between two bounds. Values make up their column, cells and
rests their table, combinations are parts of smaller ones, leaves parts of the target's values,
usages cover every value. A group is derivable where every solution of all these sums in whole
numbers gives it between 1 and `min_support - 1` rows: such a model is not written.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import and_
from typing import cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Itemset, Margin, Schema
from halfmask.data.coding.bins import Bins
from halfmask.data.intervals import OPEN, PINNED, Intervals
from halfmask.data.rounding import Name, Rounding
from halfmask.data.target_trees import Leaf, Tree
from halfmask.methods.generator.model import GeneratorModel

MOST_HIDDEN = 1 << 22
"""Cells of two-way tables, told or not, that are looked at one by one."""
MOST_COMPARED = 20_000
"""Combinations of which each is compared with each."""
MOST_GROUPS = 200_000
"""Where it is not settled whether counts tell of few, they are rounded anew too, until so many
groups were looked at: then a large model has open ones, and `inspect --audit` says so."""
NOWHERE = -1


@dataclass(frozen=True)
class Findings:
    """What was looked at, and what was found."""

    groups: int
    """Groups of rows whose numbers were bounded."""
    equations: int
    derivable: dict[str, int]
    """How many groups of each kind are pinned to fewer rows than they may be."""
    open: int = 0
    """Groups of which it is not settled whether they are: the model is too large."""
    involved: frozenset[Name] = frozenset()
    """The counts that tell of them, or may."""

    def will_do(self, attempt: int) -> bool:
        """Whether a model with these need not be rounded anew, after so many attempts."""
        return not self.count and (not self.open or attempt * self.groups > MOST_GROUPS)

    @property
    def count(self) -> int:
        """How many groups are derivable."""
        return sum(self.derivable.values())


def derivable(model: GeneratorModel) -> Findings:
    """The groups below the minimum support that follow from what a model tells.

    >>> from halfmask.data import Attribute
    >>> from halfmask.methods.generator.settings import GeneratorSettings
    >>> from halfmask.patterns.code_table import CodeTable
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> table = CodeTable(schema, [(0, 2)], [20], [20], [3, 20, 0, 23], [23, 20, 20, 23], 43)
    >>> derivable(GeneratorModel(table, GeneratorSettings(min_support=5))).derivable["a usage"]
    1
    """
    if model.min_support == 1:
        return Findings(0, 0, {})
    if model not in _LOOKED_AT:
        _LOOKED_AT[model] = _Known(model).findings()
    return _LOOKED_AT[model]


_LOOKED_AT: WeakKeyDictionary[GeneratorModel, Findings] = WeakKeyDictionary()
"""A model never changes, so that what was found when it was learnt holds when it is written."""


class _Known:
    """A model as unknowns and equations; a group is named by its items."""

    def __init__(self, model: GeneratorModel) -> None:
        self.model = model
        self.schema: Schema = model.schema
        self.rounding = Rounding(model.min_support, model.base)
        self.of_values = Rounding(model.value_support, model.base)
        self.intervals = Intervals()
        self.kinds: list[tuple[range, str]] = []
        self.names: dict[int, Name] = {}
        self.told: dict[Name, int] = {}
        self.single: list[int] = []
        self.rows = model.code_table.rows
        self.everyone = self.intervals.more([self.rows], [self.rows])[0]
        self.waived = self._waived()
        self._values()
        self._patterns()
        margins = model.margins
        tables = () if margins is None else margins.tables
        for margin in tables:
            self._cells(margin)
        target_trees = None if margins is None else margins.target_trees
        if target_trees is not None:
            for tree in target_trees.trees:
                self._tree(tree, target_trees.target)
        self._parts_of_groups()
        pairs = [margin for margin in tables if len(margin.attributes) == 2]
        if sum(self._cells_of(margin) for margin in pairs) <= MOST_HIDDEN:
            self._hidden(pairs)
        self._usages()
        self._larger()

    def findings(self) -> Findings:
        """Settle every group."""
        groups = np.array([n for unknowns, _ in self.kinds for n in unknowns], np.int64)
        floors = np.full(self.intervals.size, self.rounding.floor, np.int64)
        floors[self.single] = self.of_values.floor
        fates = self.intervals.settled(groups, floors[groups])
        pinned = np.zeros(self.intervals.size, bool)
        pinned[groups[fates == PINNED]] = True
        kinds: Counter[str] = Counter()
        for unknowns, kind in self.kinds:
            kinds[kind] += int(pinned[unknowns.start : unknowns.stop].sum())
        unsure = pinned.copy()
        unsure[groups[fates == OPEN]] = True
        beside = self.intervals.beside(unsure)
        return Findings(
            len(groups),
            self.intervals.equations,
            {kind: count for kind, count in kinds.items() if count},
            int((fates == OPEN).sum()),
            frozenset(self.names[n] for n in np.flatnonzero(beside).tolist() if n in self.names),
        )

    def _more(self, low: Iterable[int], high: Iterable[int], kind: str | None) -> range:
        """New unknowns; groups of a kind, if it is one that must not be small."""
        found = self.intervals.more(low, high)
        self.kinds += [] if kind is None else [(found, kind)]
        return found

    def _tell(self, group: Name, count: int, kind: str) -> int:
        """The unknown of a group that is told."""
        if group not in self.told:
            rounding = self.of_values if len(group) == 1 else self.rounding
            low, high = rounding.group_bounds(count)
            self.told[group] = self._more([low], [high], kind)[0]
            self.names[self.told[group]] = group
        return self.told[group]

    def _tell_cell(self, group: Name, count: int, kind: str) -> int:
        """The same for a group that would not be told if its number were smaller."""
        low, high = self.rounding.cell_bounds(count)
        if group in self.told:
            self.intervals.add([self.told[group]], self.intervals.more([low], [high]))
        else:
            self.told[group] = self._more([low], [high], kind)[0]
            self.names[self.told[group]] = group
        return self.told[group]

    def _count(self, count: int, name: Name, kind: str) -> int:
        """The unknown of a rest or a usage."""
        low, high = self.rounding.bounds(count)
        found = self._more([low], [high], kind)[0]
        self.names[found] = name
        return found

    def _rest(self, whole: int, parts: Iterable[int], kind: str | None) -> int:
        """What the parts leave of the whole."""
        found = self._more([0], [self.rows], kind)[0]
        self.intervals.add([whole], [*parts, found])
        return found

    def _waived(self) -> NDArray[np.bool_]:
        """Values that no row holds, or that the steward keeps although few do, are told as such."""
        return np.asarray(self.model.code_table.item_supports < self.of_values.floor)

    def _values(self) -> None:
        supports = self.model.code_table.item_supports.tolist()
        self.absent: list[int] = []
        for attribute in self.schema:
            items = self.schema.items_of(attribute.name)
            values = [self._value(item, supports[item]) for item in items]
            kind = None if self.waived[items.start : items.stop].any() else "rows without a value"
            self.absent.append(self._rest(self.everyone, values, kind))
            for item, bin_ in zip(
                values, attribute.bins.bins if attribute.bins else (), strict=False
            ):
                names: list[Name] = [("part", attribute.name, p.low) for p in bin_ if p.rows]
                rows = [part.rows for part in bin_ if part.rows]
                self.intervals.add([item], self._parts(names, rows))
            if attribute.bins and attribute.bins.clock:
                self._clock(attribute.name, attribute.bins.clock, values)

    def _clock(self, name: str, clock: Bins, values: list[int]) -> None:
        """The parts of the day hold no more rows than have a value."""
        parts = [part for bin_ in clock.bins for part in bin_ if part.rows]
        names: list[Name] = [("part", name, "clock", part.low) for part in parts]
        found = self._parts(names, [part.rows for part in parts])
        self.intervals.add(values, [*found, *self._more([0], [self.rows], None)])

    def _parts(self, names: list[Name], rows: list[int]) -> range:
        """Parts of a bin, told like values."""
        bounds = [self.of_values.group_bounds(count) for count in rows]
        low, high = zip(*bounds, strict=True)
        found = self._more(low, high, "a part of a bin")
        self.single += found
        self.names |= dict(zip(found, names, strict=True))
        return found

    def _value(self, item: int, count: int) -> int:
        if not self.waived[item]:
            self.single.append(self._tell((item,), count, "a value"))
            return self.single[-1]
        self.told[item,] = self.intervals.more([count], [count])[0]
        return self.told[item,]

    def _patterns(self) -> None:
        table = self.model.code_table
        for itemset, support in zip(table.sets, table.supports.tolist(), strict=True):
            self._tell(itemset, support, "a combination")

    def _cells(self, margin: Margin) -> None:
        firsts = [self.schema.items_of(name).start for name in margin.attributes]
        cells = [
            self._tell_cell(tuple(sorted(cell)), count, "a cell")
            for cell, count in zip(
                (margin.cells + firsts).tolist(), margin.counts.tolist(), strict=True
            )
        ]
        rest = self._count(margin.remainder, ("rest", *margin.attributes), "a rest of a table")
        if len(firsts) == 1:
            absent = self.absent[self.schema.position(margin.attributes[0])]
            self.intervals.add([self.everyone], [*cells, rest, absent])
        else:
            self._rest(self.everyone, [*cells, rest], "rows outside of a table")

    def _tree(self, tree: Tree, target: str) -> None:
        """The leaves of one value of the target are parts of it; leaves share no row."""
        leaves: defaultdict[int, list[int]] = defaultdict(list)
        items = self.schema.items_of(target)
        few: list[int] = []
        every: list[int] = []
        for leaf in tree.leaves:
            parts = []
            for code, count in leaf.counts:
                group = leaf_name(self.schema, leaf.path, items[code])
                parts.append(self._tell_cell(group, count, "a leaf"))
                leaves[code].append(parts[-1])
            if leaf.rest is None:  # a model of an earlier version: there are some, but few
                few += self._more([1], [self.rounding.floor - 1], "a rest of a leaf")
                every.append(few[-1])
            else:
                name = ("rest", *sorted(leaf.path))
                parts.append(self._count(leaf.rest, name, "a rest of a leaf"))
                self._path(leaf, parts, target)
            every += parts
        if few:
            low, high = self.rounding.bounds(tree.suppressed)
            self.intervals.add(self._more([low], [high], "rests of leaves"), few)
        self._rest(self.everyone, every, "rows outside of leaves")
        for code, parts in leaves.items():
            self._rest(self.told[items[code],], parts, "rows outside of leaves")

    def _path(self, leaf: Leaf, parts: list[int], target: str) -> None:
        """A path of values that is told as a group: its leaf, and those without a target."""
        if not all(equal for _, _, equal in leaf.path):
            return
        group = tuple(sorted(self.schema.items_of(name)[code] for name, code, _ in leaf.path))
        whole = self.told.get(group) if group else self.everyone
        if whole is not None:
            without = self._rest(whole, parts, None)
            self._rest(self.absent[self.schema.position(target)], [without], None)

    def _parts_of_groups(self) -> None:
        """A group without those of it that are told with one more value; without two values."""
        children: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        itemsets = self._itemsets()
        groups = {sum(1 << item for item in group): n for group, n in itemsets.items()}
        waived = sum(1 << item for item in np.flatnonzero(self.waived).tolist())
        domains = self.schema.domains.tolist()
        for itemset, (group, n) in zip(itemsets, groups.items(), strict=True):
            without = [item for item in itemset if group ^ (1 << item) in groups]
            for item in without:
                whole = group ^ (1 << item)
                if not whole & waived:
                    children[whole, domains[item]].append(n)
            for one, other in combinations(without, 2):
                whole = group ^ (1 << one) ^ (1 << other)
                if whole in groups:
                    parts = [groups[group ^ (1 << one)], groups[group ^ (1 << other)]]
                    left = self._more([0], [self.rows], "a combination without two values")[0]
                    self.intervals.add([groups[whole], n], [*parts, left])
        for (whole, _), parts in children.items():
            self._rest(groups[whole], parts, "a combination without larger ones")

    def _itemsets(self) -> dict[Itemset, int]:
        """The groups that are told, but those at the end of a path with a no."""
        told = self.told.items()
        return {cast("Itemset", g): n for g, n in told if all(isinstance(i, int) for i in g)}

    def _is_waived(self, group: Itemset) -> bool:
        return any(self.waived[item] for item in group)

    def _larger(self) -> None:
        """A combination without one that holds it and more."""
        groups = [group for group in self._itemsets() if not self._is_waived(group)]
        if len(groups) > MOST_COMPARED:
            groups = [group for group in groups if len(group) > 2][:MOST_COMPARED]
        holding = [0] * self.schema.n_items  # each value's groups, as the bits of a number
        for n, group in enumerate(groups):
            for item in group:
                holding[item] |= 1 << n
        for n, group in enumerate(groups):
            larger = reduce(and_, (holding[item] for item in group)) ^ (1 << n)
            while larger:
                one = larger & -larger
                whole, part = self.told[group], self.told[groups[one.bit_length() - 1]]
                self._rest(whole, [part], "a combination without a larger one")
                larger ^= one

    def _cells_of(self, margin: Margin) -> int:
        one, other = (self.schema[name].size + 1 for name in margin.attributes)
        return one * other

    def _hidden(self, margins: list[Margin]) -> None:
        """The cells of two-way tables that are not told, and the sums along both sides."""
        told: defaultdict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
        for group, n in self._itemsets().items():
            if len(group) == 2:
                columns = [int(self.schema.domains[item]) for item in group]
                told[columns[0], columns[1]].append((group[0], group[1], n))
        for margin in margins:
            columns = sorted(self.schema.position(name) for name in margin.attributes)
            self._table(columns[0], columns[1], told[columns[0], columns[1]], margin)

    def _table(
        self, one: int, other: int, told: list[tuple[int, int, int]], margin: Margin
    ) -> None:
        """Its last line and column are the rows without a value."""
        sides = [self.schema.items_of(self.schema.names[column]) for column in (one, other)]
        cells = np.full([len(side) + 1 for side in sides], NOWHERE, np.int64)
        for a, b, n in told:
            cells[a - sides[0].start, b - sides[1].start] = n
        most = np.full(cells.shape, self.rows, np.int64)
        if not self._may_hold_more(margin):
            most[:-1, :-1] = self.rounding.least - 1
        rare = [np.append(self.waived[side.start : side.stop], False) for side in sides]
        of_rare = rare[0][:, None] | rare[1]
        for kind, hidden in (
            ("a cell that is not told", (cells == NOWHERE) & ~of_rare),
            (None, (cells == NOWHERE) & of_rare),
        ):
            bounds = most[hidden]
            cells[hidden] = self._more([0] * len(bounds), bounds.tolist(), kind)
        for side, column, lines in ((sides[0], one, cells), (sides[1], other, cells.T)):
            wholes = [*(self.told[item,] for item in side), self.absent[column]]
            self.intervals.add_lines(np.array(wholes, np.int64), np.ascontiguousarray(lines))

    def _may_hold_more(self, margin: Margin) -> bool:
        """Whether a cell of enough rows can have joined the rest, to keep that from being small."""
        if not len(margin.counts):
            return True
        smallest = self.rounding.bounds(int(margin.counts.min()))[1]
        return self.rounding.bounds(margin.remainder)[0] <= self.rounding.floor - 1 + smallest

    def _usages(self) -> None:
        """The usages of all that holds a value make up its support."""
        table = self.model.code_table
        covering: defaultdict[int, list[int]] = defaultdict(list)
        for itemset, usage in zip(table.sets, table.usages.tolist(), strict=True):
            n = self._count(usage, ("usage", *itemset), "a usage")
            self._rest(self.told[itemset], [n], "rows that do not use a combination")
            for item in itemset:
                covering[item].append(n)
        for item, usage in enumerate(table.item_usages.tolist()):
            if not self.waived[item]:
                covering[item].append(self._count(usage, ("usage", item), "a usage"))
                self.intervals.add([self.told[item,]], covering[item])


def leaf_name(schema: Schema, path: Iterable[tuple[str, int, bool]], value: int) -> Name:
    """A value of the target at the end of a path.

    Where all splits are answered with yes it is a cell, and named as one.
    """
    splits = list(path)
    if all(equal for _, _, equal in splits):
        items = [schema.items_of(name)[code] for name, code, _ in splits]
        return tuple(sorted([*items, value]))
    return ("leaf", *sorted(splits), value)
