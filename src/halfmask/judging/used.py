"""Which counts of the original a release was made to match."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from halfmask.data import Margins
from halfmask.methods.baskets.model import BasketModel

SIZES = ("Items", "Pairs of items", "Triples of items")


@dataclass(frozen=True, slots=True)
class UsedTable:
    """A table of the original whose counts a release meets."""

    name: str
    cells: int
    smallest: int


def used_tables(margins: Margins | None) -> tuple[UsedTable, ...]:
    """The tables of the original whose counts a release meets."""
    tables = [
        UsedTable(str(margin), len(margin.cells), int(margin.counts.min()))
        for margin in margins or ()
    ]
    target_trees = None if margins is None else margins.target_trees
    if target_trees is not None and target_trees.trees:
        name = f"{target_trees.target} along {len(target_trees.trees):,} trees"
        tables.append(UsedTable(name, len(target_trees.counts), min(target_trees.counts)))
    return tuple(tables)


def used_counts(model: BasketModel) -> tuple[UsedTable, ...]:
    """How many counts of each kind a release of this model meets, and the smallest of each."""
    return () if model.margins is None else tuple(_used(model))


def _used(model: BasketModel) -> Iterator[UsedTable]:
    wanted = model.wanted
    sizes = np.diff(wanted.sets.offsets)
    named = [(name, sizes == size + 1) for size, name in enumerate(SIZES)]
    for name, chosen in (*named, ("Longer patterns of the code table", sizes > len(SIZES))):
        if chosen.any():
            yield UsedTable(name, int(chosen.sum()), int(wanted.counts[chosen].min()))
    lengths = wanted.lengths.counts
    yield UsedTable("Lengths", len(lengths), int(lengths.min()))
