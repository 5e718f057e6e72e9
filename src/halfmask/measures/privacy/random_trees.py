"""Random trees that compare two samples: how much denser is the release where a person stands?

Each tree asks for the columns in a random order. A person walks down as long as some row of the
release or of the reference has the same answers; her score is the logarithm of the two shares of
rows in the last such place, one row added to all together, and the scores of the trees are added.
Deep down a place is a single row: such trees see what a release remembers of whole rows, which sums
over few columns do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Table

TREES = 30


def tree_scores(
    release: Table, always: Table, by_fold: list[Table], asked: Table, rng: np.random.Generator
) -> NDArray[np.float64]:
    """The score of each row asked for by each fold: folds × rows.

    The reference of a fold are the rows that are in it `always` and the rows of all other folds.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema((Attribute("a", ("x", "y")), Attribute("b", ("x", "y"))))
    >>> release = Table(schema, np.array([[0, 0]] * 3 + [[1, 1]]))
    >>> reference = Table(schema, np.array([[0, 0], [1, 1], [1, 1], [0, 1]]))
    >>> asked = Table(schema, np.array([[0, 0], [1, 1]]))
    >>> none, rng = asked.take(np.empty(0, np.intp)), np.random.default_rng(1)
    >>> scores = tree_scores(release, reference, [none], asked, rng)[0]
    >>> bool(scores[0] > 0 > scores[1])
    True
    """
    parts = [release, always, *by_fold]
    heap = _Heap.of(parts, asked)
    scores = np.zeros((len(by_fold), len(asked)))
    for _ in range(TREES):
        scores += heap.tree(rng.permutation(len(asked.schema)).tolist())
    return scores


@dataclass(frozen=True, eq=False)
class _Heap:
    """The rows of all parts, and after them those asked for."""

    codes: NDArray[np.int32]
    """Column after column; 0 is absent."""
    sizes: NDArray[np.int32]
    part: NDArray[np.intp]
    """Of each row; the last number is of those asked for."""
    rows: NDArray[np.float64]
    """Of each part but the last."""

    @classmethod
    def of(cls, parts: list[Table], asked: Table) -> _Heap:
        codes = np.vstack([part.codes for part in (*parts, asked)]) + np.int32(1)
        sizes = np.array([a.size + 1 for a in asked.schema.attributes], np.int32)
        lengths = [len(part) for part in parts]
        part = np.repeat(np.arange(len(parts) + 1), [*lengths, len(asked)])
        return cls(np.asfortranarray(codes), sizes, part, np.array(lengths, np.float64))

    def tree(self, columns: list[int]) -> NDArray[np.float64]:
        """What the rows asked for find at the end of their ways down the tree of these columns.

        Rows are sorted by the columns in their order, so that those with the same answers stand
        together at each depth. Who has nobody beside her is done, and so is whom nobody asks for.
        """
        asked, first = len(self.rows), int(self.rows.sum())
        rows = _by_fold(self.rows[:, np.newaxis])
        found = np.zeros((asked - 2, len(self.part) - first))
        order = _native.row_order(self.codes[:, columns].ravel(order="F"), self.sizes[columns])
        part, new = self.part[order], np.zeros(len(order), bool)
        new[:1] = True
        for column in columns:
            values = self.codes[:, column].take(order)
            new[1:] |= values[1:] != values[:-1]
            place = np.cumsum(new) - 1
            counts = np.bincount(place * (asked + 1) + part, minlength=new.sum() * (asked + 1))
            counts = counts.reshape(-1, asked + 1)
            here = np.flatnonzero(part == asked)
            released, known = _by_fold(counts[place[here], :asked].T.astype(np.float64))
            one = 1 / (rows[0] + rows[1])
            value = np.log((released / rows[0] + one) / (known / rows[1] + one))
            who = order[here] - first
            found[:, who] = np.where(released + known > 0, value, found[:, who])
            mixed = (counts[:, asked] > 0) & (counts.sum(axis=1) > counts[:, asked])
            left = np.flatnonzero(mixed[place])
            order, part, new = order[left], part[left], new[left]
        return found


def _by_fold(counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Counts in the release and in the reference of each fold: what is in all and other folds."""
    known = counts[1:].sum(axis=0) - counts[2:]
    return np.broadcast_to(counts[0], known.shape), known
