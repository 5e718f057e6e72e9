"""Singling out: does a combination that is unique in the release point at one person?

The attack: a reader of the release alone finds a combination of a few values that exactly one
release row has, and claims that exactly one person of the original has it. He may be right because
the release remembers that person, or because such persons are to be expected. The hold-out tells
the two apart without either side being cut to equal size: a combination that was not remembered
and fits a single person in all points at one of the n originals n/m times as often as at one of
the m held out. So

    risk = share(one original, no held-out person) − (n/m) · share(no original, one held-out person)

has expectation 0 without memory, whatever n and m. Several claims may point at one person; the
interval counts persons, not claims. Luck alone: the same claim about combinations
of values drawn independently, column by column, from the release.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.confidence import Z95, Interval, wilson
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.side import row_keys

_COLUMN_CHOICES = 12
_CLAIMS_PER_CHOICE = 150
_FEWEST_CLAIMS = 20
_MOST_COLUMNS = 8


@dataclass(frozen=True, eq=False)
class _Claims:
    """For each combination claimed: how many rows of a side have it, and one of those rows."""

    holders: NDArray[np.int64]
    person: NDArray[np.int64]


def _compute(comparison: Comparison) -> Estimate:
    attack, luck = _all_claims(comparison)
    ours, theirs = attack
    claims = len(ours.holders)
    if claims < _FEWEST_CLAIMS:
        raise NotMeasurable(
            f"Only {claims} combinations of up to {_MOST_COLUMNS} values hold exactly one release "
            f"row; {_FEWEST_CLAIMS} are needed."
        )
    scale = comparison.original.size / comparison.holdout_side.size
    right = (ours.holders == 1) & (theirs.holders == 0)
    plausible = (ours.holders == 0) & (theirs.holders == 1)
    value = float(right.mean() - scale * plausible.mean())
    half = Z95 * math.sqrt(
        _squares(ours.person[right]) + scale**2 * _squares(theirs.person[plausible])
    )
    success, guess = _share(ours.holders == 1), _share(luck[0].holders == 1)
    details = {
        "claims": claims,
        "success": [success.value, success.low, success.high],
        "control": scale * float(plausible.mean()),
        "luck": [guess.value, guess.low, guess.high],
        "beats_luck": success.low > guess.high,
    }
    return Estimate(value, value - half / claims, value + half / claims, details)


def _squares(persons: NDArray[np.int64]) -> float:
    """The variance of the number of claims that point at persons who were drawn by chance.

    One person more keeps it above zero when nobody was singled out.
    """
    _, claims = np.unique(persons, return_counts=True)
    return float(np.square(claims).sum()) + 1.0


def _share(hits: NDArray[np.bool_]) -> Interval:
    return wilson(int(hits.sum()), len(hits))


def _all_claims(comparison: Comparison) -> tuple[list[_Claims], list[_Claims]]:
    """The attack and the lucky claims, each counted among the originals and the held out."""
    rng = comparison.randomness.child("singling out")
    width = len(comparison.schema)
    widest = min(width, _MOST_COLUMNS)
    attacks, lucks = [], []
    for _ in range(_COLUMN_CHOICES):
        size = int(rng.integers(min(2, widest), widest + 1))
        columns = sorted(rng.choice(width, size, replace=False).tolist())
        unique = _unique_keys(row_keys(comparison.release_side.table, columns), rng)
        lucky = _lucky_keys(comparison, columns, rng)
        rows = [row_keys(side.table, columns) for side in comparison.people]
        attacks.append([_holders(keys, unique) for keys in rows])
        lucks.append([_holders(keys, lucky) for keys in rows])
    return _joined(attacks), _joined(lucks)


def _unique_keys(keys: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    distinct, counts = np.unique(keys, return_counts=True)
    alone = distinct[counts == 1]
    return np.sort(rng.permutation(alone)[:_CLAIMS_PER_CHOICE])


def _lucky_keys(
    comparison: Comparison, columns: list[int], rng: np.random.Generator
) -> NDArray[Any]:
    """Combinations of values that need not occur together in any release row."""
    table = comparison.release_side.table
    drawn = table.codes[rng.integers(len(table), size=_CLAIMS_PER_CHOICE)].copy()
    for column in columns:
        drawn[:, column] = table.codes[rng.integers(len(table), size=len(drawn)), column]
    return np.unique(row_keys(Table(table.schema, drawn), columns))


def _holders(rows: NDArray[Any], keys: NDArray[Any]) -> _Claims:
    """How many rows have each of the (sorted) keys."""
    if not len(keys):
        return _Claims(np.empty(0, np.int64), np.empty(0, np.int64))
    place = np.minimum(np.searchsorted(keys, rows), len(keys) - 1)
    having = np.flatnonzero(keys[place] == rows)
    person = np.full(len(keys), -1)
    person[place[having]] = having
    return _Claims(np.bincount(place[having], minlength=len(keys)), person)


def _joined(parts: list[list[_Claims]]) -> list[_Claims]:
    """All column choices together, for one side after the other."""
    return [
        _Claims(
            np.concatenate([part.holders for part in side]),
            np.concatenate([part.person for part in side]),
        )
        for side in zip(*parts, strict=True)
    ]


SINGLING_OUT = Measure(
    name="singling_out",
    room="privacy",
    better="lower",
    unit="risk",
    meaning="The share of claims “exactly one person has these values”, read off the release, "
    "that are right because the release has memorised the person; 0 is none.",
    how="Combinations of 2 to 8 attributes unique in the release, counted in the original and in "
    "the hold-out; right claims less those that the hold-out shows to be plausible.",
    cost="1.3 s",
    compute=_compute,
    control=True,
)
