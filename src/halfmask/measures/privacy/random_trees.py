"""Random trees that compare two samples: how much denser is the release where a person stands?

Each tree asks for the columns in a random order. A person walks down as long as some row of the
release or of the reference has the same answers; her score is the logarithm of the two shares of
rows in the last such place, one row added to all together, and the scores of the trees are added.
Deep down a place is a single row: such trees see what a release remembers of whole rows, which sums
over few columns do not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
    scores = np.zeros((len(by_fold), len(asked)))
    for _ in range(TREES):
        scores += _tree(parts, asked, rng)
    return scores


def _tree(parts: list[Table], asked: Table, rng: np.random.Generator) -> NDArray[np.float64]:
    """What the rows asked for find at the end of their ways down one tree."""
    # Each answer has a random number; their sum names a place, and no two have the same name.
    names = [rng.integers(2**63, size=a.size + 1) for a in asked.schema.attributes]
    keys = [np.zeros(len(part), np.int64) for part in (*parts, asked)]
    rows = _by_fold(np.array([[float(len(part))] for part in parts]))
    found, on_way = np.zeros((len(parts) - 2, len(asked))), np.arange(len(asked))
    for column in rng.permutation(len(names)).tolist():
        for number, part in enumerate((*parts, asked)):
            keys[number] += names[column][part.codes[:, column] + 1]  # runs over and starts again
        on_way = on_way[np.argsort(keys[-1][on_way])]  # looking up is quicker in order
        here = keys[-1][on_way]
        released, known = _by_fold(np.stack([_count(np.sort(key), here) for key in keys[:-1]]))
        one = 1 / (rows[0] + rows[1])
        value = np.log((released / rows[0] + one) / (known / rows[1] + one))
        somebody = released + known > 0
        found[:, on_way] = np.where(somebody, value, found[:, on_way])
        on_way = on_way[somebody.any(axis=0)]
    return found


def _by_fold(counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Counts in the release and in the reference of each fold: what is in all and other folds."""
    known = counts[1:].sum(axis=0) - counts[2:]
    return np.broadcast_to(counts[0], known.shape), known


def _count(ranked: NDArray[np.int64], asked: NDArray[np.int64]) -> NDArray[np.float64]:
    right, left = (np.searchsorted(ranked, asked, side) for side in ("right", "left"))
    return np.asarray(right - left, np.float64)
