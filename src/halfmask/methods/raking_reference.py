"""Raking in plain Python: the map for readers and the oracle of the tests."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

__all__ = ["plain_rake"]

UNITS = 2.0**60
"""A share is summed as a whole number of these, so that the order of the rows does not matter."""


def plain_rake(  # noqa: PLR0913 - what to rake, and the limits
    multiplicities: Sequence[float],
    classes: Sequence[Sequence[int]],
    targets: Sequence[Sequence[float]],
    *,
    rounds: int,
    tolerance: float = 0.0,
    max_factor: float = 10.0,
    stalled: float = inf,
) -> tuple[list[float], int]:
    """Weights of rows whose class in table t is `classes[t][row]`, and the rounds it took.

    Two tables over four rows; both classes of either should have half of the weight:

    >>> weights, _ = plain_rake([3, 1, 1, 1], [[0, 0, 1, 1], [0, 1, 0, 1]], [[0.5, 0.5]] * 2,
    ...                         rounds=50)
    >>> round(weights[0] + weights[1], 9), round(weights[0] + weights[2], 9)
    (0.5, 0.5)
    """
    total = 0.0
    for multiplicity in multiplicities:
        total += multiplicity
    weights = [multiplicity / total for multiplicity in multiplicities]
    done, met, before = 0, False, inf
    while done < rounds and not met:
        worst = in_all = 0.0
        for of_row, wanted in zip(classes, targets, strict=True):
            sums = [0] * len(wanted)
            for row, weight in zip(of_row, weights, strict=True):
                sums[row] += int(weight * UNITS)
            shares = [part / float(sum(sums)) for part in sums]
            for share, target in zip(shares, wanted, strict=True):
                worst = max(worst, abs(share - target))
                in_all += abs(share - target)
            factors = _corrections(shares, wanted, max_factor)
            weights = [w * factors[row] for w, row in zip(weights, of_row, strict=True)]
        done += 1
        met = worst <= tolerance or in_all > stalled * before
        before = in_all
    return weights, done


def _corrections(
    shares: Sequence[float], wanted: Sequence[float], max_factor: float
) -> list[float]:
    """What should be there over what is there, of the classes that have rows."""
    reachable = 0.0
    for share, target in zip(shares, wanted, strict=True):
        reachable += target if share > 0 else 0.0
    if reachable <= 0:
        return [1.0] * len(shares)
    return [
        min(max(target / reachable / share, 1 / max_factor), max_factor) if share > 0 else 1.0
        for share, target in zip(shares, wanted, strict=True)
    ]
