"""Merging: one generator of two sites, from their models and nothing else.

Counts over the rows of two sites add up: supports, usages and the cells of margins. What a site's
model does not tell (the support there of a pattern that only the other site has) is not guessed:
the pattern keeps the count of the site that has it, so that every count stays one of real rows and
a lower bound of the true one. The result draws each site's patterns as often as its rows weigh.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Itemset, Margins, Schema
from halfmask.data.margins import Margin
from halfmask.data.united import United, codes_in, unite
from halfmask.errors import BadInput
from halfmask.methods.calibration import CalibrationSettings
from halfmask.methods.generator_model import GeneratorModel
from halfmask.methods.generator_settings import GeneratorSettings
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
    return reduce(_pair, models)


def _pair(one: GeneratorModel, other: GeneratorModel) -> GeneratorModel:
    united = unite(one.schema, other.schema)
    margins = _margins(one, other, united)
    return GeneratorModel(
        _code_table(one.code_table, other.code_table, united),
        _settings(one, other, margins),
        complete=one.complete and other.complete,
        margins=margins,
    )


def _settings(
    one: GeneratorModel, other: GeneratorModel, margins: Margins | None
) -> GeneratorSettings:
    mine, yours = one.settings, other.settings
    for name in _SAME:
        if getattr(mine, name) != getattr(yours, name):
            raise BadInput(f"The models were learnt with different {name}; learn them with one.")
    lengths = (mine.max_pattern_length, yours.max_pattern_length)
    longest = None if None in lengths else max(length or 0 for length in lengths)
    support = min(one.min_support, other.min_support)
    values = min(one.value_support, other.value_support)
    calibration = CalibrationSettings()
    if margins is not None:
        calibration = replace(
            mine.calibration,
            order=min(mine.calibration.order, yours.calibration.order),
            order_for={**mine.calibration.order_for, **yours.calibration.order_for},
        )
    return replace(
        mine,
        min_support=support,
        value_support=None if values == support else values,
        max_pattern_length=longest,
        search=mine.search if mine.search == yours.search else "auto",
        prune=mine.prune and yours.prune,
        search_rows=None,
        calibration=calibration,
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


def _margins(one: GeneratorModel, other: GeneratorModel, united: United) -> Margins | None:
    """The tables that both sites tell, added; none where they were rounded differently."""
    mine, yours = one.margins, other.margins
    if mine is None or yours is None or mine.base != yours.base:
        return None
    theirs = {frozenset(margin.attributes): margin for margin in yours}
    tables = tuple(
        _margin(margin, theirs[frozenset(margin.attributes)], (one.schema, other.schema), united)
        for margin in mine
        if frozenset(margin.attributes) in theirs
    )
    return Margins(tables, min(mine.min_support, yours.min_support), mine.base) if tables else None


def _margin(one: Margin, other: Margin, sides: tuple[Schema, Schema], united: United) -> Margin:
    """A cell is told where both sites tell it, or the one that does not lacks a value of it."""
    schema, names = united.schema, one.attributes
    first, second = (
        _cells(margin, names, side, schema)
        for margin, side in zip((one, other), sides, strict=True)
    )
    known = [_known(names, side, schema) for side in sides]
    told: dict[tuple[int, ...], int] = {}
    for cell in dict.fromkeys((*first, *second)):
        silent = [
            cell not in cells
            and all(place in there for place, there in zip(cell, has, strict=True))
            for cells, has in zip((first, second), known, strict=True)
        ]
        if not any(silent):
            told[cell] = first.get(cell, 0) + second.get(cell, 0)
    every = sum(first.values()) + sum(second.values())
    rest = one.remainder + other.remainder + every - sum(told.values())
    cells = np.array(list(told), np.int32).reshape(-1, len(names))
    return Margin(names, cells, np.array(list(told.values()), np.int64), rest)


def _cells(
    margin: Margin, names: tuple[str, ...], side: Schema, united: Schema
) -> dict[tuple[int, ...], int]:
    """The cells of a margin in the codes of the united schema, attributes in the given order."""
    turned = margin.cells[:, [margin.attributes.index(name) for name in names]]
    codes = [codes_in(side[name], united[name])[turned[:, i]] for i, name in enumerate(names)]
    places: NDArray[np.int64] = np.stack(codes, axis=1)
    counts = margin.counts.tolist()
    return {tuple(cell): n for cell, n in zip(places.tolist(), counts, strict=True)}


def _known(names: tuple[str, ...], side: Schema, united: Schema) -> list[set[int]]:
    return [set(codes_in(side[name], united[name]).tolist()) for name in names]
