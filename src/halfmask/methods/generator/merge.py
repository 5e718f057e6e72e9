"""What a release of several sites is to meet, estimated from rows that their models draw.

A site tells of its tables only cells that enough of its rows hold, and where tables are many only
those that its own patterns miss, so that few may be told by all; trees about a target ask other
splits at each site. Of what a file does not tell, its model is the best that is known. So rows are
drawn from each model as its own release would be, as many as the site weighs, and tables and trees
of the union are chosen and counted in them. No row of any site is needed: who has the files can do
the same.

Merging: one generator of two sites, from their models and nothing else.

Supports and usages over the rows of two sites add up. What a site's model does not tell (the
support there of a pattern that only the other site has) is not guessed: the pattern keeps the count
of the site that has it, so that it stays one of real rows and a lower bound of the true one. The
result draws each site's patterns as often as its rows weigh. The counts that its releases meet are
estimates: see `merged_margins.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from math import ceil

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Itemset, Margins, Schema, Table
from halfmask.data.coding.united import United, codes_in, unite
from halfmask.data.margins import Margin
from halfmask.data.rounding import to_base
from halfmask.data.table import ABSENT
from halfmask.data.target_trees import Leaf, TargetTrees, Tree
from halfmask.errors import BadInput
from halfmask.methods.calibration.choose_margins import choose_margins
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.patterns.code_table import CodeTable
from halfmask.randomness import Randomness

ROWS, MOST_TIMES = 100_000, 20
"""Rows drawn for the estimate, and at most so many for each row of the sites: the more, the less
chance is in the counts."""


def estimated_margins(union: GeneratorModel, sites: Sequence[GeneratorModel]) -> Margins:
    """The margins that the settings of a union ask for, from its sites' models alone.

    The rows for it are drawn with fixed keys, for they are no secret. Tables are told that are off
    by more than the chance of all rows drawn: more of them than a site would tell of its own.
    """
    settings, rows = union.settings, union.code_table.rows
    times = min(ROWS / rows, MOST_TIMES)
    found = choose_margins(
        _drawn(union.schema, sites, times),
        union.process,
        replace(settings.calibration, base=1),
        min_support=ceil(union.min_support * times),
        hide_together=settings.hide_together,
        longest=settings.max_pattern_length,
    )
    return _Scaled(times, settings.calibration.base).margins(found, union.min_support)


def _drawn(schema: Schema, sites: Sequence[GeneratorModel], times: float) -> Table:
    """Rows of all sites in the codes of the union."""
    parts = []
    for place, site in enumerate(sites):
        count = max(round(times * site.code_table.rows), 1)
        release = site.sample(count, randomness=Randomness(place)).data
        assert isinstance(release, Table)  # noqa: S101 - a generator draws tables
        parts.append(_renamed(release, schema))
    return Table(schema, np.concatenate(parts))


def _renamed(table: Table, schema: Schema) -> NDArray[np.int32]:
    """The codes of a table as another schema has them, which knows its values."""
    columns = []
    for attribute in schema:
        column = table.codes[:, table.schema.position(attribute.name)]
        codes = codes_in(table.schema[attribute.name], attribute)
        columns.append(np.where(column == ABSENT, ABSENT, codes[column]))
    return np.stack(columns, axis=1).astype(np.int32)


class _Scaled:
    """Counts of many drawn rows as counts of the rows there are, rounded where that is asked."""

    def __init__(self, times: float, base: int) -> None:
        self.times = times
        self.base = base

    def count(self, drawn: int) -> int:
        return int(self.counts(np.array([drawn]))[0])

    def counts(self, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
        return to_base(np.round(drawn / self.times).astype(np.int64), self.base)

    def margins(self, found: Margins, min_support: int) -> Margins:
        tables = tuple(
            Margin(m.attributes, m.cells, self.counts(m.counts), self.count(m.remainder))
            for m in found
        )
        target_trees = None if found.target_trees is None else self.target_trees(found.target_trees)
        return Margins(tables, min_support, self.base, target_trees, estimated=True)

    def target_trees(self, found: TargetTrees) -> TargetTrees:
        trees = (
            Tree(tuple(self.leaf(leaf) for leaf in tree.leaves), self.count(tree.suppressed))
            for tree in found.trees
        )
        return TargetTrees(found.target, tuple(trees))

    def leaf(self, found: Leaf) -> Leaf:
        counts = ((code, self.count(drawn)) for code, drawn in found.counts)
        rest = None if found.rest is None else self.count(found.rest)
        return Leaf(found.path, tuple(counts), rest)


_SAME = ("laplace", "laplace_for", "hide_together", "order", "rare_values")
"""Settings that say how rows are drawn or what is kept apart: two of them cannot both hold."""


def merge(models: Sequence[GeneratorModel]) -> GeneratorModel:
    """One model of the rows of all sites; each row counts once, whichever site it is of.

    Its minimum support is the smallest of the sites': every pattern is held by so many rows of at
    least one of them.
    """
    if len(models) < 2:
        raise BadInput("Merging needs at least two models.")
    union = reduce(_pair, models)
    if any(model.margins is None for model in models):
        return replace(union, settings=replace(union.settings, calibration=CalibrationSettings()))
    return replace(union, margins=estimated_margins(union, models))


def _pair(one: GeneratorModel, other: GeneratorModel) -> GeneratorModel:
    united = unite(one.schema, other.schema)
    return GeneratorModel(
        _code_table(one.code_table, other.code_table, united),
        _settings(one, other),
        complete=one.complete and other.complete,
        base=max(one.base, other.base),
    )


def _settings(one: GeneratorModel, other: GeneratorModel) -> GeneratorSettings:
    mine, yours = one.settings, other.settings
    for name in _SAME:
        if getattr(mine, name) != getattr(yours, name):
            raise BadInput(
                f"The models were learnt with different values of {name}; learn "
                "them with the same one."
            )
    lengths = (mine.max_pattern_length, yours.max_pattern_length)
    longest = None if None in lengths else max(length or 0 for length in lengths)
    support = min(one.min_support, other.min_support)
    values = min(one.value_support, other.value_support)
    return replace(
        mine,
        min_support=support,
        value_support=None if values == support else values,
        max_pattern_length=longest,
        search=mine.search if mine.search == yours.search else "auto",
        prune=mine.prune and yours.prune,
        search_rows=None,
        pattern_support=None,
        calibration=_calibration(mine.calibration, yours.calibration),
    )


def _calibration(mine: CalibrationSettings, yours: CalibrationSettings) -> CalibrationSettings:
    """The more careful of both in each setting; a target that both have."""
    order = min(mine.order, yours.order)
    names = dict.fromkeys((*mine.order_for, *yours.order_for))
    lowest = {n: min(s.order_for.get(n, order) for s in (mine, yours)) for n in names}
    return CalibrationSettings(
        order=order,
        order_for=lowest,
        base=max(mine.base, yours.base),
        shrink=max(mine.shrink, yours.shrink),
        target=mine.target if mine.target == yours.target else None,
    )


def _code_table(one: CodeTable, other: CodeTable, united: United) -> CodeTable:
    """The sets of both, longest first and then by support, with the counts of both."""
    usages: Counter[Itemset] = Counter()
    supports: Counter[Itemset] = Counter()
    n_items = united.schema.n_items
    item_usages, item_supports = np.zeros(n_items, np.int64), np.zeros(n_items, np.int64)
    for table, items in zip((one, other), united.items, strict=True):
        renamed = [tuple(sorted(items[list(itemset)].tolist())) for itemset in table.sets]
        usages.update(dict(zip(renamed, table.usages.tolist(), strict=True)))
        supports.update(dict(zip(renamed, table.supports.tolist(), strict=True)))
        np.add.at(item_usages, items, table.item_usages)
        np.add.at(item_supports, items, table.item_supports)
    ordered = sorted(supports, key=lambda itemset: (-len(itemset), -supports[itemset], itemset))
    return CodeTable(
        united.schema,
        ordered,
        np.array([usages[s] for s in ordered], np.int64),
        np.array([supports[s] for s in ordered], np.int64),
        item_usages,
        item_supports,
        one.rows + other.rows,
        max(one.off_by + other.off_by, 1),  # sums of what is told, and of what is not told
    )
