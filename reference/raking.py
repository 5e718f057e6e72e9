"""Raking of baskets in plain Python: the map for readers and the oracle of the tests.

Raking in plain Python: the map for readers and the oracle of the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from halfmask.data import Itemset


def plain_holders(rows: Sequence[Itemset], sets: Sequence[Itemset]) -> list[list[int]]:
    """The numbers of the rows that hold each set; an empty set is held by none.

    >>> plain_holders([(0, 1), (1,), (0, 1, 2)], [(1,), (0, 1), ()])
    [[0, 1, 2], [0, 2], []]
    """
    return [[r for r, row in enumerate(rows) if items and set(items) <= set(row)] for items in sets]


def plain_rake_sets(  # noqa: PLR0913 - what to rake, and the limits
    multiplicities: Sequence[float],
    holders: Sequence[Sequence[int]],
    targets: Sequence[float],
    *,
    rounds: int,
    tolerance: float = 0.0,
    max_factor: float = 10.0,
) -> tuple[list[float], int]:
    """Weights of rows with which those in `holders[m]` have `targets[m]` of all, and the rounds.

    Three baskets: one is to be half of all, and another a fifth:

    >>> weights, _ = plain_rake_sets([1, 1, 1], [[0], [1]], [0.5, 0.2], rounds=50)
    >>> [round(weight, 9) for weight in weights]
    [0.5, 0.2, 0.3]
    """
    weights = _shared(list(multiplicities))
    done, met = 0, False
    while done < rounds and not met:
        worst, total = 0.0, 1.0
        for rows, target in zip(holders, targets, strict=True):
            found = 0.0
            for row in rows:
                found += weights[row]
            share = found / total
            worst = max(worst, abs(share - target))
            factor = _correction(share, target, max_factor)
            for row in rows:
                weights[row] *= factor
            total += found * (factor - 1)
            if not 1e-100 < total < 1e100:
                weights, total = _shared(weights), 1.0
        weights = _shared(weights)
        done += 1
        met = worst <= tolerance
    return weights, done


def _shared(weights: list[float]) -> list[float]:
    total = 0.0
    for weight in weights:
        total += weight
    return [weight / total for weight in weights]


def _correction(share: float, target: float, max_factor: float) -> float:
    """The odds wanted to the odds found, of a set that some rows hold and some lack."""
    if not 0 < share < 1:
        return 1.0
    if target >= 1:
        return max_factor
    return min(max(target / share * ((1 - share) / (1 - target)), 1 / max_factor), max_factor)


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
