"""DS internal: the DS that the original has to random halves of itself.

The reference of the papers: a release whose DS is below it differs from the original by less than
a sample of it does. Samples have ⌈n/2⌉ rows drawn with replacement; the value is the DS of the
sizes averaged over the samples, as in the papers.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Transactions
from halfmask.measures.base import Estimate
from halfmask.measures.code_tables import at_a_support_that_fits, search_table
from halfmask.measures.comparison import Comparison
from halfmask.measures.confidence import mean_interval
from halfmask.measures.dissimilarity import CrossSizes, cross_sizes
from halfmask.measures.measure import Measure

__all__ = ["DISSIMILARITY_REFERENCE", "half_sample"]

_SAMPLES = 10


def half_sample(rows: Transactions, rng: np.random.Generator) -> Transactions:
    """⌈n/2⌉ rows drawn with replacement, as distinct rows with weights.

    >>> rows = Transactions.of([(0,), (1,), (1,)], n_items=2)
    >>> half_sample(rows.distinct(), np.random.default_rng(1)).size
    2
    """
    drawn = rng.multinomial(math.ceil(rows.size / 2), rows.weights / rows.size)
    kept = np.flatnonzero(drawn)
    lengths = np.diff(rows.offsets)[kept]
    cells = np.repeat(rows.offsets[kept], lengths) + _ramp(lengths)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Transactions(offsets, rows.items[cells], drawn[kept].astype(np.int64), rows.n_items)


def _ramp(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, … within each run."""
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.arange(int(lengths.sum())) - starts


def _compute(comparison: Comparison) -> Estimate:
    return comparison.original_side.once(
        ("ds internal", comparison.evaluation_support), lambda: _samples(comparison)
    )


def _samples(comparison: Comparison) -> Estimate:
    rows = comparison.original_side.distinct
    support, runs = at_a_support_that_fits(comparison, lambda s: (s, _runs(comparison, rows, s)))
    value = CrossSizes.average(runs).dissimilarity
    single = np.array([run.dissimilarity for run in runs])
    spread = mean_interval(single)
    half = spread.value - spread.low
    details = {"min_support": support, "samples": _SAMPLES, "mean_of_single_ds": spread.value}
    return Estimate(value, value - half, value + half, details)


def _runs(comparison: Comparison, rows: Transactions, support: int) -> list[CrossSizes]:
    full = search_table(comparison, rows, support)
    rng = comparison.randomness.child("ds internal")
    runs = []
    for _ in range(_SAMPLES):
        sample = half_sample(rows, rng)
        table = search_table(comparison, sample, support)
        runs.append(cross_sizes((full, table), (rows, sample)))
    return runs


DISSIMILARITY_REFERENCE = Measure(
    name="ds_internal",
    room="quality",
    better="neither",
    unit="relative bits",
    meaning="The DS between the original and random halves of itself: a release below it is as "
    "close as a sample.",
    how=f"{_SAMPLES} samples of half the rows, drawn with replacement; DS of the averaged sizes.",
    cost="2.9 s",
    compute=_compute,
    default=False,
)
