"""Propensity: can a classifier tell the rows of the release from those of the original?

    AUC = P(score of a release row > score of an original row) + ½ P(equal),   ½ is "cannot tell"
    pMSE = mean (score − share of release rows)²

The rows are split at random into two halves; each half is judged by what was learnt from the
other. A copy is told apart *less* often than by luck, because a row's twin lies in the other half
with the other label: values below ½ read as ½.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.measures.comparison import Comparison
from halfmask.measures.confidence import Z95, Interval
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.quality.learning import MOST_ROWS, new_classifier, one_hot
from halfmask.measures.side import Tally, row_keys


def weighted_auc(
    scores: NDArray[np.float64], first: NDArray[np.float64], second: NDArray[np.float64]
) -> Interval:
    """The chance that a draw by the second weights scores above one by the first; ties half.

    The weights count rows; the interval is DeLong's.

    >>> weighted_auc(np.array([0.1, 0.9]), np.array([50.0, 0.0]), np.array([0.0, 50.0]))
    Interval(value=1.0, low=1.0, high=1.0)
    >>> even = weighted_auc(np.array([0.1, 0.9]), np.full(2, 50.0), np.full(2, 50.0))
    >>> even.value, round(even.low, 3)
    (0.5, 0.431)
    """
    p, q = first / first.sum(), second / second.sum()
    _, place = np.unique(scores, return_inverse=True)
    above_first, above_second = _share_below(p, place), _share_below(q, place)
    value = float((q * above_first).sum())
    of_second = float((q * (above_first - value) ** 2).sum() / second.sum())
    of_first = float((p * (1 - above_second - value) ** 2).sum() / first.sum())
    half = Z95 * math.sqrt(of_first + of_second)
    return Interval(value, max(0.0, value - half), min(1.0, value + half))


def _share_below(weights: NDArray[np.float64], place: NDArray[np.intp]) -> NDArray[np.float64]:
    """For each entry the weight that scores below it, and half of what scores the same."""
    level = np.bincount(place, weights=weights)
    return np.asarray((np.cumsum(level) - 0.5 * level)[place], np.float64)


def _compute(comparison: Comparison) -> Estimate:
    rng = comparison.randomness.child("propensity")
    sides = (comparison.original_side.table, comparison.release_side.table)
    tables = [_some(table, rng) for table in sides]
    together = Table(comparison.schema, np.vstack([table.codes for table in tables]))
    tally = Tally.of(row_keys(together, range(len(comparison.schema))))
    first_row = np.full(len(tally), len(together))
    np.minimum.at(first_row, tally.of_row, np.arange(len(together)))
    of_rows = np.split(tally.of_row, [len(tables[0])])
    counts = [np.bincount(of_row, minlength=len(tally)) for of_row in of_rows]
    one = [rng.binomial(count, 0.5).astype(np.float64) for count in counts]
    other = [count - half for count, half in zip(counts, one, strict=True)]
    features = one_hot(together.take(first_row), list(range(len(comparison.schema))))
    judged = [_judge(features, *halves, rng) for halves in ((one, other), (other, one))]
    aucs = [auc for auc, _ in judged]
    value = (aucs[0].value + aucs[1].value) / 2
    # The halves share their luck: the interval of their mean is no narrower than theirs.
    half = max(auc.high - auc.low for auc in aucs) / 2
    low, value, high = (min(max(v, 0.5), 1.0) for v in (value - half, value, value + half))
    details = {
        "pmse": float(np.mean([pmse for _, pmse in judged])),
        "rows_of_each_side": [len(table) for table in tables],
    }
    return Estimate(value, low, high, details)


def _some(table: Table, rng: np.random.Generator) -> Table:
    if len(table) <= MOST_ROWS:
        return table
    return table.take(np.sort(rng.choice(len(table), MOST_ROWS, replace=False)))


def _judge(
    features: NDArray[np.float32],
    known: list[NDArray[np.float64]],
    asked: list[NDArray[np.float64]],
    rng: np.random.Generator,
) -> tuple[Interval, float]:
    """AUC and pMSE on the rows asked, by what the known rows teach; weights count equal rows."""
    weights = np.concatenate(known)
    labels = np.repeat([0, 1], len(features))
    used = weights > 0
    model = new_classifier(rng)
    model.fit(np.vstack([features] * 2)[used], labels[used], sample_weight=weights[used])
    scores = model.predict_proba(features)[:, 1]
    share = asked[1].sum() / (asked[0].sum() + asked[1].sum())
    both = asked[0] + asked[1]
    pmse = float((both * (scores - share) ** 2).sum() / both.sum())
    return weighted_auc(scores, asked[0], asked[1]), pmse


PROPENSITY = Measure(
    name="propensity",
    room="quality",
    better="lower",
    unit="AUC",
    meaning="How well a classifier distinguishes release rows from original rows: ½ is not at "
    "all, 1 is always.",
    how=f"Area under the curve of a random forest on up to {MOST_ROWS:,} rows of each side, learnt "
    "on one half of the rows and tested on the other; DeLong interval.",
    cost="2.2 s",
    compute=_compute,
    default=False,
)
