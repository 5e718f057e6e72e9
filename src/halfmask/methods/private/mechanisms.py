"""The two ways in which a table is asked: counts with noise, and the best of some candidates.

Both draw from exactly the distribution that the proof is about: every random decision compares
whole numbers, no floating-point number comes near a count [Mironov 2012 shows why; Canonne, Kamath
& Steinke 2020, algorithms 1 to 3, show how]. The bits come from the operating system; a seed is for
tests and experiments, and voids the guarantee.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, isqrt

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import BadInput

Whole = NDArray[np.int64]
Truth = NDArray[np.bool_]

_TOP = 2**63
LARGEST_SIGMA = 8000
"""With more noise than this, products of a draw would not fit into 63 bits."""
_FARTHEST = 40
"""A proposal of more scales than this is refused at once: it would be kept once in e^700."""


class RandomBits:
    """Whole numbers from the operating system; with a seed from a generator, for tests only."""

    __slots__ = ("_seeded",)

    def __init__(self, seed: int | None = None) -> None:
        self._seeded = None if seed is None else np.random.default_rng(seed)

    @property
    def seeded(self) -> bool:
        """Whether whoever knows the seed could take the noise off again."""
        return self._seeded is not None

    def below(self, bounds: Whole) -> Whole:
        """For each bound a number from 0 to bound - 1, all equally likely."""
        limits = _TOP - _TOP % bounds.astype(np.uint64)
        words = self._words(len(bounds))
        while (high := words >= limits).any():  # the last, incomplete run of remainders
            words[high] = self._words(int(high.sum()))
        return (words % bounds.astype(np.uint64)).astype(np.int64)

    def word(self) -> int:
        """A number of 63 bits."""
        return int(self._words(1)[0])

    def _words(self, count: int) -> NDArray[np.uint64]:
        """Numbers of 63 bits."""
        many = 8 * count
        raw = os.urandom(many) if self._seeded is None else self._seeded.bytes(many)
        return np.frombuffer(raw, np.uint64) >> np.uint64(1)


def decide(numerators: Whole, denominators: Whole, bits: RandomBits) -> Truth:
    """True with probability numerator / denominator."""
    return bits.below(denominators) < numerators


def decide_exp(numerators: Whole, denominators: Whole, bits: RandomBits) -> Truth:
    """True with probability exp(-numerator / denominator)."""
    wholes = numerators // denominators
    rests = numerators - wholes * denominators
    kept = _decide_exp_below_one(rests, denominators, bits)
    more = np.flatnonzero(kept & (wholes > 0))
    kept[more] = _geometric(len(more), bits) >= wholes[more]
    return kept


def _decide_exp_below_one(numerators: Whole, denominators: Whole, bits: RandomBits) -> Truth:
    """The alternating series of exp(-γ), γ up to 1: stop at step k with probability 1 - γ/k."""
    steps = np.ones(len(numerators), np.int64)
    going = np.arange(len(numerators))
    while len(going):
        denominator = denominators[going] * steps[going]
        going = going[decide(numerators[going], denominator, bits)]
        steps[going] += 1
    odd: Truth = steps % 2 == 1
    return odd


def _geometric(count: int, bits: RandomBits) -> Whole:
    """How often in a row something with probability exp(-1) happens."""
    times = np.zeros(count, np.int64)
    going = np.arange(count)
    while len(going):
        one = np.ones(len(going), np.int64)
        going = going[_decide_exp_below_one(one, one, bits)]
        times[going] += 1
    return times


def discrete_laplace(scale: int, count: int, bits: RandomBits) -> Whole:
    """Whole numbers z with probability in proportion to exp(-|z| / scale)."""
    drawn = np.empty(count, np.int64)
    missing = np.arange(count)
    while len(missing):
        scales = np.full(len(missing), scale, np.int64)
        low = bits.below(scales)
        kept = np.flatnonzero(decide_exp(low, scales, bits))
        size = low[kept] + scale * _geometric(len(kept), bits)
        negative = bits.below(np.full(len(kept), 2, np.int64)) == 1
        once = ~(negative & (size == 0))  # else 0 would be drawn twice as often
        drawn[missing[kept[once]]] = np.where(negative, -size, size)[once]
        missing = np.delete(missing, kept[once])
    return drawn


def discrete_gaussian(variance: Fraction, count: int, bits: RandomBits) -> Whole:
    """Whole numbers z with probability in proportion to exp(-z² / (2 · variance)).

    The variance of what is drawn is a little below `variance`.
    """
    if not 0 < variance <= LARGEST_SIGMA**2:
        raise BadInput(
            f"Noise has a standard deviation of up to {LARGEST_SIGMA:,}, not "
            f"{float(variance) ** 0.5:,.0f}: ask for a larger epsilon, or for fewer tables."
        )
    top, bottom = variance.numerator, variance.denominator
    scale = isqrt(floor(variance)) + 1
    drawn = np.empty(count, np.int64)
    missing = np.arange(count)
    while len(missing):
        tried = discrete_laplace(scale, len(missing), bits)
        near = np.abs(tried) <= _FARTHEST * scale
        offset = np.where(near, np.abs(tried), 0) * (scale * bottom) - top  # over scale · bottom
        over = np.full(len(tried), 2 * top * bottom * scale**2, np.int64)
        kept = near & decide_exp(offset**2, over, bits)
        drawn[missing[kept]] = tried[kept]
        missing = missing[~kept]
    return drawn


def usable_variance(sigma: float) -> Fraction:
    """The smallest variance with a small denominator that is not below sigma².

    >>> usable_variance(5.0), usable_variance(0.7)
    (Fraction(25, 1), Fraction(1, 2))
    """
    steps = 1 if sigma >= 8 else 16
    return Fraction(ceil(Fraction(sigma) ** 2 * steps), steps)


@dataclass(frozen=True, slots=True)
class MechanismChoice:
    """What an exponential mechanism chose, and the ε it was allowed."""

    index: int
    epsilon: Fraction


def choose(
    scores: Sequence[int], *, sensitivity: int, epsilon: Fraction, bits: RandomBits
) -> MechanismChoice:
    """A candidate with probability in proportion to exp(ε · score / (2 · sensitivity)).

    Scores are whole numbers of which one row changes each by at most `sensitivity`. Drawn by
    rejection: any candidate, kept with probability exp of what it lacks to the best.
    """
    if not scores or sensitivity < 1 or epsilon <= 0:
        raise BadInput("A choice has a candidate, a sensitivity of at least 1 and an ε above 0.")
    best = max(scores)
    while True:
        tried = int(bits.below(np.array([len(scores)], np.int64))[0])
        if _keeps((best - scores[tried]) * epsilon / (2 * sensitivity), bits):
            return MechanismChoice(tried, epsilon)


def _keeps(exponent: Fraction, bits: RandomBits) -> bool:
    """True with probability exp(-exponent), in numbers of any size."""
    whole = floor(exponent)
    if whole and int(_geometric(1, bits)[0]) < whole:
        return False
    rest, step = exponent - whole, 1
    while _below(rest.denominator * step, bits) < rest.numerator:
        step += 1
    return step % 2 == 1


def _below(bound: int, bits: RandomBits) -> int:
    """A number from 0 to bound - 1 of any size."""
    words = (bound.bit_length() + 62) // 63
    limit = (1 << 63 * words) // bound * bound
    while True:
        number = 0
        for word in bits._words(words):  # noqa: SLF001 - its own numbers, more than one
            number = number << 63 | int(word)
        if number < limit:
            return number % bound
