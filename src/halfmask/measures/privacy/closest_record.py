"""Closest record: are the persons of the original nearer to the release than others are?

    P(d(original person) < d(held-out person)) + ½ P(equal),   d = differing attributes to the
                                                               closest release row

The search is exact and always over the whole release. It is a diagnostic and never decides:
releases that pass it have fallen to membership attacks. By luck alone it reads ½.

Reach: how near the release comes to persons of the original and to held-out persons.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.confidence import bootstrap
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.nearest import Nearest, closest
from halfmask.measures.side import Side

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
            f"Only {asked} people of each kind can be attacked; {FEWEST_PERSONS} are needed."
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


def chance_nearer(first: ArrayLike, second: ArrayLike) -> float:
    """The chance that a distance of the first kind is below one of the second; ties count half.

    Of the four pairs of (0, 1) and (1, 2) three are below and one is equal:

    >>> chance_nearer([0, 1], [1, 2])
    0.875
    """
    a, b = np.asarray(first), np.asarray(second)
    width = int(max(a.max(), b.max())) + 1
    p = np.bincount(a, minlength=width) / len(a)
    q = np.bincount(b, minlength=width) / len(b)
    above = q.sum() - np.cumsum(q)
    return float((p * (above + 0.5 * q)).sum())


def _compute(comparison: Comparison) -> Estimate:
    found = reach(comparison)
    ours, theirs = found.members.distance, found.strangers.distance
    both = np.concatenate([ours, theirs])

    def chance(rows: NDArray[np.intp]) -> float:
        return chance_nearer(both[rows[rows < len(ours)]], both[rows[rows >= len(ours)]])

    rng = comparison.randomness.child("closest record bootstrap")
    interval = bootstrap(len(both), chance, rng=rng)
    width = len(comparison.schema) + 1
    details = {
        "diagnostic_only": True,
        "persons_of_each_kind": len(ours),
        "mean_distance_of_original": float(ours.mean()),
        "mean_distance_of_holdout": float(theirs.mean()),
        "distances_of_original": np.bincount(ours, minlength=width) / len(ours),
        "distances_of_holdout": np.bincount(theirs, minlength=width) / len(theirs),
    }
    return Estimate(interval.value, interval.low, interval.high, details)


CLOSEST_RECORD = Measure(
    name="closest_record",
    room="privacy",
    better="lower",
    unit="probability",
    meaning="The probability that a person of the original is nearer to the release than a "
    "held-out person; ½ means nothing was memorised, but no value proves safety.",
    how="Number of differing attributes to the closest release row, searched exactly over all "
    f"of them for up to {MOST_PERSONS:,} people of each kind; bootstrap interval.",
    cost="1.8 s",
    compute=_compute,
    control=True,
)
