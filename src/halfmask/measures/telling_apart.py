"""Telling apart: how well scores separate members from strangers, with intervals.

    AUC = P(score of a member > score of a stranger) + ½ P(equal)
    found at 1 % = the share of members above the score that 1 % of the strangers exceed;
                   equal scores are put in a random order

Scores may come in folds, each with a scorer of its own; only scores of one fold are compared, and
every stranger belongs to one. A stranger of one fold is then a reference row of the others, so that
any two strangers meet twice: their variance counts twice. (With scores linear in the reference rows
the exact factor is 1 + (1/m) / (1/n + 1/m) for m reference and n release rows.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.measures.confidence import Z95, Interval, binomial_quantile, wilson

ALARMS = 0.01
"""The share of strangers that an attacker may wrongly call members."""


@dataclass(frozen=True, slots=True)
class Told:
    """What scores tell: the area under the curve, and who is found at few false alarms."""

    auc: Interval
    found: Interval


def told_apart(
    members: NDArray[np.float64],
    strangers: NDArray[np.float64],
    fold: NDArray[np.intp],
    rng: np.random.Generator,
) -> Told:
    """AUC and share found of members (one row of scores for each fold) and strangers (in theirs).

    Of the four pairs of (1, 3) and (0, 2) three stand in the right order:

    >>> scores, one_fold = (np.array([[1.0, 3.0]]), np.array([0.0, 2.0])), np.zeros(2, np.intp)
    >>> told = told_apart(*scores, one_fold, np.random.default_rng(1))
    >>> told.auc.value, told.found.value
    (0.75, 0.5)
    """
    below, first = np.empty(len(strangers)), np.empty(len(strangers))
    beaten = np.zeros(members.shape[1])
    for number, scores in enumerate(members):
        here = np.flatnonzero(fold == number)
        asked = strangers[here]
        below[here] = _share_below(scores, asked)
        beaten += _share_below(asked, scores) * len(here)
        _, place = np.unique(np.concatenate([scores, asked]), return_inverse=True)
        order = place + rng.random(len(place))
        first[here] = _share_below(order[: len(scores)], order[len(scores) :])
    twice = 1 if len(members) == 1 else 2
    area = _area(beaten / len(strangers), 1 - below, twice)
    return Told(area, _found(first, members.shape[1]))


def _share_below(scores: NDArray[np.float64], asked: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of the scores below each one asked for; equal ones count half."""
    ranked = np.sort(scores)
    both = np.searchsorted(ranked, asked, "left") + np.searchsorted(ranked, asked, "right")
    return np.asarray(both / (2 * len(ranked)), np.float64)


def _area(
    of_members: NDArray[np.float64], of_strangers: NDArray[np.float64], twice: int
) -> Interval:
    """DeLong's interval: either kind of person brings the variance of what it contributes."""
    value = float(of_strangers.mean())
    mine, theirs = (float(part.var(ddof=1)) / len(part) for part in (of_members, of_strangers))
    variance = mine + twice * theirs
    if variance == 0:  # all alike: what so few persons cannot rule out
        fewest = min(len(of_members), len(of_strangers))
        return wilson(value * fewest, fewest)
    half = Z95 * math.sqrt(variance)
    return Interval(value, max(0.0, value - half), min(1.0, value + half))


def _found(below: NDArray[np.float64], members: int) -> Interval:
    """The share of members above the threshold; its place among the strangers is uncertain too."""
    levels = np.append(np.sort(1 - below), 1.0)  # the share found, strictest threshold first
    strangers = len(below)
    at = int(ALARMS * strangers)
    fewest, most = (binomial_quantile(q, strangers, ALARMS) for q in (0.025, 0.975))
    low = float(levels[fewest - 1]) if fewest else 0.0
    value, high = float(levels[at]), float(levels[most])
    bounds = wilson(low * members, members).low, wilson(high * members, members).high
    return Interval(value, min(bounds[0], value), max(bounds[1], value))
