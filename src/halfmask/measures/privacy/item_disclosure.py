"""Item disclosure: what anatomy does not protect.

    disclosure(B, x) = Σ_{v ∋ x} c_B(v) / |B|

A bucket whose column values all differ may still share an item: whoever is known to be in the
bucket then holds that item for certain. l-diversity bounds whole values only.

Fake records: how many rows that nobody has can be joined from anatomised tables.

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

import numpy as np
from numpy.typing import NDArray

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
        raise NotMeasurable("The anatomised tables cannot be joined to any row that nobody has.")
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


@dataclass(frozen=True, eq=False)
class ItemDisclosure:
    """For every bucket and item that occurs in it, the share of the bucket's rows that hold it."""

    buckets: NDArray[np.int64]
    items: NDArray[np.int64]
    shares: NDArray[np.float64]
    frequency: NDArray[np.float64]
    """The share of all rows that hold each item: what everybody knows anyway."""

    @property
    def largest(self) -> NDArray[np.float64]:
        """For each item, its largest share in a bucket."""
        found = np.zeros(len(self.frequency))
        np.maximum.at(found, self.items, self.shares)
        return found

    @property
    def excess(self) -> NDArray[np.float64]:
        """For each item, its largest share in a bucket above its share in all rows."""
        return np.maximum(self.largest - self.frequency, 0.0)


def item_disclosure(tables: AnatomisedTables) -> ItemDisclosure:
    """Count the items of every bucket from the published tables."""
    m = tables.schema.n_items
    lengths = tables.values.lengths[tables.entries.values]
    starts = np.repeat(tables.values.offsets[:-1][tables.entries.values], lengths)
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)
    items = tables.values.items[starts + np.arange(len(first)) - first]
    keys = np.repeat(tables.entries.buckets.astype(np.int64), lengths) * m + items
    pairs, inverse = np.unique(keys, return_inverse=True)
    counts = np.bincount(inverse, np.repeat(tables.entries.counts, lengths), len(pairs))
    of_item = np.bincount(items, np.repeat(tables.entries.counts, lengths), m)
    buckets = pairs // m
    return ItemDisclosure(
        buckets, pairs % m, counts / tables.bucket_sizes[buckets], of_item / tables.size
    )


def _disclosed(comparison: Comparison) -> Estimate:
    tables = anatomised_release(comparison)
    found = item_disclosure(tables)
    certain = found.shares == 1.0
    common = found.frequency * tables.size >= comparison.min_support
    # A rare item is not named, not even as the worst one.
    excess = np.where(common, found.excess, -1.0)
    worst = int(excess.argmax()) if common.any() else None
    return Estimate(
        float(found.shares.max(initial=0.0)),
        details={
            "certain_pairs": int(certain.sum()),
            "rows_with_a_certain_item": int(
                tables.bucket_sizes[np.unique(found.buckets[certain])].sum()
            ),
            "mean_excess": float(found.excess.mean()),
            "most_exposed_item": None if worst is None else tables.schema.label(worst),
            "its_largest_share": None if worst is None else float(found.largest[worst]),
            "its_share_in_all_rows": None if worst is None else float(found.frequency[worst]),
        },
    )


ITEM_DISCLOSURE = Measure(
    name="item_disclosure",
    reads="counts",
    of_one_method=True,
    room="privacy",
    better="lower",
    unit="probability",
    meaning="The largest probability with which a reader who finds a person's bucket infers "
    "that the person holds one item; anatomy does not bound it.",
    how="The share of a bucket's rows that hold the item, largest over buckets and items.",
    cost="3 s",
    compute=_disclosed,
    default=False,
)
