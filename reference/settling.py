"""Groups that are few in every solution of a system of counts, by looking at all solutions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product


def solutions(
    bounds: Sequence[tuple[int, int]], equations: Sequence[Mapping[int, int]]
) -> Iterator[tuple[int, ...]]:
    """All whole numbers within the bounds for which every equation's signed sum is 0."""
    for numbers in product(*(range(low, high + 1) for low, high in bounds)):
        if all(sum(sign * numbers[n] for n, sign in e.items()) == 0 for e in equations):
            yield numbers


def pinned(
    bounds: Sequence[tuple[int, int]],
    equations: Sequence[Mapping[int, int]],
    floors: Mapping[int, int],
) -> set[int]:
    """The groups that no solution gives 0, or their floor or more.

    >>> sorted(pinned([(40, 40), (35, 35), (0, 40)], [{0: 1, 1: -1, 2: -1}], {1: 10, 2: 10}))
    [2]
    """
    left = set(floors)
    for numbers in solutions(bounds, equations):
        left = {n for n in left if 0 < numbers[n] < floors[n]}
    return left
