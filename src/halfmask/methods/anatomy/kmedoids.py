"""k-medoids: objects in k groups around one of their own, by swapping (FasterPAM).

A run of swaps ends in a local optimum, and the greedy start in a poor one more often than one
would think: on the ten rows of the article's own example it misses the best two columns. So
random starts are tried beside it and the best end is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.errors import BadInput
from halfmask.randomness import Randomness


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
