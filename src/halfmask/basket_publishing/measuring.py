"""What is read off a release of baskets: supports from what counts best, rows from the rows."""

from __future__ import annotations

import math

from halfmask.basket_publishing.methods import Made
from halfmask.data import Baskets
from halfmask.measures import (
    Comparison,
    Reading,
    Readings,
    Unmeasured,
    compare,
)
from halfmask.measures.base import Room
from halfmask.measures.hiding import cell_dissimilarity, itemset_side_effects
from halfmask.randomness import Randomness

__all__ = ["read_measures"]

OF_COUNTS = ("item_frequencies",)
OF_ROWS = ("nas", "copied_rows")
MINED_SHARE = 0.01
"""Patterns below this share are many and mostly chance; side effects are counted above it."""
MINED_LENGTH = 3


def read_measures(
    original: Baskets, made: Made, *, min_support: int, randomness: Randomness
) -> Readings:
    """The readings of one release, quality first."""
    counted = Comparison(original, made.counted, randomness=randomness, min_support=min_support)
    rows = Comparison(original, made.rows, randomness=randomness, min_support=min_support)
    found = compare(counted, OF_COUNTS).items
    if made.secrets:
        found += _side_effects(original, made, min_support)
    return Readings(
        found
        + compare(rows, OF_ROWS).items
        + compare(counted, made.own_measures, yardsticks=False).items
    )


def _side_effects(
    original: Baskets, made: Made, min_support: int
) -> tuple[Reading | Unmeasured, ...]:
    floor = max(min_support, math.ceil(MINED_SHARE * original.size))
    effects = itemset_side_effects(
        original.transactions,
        made.rows.transactions,
        made.secrets,
        min_support=floor,
        max_length=MINED_LENGTH,
    )
    how = f"Itemsets of at most {MINED_LENGTH} items in at least {floor:,} baskets, mined in both."
    return (
        _reading(
            "cells_changed",
            cell_dissimilarity(original, made.rows),
            "The share of the original's items that were taken out or put in.",
            "Cells that differ, divided by the items of the original.",
        ),
        _reading(
            "misses_cost",
            effects.misses_cost,
            "The share of the harmless frequent itemsets that were lost on the way.",
            how,
        ),
        _reading(
            "artifactual",
            effects.artifactual,
            "The share of the frequent itemsets found that the original does not have.",
            how,
        ),
        _reading(
            "hiding_failure",
            effects.hiding_failure,
            "The share of the frequent itemsets with a sensitive one inside that can still be "
            "found.",
            how,
            privacy=True,
        ),
    )


def _reading(
    name: str, value: float | None, meaning: str, how: str, *, privacy: bool = False
) -> Reading | Unmeasured:
    room: Room = "privacy" if privacy else "quality"
    if value is None:
        return Unmeasured(name, "No itemset of this kind is frequent in the original.", room)
    return Reading(
        name=name,
        room=room,
        value=value,
        low=value,
        high=value,
        unit="share",
        better="lower",
        meaning=meaning,
        how=how,
    )
