"""Domination: who is at least as good in everything and clearly better in something.

A score is an interval, because times are noisy: one method is clearly better than another where
the intervals do not touch. Exact scores have intervals of no width, and then the survivors are
the Pareto set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from halfmask.errors import BadInput


@dataclass(frozen=True, slots=True)
class Score:
    """A number of which less is better, and the bounds within which it is not told apart."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise BadInput("A score lies between its bounds.")

    @classmethod
    def exact(cls, value: float) -> Score:
        """A score that is known to the last digit."""
        return cls(value, value)


Scores = Sequence[Score]


def clearly_better(one: Scores, other: Scores) -> tuple[int, ...]:
    """The places at which the first is better beyond doubt."""
    pairs = zip(one, other, strict=True)
    return tuple(place for place, (a, b) in enumerate(pairs) if a.high < b.low)


def dominates(one: Scores, other: Scores) -> bool:
    """Whether the first is clearly better somewhere and clearly worse nowhere.

    >>> quick, slow = [Score(1, 2), Score.exact(0.5)], [Score(3, 4), Score.exact(0.5)]
    >>> dominates(quick, slow), dominates(slow, quick), dominates(quick, quick)
    (True, False, False)
    """
    return bool(clearly_better(one, other)) and not clearly_better(other, one)


def fallen(scores: Mapping[str, Scores]) -> dict[str, str]:
    """Each name that falls, with a name still standing then that dominates it.

    One falls at a time, and only to one that stands, so that somebody always remains: with
    intervals, three can dominate each other in a circle.

    >>> fallen({"a": [Score.exact(1), Score.exact(2)], "b": [Score.exact(2), Score.exact(2)]})
    {'b': 'a'}
    """
    standing = list(scores)
    found: dict[str, str] = {}
    for name in scores:
        other = _dominating(name, standing, scores)
        if other is not None:
            found[name] = other
            standing.remove(name)
    # Rather name one that stands to the end.
    return {name: _dominating(name, standing, scores) or by for name, by in found.items()}


def _dominating(name: str, standing: Sequence[str], scores: Mapping[str, Scores]) -> str | None:
    others = (other for other in standing if other != name)
    return next((other for other in others if dominates(scores[other], scores[name])), None)


def pareto_set(values: Mapping[str, Sequence[float]]) -> tuple[str, ...]:
    """The names that nobody beats in one number without losing in another; less is better.

    >>> pareto_set({"a": (0.1, 0.5), "b": (0.2, 0.2), "c": (0.3, 0.5)})
    ('a', 'b')
    """
    lost = fallen({name: [Score.exact(v) for v in row] for name, row in values.items()})
    return tuple(name for name in values if name not in lost)
