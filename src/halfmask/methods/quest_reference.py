"""Filling Quest baskets in plain Python: the map for readers and the oracle of the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from halfmask.methods.quest import PatternPool
from halfmask.methods.uniforms import uniforms

__all__ = ["fill_baskets"]


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
