"""Columns: which items belong together, by correlation or as the steward says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Assortment, Baskets
from halfmask.errors import BadInput
from halfmask.methods.anatomy.correlation import Phi, phi_squared, phi_squared_between
from halfmask.methods.anatomy.kmedoids import assign, k_medoids
from halfmask.randomness import Randomness


@dataclass(frozen=True, eq=False)
class ItemColumns:
    """The column of every item; columns are numbered from 0 and none is empty."""

    of_item: NDArray[np.int32]

    def __post_init__(self) -> None:
        if not len(self.of_item) or not np.array_equal(np.unique(self.of_item), range(self.n)):
            raise BadInput("Every column needs at least one item, and every item a column.")

    @property
    def n(self) -> int:
        """The number of columns."""
        return int(self.of_item.max()) + 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of items of each column."""
        return tuple(np.bincount(self.of_item, minlength=self.n).tolist())

    @classmethod
    def given(cls, groups: Sequence[Sequence[str]], schema: Assortment) -> ItemColumns:
        """The steward's own columns; together they name every item once.

        >>> ItemColumns.given([["b"], ["a", "c"]], Assortment(("a", "b", "c"))).of_item.tolist()
        [1, 0, 1]
        """
        of_item = np.full(schema.n_items, -1, np.int32)
        for number, group in enumerate(groups):
            if not len(group):
                raise BadInput(
                    f"Column {number + 1} is empty; every column needs at least one item."
                )
            for name in group:
                item = schema.item(name)
                if of_item[item] >= 0:
                    raise BadInput(f"Item {name!r} was put in two columns; give it one.")
                of_item[item] = number
        missing = np.flatnonzero(of_item < 0)
        if len(missing):
            raise BadInput(
                f"The columns leave out {len(missing)} of {schema.n_items} items, "
                f"the first {schema.label(int(missing[0]))!r}; put every item in one column."
            )
        return cls(of_item)

    def joined(self, one: int, other: int) -> ItemColumns:
        """The same columns with two of them joined."""
        low, high = sorted((one, other))
        of_item = np.where(self.of_item == high, low, self.of_item)
        return ItemColumns((of_item - (of_item > high)).astype(np.int32))


@dataclass(frozen=True, slots=True)
class Clusterer:
    """How columns are found: correlated items together, by k-medoids over 1 − φ².

    >>> baskets = Baskets.of([["a", "b"], ["a", "b"], ["c", "d"], ["c", "d"], ["a", "b", "c", "d"]])
    >>> Clusterer(signed=True).columns(baskets, 2, randomness=Randomness(1)).of_item.tolist()
    [0, 0, 1, 1]
    """

    phi: Phi = "cell"
    signed: bool = False
    """Whether items that exclude one another count as uncorrelated."""
    restarts: int = 20
    balanced: bool = False
    """Whether columns have at most ⌈items / columns⌉ items."""
    max_items: int = 5000
    """Only the most frequent items are clustered, 200 MB at this number; the rest join the nearest
    medoid."""

    def __post_init__(self) -> None:
        if self.phi not in ("cell", "full"):
            raise BadInput(f"The correlation is 'cell' or 'full', not {self.phi!r}.")

    def columns(self, baskets: Baskets, k: int, *, randomness: Randomness) -> ItemColumns:
        """K columns, or as many as items occur; an item that never occurs joins the first."""
        rows = baskets.transactions
        counts = rows.item_counts
        occurring = np.flatnonzero(counts)
        if not len(occurring):
            return ItemColumns(np.zeros(len(counts), np.int32))
        k = min(k, len(occurring))
        by_count = occurring[np.argsort(-counts[occurring], kind="stable")]
        clustered = np.sort(by_count[: max(self.max_items, k)])
        distances = phi_squared(rows, clustered, phi=self.phi, signed=self.signed)
        np.subtract(1.0, distances, out=distances)
        np.maximum(distances, 0.0, out=distances)  # rounding may pass 1
        np.fill_diagonal(distances, 0.0)
        found = k_medoids(distances, k, randomness=randomness, restarts=self.restarts)
        to_medoids = np.empty((len(occurring), k))
        inside = np.isin(occurring, clustered)
        to_medoids[inside] = distances[:, found.medoids]
        medoids = clustered[found.medoids]
        to_medoids[~inside] = 1.0 - phi_squared_between(
            rows, occurring[~inside], medoids, phi=self.phi, signed=self.signed
        )
        capacity = -(-len(occurring) // k) if self.balanced else None
        of_item = np.zeros(len(counts), np.int32)
        of_item[occurring] = assign(to_medoids, capacity)
        return ItemColumns(of_item)
