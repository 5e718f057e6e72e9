"""Columns: which items belong together, by correlation or as the steward says.

Correlation of items is the mean-square contingency φ², in two forms:

    φ²_cell = (f11 − fi·fj)² / (fi·fj)                        the cell "both present" alone
    φ²_full = (f11 − fi·fj)² / (fi(1 − fi) · fj(1 − fj))      all four cells (Cramér's V²)

The first is what the article on multi-dimension anatomy prints: an absent item tells nothing.

k-medoids: objects in k groups around one of their own, by swapping (FasterPAM). A run of swaps
ends in a local optimum, and the greedy start in a poor one more often than one would think: on the
ten rows of the article's own example it misses the best two columns. So random starts are tried
beside it and the best end is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Assortment, Baskets, Transactions
from halfmask.errors import BadInput
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


@dataclass(frozen=True, eq=False)
class Clustering:
    """The medoids in increasing order, the group of every object, and the sum of distances."""

    medoids: NDArray[np.int32]
    labels: NDArray[np.int32]
    loss: float


def k_medoids(
    distances: NDArray[np.float64], k: int, *, randomness: Randomness, restarts: int = 20
) -> Clustering:
    """The best of one greedy and `restarts` random starts.

    >>> line = np.array([0.0, 1.0, 2.0, 10.0, 11.0])
    >>> found = k_medoids(abs(line[:, None] - line), 2, randomness=Randomness(1))
    >>> found.medoids.tolist(), found.labels.tolist(), found.loss
    ([1, 3], [0, 0, 0, 1, 1], 3.0)
    """
    n = len(distances)
    if not 1 <= k <= n:
        raise BadInput(f"{n} objects can be put in 1 to {n} groups, not in {k}.")
    if restarts < 0:
        raise BadInput(f"The number of restarts is at least 0, not {restarts}.")
    flat = np.ascontiguousarray(distances, np.float64).ravel()
    rng = randomness.child("medoids")
    starts = [_native.build_start(flat, n, k)]
    starts += [rng.choice(n, k, replace=False).astype(np.int32) for _ in range(restarts)]
    ends = [_native.swap_medoids(flat, n, start) for start in starts]
    medoids, loss, _ = min(ends, key=lambda end: (end[1], end[0].tolist()))
    return Clustering(medoids, assign(distances[:, medoids]), loss)


def assign(to_medoids: NDArray[np.float64], capacity: int | None = None) -> NDArray[np.int32]:
    """The nearest medoid of every object, ties to the first; with a capacity, while it has room.

    With a capacity, the closest pairs choose first.

    >>> near = np.array([[0.0, 9.0], [1.0, 8.0], [2.0, 3.0]])
    >>> assign(near).tolist(), assign(near, capacity=2).tolist()
    ([0, 0, 0], [0, 0, 1])
    """
    n, k = to_medoids.shape
    if capacity is None:
        return np.asarray(to_medoids.argmin(axis=1), np.int32)
    if capacity * k < n:
        raise BadInput(f"{k} groups of at most {capacity} have no room for {n} objects.")
    labels = np.full(n, -1, np.int32)
    room = [capacity] * k
    for pair in np.argsort(to_medoids, axis=None, kind="stable").tolist():
        thing, medoid = divmod(pair, k)
        if labels[thing] < 0 and room[medoid] > 0:
            labels[thing] = medoid
            room[medoid] -= 1
    return labels


Phi = Literal["cell", "full"]


def pair_counts(rows: Transactions, items: NDArray[np.int64]) -> NDArray[np.uint32]:
    """How many rows hold both of two items, for all pairs of the given items.

    >>> pair_counts(Transactions.of([(0, 1), (0,)], n_items=2), np.array([0, 1])).tolist()
    [[2, 1], [1, 1]]
    """
    counts = _native.pair_counts(*rows.arrays, _slots(rows, items), len(items))
    return counts.reshape(len(items), len(items))


def cross_counts(
    rows: Transactions, left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """How many rows hold an item of the left and one of the right, for all such pairs."""
    counts = _native.cross_counts(
        *rows.arrays, _slots(rows, left), len(left), _slots(rows, right), len(right)
    )
    return counts.reshape(len(left), len(right))


def _slots(rows: Transactions, items: NDArray[np.int64]) -> NDArray[np.int32]:
    slots = np.full(rows.n_items, -1, np.int32)
    slots[items] = np.arange(len(items), dtype=np.int32)
    return slots


def phi_squared(
    rows: Transactions, items: NDArray[np.int64], *, phi: Phi = "cell", signed: bool = False
) -> NDArray[np.float64]:
    """φ² of all pairs of items that occur; the diagonal holds an item with itself.

    `signed` sets φ² to 0 where two items are together less often than by chance; otherwise items
    that exclude one another look correlated.

    >>> rows = Transactions.of([(0, 1), (0, 1), (2,), ()], n_items=3)
    >>> phi_squared(rows, np.arange(3))[0].round(3).tolist()
    [0.25, 0.25, 0.125]
    """
    together = pair_counts(rows, items)
    f = np.diagonal(together) / rows.size
    return _phi(together / rows.size, (f, f), phi=phi, signed=signed)


def phi_squared_between(
    rows: Transactions,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    *,
    phi: Phi = "cell",
    signed: bool = False,
) -> NDArray[np.float64]:
    """φ² of each item on the left with each on the right."""
    together = cross_counts(rows, left, right)
    f = rows.item_counts / rows.size
    return _phi(together / rows.size, (f[left], f[right]), phi=phi, signed=signed)


def _phi(
    together: NDArray[np.float64],
    alone: tuple[NDArray[np.float64], NDArray[np.float64]],
    *,
    phi: Phi,
    signed: bool,
) -> NDArray[np.float64]:
    fi, fj = alone
    # In place: with 5,000 items one such matrix is 200 MB.
    result = together
    result -= np.outer(fi, fj)
    if signed:
        np.maximum(result, 0.0, out=result)
    result *= result
    spread_i, spread_j = (fi, fj) if phi == "cell" else (fi * (1 - fi), fj * (1 - fj))
    # An item in every row says nothing about another one: 0/0 of the full form is 0.
    result /= np.maximum(np.outer(spread_i, spread_j), np.finfo(np.float64).tiny)
    return result
