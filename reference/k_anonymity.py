"""Generalisation to k-anonymity in plain Python: every choice of levels, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

Row = tuple[str, ...]
Names = dict[str, str]
"""What each value of a column is called at one level."""


def lonely(rows: Sequence[Row], levels: Sequence[Names], k: int) -> list[bool]:
    """Which rows agree with fewer than k − 1 others once their values have these names.

    >>> both = {"Rome": "south", "Bari": "south", "Lodi": "north"}
    >>> lonely([("Rome",), ("Bari",), ("Lodi",)], [both], 2)
    [False, False, True]
    """
    shown = [tuple(names[v] for v, names in zip(row, levels, strict=True)) for row in rows]
    counts = Counter(shown)
    return [counts[row] < k for row in shown]


def best_quality(
    rows: Sequence[Row], ladders: Sequence[Sequence[Names]], k: int, most: int
) -> float:
    """Formula (8) of Bertino and Nai Fovino at the best choice; a row left out lost all detail."""
    best = -1.0
    for heights in product(*(range(len(ladder)) for ladder in ladders)):
        levels = [ladder[h] for ladder, h in zip(ladders, heights, strict=True)]
        alone = lonely(rows, levels, k)
        if sum(alone) > most:
            continue
        cell = [
            h / (len(ladder) - 1) if len(ladder) > 1 else 0.0
            for h, ladder in zip(heights, ladders, strict=True)
        ]
        lost = sum(len(cell) if out else sum(cell) for out in alone)
        best = max(best, 1 - lost / (len(rows) * len(ladders)))
    return best
