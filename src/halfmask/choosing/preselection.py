"""Step 1: which candidates are acceptable at all, and why each other one fell.

Five parameters: efficiency, scalability, hiding failure, coarse data quality, level of privacy. The
steward sets thresholds; without any, a candidate falls when another one is nowhere clearly worse
and somewhere clearly better. Coarse quality is among the five because methods that change least
are often slow, and would fall for that alone.

Scalability is how the time rises with the size of the data. A power law, seconds = c · rows^b, is a
straight line in logarithms, so b is its slope. An interval comes with it: four or five sizes say
little about a slope when the clock is noisy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from halfmask.choosing.candidates import Candidate
from halfmask.choosing.making import OfRelease
from halfmask.choosing.ranking import Score, clearly_better, fallen, listed
from halfmask.errors import BadInput, NotMeasurable

LEAST_SIZES = 4
"""Fewer sizes leave at most one degree of freedom for the error: an interval of no use."""

_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""The 97.5 % points of Student's t for 1 to 10 degrees of freedom."""


@dataclass(frozen=True, slots=True)
class Growth:
    """The exponent of time over rows with its 95 % interval, and what it was fitted to.

    >>> str(Growth(1.02, 0.9, 1.14, (500, 1000, 2000, 4000), (1.0, 2.0, 4.1, 8.3)))
    'rows^1.02 (0.90 to 1.14)'
    """

    exponent: float
    low: float
    high: float
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    def __str__(self) -> str:
        return f"rows^{self.exponent:.2f} ({self.low:.2f} to {self.high:.2f})"


def fit_growth(sizes: Sequence[int], seconds: Sequence[float]) -> Growth:
    """Fit log seconds = a + b · log rows by least squares; the interval is Student's.

    >>> found = fit_growth([1000, 2000, 4000, 8000], [0.5, 1.0, 2.0, 4.0])
    >>> round(found.exponent, 6), round(found.high - found.low, 6)
    (1.0, 0.0)
    """
    if len(sizes) != len(seconds):
        raise BadInput("Every size of the data needs its time.")
    if len(set(sizes)) < LEAST_SIZES:
        raise NotMeasurable(
            f"Growth is fitted over at least {LEAST_SIZES} sizes; {len(set(sizes))} were timed."
        )
    if min(sizes) < 1 or not all(0 < time < math.inf for time in seconds):
        raise NotMeasurable("Growth needs sizes and times above 0.")
    x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(seconds, float))
    dx = x - x.mean()
    slope = float(dx @ y / (dx @ dx))
    rest = y - y.mean() - slope * dx
    freedom = len(x) - 2
    error = math.sqrt(float(rest @ rest) / freedom / float(dx @ dx))
    reach = student(freedom) * error
    return Growth(slope, slope - reach, slope + reach, tuple(sizes), tuple(seconds))


def student(freedom: int) -> float:
    """The 97.5 % point of Student's t; beyond the table by the expansion in 1/freedom.

    >>> student(2), round(student(30), 3)
    (4.303, 2.042)
    """
    if freedom <= len(_STUDENT):
        return _STUDENT[freedom - 1]
    z = 1.959964
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def sizes_up_to(rows: int, count: int = 5) -> tuple[int, ...]:
    """Sizes from an eighth of the rows to all of them, each the same factor above the last.

    >>> sizes_up_to(4000)
    (500, 841, 1414, 2378, 4000)
    """
    if count < LEAST_SIZES:
        raise BadInput(f"Growth is fitted over at least {LEAST_SIZES} sizes, not {count}.")
    if rows < 16 * count:
        raise BadInput(
            f"A generic database needs at least {16 * count} rows to be timed at {count} sizes, "
            f"not {rows:,}."
        )
    return tuple(round(float(size)) for size in np.geomspace(rows / 8, rows, count))


SAME_TIME, SAME_INSTANT = 1.12, 0.005
"""Times are known to this factor and these seconds either way; closer ones are the same."""
COARSE = 0.01
"""Coarse quality and privacy on one generic database are known to one point in a hundred; a
candidate must not fall to another that is ahead by less, before the asset was asked."""
A_COPY = 0.99
"""Where so much of the weight of the rows comes back, nobody is protected."""
WORST = float("inf")
"""The score of what could not be measured."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What the steward asks of a candidate on the generic database.

    >>> Thresholds(seconds_at_most=2, privacy_at_least=0.5).given
    ('seconds_at_most', 'privacy_at_least')
    """

    seconds_at_most: float | None = None
    exponent_at_most: float | None = None
    failure_at_most: float | None = None
    dissimilarity_at_most: float | None = None
    privacy_at_least: float | None = None

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value is not None and not value >= 0:
                raise BadInput(f"The threshold {name} is a number of at least 0, not {value:g}.")
        if self.privacy_at_least is not None and self.privacy_at_least > 1:
            raise BadInput(
                "The level of privacy lies between 0 and 1, so it cannot be required to be higher."
            )

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the thresholds that were set."""
        return tuple(name for name, value in asdict(self).items() if value is not None)


@dataclass(frozen=True, slots=True)
class General:
    """The five general parameters of one candidate on the generic database."""

    seconds: float
    """Efficiency: CPU time at the largest size."""
    growth: Growth | None
    """Scalability: the exponent of time over rows."""
    release: OfRelease
    """Hiding failure, coarse data quality and level of privacy."""

    @property
    def scores(self) -> tuple[Score, ...]:
        """The five as scores of which less is better."""
        quickest = max(self.seconds / SAME_TIME - SAME_INSTANT, 0.0)
        privacy = self.release.privacy
        return (
            Score(quickest, self.seconds * SAME_TIME + SAME_INSTANT),
            self._growth_score,
            _score(self.release.hiding_failure),
            _score(self.release.dissimilarity, COARSE),
            _score(None if privacy is None else 1 - privacy, COARSE),
        )

    @property
    def _growth_score(self) -> Score:
        """Of what takes no time the growth is that of fixed costs, and is held against nobody."""
        if self.seconds < 2 * SAME_INSTANT:
            return Score(-WORST, WORST)
        return (
            Score.exact(WORST) if self.growth is None else Score(self.growth.low, self.growth.high)
        )


def _score(value: float | None, reach: float = 0.0) -> Score:
    return Score.exact(WORST) if value is None else Score(value - reach, value + reach)


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate after step 1: its parameters, and why it fell if it did."""

    candidate: Candidate
    general: General | None
    fell: str | None = None
    """A sentence; None for a candidate that is kept."""

    @property
    def kept(self) -> bool:
        """Whether it goes on to the asset."""
        return self.fell is None


def preselect(tried: Sequence[Tried], thresholds: Thresholds, *, hiding: bool) -> tuple[Tried, ...]:
    """Keep what meets the thresholds or, without any, what nobody dominates.

    In either case what does not do its job falls first: a pattern that was to be hidden and is
    still found (unless `failure_at_most` allows it), or a release that gives every row back.
    Otherwise a copy of the original would win, since nothing changes less.
    """
    measured = {t.candidate.name: t.general for t in tried if t.kept and t.general is not None}
    asked = thresholds
    if hiding and asked.failure_at_most is None:
        asked = replace(asked, failure_at_most=0.0)
    missed = {name: _missed(g, asked) or _copy(g, hiding=hiding) for name, g in measured.items()}
    reasons = {name: reason for name, reason in missed.items() if reason is not None}
    if not thresholds.given:
        left = {name: g for name, g in measured.items() if name not in reasons}
        lost = fallen({name: general.scores for name, general in left.items()})
        reasons |= {name: _beaten(by, measured[name], measured[by]) for name, by in lost.items()}
    return tuple(
        Tried(t.candidate, t.general, t.fell or reasons.get(t.candidate.name)) for t in tried
    )


def _copy(general: General, *, hiding: bool) -> str | None:
    back = general.release.rows_back
    if hiding or back is None or back < A_COPY:
        return None
    return (
        f"It reproduces the original: {back:.1%} of its rows (weighted towards rare ones) reappear."
    )


def _missed(general: General, asked: Thresholds) -> str | None:
    """The thresholds that are missed, in one sentence."""
    growth, release = general.growth, general.release
    exponent = None if growth is None else growth.exponent
    bounds = (
        ("takes", general.seconds, asked.seconds_at_most, "{:.3g} s", 1),
        ("grows as", exponent, asked.exponent_at_most, "rows^{:.2f}", 1),
        ("leaves discoverable", release.hiding_failure, asked.failure_at_most, "{:.1%}", 1),
        ("moves frequencies by", release.dissimilarity, asked.dissimilarity_at_most, "{:.1%}", 1),
        ("reaches a privacy of", release.privacy, asked.privacy_at_least, "{:.1%}", -1),
    )
    found = []
    for verb, value, bound, form, sign in bounds:
        if bound is None:
            continue
        limit = f"{'at most' if sign > 0 else 'at least'} {form.format(bound)}"
        if value is None:
            found.append(f"what it {verb} could not be measured ({limit} was required)")
        elif sign * value > sign * bound:
            found.append(f"it {verb} {form.format(value)}, and {limit} was required")
    return _sentence("; ".join(found)) if found else None


def _beaten(by: str, loser: General, winner: General) -> str:
    """Why a candidate falls to another, with the numbers that decide."""
    one, other = winner.release, loser.release
    pairs = (
        ("is faster ({} against {})", (f"{g.seconds:.3g} s" for g in (winner, loser))),
        ("scales better ({} against {})", map(_growth, (winner, loser))),
        (
            "hides more ({} against {} still found)",
            _shares(one.hiding_failure, other.hiding_failure),
        ),
        ("changes less ({} against {})", _shares(one.dissimilarity, other.dissimilarity)),
        ("is more private ({} against {})", _shares(one.privacy, other.privacy)),
    )
    words = [sentence.format(*values) for sentence, values in pairs]
    better = [words[place] for place in clearly_better(winner.scores, loser.scores)]
    return f"Dominated by {by}, which {listed(better)} and is clearly worse in nothing."


def _growth(general: General) -> str:
    return "unknown" if general.growth is None else f"rows^{general.growth.exponent:.2f}"


def _shares(*values: float | None) -> list[str]:
    return ["unknown" if value is None else f"{value:.1%}" for value in values]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
