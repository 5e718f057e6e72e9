"""Child rows for drawn parents: what may be learnt of them, and how they find their parents.

The person is the parent, who may have many child rows. A minimum support of k rows would let one
person with k rows carry a value over the floor alone; so at most `most` child rows of each parent
are learnt from, with a minimum support of k · most rows, behind which stand at least k parents.

Child rows are drawn together with a few columns of their parent, the context. A pool of them is
dealt out to the parents of the release, each of whom gets rows drawn for parents like himself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput

__all__ = ["Dealt", "deal", "most_learnt", "telling_columns"]

KEPT = 0.75
"""Of each parent so many rows are learnt from that this share of all child rows is: the more of
one parent, the higher the floor. On patients and visits (500, 2,000 and 20,000 patients) two-way
tables are off least here, by 0.140, 0.053 and 0.012; with 0.9 by 0.160, 0.057 and 0.015."""
MOST_CONTEXT = 8
"""Columns of the parent that the child rows are drawn with; each makes a pool thinner."""
NOISE = 2.0
"""A column tells something when it does so by this many standard deviations of chance."""


def most_learnt(counts: NDArray[np.int64], min_support: int, *, kept: float = KEPT) -> int:
    """How many child rows of one parent may be learnt from.

    As few as keep most rows, for each costs `min_support` rows of the floor; and never more than
    `min_support` parents have, so that the number itself tells of no one.

    >>> most_learnt(np.array([0, 1, 1, 2, 2, 3, 3, 40]), min_support=2)
    3
    >>> most_learnt(np.array([1, 1, 2, 2, 2, 3, 3, 3]), min_support=2)
    2
    """
    ordered = np.sort(counts)[::-1]
    if min_support > len(ordered) or ordered[min_support - 1] < 1:
        raise BadInput(
            f"Fewer than {min_support:,} parents have children; lower the minimum support, or "
            "publish the parents alone."
        )
    shared = int(ordered[min_support - 1])
    learnt = [int(np.minimum(ordered, most).sum()) for most in range(1, shared + 1)]
    enough = np.flatnonzero(np.array(learnt) >= kept * ordered.sum())
    return int(enough[0]) + 1 if len(enough) else shared


def telling_columns(parents: Table, children: Table) -> list[int]:
    """The columns of the parents (a row for each child) that tell most about the children.

    What a column tells is the information it shares with each column of the children, in bits,
    less what chance gives on average; the most telling comes first.
    """
    told = {
        column: sum(
            _information(parents.codes[:, column], children.codes[:, other])
            for other in range(len(children.schema))
        )
        for column in range(len(parents.schema))
    }
    telling = [column for column, bits in told.items() if bits > 0]
    return sorted(telling, key=lambda column: -told[column])[:MOST_CONTEXT]


def _information(one: NDArray[np.int32], other: NDArray[np.int32]) -> float:
    """The mutual information in bits beyond that of chance; 0 where it could be chance."""
    both = (one != ABSENT) & (other != ABSENT)
    rows = int(both.sum())
    if not rows:
        return 0.0
    shape = (int(one[both].max()) + 1, int(other[both].max()) + 1)
    cells = np.ravel_multi_index((one[both], other[both]), shape)
    counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / rows
    held = counts > 0
    # G = 2 n · (information in nats) is about χ² with so many degrees of freedom by chance.
    g = 2 * float((counts[held] * np.log(counts[held] / expected[held])).sum())
    freedom = max((counts.shape[0] - 1) * (counts.shape[1] - 1), 1)
    if g - freedom <= NOISE * np.sqrt(2 * freedom):
        return 0.0
    return float((g - freedom) / (2 * rows * np.log(2)))


@dataclass(frozen=True, eq=False)
class Dealt:
    """Which row of the pool each child is, and in how many columns of the context it agrees."""

    rows: NDArray[np.intp]
    agreed: NDArray[np.int64]


def deal(wanted: NDArray[np.int32], pool: NDArray[np.int32]) -> Dealt:
    """A row of the pool for each line wanted, no row twice while there are others.

    Both are codes of the same columns, the most telling first, in an order that means nothing.
    Rows that agree in all columns are dealt out first; lines for which none is left get one that
    agrees in all but the last column, and so on.

    >>> dealt = deal(np.array([[0, 1], [0, 1], [1, 1]]), np.array([[0, 0], [1, 1], [0, 1]]))
    >>> dealt.rows.tolist(), dealt.agreed.tolist()
    ([2, 0, 1], [2, 1, 2])
    """
    if len(wanted) and not len(pool):
        raise BadInput("There are no rows to deal out.")
    groups = _groups(wanted, pool)
    rows = np.full(len(wanted), -1, np.intp)
    agreed = np.zeros(len(wanted), np.int64)
    free = np.arange(len(pool))
    for columns in range(len(groups) - 1, -1, -1):
        ours, theirs = groups[columns]
        open_ = np.flatnonzero(rows < 0)
        taken_by, taken = _matched(ours[open_], theirs[free])
        rows[open_[taken_by]] = free[taken]
        agreed[open_[taken_by]] = columns
        free = np.delete(free, taken)
    left = np.flatnonzero(rows < 0)  # the pool is used up: it is dealt out again
    rows[left] = np.arange(len(left)) % max(len(pool), 1)
    return Dealt(rows, agreed)


_Ids = NDArray[np.int64]


def _groups(wanted: NDArray[np.int32], pool: NDArray[np.int32]) -> Sequence[tuple[_Ids, _Ids]]:
    """For 0, 1, 2… columns: a number for each line of both, equal where those columns agree."""
    both = np.concatenate([wanted, pool]).astype(np.int64)
    ids = np.zeros(len(both), np.int64)
    found = [ids]
    for column in both.T:
        _, ids = np.unique(ids * (column.max(initial=0) + 2) + column + 1, return_inverse=True)
        found.append(ids.astype(np.int64))
    return [(each[: len(wanted)], each[len(wanted) :]) for each in found]


def _matched(ours: _Ids, theirs: _Ids) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of places with equal numbers, each place at most once."""
    places = [np.argsort(ids, kind="stable") for ids in (ours, theirs)]
    mine, other = ours[places[0]], theirs[places[1]]
    rank = np.arange(len(mine)) - np.searchsorted(mine, mine)
    at = np.searchsorted(other, mine) + rank
    fits = at < np.searchsorted(other, mine, side="right")
    return places[0][fits], places[1][at[fits]]
