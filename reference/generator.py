"""The generator of the paper in plain Python: the map for readers and the oracle of the tests.

    row := {};  open := all columns
    while a column is open:
        column := the first open one of the order, or any of them with the same probability
        pool   := patterns with a value of this column and none of a column already set
        choose a pattern of the pool with probability proportional to its weight
        row := row + pattern;  open := open without the columns of the pattern

[Vreeken, van Leeuwen & Siebes, Privacy Preservation through Data Generation, 2007]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from halfmask.data import Itemset

Columns = frozenset[int]
_Rest = tuple[dict[frozenset[int], Fraction], Fraction]


@dataclass(frozen=True)
class PlainProcess:
    """Patterns with their weights, the column of each item, and the order of the columns.

    `order` is None for a random one. Weights may be fractions, and all answers then are exact.
    Two columns A or B, C or D; the patterns AC and BD besides the single values:

    >>> process = PlainProcess(
    ...     column_of=(0, 0, 1, 1),
    ...     weights={(0, 2): 2, (1, 3): 2, (0,): 1, (1,): 1, (2,): 1, (3,): 1},
    ... )
    >>> {row: str(p) for row, p in process.distribution().items()}
    {(0, 2): '5/12', (0, 3): '1/12', (1, 2): '1/12', (1, 3): '5/12'}
    >>> process.expected_patterns()
    Fraction(4, 3)
    """

    column_of: Sequence[int]
    weights: Mapping[Itemset, Fraction | int]
    order: Sequence[int] | None = None

    def columns(self, pattern: Itemset) -> Columns:
        """The columns that a pattern sets."""
        return frozenset(self.column_of[item] for item in pattern)

    def pool(self, column: int, still_open: Columns) -> dict[Itemset, Fraction | int]:
        """The patterns that may set this column, with their weights."""
        return {
            pattern: weight
            for pattern, weight in self.weights.items()
            if weight and column in (set_here := self.columns(pattern)) and set_here <= still_open
        }

    def next_columns(self, still_open: Columns) -> list[int]:
        """The columns of which one, with equal chances, is set next."""
        if self.order is None:
            return sorted(still_open)
        return [next(column for column in self.order if column in still_open)]

    def distribution(self) -> dict[Itemset, Fraction]:
        """The probability of every row that can be made, given that the making completes."""
        rows, _ = self._rest(frozenset(self.column_of), {})
        complete = sum(rows.values(), Fraction(0))
        return {tuple(sorted(row)): rows[row] / complete for row in sorted(rows, key=sorted)}

    def expected_patterns(self) -> Fraction:
        """The mean number of patterns that make a row, given that the making completes."""
        rows, patterns = self._rest(frozenset(self.column_of), {})
        return patterns / sum(rows.values(), Fraction(0))

    def draw(self, rng: np.random.Generator) -> Itemset:
        """One row; a row that meets an empty pool is begun anew."""
        while True:
            row: set[int] = set()
            still_open = frozenset(self.column_of)
            while still_open:
                columns = self.next_columns(still_open)
                pool = self.pool(columns[rng.integers(len(columns))], still_open)
                if not pool:
                    break
                shares = np.array([float(weight) for weight in pool.values()])
                pattern = list(pool)[rng.choice(len(pool), p=shares / shares.sum())]
                row |= set(pattern)
                still_open -= self.columns(pattern)
            else:
                return tuple(sorted(row))

    def fenced(self, forbidden: Sequence[Itemset]) -> dict[Itemset, Fraction]:
        """The probability of every row when a pattern that completes a forbidden set is not chosen.

        A way that ends at a column without an admissible pattern is given up and begun anew.
        A with D is forbidden: after A only C is left for the other column, after D only B.

        >>> process = PlainProcess((0, 0, 1, 1), {(0,): 1, (1,): 1, (2,): 1, (3,): 2})
        >>> {row: str(p) for row, p in process.fenced([(0, 3)]).items()}
        {(0, 2): '1/3', (1, 2): '1/6', (1, 3): '1/2'}
        """
        never = [frozenset(items) for items in forbidden]
        rows: dict[Columns, Fraction] = {}

        def follow(row: frozenset[int], still_open: Columns, chance: Fraction) -> None:
            if not still_open:
                rows[row] = rows.get(row, Fraction(0)) + chance
                return
            columns = self.next_columns(still_open)
            for column in columns:
                pool = {
                    pattern: weight
                    for pattern, weight in self.pool(column, still_open).items()
                    if not any(items <= row | frozenset(pattern) for items in never)
                }
                total = sum(pool.values())
                for pattern, weight in pool.items():
                    share = chance * Fraction(weight) / Fraction(total) / len(columns)
                    follow(row | frozenset(pattern), still_open - self.columns(pattern), share)

        follow(frozenset(), frozenset(self.column_of), Fraction(1))
        complete = sum(rows.values(), Fraction(0))
        return {tuple(sorted(row)): rows[row] / complete for row in sorted(rows, key=sorted)}

    def _steps(self, still_open: Columns) -> Iterator[tuple[Itemset, Fraction]]:
        """The patterns that may come next with their probabilities, for each next column."""
        columns = self.next_columns(still_open)
        for column in columns:
            pool = self.pool(column, still_open)
            total = sum(pool.values())
            for pattern, weight in pool.items():
                yield pattern, Fraction(weight) / Fraction(total) / len(columns)

    def _rest(self, still_open: Columns, known: dict[Columns, _Rest]) -> _Rest:
        """The ways to fill these columns: their probabilities, and Σ probability · patterns."""
        if not still_open:
            return {frozenset(): Fraction(1)}, Fraction(0)
        if still_open not in known:
            rows: dict[Columns, Fraction] = {}
            patterns = Fraction(0)
            for pattern, chance in self._steps(still_open):
                rest, more = self._rest(still_open - self.columns(pattern), known)
                patterns += chance * (more + sum(rest.values()))
                for row, probability in rest.items():
                    whole = row | frozenset(pattern)
                    rows[whole] = rows.get(whole, Fraction(0)) + chance * probability
            known[still_open] = rows, patterns
        return known[still_open]
