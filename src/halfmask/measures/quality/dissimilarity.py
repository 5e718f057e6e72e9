"""DS: how many bits too many each side costs when written in the other's code table.

    DS(o, p) = max( (CT_p(o) − CT_o(o)) / CT_o(o),  (CT_o(p) − CT_p(p)) / CT_p(p) )

CT_x(y) is the size of y in the codes of x, database part only, with 1 added to the usage of every
element so that everything has a code. 0 is equal; the classes of one data set differ by 0.3 to 12.

[Vreeken, van Leeuwen & Siebes, Characterising the Difference, 2007]

DS internal: the DS that the original has to random halves of itself.

The reference of the papers: a release whose DS is below it differs from the original by less than
a sample of it does. Samples have ⌈n/2⌉ rows drawn with replacement; the value is the DS of the
sizes averaged over the samples, as in the papers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Transactions
from halfmask.errors import BadInput, NotMeasurable
from halfmask.measures.code_tables import at_a_support_that_fits, code_tables, search_table
from halfmask.measures.comparison import Comparison
from halfmask.measures.confidence import mean_interval
from halfmask.measures.measure import Estimate, Measure
from halfmask.patterns.code_table import CodeTable


@dataclass(frozen=True, slots=True)
class CrossSizes:
    """The four sizes in bits of two databases in each other's codes.

    >>> sizes = CrossSizes(
    ...     original=100.0, original_in_release=120.0, release=50.0, release_in_original=55.0
    ... )
    >>> sizes.directed, sizes.dissimilarity
    ((0.2, 0.1), 0.2)
    """

    original: float
    """CT_o(o)"""
    original_in_release: float
    """CT_p(o)"""
    release: float
    """CT_p(p)"""
    release_in_original: float
    """CT_o(p)"""

    def __post_init__(self) -> None:
        if min(self.original, self.release) <= 0:
            raise BadInput("An empty database has no dissimilarity to another.")

    @property
    def directed(self) -> tuple[float, float]:
        """How much worse the original is in the release's codes, and the release in its."""
        return (
            (self.original_in_release - self.original) / self.original,
            (self.release_in_original - self.release) / self.release,
        )

    @property
    def dissimilarity(self) -> float:
        """DS, the larger of the two directed parts."""
        return max(self.directed)

    @classmethod
    def average(cls, runs: Sequence[CrossSizes]) -> CrossSizes:
        """The mean sizes of several runs; the papers compute one DS of these.

        >>> one, two = CrossSizes(1.0, 1.0, 2.0, 4.0), CrossSizes(3.0, 3.0, 2.0, 2.0)
        >>> CrossSizes.average([one, two]).dissimilarity
        0.5
        """
        if not runs:
            raise BadInput("An average needs at least one run.")
        means = (sum(getattr(run, f.name) for run in runs) / len(runs) for f in fields(cls))
        return cls(*means)


def cross_sizes(
    tables: tuple[CodeTable, CodeTable], rows: tuple[Transactions, Transactions]
) -> CrossSizes:
    """The sizes of both databases in both tables, original first, with the +1 on every element."""
    (o_in_o, p_in_o), (o_in_p, p_in_p) = (
        [table.encode(side, laplace=1).total for side in rows] for table in tables
    )
    return CrossSizes(o_in_o, o_in_p, p_in_p, p_in_o)


def _compute(comparison: Comparison) -> Estimate:
    tables = code_tables(comparison)
    rows = (comparison.original_side.distinct, comparison.release_side.distinct)
    try:
        sizes = cross_sizes(tables.pair, rows)
    except BadInput:
        raise NotMeasurable("All rows of one side are the same: they take no bits.") from None
    original_part, release_part = sizes.directed
    details = {
        "original_in_release": original_part,
        "release_in_original": release_part,
        "bits": {f.name: getattr(sizes, f.name) for f in fields(sizes)},
        "min_support": tables.min_support,
        "patterns_of_original": len(tables.original),
        "patterns_of_release": len(tables.release),
    }
    return Estimate(sizes.dissimilarity, details=details)


DISSIMILARITY = Measure(
    name="ds",
    room="quality",
    better="lower",
    unit="relative bits",
    meaning="How many extra bits it takes to describe one side with the patterns of the "
    "other, relative to its own; 0 means the same patterns.",
    how="Krimp tables of both sides at one minimum support, sizes with 1 added to every usage, the "
    "larger of the two directions.",
    cost="2.1 s",
    compute=_compute,
    of_all_rows=False,
)

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


def _internal(comparison: Comparison) -> Estimate:
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
    compute=_internal,
    default=False,
)
