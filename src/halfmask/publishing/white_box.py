"""White box: what a model file tells to somebody who attacks it instead of the release."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Margins, Schema
from halfmask.data.margins import BasketMargins
from halfmask.methods.baskets.model import BasketModel
from halfmask.methods.generator.model import GeneratorModel
from halfmask.patterns.code_table import CodeTable

Told = Mapping[tuple[str, ...], NDArray[np.float64]]
"""Attributes, and how many rows hold each combination; what is not told is no number."""


MOST_CELLS = 20_000
"""Patterns over columns with more combinations of values are left out."""


def told_counts(model: Any) -> Told:
    """The tables of counts that a model file holds, or the supports of its patterns without them.

    Both together are no stronger: what the tables tell drowns in the many supports.
    """
    margins = getattr(model, "margins", None)
    if isinstance(model, BasketModel):
        return {} if margins is None else _of_items(margins)
    if not isinstance(model, GeneratorModel):
        return {}
    if margins is None or not margins.tables:
        return _of_patterns(model.code_table, model.schema)
    return _of_columns(margins, model.schema)


def _of_patterns(table: CodeTable, schema: Schema) -> Told:
    """For the columns of each pattern, or of each single value, how many rows hold it."""
    found: dict[tuple[str, ...], NDArray[np.float64]] = {}
    for pattern in table.patterns():
        columns = [int(schema.domains[item]) for item in pattern.items]
        names = tuple(schema.names[c] for c in columns)
        sizes = [schema.attributes[c].size for c in columns]
        if prod(sizes) <= MOST_CELLS:
            cell = tuple(
                i - int(schema.offsets[c]) for i, c in zip(pattern.items, columns, strict=True)
            )
            found.setdefault(names, np.full(sizes, np.nan))[cell] = pattern.support
    return found


def _of_columns(margins: Margins, schema: Schema) -> Told:
    """Each table with the counts of its cells; those in the remainder are not told one by one."""
    found = {}
    for margin in margins:
        sizes = [schema[name].size for name in margin.attributes]
        counts = np.full(sizes, np.nan if margin.remainder else 0.0)
        counts[tuple(margin.cells.T)] = margin.counts
        found[margin.attributes] = counts
    return found


def _of_items(margins: BasketMargins) -> Told:
    """In and out of the basket, for each item and each pair of items; names as in attacks."""
    count = dict(zip(margins.sets, margins.counts.tolist(), strict=True))
    rows, found = margins.rows, {}
    for items, both in count.items():
        names = tuple(f"item {i}" for i in items)
        if len(items) == 1:
            found[names] = np.array([rows - both, both], np.float64)
        elif all(part in count for part in combinations(items, 1)) and len(items) == 2:
            one, other = (count[part] for part in combinations(items, 1))
            table = [[rows - one - other + both, other - both], [one - both, both]]
            found[names] = np.array(table, np.float64)
    return found
