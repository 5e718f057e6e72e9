"""Telling: a model as it may leave the house, with counts that nobody can subtract.

A search needs exact counts, a reader does not: what few rows hold follows from exact counts by
subtraction, whatever each of them says. So every count of a model is rounded by chance before rows
are drawn, and before anything is written: what stands in the file is what the release was drawn
from.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace

import numpy as np

from halfmask.data import Attribute, Margin, Margins, Schema, Table
from halfmask.data.coding.bins import Bins, Part
from halfmask.data.rounding import Name, Rounding, own_base
from halfmask.data.rows import Rows
from halfmask.data.table import Sums
from halfmask.data.target_trees import Leaf, TargetTrees, Tree, counts_at
from halfmask.methods.generator.derivable import derivable, leaf_name
from halfmask.methods.generator.model import GeneratorModel
from halfmask.patterns.code_table import CodeTable

ATTEMPTS = 10
"""Counts that tell of few rows together are rounded anew so often before all are made coarser."""
MOST_ATTEMPTS = 50


def told(model: GeneratorModel, table: Rows) -> GeneratorModel:
    """The model with every count rounded; exact where the minimum support is 1, or where asked.

    Chance comes from the table itself, which no reader has: the same table is told the same way
    each time, so that many publications tell no more than one. Counts from which a small group
    follows however they are rounded (of a table whose rare values were not grouped) come back as
    they are, and are not written.
    """
    rounding, again = _rounding(model, table), Counter[Name]()
    if rounding.base == 1:
        return model
    base, rests = rounding.base, rests_of(model, table)
    for attempt in range(1, MOST_ATTEMPTS + 1):
        found = Telling(model, rests, replace(rounding, again=again)).model
        findings = derivable(found)
        if findings.will_do(attempt):
            break
        again.update(findings.involved)
        if attempt % ATTEMPTS == 0:
            rounding = replace(rounding, base=rounding.base + base)
    return found


def rounded(model: GeneratorModel, table: Rows) -> GeneratorModel:
    """The same without looking at what follows from the counts: for use in the house."""
    rounding = _rounding(model, table)
    if rounding.base == 1:
        return model
    return Telling(model, rests_of(model, table), rounding).model


Rests = tuple[list[int], ...]
"""For each tree of a model the rows of each leaf with a value that is not told."""


def rests_of(model: GeneratorModel, table: Rows) -> Rests:
    """The rests of all trees, counted in one pass."""
    target_trees = None if model.margins is None else model.margins.target_trees
    if target_trees is None:
        return ()
    counts = counts_at(table, target_trees.target, [tree.paths for tree in target_trees.trees])
    return tuple(tree.rests(each) for tree, each in zip(target_trees.trees, counts, strict=True))


def _rounding(model: GeneratorModel, table: Rows) -> Rounding:
    exact = model.settings.exact
    base = 1 if exact else own_base(model.min_support, model.settings.calibration.base)
    return Rounding(model.min_support, base, b"" if base == 1 else secret_of(table))


_WORDS = 4
"""Numbers of 64 bits that a table is summed up in."""


def secret_of(table: Rows) -> bytes:
    """What only those know who have all rows, in whatever order."""
    [words] = table.summed(_summed_up)
    return hashlib.blake2b(words.tobytes()).digest()


def _summed_up(piece: Table) -> Sums:
    words = [piece.numbers(f"told {n}").sum() for n in range(_WORDS)]
    return (np.array(words, np.uint64),)


class Telling:
    """A model whose counts are exact, and how they are rounded."""

    def __init__(self, exact: GeneratorModel, rests: Rests, rounding: Rounding) -> None:
        self.exact = exact
        self.rests = rests
        self.rounding = rounding
        self.values = replace(rounding, floor=exact.value_support)
        self.schema = Schema(
            tuple(self._attribute(attribute) for attribute in exact.schema),
            exact.schema.keys,
            exact.schema.derived,
            exact.schema.ranks,
        )

    @property
    def model(self) -> GeneratorModel:
        """The model with rounded counts."""
        margins = self.exact.margins
        return replace(
            self.exact,
            code_table=self._code_table(),
            margins=None if margins is None else self._margins(margins),
            base=self.rounding.base,
        )

    def _code_table(self) -> CodeTable:
        table, told = self.exact.code_table, self.rounding.told
        values = [self._value(n, count) for n, count in enumerate(table.item_supports.tolist())]
        supports = [
            min(self.rounding.told_of_enough(count, itemset), *(values[item] for item in itemset))
            for itemset, count in zip(table.sets, table.supports.tolist(), strict=True)
        ]
        usages = [
            min(told(usage, ("usage", *itemset)), support)
            for itemset, usage, support in zip(
                table.sets, table.usages.tolist(), supports, strict=True
            )
        ]
        alone = [
            min(self._usage(n, usage), values[n])
            for n, usage in enumerate(table.item_usages.tolist())
        ]
        return CodeTable(
            self.schema, table.sets, usages, supports, alone, values, table.rows,
            self.rounding.base,
        )  # fmt: skip

    def _value(self, item: int, count: int) -> int:
        """A value that was kept although it is rare is told as it is."""
        if count < self.values.floor:
            return count
        return self.values.told_of_enough(count, (item,))

    def _usage(self, item: int, usage: int) -> int:
        rare = 0 < self.exact.code_table.item_supports[item] < self.values.floor
        return usage if rare else self.rounding.told(usage, ("usage", item))

    def _attribute(self, attribute: Attribute) -> Attribute:
        bins = attribute.bins
        if bins is None:
            return attribute
        clock = None if bins.clock is None else self._bins((attribute.name, "clock"), bins.clock)
        return replace(attribute, bins=replace(self._bins((attribute.name,), bins), clock=clock))

    def _bins(self, name: Name, bins: Bins) -> Bins:
        return replace(
            bins,
            bins=tuple(tuple(self._part(name, part) for part in bin_) for bin_ in bins.bins),
        )

    def _part(self, name: Name, part: Part) -> Part:
        if part.rows < self.values.floor:
            return part
        told = self.values.told_of_enough(part.rows, ("part", *name, part.low))
        return replace(part, rows=told)

    def _margins(self, margins: Margins) -> Margins:
        target_trees = margins.target_trees
        tables = (self._margin(margin) for margin in margins)
        return replace(
            margins,
            tables=tuple(margin for margin in tables if len(margin.cells)),
            base=self.rounding.base,
            target_trees=None if target_trees is None else self._target_trees(target_trees),
        )

    def _margin(self, margin: Margin) -> Margin:
        firsts = [self.schema.items_of(name).start for name in margin.attributes]
        names = [tuple(sorted(cell)) for cell in (margin.cells + firsts).tolist()]
        counts = np.array(
            [
                self.rounding.told(count, name)
                for name, count in zip(names, margin.counts.tolist(), strict=True)
            ],
            np.int64,
        )
        kept = counts >= self.rounding.least
        rest = margin.remainder + int(margin.counts[~kept].sum())
        return Margin(
            margin.attributes,
            margin.cells[kept],
            counts[kept],
            self.rounding.told(rest, ("rest", *margin.attributes)),
        )

    def _target_trees(self, target_trees: TargetTrees) -> TargetTrees:
        trees = (
            self._tree(tree, rests, target_trees.target)
            for tree, rests in zip(target_trees.trees, self.rests, strict=True)
        )
        return replace(target_trees, trees=tuple(tree for tree in trees if tree.leaves))

    def _tree(self, tree: Tree, rests: list[int], target: str) -> Tree:
        leaves = (self._leaf(b, rest, target) for b, rest in zip(tree.leaves, rests, strict=True))
        return Tree(tuple(leaf for leaf in leaves if leaf.counts), 0)

    def _leaf(self, leaf: Leaf, rest: int, target: str) -> Leaf:
        """The rest is told like any other count: 0 is few, or none."""
        items = self.schema.items_of(target)
        counts = [
            (code, count, self.rounding.told(count, leaf_name(self.schema, leaf.path, items[code])))
            for code, count in leaf.counts
        ]
        kept = [(code, told) for code, _, told in counts if told >= self.rounding.least]
        rest += sum(count for _, count, told in counts if told < self.rounding.least)
        name = ("rest", *sorted(leaf.path))
        return Leaf(leaf.path, tuple(kept), self.rounding.told(rest, name))
