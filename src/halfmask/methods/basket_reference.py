"""Filling baskets with disjoint patterns in plain Python: map for readers, oracle of the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from halfmask.data import Itemset
from halfmask.methods.uniforms import uniforms

__all__ = ["fill_basket", "sample_baskets"]

MAX_DRAWS = 32
"""After so many draws that collide, the admissible patterns are added up one by one."""


def sample_baskets(
    patterns: Sequence[Itemset], weights: Sequence[float], sizes: Sequence[int], key: int
) -> list[list[int]]:
    """One basket for each size; basket b draws from its own stream of the key."""
    return [
        sorted(
            item
            for n in fill_basket(patterns, weights, size, uniforms(key, b))
            for item in patterns[n]
        )
        for b, size in enumerate(sizes)
    ]


def fill_basket(
    patterns: Sequence[Itemset], weights: Sequence[float], size: int, uniform: Iterator[float]
) -> list[int]:
    """The numbers of the patterns that fill one basket; patterns stand shortest first.

    >>> fill_basket([(0,), (1, 2)], [1.0, 1.0], 3, uniforms(1)) in ([0, 1], [1, 0])
    True
    """
    chosen: list[int] = []
    held: set[int] = set()
    while len(held) < size:
        fit = sum(len(pattern) <= size - len(held) for pattern in patterns)
        number = _choose(patterns[:fit], weights[:fit], held, uniform)
        if number is None:
            break
        chosen.append(number)
        held |= set(patterns[number])
    return chosen


def _choose(
    patterns: Sequence[Itemset], weights: Sequence[float], held: set[int], uniform: Iterator[float]
) -> int | None:
    sums = list(accumulate(weights))
    if not sums or not sums[-1] > 0:
        return None
    free = [w > 0 and held.isdisjoint(p) for p, w in zip(patterns, weights, strict=True)]
    for _ in range(MAX_DRAWS):
        place = next(uniform) * sums[-1]
        number = next((n for n, total in enumerate(sums[:-1]) if total > place), len(sums) - 1)
        if free[number]:
            return number
    place = next(uniform) * sum(w for w, f in zip(weights, free, strict=True) if f)
    chosen, total = None, 0.0
    for number in (n for n, f in enumerate(free) if f):
        if total > place:
            break
        total += weights[number]
        chosen = number
    return chosen
