"""Merging: one generator of two sites, from their models and nothing else.

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

import numpy as np

from halfmask.data import Itemset
from halfmask.data.united import United, unite
from halfmask.errors import BadInput
from halfmask.methods.calibration import CalibrationSettings
from halfmask.methods.generator_model import GeneratorModel
from halfmask.methods.generator_settings import GeneratorSettings
from halfmask.methods.merged_margins import estimated_margins
from halfmask.patterns.code_table import CodeTable

__all__ = ["merge"]

_SAME = ("laplace", "laplace_for", "hide_together", "order", "rare_values")
"""Settings that say how rows are drawn or what is kept apart: two of them cannot both hold."""


def merge(models: Sequence[GeneratorModel]) -> GeneratorModel:
    """One model of the rows of all sites; each row counts once, whichever site it is of.

    Its minimum support is the smallest of the sites': every pattern is held by so many rows of at
    least one of them.
    """
    if len(models) < 2:
        raise BadInput("Merging takes two models or more.")
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
    )


def _settings(one: GeneratorModel, other: GeneratorModel) -> GeneratorSettings:
    mine, yours = one.settings, other.settings
    for name in _SAME:
        if getattr(mine, name) != getattr(yours, name):
            raise BadInput(f"The models were learnt with different {name}; learn them with one.")
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
    )
