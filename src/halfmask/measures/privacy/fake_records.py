"""Fake records: how many rows that nobody has can be joined from anatomised tables.

    joins    = Σ_B Π_j distinct_j(B)           different rows that can be joined
    fake     = Σ_B (Π_j distinct_j(B) − t_B)   less the t_B different true rows of the bucket
    multiset = Σ_B |B|^p                       joins counted with repeats, as the article does
    least    = q · l^p                         what l-diversity alone guarantees

A reader who joins values at random is lost among them. The numbers grow with l and, exponentially,
with the number of columns p, so they are exact whole numbers and are read by their logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from halfmask.data.published.anatomised import AnatomisedTables
from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure


@dataclass(frozen=True, slots=True)
class FakeRecords:
    """The counts as exact whole numbers."""

    joins: int
    fake: int
    multiset: int
    buckets: int
    columns: int

    def least(self, level: float | Fraction) -> Fraction:
        """Q · l^p, what l-diversity alone guarantees."""
        return self.buckets * Fraction(str(level)) ** self.columns


def fake_records(tables: AnatomisedTables, true_rows: Sequence[int] | None = None) -> FakeRecords:
    """Count the joins of every bucket.

    `true_rows` is the number of different true rows of each bucket, which only the house knows;
    without it every row of a bucket is taken for a different one, and `fake` is the least that
    there can be.
    """
    sizes = tables.bucket_sizes.tolist()
    joins = [math.prod(line) for line in tables.distinct_counts().tolist()]
    known = sizes if true_rows is None else true_rows
    return FakeRecords(
        joins=sum(joins),
        fake=sum(j - min(j, t) for j, t in zip(joins, known, strict=True)),
        multiset=sum(size**tables.n_columns for size in sizes),
        buckets=tables.n_buckets,
        columns=tables.n_columns,
    )


def anatomised_release(comparison: Comparison) -> AnatomisedTables:
    """The release, which must consist of anatomised tables."""
    if not isinstance(comparison.release, AnatomisedTables):
        raise NotMeasurable("This measure reads anatomised tables, and the release has none.")
    return comparison.release


def _compute(comparison: Comparison) -> Estimate:
    counted = fake_records(anatomised_release(comparison))
    if not counted.fake:
        raise NotMeasurable("The anatomised tables can be joined to no row that nobody has.")
    return Estimate(
        math.log(counted.fake),
        details={
            "fake_records": str(counted.fake),
            "ln_joins": math.log(counted.joins),
            "ln_multiset": math.log(counted.multiset),
        },
    )


FAKE_RECORDS = Measure(
    name="fake_records",
    reads="counts",
    of_one_method=True,
    room="privacy",
    better="higher",
    unit="ln",
    meaning="The natural logarithm of the number of rows nobody has among which the true rows "
    "hide.",
    how="Different joins of the values of each bucket, less its rows; summed over buckets.",
    cost="0.1 s",
    compute=_compute,
    default=False,
)
