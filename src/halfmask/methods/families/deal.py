"""Child rows for drawn parents: what may be learnt of them, and how they find their parents.

The person is the parent, who may have many child rows. A minimum support of k rows would let one
person with k rows carry a value over the floor alone; so at most `most` child rows of each parent
are learnt from, with a minimum support of k · most rows, behind which stand at least k parents.

Child rows are drawn together with a few columns of their parent and one of the sibling before them,
the context. A pool of them is dealt out to the parents of the release, each of whom gets rows drawn
for parents like himself.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput
from halfmask.methods.calibration.raking import row_order

KEPT = 0.75
"""Of each parent so many rows are learnt from that this share of all child rows is: the more of
one parent, the higher the floor. On patients and visits (500, 2,000 and 20,000 patients) two-way
tables are off least here, by 0.140, 0.053 and 0.012; with 0.9 by 0.160, 0.057 and 0.015."""
MOST_CONTEXT = 8
"""Columns of the parent that the child rows are drawn with; each makes a pool thinner."""
FEWEST = 5
"""Rows of a pool that must agree with a parent before one of them is taken: fewer would be taken
again and again."""
LARGEST_KEY = 2**62
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
    shared = {
        column: sum(
            _information(parents.codes[:, column], children.codes[:, other])
            for other in range(len(children.schema))
        )
        for column in range(len(parents.schema))
    }
    telling = [column for column, bits in shared.items() if bits > 0]
    return sorted(telling, key=lambda column: -shared[column])[:MOST_CONTEXT]


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
    """Which row of the stock each child is, and in how many columns of the context it agrees."""

    rows: NDArray[np.intp]
    agreed: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Stock:
    """Drawn child rows to deal out, sorted so that rows of one context stand together.

    The columns of the context come first, the most telling before the others, so that rows that
    agree in the first few of them stand together as well. Within them rows are sorted by the
    child's own columns: taking every so-many-th gives each kind of row its share.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema(tuple(Attribute(name, ("0", "1")) for name in ("sex", "ill")))
    >>> stock = Stock.of(Table(schema, np.array([[0, 0]] * 5 + [[1, 1]] * 5)), 1)
    >>> dealt = stock.deal(np.array([[1], [0]]), np.random.default_rng(1))
    >>> (dealt.rows // 5).tolist(), dealt.agreed.tolist()
    ([1, 0], [1, 1])
    """

    order: NDArray[np.intp]
    keys: NDArray[np.int64]
    """The context of each row as one number, in ascending order."""
    steps: NDArray[np.int64]
    """What a code of each column of the context counts in a key; the last step is 1."""

    @classmethod
    def of(cls, rows: Table, width: int) -> Stock:
        """Sort drawn rows, whose first `width` columns are the context."""
        if not len(rows):
            raise BadInput("There are no rows to assign to parents.")
        sizes = [attribute.size for attribute in rows.schema][:width]
        while prod(sizes) >= LARGEST_KEY:  # the least telling columns go
            sizes.pop()
        steps = np.array([prod(sizes[i + 1 :]) for i in range(len(sizes))], np.int64)
        order = row_order(rows.codes, rows.schema)
        keys = rows.codes[:, : len(sizes)].astype(np.int64) @ steps
        return cls(order.astype(np.intp), keys[order], steps)

    def deal(self, wanted: NDArray[np.int32], rng: np.random.Generator) -> Dealt:
        """A row for each line of codes: one that agrees in as many first columns as possible.

        Agreeing in so many columns is possible when at least `FEWEST` rows of the stock do.
        """
        rows = np.full(len(wanted), -1, np.intp)
        agreed = np.zeros(len(wanted), np.int64)
        for columns in range(len(self.steps), -1, -1):
            open_ = np.flatnonzero(rows < 0)
            if not len(open_):
                break
            first = wanted[open_, :columns].astype(np.int64) @ self.steps[:columns]
            reach = self.steps[columns - 1] if columns else np.iinfo(np.int64).max
            start, end = np.searchsorted(self.keys, [first, first + reach])
            fits = end - start >= (FEWEST if columns else 1)
            rows[open_[fits]] = self.order[_spread(start[fits], end[fits], rng)]
            agreed[open_[fits]] = columns
        return Dealt(rows, agreed)


def _spread(
    start: NDArray[np.intp], end: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """A place in each stretch; those of lines with one stretch lie evenly over it.

    Lines come in any order, so that siblings, who stand side by side, are not alike by it.
    """
    mixed = rng.permutation(len(start))
    mixed = mixed[np.argsort(start[mixed], kind="stable")]
    stretches, of_line, lines = np.unique(start[mixed], return_inverse=True, return_counts=True)
    rank = np.arange(len(mixed)) - (np.cumsum(lines) - lines)[of_line]
    share = (rank + rng.random(len(stretches))[of_line]) / lines[of_line]
    found = np.empty(len(start), np.intp)
    found[mixed] = start[mixed] + (share * (end - start)[mixed]).astype(np.intp)
    return found
