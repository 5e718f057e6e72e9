"""Distortion in plain Python: the article's algorithms bit by bit, and the stream of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

_WORD = 0xFFFFFFFF


def algorithm_1(
    row: Sequence[int], n_items: int, keep: float, rng: np.random.Generator
) -> list[int]:
    """Every bit is kept with probability p, as a bitmap (Algorithm 1, its index put right)."""
    bits = [int(item in row) for item in range(n_items)]
    return [bit if rng.random() <= keep else (bit + 1) % 2 for bit in bits]


def algorithm_2(
    row: Sequence[int], frequent: NDArray[np.bool_], fp: float, nfp: float, rng: np.random.Generator
) -> list[int]:
    """Algorithm 2 as printed: only an absent infrequent item is flipped, the rest only erased."""
    bits = []
    for item, often in enumerate(frequent):
        bit = int(item in row)
        if not often and bit == 0:
            bits.append(0 if rng.random() <= nfp else 1)
        else:
            bits.append(bit if rng.random() <= fp else 0)
    return bits


def row_probability(
    row: Sequence[int], outcome: Sequence[int], keep: Sequence[float], insert: Sequence[float]
) -> float:
    """The probability that a row comes out as another.

    >>> row_probability((0,), (0, 1), keep=[0.9, 0.9], insert=[0.2, 0.2])
    0.18000000000000002
    """
    appears = [keep[i] if i in row else insert[i] for i in range(len(keep))]
    return prod(p if i in outcome else 1 - p for i, p in enumerate(appears))


def chacha_words(key: Sequence[int], number: int, n: int) -> list[int]:
    """The first words of a ChaCha8 stream; the key is four 64-bit words."""
    words: list[int] = []
    block = 0
    while len(words) < n:
        words += _block(key, number, block)
        block += 1
    return words[:n]


def _block(key: Sequence[int], number: int, block: int) -> list[int]:
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574]
    for wide in (*key, block, number):
        start += [wide & _WORD, wide >> 32]
    state = list(start)
    for _ in range(4):
        for c in range(4):
            _quarter(state, c, 4 + c, 8 + c, 12 + c)
        for c in range(4):
            _quarter(state, c, 4 + (c + 1) % 4, 8 + (c + 2) % 4, 12 + (c + 3) % 4)
    return [(a + b) & _WORD for a, b in zip(start, state, strict=True)]


def _quarter(state: list[int], a: int, b: int, c: int, d: int) -> None:
    for to, add, turn, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[to] = (state[to] + state[add]) & _WORD
        mixed = state[turn] ^ state[to]
        state[turn] = ((mixed << by) | (mixed >> (32 - by))) & _WORD
