"""Confidence: how far a share, a mean or a difference may be from what was seen by luck alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import BadInput

Z95 = 1.959963984540054
"""A normal variable stays within this many standard deviations 95 times in 100."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value and the 95 % interval around it."""

    value: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high:
            raise BadInput(f"{self.value} is not between {self.low} and {self.high}.")


def wilson(successes: float, trials: int) -> Interval:
    """The Wilson interval of a share; sensible also at 0, at 1 and for few trials.

    With p = successes / trials and z = 1.96 the centre is (p + z²/2n) / (1 + z²/n).

    >>> share = wilson(2, 10)
    >>> share.value, round(share.low, 4), round(share.high, 4)
    (0.2, 0.0567, 0.5098)
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise BadInput(f"{successes} successes in {trials} trials are not a share.")
    p = successes / trials
    denominator = 1 + Z95**2 / trials
    centre = (p + Z95**2 / (2 * trials)) / denominator
    half = Z95 * math.sqrt(p * (1 - p) / trials + Z95**2 / (4 * trials**2)) / denominator
    # At 0 and 1 the bound equals the value; rounding must not put it on the wrong side.
    return Interval(p, max(0.0, min(centre - half, p)), min(1.0, max(centre + half, p)))


def difference(first: Interval, second: Interval) -> Interval:
    """The interval of first − second for two independent values (Newcombe's hybrid rule).

    The distances to the near bounds add like standard deviations:

    >>> gap = difference(wilson(56, 70), wilson(48, 80))
    >>> round(gap.value, 4), round(gap.low, 4), round(gap.high, 4)
    (0.2, 0.0524, 0.3339)
    """
    value = first.value - second.value
    down = math.hypot(first.value - first.low, second.high - second.value)
    up = math.hypot(first.high - first.value, second.value - second.low)
    return Interval(value, value - down, value + up)


def mean_interval(values: NDArray[np.float64]) -> Interval:
    """The interval of a mean of at least two values, by its standard error.

    >>> mean = mean_interval(np.array([1.0, 2.0, 3.0]))
    >>> mean.value, round(mean.high, 3)
    (2.0, 3.132)
    """
    if len(values) < 2:
        raise BadInput(f"A mean needs at least 2 values for an interval, not {len(values)}.")
    value = float(values.mean())
    half = Z95 * float(values.std(ddof=1)) / math.sqrt(len(values))
    return Interval(value, value - half, value + half)


def bootstrap(
    rows: int,
    statistic: Callable[[NDArray[np.intp]], float],
    *,
    rng: np.random.Generator,
    rounds: int = 200,
) -> Interval:
    """The percentile interval of a statistic of row numbers, redrawn with replacement.

    >>> heights = np.arange(100.0)
    >>> spread = bootstrap(100, lambda r: heights[r].mean(), rng=np.random.default_rng(1))
    >>> spread.value, spread.low < 49.5 < spread.high
    (49.5, True)
    """
    value = float(statistic(np.arange(rows)))
    drawn = [statistic(rng.integers(rows, size=rows)) for _ in range(rounds)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    # The statistic of the rows themselves may lie outside for a strongly skewed one.
    return Interval(value, min(float(low), value), max(float(high), value))


def clopper_pearson(successes: int, trials: int, *, confidence: float = 0.95) -> Interval:
    """The exact interval of a share: it covers at least as often as it says, for any share.

    >>> share = clopper_pearson(2, 10)
    >>> round(share.low, 4), round(share.high, 4)
    (0.0252, 0.5561)
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise BadInput(f"{successes} successes in {trials} trials are not a share.")
    tail = (1 - confidence) / 2
    value = successes / trials
    low = _end(lambda p: 1 - binomial_cdf(successes - 1, trials, p) < tail) if successes else 0.0
    high = _end(lambda p: binomial_cdf(successes, trials, p) >= tail) if value < 1 else 1.0
    return Interval(value, min(low, value), max(high, value))


def _end(holds: Callable[[float], bool]) -> float:
    """Where a condition ends that holds for small shares and not for large ones."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return (low + high) / 2


def binomial_cdf(successes: int, trials: int, share: float) -> float:
    """The chance of at most so many successes.

    >>> round(binomial_cdf(1, 4, 0.5), 4)
    0.3125
    """
    if successes < 0:
        return 0.0
    if successes >= trials or share <= 0:
        return 1.0
    if share >= 1:
        return 0.0
    terms = (
        math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
        + k * math.log(share) + (trials - k) * math.log1p(-share)
        for k in range(successes + 1)
    )  # fmt: skip
    return min(1.0, math.fsum(math.exp(term) for term in terms))


def binomial_quantile(level: float, trials: int, share: float) -> int:
    """The smallest number of successes that is not exceeded with this probability.

    >>> binomial_quantile(0.5, 4, 0.5)
    2
    """
    low, high = -1, trials
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if binomial_cdf(middle, trials, share) >= level else (middle, high)
        )
    return high
