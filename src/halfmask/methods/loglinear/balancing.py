"""Balancing: choose rows of a weighed pool so that its tables come out as the weights say.

Rows taken by chance are off in every table by what chance does to so many rows: as much as the
original itself is off from the people it was drawn from. Chosen together, they need not be. All
tables of one and two columns count, and the rank correlations that a model tells.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Schema
from halfmask.data.coding.ordering import code_scores, kept_of_scores
from halfmask.data.coding.reordering import LONG
from halfmask.methods.loglinear.tables import Columns, TableSet, by_column

PASSES = 8
"""Exchanges that each row is offered: five bring nearly all of what twenty do."""
WORK = 60_000_000
"""Looks at a table: of long releases fewer exchanges are offered, which chance hardly moves."""
MOST_CELLS = 4_000_000
"""Of all tables together; the largest are left out."""


@dataclass(frozen=True, eq=False)
class RankLinks:
    """Rank correlations as the kernel reads them: see native/calibration/balance.hpp."""

    columns: NDArray[np.int32]
    offsets: NDArray[np.int64]
    scores: NDArray[np.float64]
    wanted: NDArray[np.float64]

    @classmethod
    def of(
        cls, schema: Schema, codes: NDArray[np.int32], weights: NDArray[np.float64], rows: int
    ) -> RankLinks:
        """Those that the schema tells, as sums over so many rows; of long tables counts do."""
        ranks = schema.ranks
        if ranks is None or ranks.rows > LONG:
            return cls.of_pairs([])
        sides, kept = {}, {}
        for name, value in ranks.variables:
            attribute, place = schema[name], schema.position(name)
            counts = np.bincount(codes[:, place], weights, attribute.size).astype(np.float64)
            sides[name, value] = place, code_scores(attribute, counts, value)
            kept[name, value] = kept_of_scores(attribute, counts) if value is None else 1.0
        found = []
        for pair in ranks.pairs:
            one, other = (pair.one, None), (pair.other, pair.value)
            wanted = rows * pair.correlation * kept[one] * kept[other]
            found.append(([sides[one], sides[other]], wanted))
        return cls.of_pairs(found)

    @classmethod
    def of_pairs(
        cls, pairs: Sequence[tuple[Sequence[tuple[int, NDArray[np.float64]]], float]]
    ) -> RankLinks:
        """Two columns with the score of each of their codes, and the sum wanted of the products."""
        sides = [side for both, _ in pairs for side in both]
        ends = np.cumsum([len(scores) for _, scores in sides], dtype=np.int64)
        return cls(
            np.array([column for column, _ in sides], np.int32),
            np.concatenate([np.zeros(1, np.int64), ends])[: len(sides)],
            np.concatenate([np.empty(0), *(scores for _, scores in sides)]),
            np.array([wanted for _, wanted in pairs], np.float64),
        )


def balanced(  # noqa: PLR0913 - the pool, and what is to come of it
    codes: NDArray[np.int32],
    sizes: Sequence[int],
    weights: NDArray[np.float64],
    chosen: NDArray[np.int32],
    *,
    key: int,
    without: Collection[int] = (),
    links: RankLinks | None = None,
) -> NDArray[np.int32]:
    """Rows of the pool, as many as were chosen by weight, whose tables are nearer to the weights.

    Columns `without` a part in it are drawn anew afterwards.

    >>> pool = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32)
    >>> sorted(balanced(pool, [2, 2], np.ones(4), np.array([0, 0, 1, 1], np.int32), key=1).tolist())
    [0, 1, 2, 3]
    """
    tables = TableSet(tuple(sizes), balanced_tables(sizes, without))
    passes = min(PASSES, WORK // max(len(chosen) * len(tables.columns), 1))
    if not passes or not len(tables.columns):
        return chosen
    links = links or RankLinks.of_pairs([])
    return _native.balance(
        by_column(codes),
        tables.size_array,
        tables.column_offsets,
        tables.flat,
        tables.cell_offsets,
        np.asarray(weights, np.float64),
        np.asarray(chosen, np.int32),
        links.columns,
        links.offsets,
        links.scores,
        links.wanted,
        passes,
        key,
        None,
    )


def balanced_tables(sizes: Sequence[int], without: Collection[int] = ()) -> list[Columns]:
    """Every column and every two, as far as their cells have room, the smallest first.

    >>> balanced_tables((2, 3, 2), without=[1])
    [(0,), (2,), (0, 2)]
    """
    columns = [c for c in range(len(sizes)) if c not in without]
    pairs = sorted(combinations(columns, 2), key=lambda p: sizes[p[0]] * sizes[p[1]])
    cells = np.cumsum([sizes[a] * sizes[b] for a, b in pairs])
    room = int(np.searchsorted(cells, MOST_CELLS, side="right"))
    return [*((c,) for c in columns), *pairs[:room]]
