"""Step 3: the candidates in the eyes of the asset, ranked, with the reason in words.

Lacks that pair rows and lacks that compare distributions are different numbers, so each form has
a ranking of its own. Only methods that keep their rows stand in the first; all stand in the second.

Domination: who is at least as good in everything and clearly better in something. A score is an
interval, because times are noisy: one method is clearly better than another where the intervals do
not touch. Exact scores have intervals of no width, and then the survivors are the Pareto set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from halfmask.assets.lacks import Form
from halfmask.choosing.trial import Lacks
from halfmask.errors import BadInput


def listed(parts: Sequence[str]) -> str:
    """Several things in one breath.

    >>> listed(["accuracy"]), listed(["a", "b", "c"])
    ('accuracy', 'a, b and c')
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


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


LACKS = ("accuracy", "completeness", "consistency")
FORMS: Mapping[Form, str] = {"aligned": "row by row", "free": "by distribution"}


@dataclass(frozen=True, slots=True)
class LackWeights:
    """How much each of the three lacks counts.

    >>> LackWeights(1, 1, 2).shares
    (0.25, 0.25, 0.5)
    """

    accuracy: float = 1.0
    completeness: float = 1.0
    consistency: float = 1.0

    def __post_init__(self) -> None:
        given = (self.accuracy, self.completeness, self.consistency)
        if not all(0 <= weight < float("inf") for weight in given) or not sum(given):
            raise BadInput("The three weights are numbers of at least 0, and not all of them 0.")

    @property
    def words(self) -> str:
        """The weights as they are said.

        >>> LackWeights().words, LackWeights(1, 1, 2).words
        ('the three equally', 'accuracy 25%, completeness 25% and consistency 50%')
        """
        if len(set(self.shares)) == 1:
            return "the three equally"
        named = zip(LACKS, self.shares, strict=True)
        return listed([f"{name} {share:.0%}" for name, share in named])

    @property
    def shares(self) -> tuple[float, float, float]:
        """The weights, summing up to 1."""
        total = self.accuracy + self.completeness + self.consistency
        return self.accuracy / total, self.completeness / total, self.consistency / total


@dataclass(frozen=True, slots=True)
class Place:
    """One candidate in a ranking."""

    name: str
    lacks: tuple[float, float, float]
    """Accuracy, completeness and consistency lack, means over the test databases."""
    score: float
    """Weighted sum of the lacks, each scaled from the best candidate (0) to the worst (1)."""
    low: float
    high: float
    """The least and the greatest score over the test databases."""
    pareto: bool
    """Nobody lacks less in one without lacking more in another."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates of one form, best first."""

    form: Form
    places: tuple[Place, ...]

    @property
    def best(self) -> Place:
        """The first of the ranking."""
        return self.places[0]

    @property
    def clear(self) -> bool:
        """Whether the first is ahead of the second on every test database."""
        return len(self.places) < 2 or self.places[0].high < self.places[1].low

    def reason(self, weights: LackWeights) -> str:
        """Why the first is first."""
        best = self.best
        if len(self.places) == 1:
            return (
                f"{best.name} is the only candidate that can be compared with the asset in "
                "this form."
            )
        second = self.places[1]
        names = self._best_in()
        strong = f"lacks least in {listed(names)}" if names else "balances the three lacks best"
        by = weights.words
        if second.score == best.score:
            return f"{best.name} {strong}; weighing {by}, {second.name} is equally good."
        scores = f"{best.score:.2g} against {second.score:.2g} of {second.name}"
        sure = (
            "on every test database"
            if self.clear
            else "but not on every test database: the two are close"
        )
        return f"{best.name} {strong}; weighing {by} it scores {scores} (lower is better), {sure}."

    def _best_in(self) -> list[str]:
        return [
            name
            for n, name in enumerate(LACKS)
            if self.best.lacks[n] <= min(place.lacks[n] for place in self.places)
            and any(place.lacks[n] > self.best.lacks[n] for place in self.places)
        ]


def rank(form: Form, found: Mapping[str, Sequence[Lacks]], weights: LackWeights) -> Ranking | None:
    """The ranking of candidates by what each lacks on the test databases; none of nobody.

    >>> ranking = rank("aligned", {
    ...     "iga": [Lacks(0.0, 0.1, 0.0)], "1.a": [Lacks(0.2, 0.0, 0.3)],
    ... }, LackWeights())
    >>> [(place.name, round(place.score, 3)) for place in ranking.places]
    [('iga', 0.333), ('1.a', 0.667)]
    """
    if not found:
        return None
    means = {
        name: tuple(fmean(lack.values[n] for lack in lacks) for n in range(3))
        for name, lacks in found.items()
    }
    bounds = [
        (min(m[n] for m in means.values()), max(m[n] for m in means.values())) for n in range(3)
    ]

    def score(values: Sequence[float]) -> float:
        parts = zip(values, bounds, weights.shares, strict=True)
        return sum(w * (v - low) / (high - low) for v, (low, high), w in parts if high > low)

    best = pareto_set({name: _counting(m, weights) for name, m in means.items()})
    places = []
    for name, lacks in found.items():
        scores = [score(lack.values) for lack in lacks]
        a, b, c = means[name]
        places.append(
            Place(name, (a, b, c), score(means[name]), min(scores), max(scores), name in best)
        )
    return Ranking(form, tuple(sorted(places, key=lambda place: (place.score, not place.pareto))))


def _counting(values: Sequence[float], weights: LackWeights) -> list[float]:
    """The lacks that the steward weighs at all."""
    return [v for v, share in zip(values, weights.shares, strict=True) if share]
