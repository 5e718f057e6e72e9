"""Drawing values from weights: what the tables that the package makes itself are made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Weights", "draw_each"]

Weights = dict[str, float]
"""Each value with its weight."""


def draw_each(weights: list[Weights], rng: np.random.Generator) -> list[str]:
    """One value for each row, from that row's own weights.

    >>> draw_each([{"a": 1}, {"b": 2, "c": 0}], np.random.default_rng(1))
    ['a', 'b']
    """
    points: NDArray[np.float64] = rng.random(len(weights))
    return [_value_at(w, p) for w, p in zip(weights, points.tolist(), strict=True)]


def _value_at(weights: Weights, point: float) -> str:
    left = point * sum(weights.values())
    for value, weight in weights.items():
        left -= weight
        if left < 0:
            return value
    return value
