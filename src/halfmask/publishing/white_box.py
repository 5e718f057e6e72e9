"""White box: what a model file tells to somebody who attacks it instead of the release."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Margins, Schema
from halfmask.data.margins import BasketMargins
from halfmask.methods.baskets.model import BasketModel

Told = Mapping[tuple[str, ...], NDArray[np.float64]]
"""Attributes, and how many rows hold each combination; what is not told is no number."""


def told_counts(model: Any) -> Told:
    """The tables of counts that a model file holds; none where it has no such tables."""
    margins = getattr(model, "margins", None)
    if isinstance(model, BasketModel):
        return {} if margins is None else _of_items(margins)
    return {} if margins is None else _of_columns(margins, model.schema)


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
