"""Reach: how near the release comes to persons of the original and to held-out persons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.nearest import Nearest, closest
from halfmask.measures.side import Side

__all__ = ["FEWEST_PERSONS", "MOST_PERSONS", "Reach", "reach", "reach_of"]

FEWEST_PERSONS = 20
"""Fewer of either kind say nothing."""

MOST_PERSONS = 1_500
"""Of more persons a seeded choice is asked; the release is always searched whole."""


@dataclass(frozen=True, eq=False)
class Reach:
    """The closest release rows of as many members as strangers."""

    members: Nearest
    strangers: Nearest


def reach(comparison: Comparison) -> Reach:
    """The reach of the release to all persons, searched once for all measures that ask."""
    return comparison.once("reach", _reach_of_all)


def _reach_of_all(comparison: Comparison) -> Reach:
    strangers = np.arange(len(comparison.holdout_side.table))
    return reach_of(comparison, np.arange(len(comparison.original_side.table)), strangers)


def reach_of(
    comparison: Comparison, members: NDArray[np.intp], strangers: NDArray[np.intp]
) -> Reach:
    """The reach to these rows of the original and of the hold-out, equally many of each."""
    asked = min(len(members), len(strangers), MOST_PERSONS)
    if asked < FEWEST_PERSONS:
        raise NotMeasurable(
            f"Only {asked} persons of each kind can be attacked; {FEWEST_PERSONS} are needed."
        )
    sides = (comparison.original_side, comparison.holdout_side)
    found = [
        _search(comparison, side, rows, asked)
        for side, rows in zip(sides, (members, strangers), strict=True)
    ]
    return Reach(*found)


def _search(comparison: Comparison, side: Side, rows: NDArray[np.intp], asked: int) -> Nearest:
    rng = comparison.randomness.child(f"persons of {side.what}")
    chosen = np.sort(rng.choice(rows, asked, replace=False))
    release = comparison.release_side.packed
    return closest(release, side.table.take(chosen), threads=comparison.threads)
