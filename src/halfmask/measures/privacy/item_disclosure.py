"""Item disclosure: what anatomy does not protect.

    disclosure(B, x) = Σ_{v ∋ x} c_B(v) / |B|

A bucket whose column values all differ may still share an item: whoever is known to be in the
bucket then holds that item for certain. l-diversity bounds whole values only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data.published.anatomised import AnatomisedTables
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.privacy.fake_records import anatomised_release


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


def _compute(comparison: Comparison) -> Estimate:
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
    meaning="The largest certainty with which a reader who finds a person's bucket learns that "
    "the person holds one item; anatomy does not bound it.",
    how="The share of a bucket's rows that hold the item, largest over buckets and items.",
    cost="3 s",
    compute=_compute,
    default=False,
)
