"""Inference: does the release give away an attribute of those who were in the original?

The attack: somebody knows all of a person's attributes but one (or those named as known), looks up
the nearest release rows, and guesses the value that most of them hold; ties split the guess. What
he learns from the patterns of the population he learns about held-out persons too: the control.
Luck alone is always guessing the release's most common value.

The sensitive attribute is guessed when one is named; otherwise every attribute in turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.confidence import Interval, difference, wilson
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.nearest import closest_values

_MOST_GUESSES = 1_000


def chance_right(votes: NDArray[np.int64], truth: NDArray[np.int32]) -> NDArray[np.float64]:
    """The chance that the most voted value, drawn evenly among equals, is the true one.

    >>> votes = np.array([[3, 3, 1], [3, 3, 1], [0, 0, 0]])
    >>> chance_right(votes, np.array([1, 2, 0], np.int32)).tolist()
    [0.5, 0.0, 0.0]
    """
    best = (votes == votes.max(axis=1, keepdims=True)) & (votes > 0)
    right = best[np.arange(len(truth)), truth]
    return np.asarray(right / np.maximum(best.sum(axis=1), 1), np.float64)


@dataclass(frozen=True)
class _Attack:
    success: Interval
    control: Interval
    luck: float

    @property
    def risk(self) -> Interval:
        return difference(self.success, self.control)


def _attack(comparison: Comparison, target: str, known: tuple[str, ...], guesses: int) -> _Attack:
    release = comparison.release_side.packed
    column = comparison.schema.position(target)
    columns = [comparison.schema.position(name) for name in known]
    tables = [comparison.original_side.table, comparison.holdout_side.table]
    with_value = [np.flatnonzero(table.codes[:, column] >= 0) for table in tables]
    asked = min(guesses, *(len(rows) for rows in with_value))
    if not asked or not columns:
        raise NotMeasurable(f"No record has both a value of {target!r} and a known attribute.")
    rates = []
    for name, table, rows in zip(("original", "holdout"), tables, with_value, strict=True):
        rng = comparison.randomness.child(f"inference {target} {name}")
        persons = table.take(np.sort(rng.choice(rows, asked, replace=False)))
        votes = closest_values(
            release, persons, target=column, columns=columns, threads=comparison.threads
        )
        rates.append(wilson(float(chance_right(votes, persons.codes[:, column]).sum()), asked))
    return _Attack(rates[0], rates[1], _luck(comparison, column))


def _luck(comparison: Comparison, column: int) -> float:
    """The share of persons who hold the value most common in the release."""
    people, release = (
        side.marginal((column,), comparison.names)[:-1]
        for side in (comparison.original_side, comparison.release_side)
    )
    best = (release == release.max()) & (release > 0)
    return float(people[best].sum() / max(best.sum(), 1) / people.sum())


def _known(comparison: Comparison, target: str) -> tuple[str, ...]:
    chosen = comparison.keys or comparison.names
    return tuple(name for name in chosen if name != target)


def _described(attack: _Attack) -> dict[str, object]:
    return {
        "risk": [attack.risk.value, attack.risk.low, attack.risk.high],
        "success": [attack.success.value, attack.success.low, attack.success.high],
        "control": [attack.control.value, attack.control.low, attack.control.high],
        "luck": attack.luck,
        "beats_luck": attack.success.low > attack.luck,
    }


def _compute_all(comparison: Comparison) -> Estimate:
    targets = [n for n in comparison.names if _known(comparison, n)]
    if not targets:
        raise NotMeasurable("Inferring one attribute from others needs at least two attributes.")
    guesses = max(1, _MOST_GUESSES // len(targets))
    attacks = {t: _attack(comparison, t, _known(comparison, t), guesses) for t in targets}
    worst = max(attacks, key=lambda t: attacks[t].risk.value)
    value = float(np.mean([attack.risk.value for attack in attacks.values()]))
    # Independent attacks: the variance of a mean of k is their mean variance over k.
    half = [
        float(np.sqrt(np.mean(np.square(reach)) / len(attacks)))
        for reach in zip(*((a.risk.value - a.risk.low, a.risk.high - a.risk.value)
                           for a in attacks.values()), strict=True)
    ]  # fmt: skip
    details = {
        "success": float(np.mean([attack.success.value for attack in attacks.values()])),
        "control": float(np.mean([attack.control.value for attack in attacks.values()])),
        "luck": float(np.mean([attack.luck for attack in attacks.values()])),
        "guesses_of_each_kind": guesses,
        "worst_attribute": worst,
        "attributes": {name: _described(attack) for name, attack in attacks.items()},
    }
    return Estimate(value, value - half[0], value + half[1], details)


def _compute_sensitive(comparison: Comparison) -> Estimate:
    target = comparison.sensitive
    if target is None:
        raise NotMeasurable("No sensitive attribute was named.")
    known = _known(comparison, target)
    attack = _attack(comparison, target, known, _MOST_GUESSES)
    details = {"attribute": target, "known": known, **_described(attack)}
    return Estimate(attack.risk.value, attack.risk.low, attack.risk.high, details)


INFERENCE = Measure(
    name="inference",
    room="privacy",
    better="lower",
    unit="risk",
    meaning="How much better an attribute of a person is guessed from the release when that person "
    "was in the original than when not, on average over the attributes; 0 is no better.",
    how="Majority of the nearest release rows in the known attributes, right guesses about "
    "people of the original less those about as many held-out people.",
    cost="2.8 s",
    compute=_compute_all,
    control=True,
)

SENSITIVE_GUESS = Measure(
    name="sensitive_guess",
    room="privacy",
    better="lower",
    unit="risk",
    meaning="How much better the sensitive attribute of a person is guessed from the release "
    "than the patterns that also hold for held-out people explain; 0 is no better.",
    how="Majority of the nearest release rows in the known attributes, right guesses about "
    "people of the original less those about as many held-out people (up to "
    f"{_MOST_GUESSES:,}).",
    cost="2.5 s",
    compute=_compute_sensitive,
    control=True,
)
