"""Record partition: rows into buckets in which no value is too frequent, and nobody left over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.errors import HalfmaskError
from halfmask.methods.anatomy.bounds import Bounds
from halfmask.methods.anatomy.cells import Cells
from halfmask.randomness import Randomness


@dataclass(frozen=True, eq=False)
class Partition:
    """The bucket of every row (-1: none) and how the rows left by the scan found theirs."""

    bucket_of: NDArray[np.int32]
    passes: int = 0
    placed: int = 0
    absorbed: int = 0
    merges: int = 0

    @property
    def n_buckets(self) -> int:
        """The number of buckets."""
        return int(self.bucket_of.max(initial=-1)) + 1

    @property
    def buckets(self) -> list[list[int]]:
        """The rows of each bucket."""
        order = np.argsort(self.bucket_of, kind="stable")
        ends = np.cumsum(np.bincount(self.bucket_of + 1, minlength=self.n_buckets + 1))
        return [part.tolist() for part in np.split(order, ends[:-1])[1:]]


def partition_rows(
    cells: Cells,
    bounds: Bounds,
    *,
    min_bucket: int,
    randomness: Randomness | None,
) -> Partition:
    """One scan that closes a bucket as soon as it may, then a place for every row left over.

    With randomness the rows are scanned in random order, because the order of a file may tell
    the time; without, in the order given.
    """
    order = cells.kept
    if randomness is not None:
        order = randomness.child("rows of the partition").permutation(order)
    scanned = _native.close_buckets(
        cells.of_row.ravel(), cells.columns.n, bounds.rises, bounds.falls, order, min_bucket
    )
    leftovers = order[scanned[order] < 0]
    settled = settle(cells, bounds, scanned, leftovers, randomness=randomness)
    if (settled.bucket_of[cells.kept] < 0).any():
        raise HalfmaskError("The partition was stopped before every row had a bucket.")
    return settled


def settle(  # noqa: PLR0913 - the state of a partition in parts
    cells: Cells,
    bounds: Bounds,
    bucket_of: NDArray[np.int32],
    leftovers: NDArray[np.int64],
    *,
    randomness: Randomness | None,
    absorb: bool = True,
) -> Partition:
    """A bucket for each row left over: where there is room, else by merging buckets."""
    nothing = np.empty(0, np.uint64)
    key = nothing if randomness is None else randomness.long_key("leftovers of the partition")
    found = _native.settle_leftovers(
        cells.of_row.ravel(),
        cells.columns.n,
        bounds.rises,
        bounds.falls,
        bucket_of,
        leftovers,
        key,
        absorb,
    )
    return Partition(*found)
