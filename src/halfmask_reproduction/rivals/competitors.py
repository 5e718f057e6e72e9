"""What others do with a categorical table, written small: the plain methods, and synthpop's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.data.table import ABSENT
from halfmask.errors import NotMeasurable
from halfmask.measures.quality.learning import one_hot

SMALLEST_LEAF = 5
"""As synthpop sets it: a value is drawn from at least so many rows."""


def bootstrap(table: Table, rng: np.random.Generator) -> Table:
    """As many rows of the original, drawn with replacement: all quality, no privacy."""
    return table.take(rng.integers(len(table), size=len(table)))


def sequential_cart(table: Table, rng: np.random.Generator) -> Table:
    """Column after column, each drawn from the leaf of a tree over the columns before it.

    The first column is drawn as it is. [Nowok, Raab & Dibben: synthpop, 2016]
    """
    try:
        from sklearn.tree import DecisionTreeClassifier
    except ModuleNotFoundError:
        raise NotMeasurable("Sequential CART needs scikit-learn: halfmask[ml].") from None
    made = np.full(table.codes.shape, ABSENT, np.int32)
    made[:, 0] = rng.choice(table.codes[:, 0], len(table))
    for column in range(1, len(table.schema)):
        before = list(range(column))
        tree = DecisionTreeClassifier(
            min_samples_leaf=SMALLEST_LEAF, random_state=int(rng.integers(2**31))
        )
        known = one_hot(table, before)
        tree.fit(known, table.codes[:, column])
        donors = _donors(
            tree.apply(known), tree.apply(one_hot(Table(table.schema, made), before)), rng
        )
        made[:, column] = table.codes[donors, column]
    return Table(table.schema, made)


def _donors(
    leaf_of_row: NDArray[np.int64], leaves: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.intp]:
    """A random row of the original in each of these leaves.

    >>> _donors(np.array([7, 3, 7]), np.array([3, 3]), np.random.default_rng(1)).tolist()
    [1, 1]
    """
    order = np.argsort(leaf_of_row, kind="stable")
    sorted_leaves = leaf_of_row[order]
    first = np.searchsorted(sorted_leaves, leaves)
    size = np.searchsorted(sorted_leaves, leaves, side="right") - first
    chosen: NDArray[np.intp] = order[first + (rng.random(len(leaves)) * size).astype(np.intp)]
    return chosen
