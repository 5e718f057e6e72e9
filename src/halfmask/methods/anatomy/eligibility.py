"""Eligibility: what to do when no l-diverse partition exists.

A partition that is l-diverse in a column exists exactly when the column's most frequent value
stands in at most n / l rows. Where it does not, the steward chooses what gives way.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Transactions
from halfmask.errors import BadInput
from halfmask.methods.anatomy.partition import Cells

OnIneligible = Literal["error", "suppress", "merge_columns", "relative", "effective_l"]
"""Refuse, leave rows out, join columns, bound frequent values by their own share in the whole, or
let each ineligible column have the l it can reach."""


@dataclass(frozen=True, slots=True)
class FeasibleColumn:
    """What one column allows: its most frequent value and the largest l."""

    column: int
    items: int
    count: int
    share: float
    largest_l: float


class Ineligible(BadInput):
    """No l-diverse partition exists; `table` says for every column what is possible."""

    def __init__(self, level: Fraction, table: tuple[FeasibleColumn, ...], rows: int) -> None:
        self.table = table
        self.rows = rows
        bad = [line for line in table if line.largest_l < level]
        shown = "; ".join(
            f"column {line.column + 1} of {line.items} items: one value in {line.count:,} rows "
            f"({line.share:.1%}), l at most {_floor(line.largest_l)}"
            for line in sorted(bad, key=lambda line: line.largest_l)[:5]
        )
        more = f"; and {len(bad) - 5} more" if len(bad) > 5 else ""
        feasible = _floor(min(line.largest_l for line in table))
        super().__init__(
            f"{_number(level)}-diversity is impossible for {len(bad)} of {len(table)} columns "
            f"of {rows:,} rows ({shown}{more}); ask for l of at most {feasible}, for fewer "
            "columns, or say what to do instead (--on-ineligible): suppress, merge_columns, "
            "relative or effective_l."
        )


def _floor(level: float) -> str:
    return f"{np.floor(level * 100) / 100:g}"


def _number(level: Fraction) -> str:
    return f"{float(level):g}"


def feasible_columns(cells: Cells) -> tuple[FeasibleColumn, ...]:
    """For each column the count of its most frequent value and the largest l it allows."""
    n = len(cells.kept)
    return tuple(
        FeasibleColumn(j, size, int(c), int(c) / n, n / int(c) if c else float("inf"))
        for j, (size, c) in enumerate(zip(cells.columns.sizes, cells.largest_counts, strict=True))
    )


def refuse_ineligible(cells: Cells, level: Fraction) -> None:
    """Raise when a column is not eligible."""
    if not cells.is_eligible(level).all():
        raise Ineligible(level, feasible_columns(cells), len(cells.kept))


def suppress_rows(cells: Cells, level: Fraction) -> Cells:
    """Leave out rows until every column is eligible.

    The most frequent value loses just as many rows as it must, r = ⌈(c·l − n) / (l − 1)⌉, because
    a row that goes lowers its count and the total; rows that hold several values over the bound
    go first. Then the next value, until none is over the bound.
    """
    while not cells.is_eligible(level).all():
        n = len(cells.kept)
        over = cells.bounded_counts * level.numerator > n * level.denominator
        worst = int(cells.bounded_counts.argmax())
        excess = (int(cells.bounded_counts[worst]) * level - n) / (level - 1)
        column = int(cells.column_of_value[worst])
        rows = cells.of_row[cells.kept]
        holders = np.flatnonzero(rows[:, column] == worst)
        held = over[rows[holders]].sum(axis=1)
        going = holders[
            np.argsort(-held, kind="stable")[: -(-excess.numerator // excess.denominator)]
        ]
        staying = np.delete(cells.kept, going)
        if not len(staying):
            raise Ineligible(level, feasible_columns(cells), n)
        cells = cells.keeping(staying)
    return cells


def join_columns(cells: Cells, level: Fraction, rows: Transactions) -> Cells:
    """Join columns until every column is eligible: a richer value is a rarer one.

    The least diverse column is joined with the least diverse partner that makes the two eligible;
    if none does, with the least diverse one. (Joining with the most diverse partner ends in a
    single column on dense data.)
    """
    while not (eligible := cells.is_eligible(level)).all():
        if cells.columns.n == 1:
            raise Ineligible(level, feasible_columns(cells), len(cells.kept))
        largest = cells.largest_counts
        worst = int(largest.argmax())
        partners = [int(j) for j in np.argsort(-largest, kind="stable") if j != worst]
        helpful = (j for j in partners if _eligible_together(cells, worst, j, level))
        columns = cells.columns.joined(worst, next(helpful, partners[0]))
        cells = Cells.of(rows, columns, cells.empty)
        assert len(eligible) == cells.columns.n + 1  # noqa: S101 - so the loop ends
    return cells


def _eligible_together(cells: Cells, one: int, other: int, level: Fraction) -> bool:
    """Whether the two columns as one would be eligible; only pairs of frequent values matter."""
    n = len(cells.kept)
    frequent = cells.counts * level.numerator > n * level.denominator
    pair = cells.of_row[:, [one, other]]
    pair = pair[frequent[pair].all(axis=1)]
    if cells.empty == "exempt":
        empty = pair == cells.values.starts[[one, other]]
        pair = pair[~empty.all(axis=1)]
    if not len(pair):
        return True
    keys: NDArray[np.int64] = pair[:, 0].astype(np.int64) * len(cells.values) + pair[:, 1]
    _, counts = np.unique(keys, return_counts=True)
    return int(counts.max()) * level.numerator <= n * level.denominator
