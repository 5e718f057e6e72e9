"""Publication: the tables of an anatomy, and rows joined from them at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Baskets, Transactions
from halfmask.data.baskets import Assortment
from halfmask.data.published.anatomised import AnatomisedTables, Entries
from halfmask.methods.anatomy.cells import Cells
from halfmask.methods.anatomy.partition import Partition
from halfmask.randomness import Randomness


def tabulate(schema: Assortment, cells: Cells, partition: Partition) -> AnatomisedTables:
    """How often each value stands in each bucket, column by column."""
    entries = _native.tabulate(
        cells.of_row.ravel(),
        cells.columns.n,
        len(cells.values),
        partition.bucket_of,
        partition.n_buckets,
    )
    return AnatomisedTables(schema, cells.columns.of_item, cells.values, Entries(*entries))


@dataclass(frozen=True, eq=False)
class Permuted:
    """Baskets joined at random, and the bucket each came from (not published unless asked for)."""

    baskets: Baskets
    bucket_of: NDArray[np.int32]


def permute(tables: AnatomisedTables, *, randomness: Randomness) -> Permuted:
    """Join the columns of every bucket by independent permutations, then shuffle all rows.

    It needs nothing but the published tables, so the rows tell no more than the tables do.
    """
    entries, values = tables.entries, tables.values
    offsets, items, bucket_of = _native.join_at_random(
        entries.buckets,
        entries.values,
        entries.counts,
        entries.starts,
        values.offsets,
        values.items,
        tables.schema.n_items,
        tables.bucket_sizes,
        randomness.long_key("permuted rows"),
    )
    weights = np.ones(len(bucket_of), np.int64)
    rows = Transactions(offsets, items, weights, tables.schema.n_items)
    return Permuted(Baskets(tables.schema, rows), bucket_of)
