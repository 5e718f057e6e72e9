"""Membership inference: was this person in the original?

The attack: somebody knows every value of a person and has the release. He measures how far the
closest release row is and how many are as close, and says "was in" where members were more common
among persons whose membership he knew (half of the persons asked; the other half is attacked: to
let the halves change places would count the same luck twice). His advantage is the share of
members he calls members less the share of strangers he calls members: 0 is what luck alone gives,
1 is certainty.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from halfmask.measures.comparison import Comparison
from halfmask.measures.confidence import Interval, difference, wilson
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.nearest import Nearest
from halfmask.measures.privacy.closest_record import MOST_PERSONS, Reach, reach, reach_of


@dataclass(frozen=True, slots=True)
class Calls:
    """The shares of members and of strangers whom the attacker calls members."""

    members: Interval
    strangers: Interval

    @property
    def advantage(self) -> Interval:
        """How much more often he is right about members than wrong about strangers."""
        return difference(self.members, self.strangers)

    @property
    def luck(self) -> float:
        """The share of members whom he would hit by calling as many at random."""
        return (self.members.value + self.strangers.value) / 2


def called(
    members: NDArray[np.int64], strangers: NDArray[np.int64], rng: np.random.Generator
) -> Calls:
    """How well clues tell members from strangers, learnt on one half and tested on the other.

    A clue is any small number; members who all show 0 and strangers who all show 1 are told apart:

    >>> zeros, ones = np.zeros(40, np.int64), np.ones(40, np.int64)
    >>> called(zeros, ones, np.random.default_rng(1)).advantage.value
    1.0
    >>> called(zeros, zeros, np.random.default_rng(1)).advantage.value
    0.0
    """
    width = int(max(members.max(), strangers.max())) + 1
    known, attacked = zip(
        *(np.array_split(rng.permutation(clues), 2) for clues in (members, strangers)), strict=True
    )
    seen = [np.bincount(half, minlength=width) / len(half) for half in known]
    says_member = seen[0] > seen[1]
    return Calls(*(wilson(int(says_member[half].sum()), len(half)) for half in attacked))


def _compute(comparison: Comparison, *, unique: bool) -> Estimate:
    found = _reach_of_unique(comparison) if unique else reach(comparison)
    clues = [_clues(nearest) for nearest in (found.members, found.strangers)]
    calls = called(clues[0], clues[1], comparison.randomness.child("membership halves"))
    gained = calls.advantage
    details = {
        "members_attacked": len(clues[0]),
        "strangers_attacked": len(clues[1]),
        "success": calls.members.value,
        "control": calls.strangers.value,
        "luck": calls.luck,
    }
    return Estimate(gained.value, gained.low, gained.high, details)


def _clues(found: Nearest) -> NDArray[np.int64]:
    """Distance to the closest release row and how many are as close, as one small number."""
    crowd = np.minimum(np.log2(np.maximum(found.ties, 1)), 15).astype(np.int64)
    return np.asarray(found.distance.astype(np.int64) * 16 + crowd)


def _reach_of_unique(comparison: Comparison) -> Reach:
    members, strangers = (_one_of_a_kind(comparison, holdout=h) for h in (False, True))
    return reach_of(comparison, members, strangers)


def _one_of_a_kind(comparison: Comparison, *, holdout: bool) -> NDArray[np.intp]:
    """Rows that no (other) original row equals."""
    tally = (comparison.holdout_side if holdout else comparison.original_side).tally
    alone = comparison.original_side.tally.count(tally.keys) == (0 if holdout else 1)
    return np.flatnonzero(alone[tally.of_row])


def _measure(name: str, who: str, *, unique: bool) -> Measure:
    return Measure(
        name=name,
        room="privacy",
        better="lower",
        unit="advantage",
        meaning=f"How much better than chance an attacker who knows {who} says whether that "
        "person was in the original; 0 is chance, 1 is certainty.",
        how="True positive rate less false positive rate on as many members as held-out "
        f"people (up to {MOST_PERSONS:,} each), rule learnt on one half, tested on the "
        "other.",
        cost="1.9 s",
        compute=partial(_compute, unique=unique),
        by_matching=unique,
        control=True,
    )


MEMBERSHIP = _measure("membership", "a person's whole row", unique=False)
MEMBERSHIP_UNIQUE = _measure("membership_unique", "the row of a unique person", unique=True)
