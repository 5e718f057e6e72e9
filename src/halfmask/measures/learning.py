"""Machine-learning use: can one learn from the release what one can learn from the original?

    accuracy(trained on release) − accuracy(trained on original),   both tested on held-out rows

A classifier predicts the sensitive attribute, or the last one when none is named, from all others.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.data.table import ABSENT
from halfmask.errors import NotMeasurable
from halfmask.measures.base import Estimate
from halfmask.measures.classifier import MOST_ROWS, new_classifier, one_hot
from halfmask.measures.comparison import Comparison
from halfmask.measures.confidence import mean_interval
from halfmask.measures.measure import Measure
from halfmask.measures.side import Side

__all__ = ["LEARNING"]


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
    meaning="How much accuracy a predictor loses (below 0) when it is trained on the release "
    "instead of the original and tested on held-out rows.",
    how=f"A random forest on up to {MOST_ROWS:,} rows of either side; interval of the paired "
    "difference over the held-out rows.",
    cost="3.9 s",
    compute=_compute,
    default=False,
    control=True,
)
