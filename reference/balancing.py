"""Balanced choice in plain Python: rows are exchanged while that brings every table nearer.

A pool of rows has weights, and some of its rows are chosen. What a cell of a table expects of the
chosen rows is its share of the weights. In each pass every chosen row is offered another one of the
pool, drawn by weight; it is taken if

    Σ (chosen - expected)² / (expected + 1)  over the cells of all tables
    + Σ (Σ over chosen rows of score · score - wanted)² / rows  over all links

becomes smaller.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

Row = tuple[int, ...]


@dataclass(frozen=True)
class Link:
    """Two columns, the score of each of their codes, and the sum wanted of the products."""

    columns: tuple[int, int]
    scores: tuple[Sequence[float], Sequence[float]]
    wanted: float

    def of(self, row: Row) -> float:
        """The product of the scores of a row."""
        return self.scores[0][row[self.columns[0]]] * self.scores[1][row[self.columns[1]]]


@dataclass(frozen=True)
class Pool:
    """Rows with weights, and the tables and links that are to be met."""

    rows: Sequence[Row]
    weights: Sequence[float]
    tables: Sequence[tuple[int, ...]]
    links: Sequence[Link] = ()

    def cells(self, row: Row) -> list[tuple[int, Row]]:
        """The cell of a row in each table."""
        return [(t, tuple(row[c] for c in table)) for t, table in enumerate(self.tables)]

    def distance(self, chosen: Sequence[int]) -> float:
        """How far the tables of the chosen rows are from what they expect."""
        share = len(chosen) / sum(self.weights)
        expected: defaultdict[tuple[int, Row], float] = defaultdict(float)
        for row, weight in zip(self.rows, self.weights, strict=True):
            for cell in self.cells(row):
                expected[cell] += weight * share
        found = Counter(cell for place in chosen for cell in self.cells(self.rows[place]))
        far = sum((found[cell] - n) ** 2 / (n + 1) for cell, n in expected.items())
        for link in self.links:
            total = sum(link.of(self.rows[place]) for place in chosen)
            far += (total - link.wanted) ** 2 / len(chosen)
        return far

    def balanced(
        self, chosen: Sequence[int], passes: int, uniform: Callable[[int, int], float]
    ) -> list[int]:
        """The rows after the passes; `uniform(pass, place)` draws what is offered."""
        reach = list(accumulate(self.weights))
        now = list(chosen)
        for turn in range(passes):
            for place in range(len(now)):
                offered = min(bisect_right(reach, uniform(turn, place) * reach[-1]), len(reach) - 1)
                other = [*now[:place], offered, *now[place + 1 :]]
                if self.distance(other) < self.distance(now) - 1e-9:
                    now = other
        return now
