"""Filling baskets with disjoint patterns in plain Python: map for readers, oracle of the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from halfmask.data import Itemset
from halfmask.methods.uniforms import uniforms

__all__ = ["fill_basket", "sample_baskets"]

MAX_DRAWS = 32
"""After so many draws that collide, the admissible patterns are added up one by one."""


Links = Mapping[int, Sequence[tuple[int, float]]]
"""For an item, those that are tied to it, in order, each with its weight."""


def sample_baskets(  # noqa: PLR0913 - what to draw from, and which baskets
    patterns: Sequence[Itemset],
    weights: Sequence[float],
    sizes: Sequence[int],
    key: int,
    *,
    links: Links | None = None,
    fresh: float = 1.0,
    first: int = 0,
) -> list[list[int]]:
    """One basket for each size; basket b draws from its own stream of the key."""
    return [
        sorted(
            fill_basket(patterns, weights, size, uniforms(key, first + b), links=links, fresh=fresh)
        )
        for b, size in enumerate(sizes)
    ]


def fill_basket(  # noqa: PLR0913 - what to draw from, and how much
    patterns: Sequence[Itemset],
    weights: Sequence[float],
    size: int,
    uniform: Iterator[float],
    *,
    links: Links | None = None,
    fresh: float = 1.0,
) -> list[int]:
    """The items that fill one basket, as they were taken; patterns stand shortest first.

    >>> sorted(fill_basket([(0,), (1, 2)], [1.0, 1.0], 3, uniforms(1)))
    [0, 1, 2]
    """
    held: list[int] = []
    while len(held) < size:
        tied = None if links is None else _follow(links, fresh, held, uniform)
        if tied is not None:
            held.append(tied)
            continue
        fit = sum(len(pattern) <= size - len(held) for pattern in patterns)
        number = _choose(patterns[:fit], weights[:fit], set(held), uniform)
        if number is None:
            break
        held += patterns[number]
    return held


def _follow(links: Links, fresh: float, held: list[int], uniform: Iterator[float]) -> int | None:
    """An item that is tied to one of the basket and not in it; none when the step is fresh."""
    if not held or next(uniform) < fresh:
        return None
    tied = links.get(held[int(next(uniform) * len(held))], ())
    if not tied:
        return None
    sums = list(accumulate(weight for _, weight in tied))
    place = next(uniform) * sums[-1]
    number = next((n for n, total in enumerate(sums[:-1]) if total > place), len(sums) - 1)
    item = tied[number][0]
    return None if item in held else item


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
