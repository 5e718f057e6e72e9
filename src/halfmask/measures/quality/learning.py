"""Machine-learning use: can one learn from the release what one can learn from the original?

    accuracy(trained on release) − accuracy(trained on original),   both tested on held-out rows

A classifier predicts the sensitive attribute, or the last one when none is named, from all others.

The classifier of the measures that learn: a random forest of scikit-learn, an extra.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.data.table import ABSENT
from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.confidence import mean_interval
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.side import Side

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


def _compute(comparison: Comparison) -> Estimate:
    target = comparison.sensitive or comparison.names[-1]
    if len(comparison.schema) < 2:
        raise NotMeasurable("Predicting one attribute from others needs at least two.")
    test = _with_value(comparison.holdout_side.table, comparison.schema.position(target))
    if len(test) < 2:
        raise NotMeasurable(f"Fewer than 2 held-out rows have a value of {target!r}.")
    from_original, from_release = (
        side.once(("learnt", target), partial(_right, comparison, side, test, target))
        for side in (comparison.original_side, comparison.release_side)
    )
    gain = mean_interval(from_release - from_original)
    truth = test.codes[:, comparison.schema.position(target)]
    details = {
        "target": target,
        "accuracy_from_release": float(from_release.mean()),
        "accuracy_from_original": float(from_original.mean()),
        "accuracy_of_most_common": float(np.bincount(truth).max() / len(truth)),
        "tested_on": len(test),
        "learnt_from_at_most": MOST_ROWS,
    }
    return Estimate(gain.value, gain.low, gain.high, details)


def _with_value(table: Table, column: int) -> Table:
    return table.take(np.flatnonzero(table.codes[:, column] != ABSENT))


def _right(comparison: Comparison, side: Side, test: Table, target: str) -> NDArray[np.float64]:
    """1 for each test row whose target is predicted by what was learnt from this side, else 0."""
    column = comparison.schema.position(target)
    known = [c for c in range(len(comparison.schema)) if c != column]
    # The same stream for both sides: equal rows in equal order learn the same.
    rng = comparison.randomness.child("learning")
    train = _with_value(side.table, column)
    if len(train) > MOST_ROWS:
        train = train.take(np.sort(rng.choice(len(train), MOST_ROWS, replace=False)))
    classes = train.codes[:, column]
    if not len(train):
        raise NotMeasurable(f"No row of {side.what} has a value of {target!r}.")
    if (classes == classes[0]).all():
        predicted = np.full(len(test), classes[0])
    else:
        model = new_classifier(rng).fit(one_hot(train, known), classes)
        predicted = model.predict(one_hot(test, known))
    return np.asarray(predicted == test.codes[:, column], np.float64)


LEARNING = Measure(
    name="learning",
    room="quality",
    better="higher",
    unit="difference of accuracies",
    meaning="How much accuracy a model loses (below 0) when it is trained on the release "
    "instead of the original and tested on held-out rows.",
    how=f"A random forest on up to {MOST_ROWS:,} rows of either side; interval of the paired "
    "difference over the held-out rows.",
    cost="3.9 s",
    compute=_compute,
    default=False,
    control=True,
)
