"""The classifier of the measures that learn: a random forest of scikit-learn, an extra."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.errors import NotMeasurable

__all__ = ["MOST_ROWS", "new_classifier", "one_hot"]

MOST_ROWS = 20_000
"""Of more rows a seeded choice is learnt from."""


def new_classifier(rng: np.random.Generator) -> Any:
    """An untrained forest: it finds relations by itself and needs no tuning to be fair to both."""
    try:
        from sklearn.ensemble import RandomForestClassifier
    except ImportError:
        raise NotMeasurable(
            "This measure needs scikit-learn: pip install 'halfmask[ml]'."
        ) from None
    return RandomForestClassifier(
        n_estimators=40, min_samples_leaf=5, random_state=int(rng.integers(2**31))
    )


def one_hot(table: Table, columns: list[int]) -> NDArray[np.float32]:
    """A column of 0 and 1 for each value: categories have no order.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema((Attribute("a", ("x", "y")), Attribute("b", ("p", "q", "r"))))
    >>> one_hot(Table(schema, np.array([[1, 2], [0, -1]])), [0, 1]).astype(int).tolist()
    [[0, 1, 0, 0, 1], [1, 0, 0, 0, 0]]
    """
    sizes = [table.schema.attributes[c].size for c in columns]
    return np.hstack(
        [
            (table.codes[:, c, None] == np.arange(size)).astype(np.float32)
            for c, size in zip(columns, sizes, strict=True)
        ]
    )
