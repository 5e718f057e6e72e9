"""The tables that may be measured, and what measuring each would mend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import log2, pi, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from halfmask.data.rows import Rows
from halfmask.methods.loglinear import TableSet
from halfmask.methods.loglinear.tables import Columns
from halfmask.methods.private.counts import counts_of, sizes_of
from halfmask.methods.private.model import PrivateModel
from halfmask.methods.private.trees import TreeSettings

UNIT = 1024
"""Scores are whole numbers of this part of a row."""
UNCLEAR = 5.9
"""Doublings of the noise by which rows must exceed it before tables are worth their noise."""
FEWEST_PER_COLUMN, ENOUGH_PER_COLUMN, MOST_PER_COLUMN, MANY_TABLES = 1.1, 6.0, 10.0, 90
"""Beyond the last of these, more tables than enough for each column only take longer."""


@dataclass(frozen=True, slots=True)
class SelectSettings:
    """How the budget is spent; nothing here is taken from the data."""

    order: int = 3
    """The most columns of a table."""
    most_cells: int = 5_000
    """The most cells of a table."""
    most_tables: int = 4_000
    """The most candidates; tables of three columns beyond are left to chance."""
    tables_per_column: float | None = None
    """How many tables are measured for each column, its own included; None is by the noise."""
    measuring: float = 0.9
    """The share of the budget of a table that is for its counts; the rest is for choosing it."""
    at_once: int = 5
    """Tables that are chosen before the model is fitted anew."""
    target: int | None = None
    """A column that readers will predict: tables that hold it count for more."""
    target_weight: int = 2
    tree: TreeSettings | None = None
    """How a tree asks for the target along many columns; None is not at all."""

    def tables_to_measure(self, columns: int, clarity: float) -> float:
        """One more for each column whenever the clarity doubles.

        `clarity` is the number of rows in units of the noise that a single table would have.
        Few tables with little noise are best where rows are few, many where they are many:
        nursery is best served by 2 for each column at ε = 0.1, 4 at 1 and 8 at 10.

        >>> SelectSettings().tables_to_measure(10, 400.0), SelectSettings().tables_to_measure(10, 1)
        (27.4..., 11.0)
        """
        most = min(MOST_PER_COLUMN, max(MANY_TABLES / columns, ENOUGH_PER_COLUMN))
        wanted = min(most, max(FEWEST_PER_COLUMN, log2(max(clarity, 1.0)) - UNCLEAR))
        return columns * (self.tables_per_column or wanted)


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """What measuring a candidate would mend: itself and the pairs in it, each with a weight."""

    candidate: NDArray[np.int64]
    table: NDArray[np.int64]
    weight: NDArray[np.int64]
    """How many tables of three columns hold the pair."""
    spread: NDArray[np.float64]
    """Cells of the candidate that are added up for one of the pair, the square root."""

    @classmethod
    def of(cls, tables: TableSet, settings: SelectSettings) -> Terms:
        """Of all candidates, candidate after candidate."""
        number = {columns: k for k, columns in enumerate(tables.columns)}
        lines = []
        for k, columns in enumerate(tables.columns):
            parts = {columns, *(p for p in combinations(columns, 2) if p in number)}
            for part in sorted(parts):
                share = tables.size_of(columns) / tables.size_of(part)
                lines.append((k, number[part], _workload(part, tables, settings), sqrt(share)))
        candidate, table, weight, spread = zip(*lines, strict=True)
        return cls(
            np.array(candidate, np.int64),
            np.array(table, np.int64),
            np.array(weight, np.int64),
            np.array(spread),
        )


def _workload(part: Columns, tables: TableSet, settings: SelectSettings) -> int:
    """How many tables of three columns hold these, those with the target counting more."""
    others = len(tables.sizes) - len(part)
    wanted = settings.target_weight
    if len(part) > 2 or others < 1:
        return wanted if settings.target in part else 1
    if settings.target is None or settings.target in part:
        return others * (1 if settings.target is None else wanted)
    return others - 1 + wanted


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Tables that may be chosen, with their true counts: never to leave the search."""

    tables: TableSet
    truth: NDArray[np.int64] = field(repr=False)
    terms: Terms = field(repr=False)

    @classmethod
    def of(cls, rows: Rows, settings: SelectSettings, seed: int) -> Candidates:
        """Count them all once."""
        sizes = sizes_of(rows)
        tables = TableSet(sizes, candidate_tables(sizes, settings, seed))
        return cls(tables, counts_of(rows, tables), Terms.of(tables, settings))

    def scores(self, model: PrivateModel, sigma: float) -> list[int]:
        """By how much each candidate, measured with noise of σ, would mend the model.

        The model is off a table by the distance e of its counts, less what the pool is off by
        chance; with an error N in the table it would be off by about eN/√(e² + N²). One row changes
        e by one at most, what is mended by no more, and its whole number by one unit more.
        """
        starts = self.tables.cell_offsets[:-1]
        expected = model.expected(self.tables)
        near = np.rint(expected * UNIT).astype(np.int64)
        distances = np.add.reduceat(np.abs(self.truth * UNIT - near), starts)
        chance = np.sqrt(expected * (model.total / len(model.pool)))
        by_chance = np.rint(UNIT * sqrt(2 / pi) * np.add.reduceat(chance, starts))
        off = np.maximum(distances - by_chance.astype(np.int64), 0)[self.terms.table]
        cells = np.diff(self.tables.cell_offsets)[self.terms.table]
        noise = UNIT * sqrt(2 / pi) * sigma * self.terms.spread * cells
        mended = np.floor(off * (1 - noise / np.hypot(off, noise))).astype(np.int64)
        first = np.searchsorted(self.terms.candidate, np.arange(len(self.tables.columns)))
        scores: list[int] = np.add.reduceat(self.terms.weight * mended, first).tolist()
        return scores

    @property
    def sensitivity(self) -> int:
        """The most by which one row changes a score."""
        return (UNIT + 1) * int(np.bincount(self.terms.candidate, self.terms.weight).max())


def candidate_tables(sizes: Sequence[int], settings: SelectSettings, seed: int) -> list[Columns]:
    """Tables of up to `order` columns that are small enough, the smaller orders first."""
    tables: list[Columns] = []
    for order in range(min(2, len(sizes)), min(settings.order, len(sizes)) + 1):
        fitting = [
            c
            for c in combinations(range(len(sizes)), order)
            if prod(sizes[k] for k in c) <= settings.most_cells
        ]
        room = settings.most_tables - len(tables)
        if order > 2 and len(fitting) > room:
            chosen = np.random.default_rng(seed).choice(len(fitting), max(room, 0), replace=False)
            fitting = [fitting[k] for k in sorted(chosen.tolist())]
        tables += fitting
    return tables
