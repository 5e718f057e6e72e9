"""The verdict: publish, review, not attacked, or do not publish, with the reasons in words.

Targets that the steward sets decide alone whether the answer is no. Without a target the answer
"review" points at what usually goes wrong: what is private enough is for the steward to say. What
was not attacked is never called fit to publish, however good it looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import inf, sqrt
from typing import Literal

from halfmask.data.release import Check, Outcome
from halfmask.errors import BadInput
from halfmask.judging.attacks import SMALL_EXCESS, attack_checks, plausible
from halfmask.measures import Reading, Readings
from halfmask.shown import folded, grid, sentences, told

Word = Literal["publish", "review", "not attacked", "do not publish"]

HIGH_NAS = 0.5
"""Half of the weight of the original's rows came back; the papers call such data not suited."""
FEW_COPIED = 0.01
"""A release in which fewer rows than this are rows of a few persons tells of groups only."""
AS_INDEPENDENT = 0.05
"""Rows come back by themselves when independent columns bring back as many, give or take this."""
FEW_PATTERNS = 1.5
"""Fewer patterns per row than this: most rows are one long pattern, copied whole."""
WEAK_RELATIONS = 0.5
"""A dissimilarity above this share of what independent columns get: few relations were kept."""
NO_RELATIONS = 0.02
"""Where independent columns are no further from the original than this, there is nothing to keep,
or the support that was fast enough to measure with is too high to see it."""


@dataclass(frozen=True, slots=True)
class Targets:
    """What the steward asks of a release.

    >>> Targets(nas_at_most=0.2, risk_at_most=0.1).given
    ('nas_at_most', 'risk_at_most')
    """

    nas_at_most: float | None = None
    ds_at_most: float | None = None
    risk_at_most: float | None = None
    """What each attack may gain over the same attack on rows held back."""

    leak_at_most: float | None = None
    """The AUC that a tracing attack may reach, by the upper end of its interval; ½ is chance."""
    moved_at_most: float | None = None
    """The share of the frequent patterns whose support may move by more than δ."""

    def __post_init__(self) -> None:
        if self.leak_at_most is not None and not 0.5 <= self.leak_at_most <= 1:
            raise BadInput(
                "The AUC of a tracing attack lies between 0.5 (chance) and 1; it cannot be at most "
                f"{self.leak_at_most:g}."
            )
        if self.nas_at_most is not None and not 0 <= self.nas_at_most <= 1:
            raise BadInput(
                f"The normalised anonymity score lies between 0 and 1; "
                f"it cannot be at most {self.nas_at_most:g}."
            )
        if self.ds_at_most is not None and not self.ds_at_most >= 0:
            raise BadInput(
                f"The dissimilarity is 0 or more; it cannot be at most {self.ds_at_most:g}."
            )
        if self.risk_at_most is not None and not 0 <= self.risk_at_most <= 1:
            raise BadInput(
                f"The risk of an attack lies between 0 and 1; "
                f"it cannot be at most {self.risk_at_most:g}."
            )

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the targets that were set."""
        return tuple(name for name, value in asdict(self).items() if value is not None)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer and why."""

    word: Word
    reasons: tuple[str, ...]
    checks: tuple[Check, ...] = ()

    def __str__(self) -> str:
        return f"{self.headline}: {' '.join(self.reasons)}"

    @property
    def headline(self) -> str:
        """The word as a reader sees it."""
        return "Review before publishing" if self.word == "review" else self.word.capitalize()

    def _repr_html_(self) -> str:
        """What a notebook shows: the word, why, and every check behind a click."""
        checks = [(check.what, check.outcome, check.sentence) for check in self.checks]
        all_of_them = grid(("check", "outcome", "in words"), checks) if checks else ""
        return (
            f"<p><strong>{told(self.headline)}.</strong></p>{sentences(self.reasons)}"
            f"{folded(f'{len(checks)} checks', all_of_them)}"
        )


SMALL = 1_000
"""A verdict on a release of fewer rows says what it is worth."""


def judge(
    readings: Readings,
    targets: Targets,
    *,
    min_support: int | None = None,
    rows: int | None = None,
) -> Verdict:
    """Hold the readings against the targets, then look for what usually goes wrong.

    `min_support` is the fewest rows behind anything that was learnt, where that is known, and
    `rows` how many were learnt from.
    """
    found = decide(tuple(_checks(readings, targets, min_support)), targets)
    if rows is None or rows >= SMALL or found.word == "do not publish":
        return found
    return replace(found, reasons=(*found.reasons, worth_of(rows)))


def worth_of(rows: int) -> str:
    """What a release learnt from few rows is worth, as a sentence.

    >>> worth_of(100)
    'It was learnt from 100 rows: a share in it is off by up to 10 percentage points by chance and a
    correlation by up to 0.20, as in any sample of that size; strong relations are in it, weak ones
    are not.'
    """
    return (
        f"It was learnt from {rows:,} rows: a share in it is off by up to "
        f"{100 / sqrt(rows):.0f} percentage points by chance and a correlation by up to "
        f"{2 / sqrt(rows):.2f}, as in any sample of that size; strong relations are in it, weak "
        "ones are not."
    )


def decide(checks: tuple[Check, ...], targets: Targets) -> Verdict:
    """The word that these checks come to.

    A missed target refuses. Without attacks there is no better word than that, whatever the other
    checks say; a doubt asks for a review.
    """

    def sentences(*outcomes: Outcome) -> tuple[str, ...]:
        return tuple(c.sentence for outcome in outcomes for c in checks if c.outcome == outcome)

    if missed := sentences("missed"):
        return Verdict("do not publish", missed, checks)
    if sentences("not attacked"):
        return Verdict("not attacked", sentences("not attacked", "review"), checks)
    if doubts := sentences("review"):
        return Verdict("review", doubts, checks)
    met = {0: "No target was set", 1: "The target is met"}
    first = (
        f"{met.get(len(targets.given), 'All targets are met')}, the attacks on the release stayed "
        "within their bounds, and no check calls for a review."
    )
    return Verdict("publish", (first, *sentences("not measured")), checks)


def _checks(readings: Readings, targets: Targets, min_support: int | None) -> Iterator[Check]:
    yield _nas(readings, targets.nas_at_most)
    yield from attack_checks(
        readings,
        risk_at_most=targets.risk_at_most,
        leak_at_most=targets.leak_at_most,
        min_support=min_support,
    )
    yield from _patterns(readings)
    yield _relations(readings, targets.ds_at_most)
    yield from moved_check(readings, targets.moved_at_most)


def moved_check(readings: Readings, at_most: float | None) -> Iterator[Check]:
    """Requirement (3) of the papers, where it is a target."""
    if at_most is None:
        return
    what, moved = "Supports of patterns", readings.taken("supports_moved")
    if moved is None:
        yield Check(what, "missed", "How far the supports of patterns moved was not measured.")
        return
    missed = moved.value > at_most
    sentence = (
        f"{moved.value:.1%} of the frequent patterns moved by more than "
        f"{moved.details['delta']:g} of the rows, {'above' if missed else 'within'} the target "
        f"{at_most:g}."
    )
    yield Check(what, "missed" if missed else "passed", sentence)


def _nas(readings: Readings, at_most: float | None) -> Check:
    what, nas = "Rows that reappear", readings.taken("nas")
    if nas is None:
        blank: Outcome = "not measured" if at_most is None else "missed"
        return Check(what, blank, "The anonymity score could not be measured.")
    if at_most is not None and nas.value > at_most:
        sentence = f"The anonymity score is {nas.value:.3f}, above the target {at_most:g}."
        return Check(what, "missed", sentence)
    if at_most is not None:
        sentence = f"The anonymity score is {nas.value:.3f}, within the target {at_most:g}."
        return Check(what, "passed", sentence)
    if nas.value > HIGH_NAS:
        return _high_nas(what, nas, readings.taken("nas_excess"), _copied_by_few(readings))
    return Check(what, "passed", f"The anonymity score is {nas.value:.3f}; no target was set.")


def _copied_by_few(readings: Readings) -> str | None:
    """In words, that hardly any released row is one of few persons; None where it is not so."""
    copied = readings.taken("copied_rows")
    if copied is None or copied.value > FEW_COPIED:
        return None
    return f"{copied.value:.1%} of the released rows are rows of fewer than {copied.details['k']}"


def _high_nas(what: str, nas: Reading, excess: Reading | None, few: str | None) -> Check:
    """Rows that come back are memory only beyond what held-out persons or lone columns get."""
    sentence = (
        f"{nas.value:.0%} of the original rows (weighted towards rare ones) reappear in the release"
    )
    if excess is not None and excess.low <= 0 and excess.high <= SMALL_EXCESS:
        sentence += f"; {plausible(excess)}"
        return Check(what, "passed", sentence)
    independent = nas.yardsticks.get("independent", 0.0)
    if few is not None and nas.value <= independent + AS_INDEPENDENT:
        sentence += (
            f"; independent columns reproduce as many ({independent:.0%}), and {few} people: "
            "the table has few distinct rows, which many people share."
        )
        return Check(what, "passed", sentence)
    advice = "raise the minimum support, or set the largest score you accept (--nas-at-most)"
    return Check(what, "review", f"{sentence}; {advice}.")


def _patterns(readings: Readings) -> Iterator[Check]:
    used = readings.taken("patterns_per_row")
    if used is None:
        return
    few, alone = _copied_by_few(readings), used.yardsticks.get("independent", inf)
    if few is not None and max(used.value, alone) < FEW_PATTERNS:
        sentence = (
            f"A row is made of {used.value:.1f} patterns on average, as it is with independent "
            f"columns; {few} people: the table has few distinct rows, which many people share."
        )
        yield Check("How rows are made", "passed", sentence)
        return
    if used.value < FEW_PATTERNS:
        sentence = (
            f"A row is made of only {used.value:.1f} patterns on average, so whole rows are "
            "reproduced; this table is not suited to the method at this minimum support."
        )
        yield Check("How rows are made", "review", sentence)
        return
    sentence = f"A row is made of {used.value:.1f} patterns on average."
    yield Check("How rows are made", "passed", sentence)


def _relations(readings: Readings, at_most: float | None) -> Check:
    what, bits = "Relations preserved", readings.taken("ds")
    if bits is None:
        blank: Outcome = "not measured" if at_most is None else "missed"
        return Check(what, blank, "The dissimilarity to the original could not be measured.")
    sentence = f"The dissimilarity to the original is {bits.value:.3f}"
    if bits.against_holdout is not None and bits.second_sample is not None:
        sentence = (
            f"The dissimilarity to people who were held back is {bits.against_holdout:.3f}, that "
            f"of a second sample {bits.second_sample:.3f}; to the original it is {bits.value:.3f}"
        )
    if at_most is not None:
        missed = bits.value > at_most
        word = "above" if missed else "within"
        return Check(
            what, "missed" if missed else "passed", f"{sentence}, {word} the target {at_most:g}."
        )
    independent = bits.yardsticks.get("independent")
    if independent is None:
        return Check(what, "passed", f"{sentence}.")
    sentence += f", that of independent columns {independent:.3f}"
    if bits.value <= max(WEAK_RELATIONS * independent, NO_RELATIONS):
        return Check(what, "passed", f"{sentence}.")
    return Check(
        what,
        "review",
        f"{sentence}: few relations were preserved; lower the minimum support if privacy allows.",
    )
