"""Filling baskets with disjoint patterns in plain Python: map for readers, oracle of the kernel.

Filling Quest baskets in plain Python: the map for readers and the oracle of the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from halfmask.data import Itemset
from halfmask.methods.quest import PatternPool
from reference.uniforms import uniforms

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


def fill_baskets(
    pool: PatternPool, sizes: Sequence[int], *, retries: int, key: int
) -> list[list[int]]:
    """One basket for each wanted size, filled with corrupted patterns drawn by their weight."""
    uniform = uniforms(key)
    patterns = [
        pool.items[start:stop].tolist()
        for start, stop in zip(pool.offsets[:-1], pool.offsets[1:], strict=True)
    ]
    pending: list[int] = []
    baskets = []
    for wanted in sizes:
        basket: set[int] = set()
        for _ in range(1 + retries):
            if not basket:
                basket = _fill(wanted, pool, patterns, pending, uniform)
        baskets.append(sorted(basket))
    return baskets


def _fill(
    wanted: int,
    pool: PatternPool,
    patterns: list[list[int]],
    pending: list[int],
    uniform: Iterator[float],
) -> set[int]:
    basket: set[int] = set()
    tries = 0
    while len(basket) < wanted and tries < len(patterns):
        tries += 1
        number = pending.pop() if pending else _by_weight(pool, next(uniform))
        items = list(patterns[number])
        kept = len(items)
        while kept > 0 and next(uniform) < pool.corruption[number]:
            kept -= 1
        if kept + len(basket) > wanted and next(uniform) < 0.5:
            pending.append(number)  # it waits for the next basket, and this one is closed
            break
        for i in range(kept):
            j = i + int(next(uniform) * (len(items) - i))
            items[i], items[j] = items[j], items[i]
            basket.add(items[i])
    return basket


def _by_weight(pool: PatternPool, u: float) -> int:
    return next((i for i, c in enumerate(pool.cumulative) if c > u), len(pool.cumulative) - 1)
