"""k-anonymity of tables (Samarati & Sweeney 1998): every row agrees with k − 1 others.

Each known column is generalised to one level of its ladder, the same for all rows, and rows that
are still among fewer than k are left out, up to a limit. Among all choices of levels the one with
the best coarse quality is searched: formula (8) of Bertino and Nai Fovino, in which a cell of a row
that was left out has lost all detail.

Going up a level joins classes, so that a choice with too many lonely rows has all choices below it
against it. A first way down from the top finds a good choice; then choices that could be better are
tried, middle first, until none is left or the work is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Attribute, Claim, Release, Schema, Table
from halfmask.data.published.generalised_table import GeneralisedTable
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput
from halfmask.methods.suppression.ladders import Ladder
from halfmask.randomness import Randomness

Levels = tuple[int, ...]
"""A level for each known column."""

MOST_CHOICES = 200_000
"""Of more choices of levels only those on the first way down are looked at."""
MOST_WORK = 20_000_000
"""Different rows that are counted over all choices tried after the first way."""


@dataclass(frozen=True, slots=True)
class Found:
    """The levels that were chosen."""

    levels: Levels
    quality: float
    """Formula (8) over the known columns."""
    left_out: int
    """Rows that agree with too few others and are not published."""
    proven: bool
    """Whether no other choice of levels is better."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    loss: float
    lonely: int


class _LevelSearch:
    """The choices of levels, and what was seen of them."""

    def __init__(
        self, known: NDArray[np.int32], ladders: Sequence[Ladder], k: int, most: int
    ) -> None:
        self.k, self.most, self.ladders = k, most, ladders
        self.rows, place, self.counts = np.unique(
            known, axis=0, return_inverse=True, return_counts=True
        )
        self.place = place.ravel()
        self.total = int(self.counts.sum())
        # A cell that was suppressed before, coded -1, takes the last place: a name of its own.
        self.codes = [
            [np.append(one.codes(level), len(one.names(level))) for level in range(one.top + 1)]
            for one in ladders
        ]
        self.heights = [
            [np.append(one.heights(level), 1.0) for level in range(one.top + 1)] for one in ladders
        ]
        self.seen: dict[Levels, _Outcome] = {}

    def bound(self, column: int, level: int) -> float:
        """The loss of a column at a level if no row is left out."""
        lost = self.heights[column][level][self.rows[:, column]]
        return float((lost * self.counts).sum()) / (self.total * len(self.ladders))

    def classes(self, levels: Levels) -> NDArray[np.int64]:
        """The class of each different row."""
        key, room = np.zeros(len(self.rows), np.int64), 1
        for column, level in enumerate(levels):
            size = len(self.ladders[column].names(level)) + 1
            if room * size >= 2**62:
                key = np.unique(key, return_inverse=True)[1].astype(np.int64)
                room = len(self.rows)
            key = key * size + self.codes[column][level][self.rows[:, column]]
            room *= size
        return np.unique(key, return_inverse=True)[1].astype(np.int64)

    def kept(self, levels: Levels) -> NDArray[np.bool_]:
        """Which of the different rows agree with enough others."""
        classes = self.classes(levels)
        return (np.bincount(classes, self.counts) >= self.k)[classes]

    def outcome(self, levels: Levels) -> _Outcome:
        """What these levels lose, and how many rows agree with too few others."""
        if levels not in self.seen:
            kept = self.kept(levels)
            lost = np.zeros(len(self.rows))
            for column, level in enumerate(levels):
                lost += self.heights[column][level][self.rows[:, column]]
            lost = np.where(kept, lost, float(len(levels)))
            loss = float((lost * self.counts).sum()) / (self.total * len(levels))
            self.seen[levels] = _Outcome(loss, int(self.counts[~kept].sum()))
        return self.seen[levels]

    def fits(self, levels: Levels) -> bool:
        """Whether few enough rows are left out."""
        return self.outcome(levels).lonely <= self.most

    def best(self) -> Found:
        """The levels with the best quality."""
        levels, proven = self.improve(self.way_down())
        outcome = self.outcome(levels)
        return Found(levels, 1 - outcome.loss, outcome.lonely, proven)

    def way_down(self) -> Levels:
        """From the top, always the step that loses least, until none is possible."""
        now = tuple(one.top for one in self.ladders)
        best = now
        open_ = set(range(len(now)))
        while open_:
            steps = {c: (*now[:c], now[c] - 1, *now[c + 1 :]) for c in sorted(open_) if now[c]}
            # What does not fit here fits nowhere below.
            steps = {c: step for c, step in steps.items() if self.fits(step)}
            open_ = set(steps)
            if steps:
                now = min(steps.values(), key=lambda step: (self.outcome(step).loss, step))
                best = min(best, now, key=lambda levels: self.outcome(levels).loss)
        return best

    def improve(self, best: Levels) -> tuple[Levels, bool]:
        """The best choice of all, as far as the work goes; and whether all were looked at."""
        tops = [one.top for one in self.ladders]
        if prod(top + 1 for top in tops) > MOST_CHOICES:
            return best, False
        choices = np.array(list(product(*(range(top + 1) for top in tops))), np.int16)
        parts = [[self.bound(c, level) for level in range(top + 1)] for c, top in enumerate(tops)]
        bounds = np.sum([np.array(part)[choices[:, c]] for c, part in enumerate(parts)], axis=0)
        open_ = np.lexsort((*choices.T[::-1], bounds))
        for levels, outcome in list(self.seen.items()):
            if outcome.lonely > self.most:
                open_ = open_[(choices[open_] > levels).any(axis=1)]
        for _ in range(max(50, MOST_WORK // len(self.rows))):
            open_ = open_[bounds[open_] < self.outcome(best).loss - 1e-12]
            if not len(open_):
                return best, True
            middle = len(open_) // 2
            levels = tuple(choices[open_[middle]].tolist())
            open_ = np.delete(open_, middle)
            if not self.fits(levels):
                open_ = open_[(choices[open_] > levels).any(axis=1)]
            elif self.outcome(levels).loss < self.outcome(best).loss - 1e-12:
                best = levels
        return best, False


def best_levels(
    known: NDArray[np.int32], ladders: Sequence[Ladder], *, k: int, most: int = 0
) -> Found:
    """The levels with the best quality at which at most so many rows agree with fewer than k − 1.

    >>> ladder = Ladder((("a", "b", "c"), ("ab", "ab", "c"), (None,) * 3))
    >>> best_levels(np.array([[0], [1], [2], [2]], np.int32), [ladder], k=2)
    Found(levels=(1,), quality=0.5, left_out=0, proven=True)
    """
    return _LevelSearch(known, ladders, k, most).best()


def anonymise(  # noqa: PLR0913 - the literature's terms
    table: Table,
    ladders: Sequence[Ladder],
    known: Sequence[str],
    *,
    k: int,
    suppress: float,
    randomness: Randomness,
) -> Release:
    """Publish a table in which every row agrees in the known columns with k − 1 others.

    `ladders` has one for each column; those of columns that are not known are not climbed. Rows
    come in a random order, since the original's may tell who is who.
    """
    if len(table) < k:
        raise BadInput(
            f"The table has {len(table):,} rows, and k = {k:,} asks every row to agree with "
            f"{k - 1:,} others; lower k."
        )
    columns = [table.schema.position(name) for name in known]
    climbed = [ladders[column] for column in columns]
    search = _LevelSearch(table.codes[:, columns], climbed, k, int(suppress * len(table)))
    found = search.best()
    chosen = dict(zip(columns, found.levels, strict=True))
    levels = [chosen.get(column, 0) for column in range(len(table.schema))]
    rows = np.flatnonzero(search.kept(found.levels)[search.place])
    rows = randomness.child("order of generalised rows").permutation(rows)
    data = _published(table.take(rows), ladders, levels)
    lost = _lost(table, ladders, levels, rows)
    return _release(data, found, known, k=k, quality=1 - lost, rows=len(table))


def _published(table: Table, ladders: Sequence[Ladder], levels: Sequence[int]) -> GeneralisedTable:
    """The rows in the names of their levels; a plain column keeps its type."""
    attributes, became = [], []
    codes = np.full(table.codes.shape, ABSENT, np.int32)
    for column, (attribute, ladder, level) in enumerate(
        zip(table.schema, ladders, levels, strict=True)
    ):
        plain = not level and attribute.bins is None
        kind = attribute.storage if plain else "string"
        attributes.append(Attribute(attribute.name, ladder.names(level), storage=kind))
        became.append(ladder.codes(level))
        there = table.codes[:, column] != ABSENT
        codes[there, column] = became[-1][table.codes[there, column]]
    return GeneralisedTable(table.schema, Table(Schema(tuple(attributes)), codes), tuple(became))


def _lost(
    table: Table, ladders: Sequence[Ladder], levels: Sequence[int], rows: NDArray[np.intp]
) -> float:
    """Σ h / |GT| over all cells of the original, of their number: formula (8) less from 1."""
    lost = float((len(table) - len(rows)) * len(table.schema))
    for column, (ladder, level) in enumerate(zip(ladders, levels, strict=True)):
        lost += float(np.append(ladder.heights(level), 1.0)[table.codes[rows, column]].sum())
    return lost / max(table.codes.size, 1)


def _release(  # noqa: PLR0913 - what there is to say
    data: GeneralisedTable, found: Found, known: Sequence[str], *, k: int, quality: float, rows: int
) -> Release:
    generalised = [n for n, level in zip(known, found.levels, strict=True) if level]
    empty = [n for n in generalised if data.published.schema[n].values == (None,)]
    notes: tuple[str, ...] = () if found.proven else (_NOT_PROVEN,)
    if empty:
        notes += (f"Left empty in all rows: {', '.join(map(repr, empty))}.",)
    return Release(
        data=data,
        kind="sanitised",
        method="k-anonymity",
        iso_class="generalization",
        claim=Claim(
            promise=f"Every row agrees with at least {k - 1:,} others in all known columns",
            assumption="the attacker knows no column but these: " + ", ".join(known),
            terms={"k": k, "known": tuple(known)},
        ),
        record={
            "k": k,
            "coarse_quality": quality,
            "rows_left_out": rows - round(data.size),
            "columns_generalised": tuple(generalised),
            "columns_left_empty": tuple(empty),
            "proven_best": found.proven,
        },
        notes=notes,
    )


_NOT_PROVEN = (
    "There are too many ways to generalise so many columns for all of them to be tried; another "
    "one may keep more detail. Name the columns that nobody else knows (--private)."
)
