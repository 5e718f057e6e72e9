"""The verdict: publish, review, or do not publish, with the reasons in words.

Targets that the steward sets decide alone whether the answer is no. Without a target the worst
answer is "review": what is private enough is for the steward to say, and the levels below only
point at what usually goes wrong. Of the attacks those count whose success is held against rows
that the method never saw, by their intervals; the distance to the closest record never decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import inf
from statistics import NormalDist
from typing import Literal

from halfmask.data.release import Check, Outcome
from halfmask.errors import BadInput
from halfmask.measures import Reading, Readings

Word = Literal["publish", "review", "do not publish"]

ATTACKS = (
    "membership",
    "membership_unique",
    "singling_out",
    "linkability",
    "inference",
    "sensitive_guess",
    "nas_excess",
    "unique_excess",
)
"""Readings that are 0 when the release knows nothing of those who were in the original."""

TRACING = ("tracing", "tracing_tree")
"""Attacks with a scale of their own, the AUC: how well members are told from strangers."""
LEAK = 0.6
"""An AUC of a tracing attack that may lie above this asks for a review."""

HIGH_NAS = 0.5
"""Half of the weight of the original's rows came back; the papers call such data not suited."""
FEW_COPIED = 0.01
"""A release in which fewer rows than this are rows of a few persons tells of groups only."""
AS_INDEPENDENT = 0.05
"""Rows come back by themselves when independent columns bring back as many, give or take this."""
SMALL_EXCESS = 0.1
"""A difference to held-out persons that is surely below this is no reason to look twice."""
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


def judge(readings: Readings, targets: Targets) -> Verdict:
    """Hold the readings against the targets, then look for what usually goes wrong."""
    return decide(tuple(_checks(readings, targets)), targets)


def decide(checks: tuple[Check, ...], targets: Targets) -> Verdict:
    """The word that these checks come to: a missed target refuses, a doubt asks for a review."""
    outcomes: tuple[tuple[Word, Outcome], ...] = (
        ("do not publish", "missed"),
        ("review", "review"),
    )
    for word, outcome in outcomes:
        found = tuple(check.sentence for check in checks if check.outcome == outcome)
        if found:
            return Verdict(word, found, checks)
    return Verdict("publish", _why_publish(checks, targets), checks)


def _why_publish(checks: Sequence[Check], targets: Targets) -> tuple[str, ...]:
    set_ = len(targets.given)
    met = {0: "No target was set", 1: "The target is met"}.get(set_, "All targets are met")
    unmeasured = [check.sentence for check in checks if check.outcome == "not measured"]
    return (f"{met} and no check calls for a review.", *unmeasured)


def _checks(readings: Readings, targets: Targets) -> Iterator[Check]:
    yield _nas(readings, targets.nas_at_most)
    yield from _attacks(readings, targets.risk_at_most)
    yield from _tracing(readings, targets.leak_at_most)
    yield from _patterns(readings)
    yield _relations(readings, targets.ds_at_most)


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
        sentence += (
            f"; rows of held-out people appear in it as often (difference {excess.value:.3f}, "
            f"95 % interval {excess.low:.3f} to {excess.high:.3f}): such rows are plausible, "
            "not memorised."
        )
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


def _attacks(readings: Readings, at_most: float | None) -> Iterator[Check]:
    attacks = [reading for name in ATTACKS if (reading := readings.taken(name)) is not None]
    if not attacks:
        blank: Outcome = "not measured" if at_most is None else "missed"
        sentence = (
            "No attack could be compared with rows that the method never saw; publish with a "
            "hold-out to measure attacks."
        )
        yield Check("Attacks", blank, sentence)
        return
    found = [
        check
        for reading in attacks
        if (check := _attack(reading, len(attacks), at_most)).outcome != "passed"
    ]
    limit = "chance" if at_most is None else f"the target {at_most:g}"
    count = "The attack" if len(attacks) == 1 else f"Each of the {len(attacks)} attacks"
    sentence = (
        f"{count} measured is within {limit}, compared with the same attack on held-out rows."
    )
    yield from found or [Check("Attacks", "passed", sentence)]


def _tracing(readings: Readings, at_most: float | None) -> Iterator[Check]:
    """Whether an attacker who compares the release with other people tells members apart."""
    what = "Tracing"
    found = [reading for name in TRACING if (reading := readings.taken(name)) is not None]
    if not found:
        if at_most is not None:
            sentence = "No tracing attack could be measured; hold rows out (--holdout 0.2)."
            yield Check(what, "missed", sentence)
        return
    limit = LEAK if at_most is None else at_most
    worst = max(found, key=lambda reading: reading.high)
    sentence = (
        f"The strongest tracing attack tells members from strangers with an AUC of "
        f"{worst.value:.3f} (95 % interval {worst.low:.3f} to {worst.high:.3f}; 0.5 is chance)"
    )
    if worst.high <= limit:
        yield Check(what, "passed", f"{sentence}, within {limit:g}.")
        return
    doubt: Outcome = "review" if at_most is None else "missed"
    advice = "raise the minimum support, calibrate less, or hold more rows out to be surer"
    yield Check(what, doubt, f"{sentence}, and {limit:g} is the most that should be: {advice}.")


def widened(reading: Reading, attacks: int) -> tuple[float, float]:
    """The interval of an attack, so wide that those of several hold together (Bonferroni).

    >>> attack = Reading(
    ...     name="membership", room="privacy", value=0.1, low=0.0, high=0.2, unit="advantage",
    ...     better="lower", meaning="What it means.", how="How it is computed.",
    ... )
    >>> [round(end, 3) for end in widened(attack, 8)]
    [-0.04, 0.24]
    """
    quantile = NormalDist().inv_cdf
    factor = quantile(1 - 0.025 / attacks) / quantile(0.975)
    value = reading.value
    return value - factor * (value - reading.low), value + factor * (reading.high - value)


def _attack(reading: Reading, attacks: int, at_most: float | None) -> Check:
    """Proven above the limit, perhaps above it, or within it."""
    what = f"Attack: {reading.name.replace('_', ' ')}"
    low, _ = widened(reading, attacks)
    interval = f"{reading.value:.3f} (95 % interval {reading.low:.3f} to {reading.high:.3f})"
    if at_most is not None and low > at_most:
        sentence = f"The attack {reading.name!r} gains {interval}, above the target {at_most:g}."
        return Check(what, "missed", sentence)
    if at_most is not None and reading.value > at_most:
        sentence = (
            f"The attack {reading.name!r} gains {interval}; it probably exceeds the target "
            f"{at_most:g}, but not certainly. More held-out rows would settle it."
        )
        return Check(what, "review", sentence)
    if at_most is None and low > 0:
        sentence = (
            f"The attack {reading.name!r} gains {interval} over the same attack on held-out "
            "rows: the release has memorised people. Raise the minimum support."
        )
        return Check(what, "review", sentence)
    return Check(what, "passed", f"The attack {reading.name!r} gains {interval}.")


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


def judge_promise(
    promised: Sequence[Check],
    readings: Readings,
    targets: Targets,
    *,
    risk: float | None,
    rare_named: int,
) -> Verdict:
    """Hold a release against its promise and the targets.

    `risk` is the probability with which the attack that the method stands against succeeds at
    most; `rare_named` counts items in the release that few rows of the original hold.

    >>> kept = Check("Promise", "passed", "It was counted again.")
    >>> judge_promise([kept], Readings(()), Targets(), risk=0.2, rare_named=3).word
    'review'
    """
    found = [*promised, *_risk(risk, targets.risk_at_most)]
    found += _rows_back(readings, targets.nas_at_most)
    found += _rare(rare_named)
    found += _pairs_kept(readings, targets.ds_at_most)
    return decide(tuple(found), targets)


def _risk(risk: float | None, at_most: float | None) -> Iterator[Check]:
    what = "What an attack gains"
    if at_most is None:
        return
    if risk is None:
        sentence = "This method bounds no attack, so the target cannot be checked."
        yield Check(what, "missed", sentence)
        return
    missed = risk > at_most + 1e-9
    sentence = (
        "The attack that this method protects against succeeds with a probability of up to "
        f"{risk:.3f}, {'above' if missed else 'within'} the target {at_most:g}."
    )
    yield Check(what, "missed" if missed else "passed", sentence)


def _rows_back(readings: Readings, at_most: float | None) -> Iterator[Check]:
    what, nas = "Rows that reappear", readings.taken("nas")
    if nas is None:
        if at_most is not None:
            yield Check(what, "missed", "The anonymity score could not be measured.")
        return
    sentence = f"The anonymity score is {nas.value:.3f}"
    if at_most is not None:
        missed = nas.value > at_most
        outcome: Outcome = "missed" if missed else "passed"
        word = "above" if missed else "within"
        yield Check(what, outcome, f"{sentence}, {word} the target {at_most:g}.")
        return
    by_chance = nas.yardsticks.get("independent")
    beside = "" if by_chance is None else f"; baskets of independent items get {by_chance:.3f}"
    high = nas.value > HIGH_NAS and (by_chance is None or nas.value > by_chance)
    advice = " Many whole rows of the original reappear in the release." if high else ""
    yield Check(what, "review" if high else "passed", f"{sentence}{beside}.{advice}")


def _rare(count: int) -> Iterator[Check]:
    if count:
        sentence = (
            f"{count:,} items that few baskets of the original contain appear in the release "
            "by name; suppress rare values, or make sure that no name points to a person."
        )
        yield Check("Rare items", "review", sentence)


def _pairs_kept(readings: Readings, at_most: float | None) -> Iterator[Check]:
    what, bits = "Relations preserved", readings.taken("ds")
    if at_most is not None:
        if bits is None:
            yield Check(what, "missed", "The dissimilarity to the original could not be measured.")
            return
        missed = bits.value > at_most
        sentence = (
            f"The dissimilarity to the original is {bits.value:.3f}, "
            f"{'above' if missed else 'within'} the target {at_most:g}."
        )
        yield Check(what, "missed" if missed else "passed", sentence)
        return
    pairs = readings.taken("pair_frequencies") or readings.taken("marginals_2")
    if pairs is None:
        return
    independent = pairs.yardsticks.get("independent")
    if independent is None:
        yield Check(what, "passed", f"The frequencies of pairs moved by {pairs.value:.3f}.")
        return
    weak = pairs.value > WEAK_RELATIONS * independent
    sentence = (
        f"The frequencies of pairs moved by {pairs.value:.3f}; with independent items they "
        f"move by {independent:.3f}"
    )
    if weak:
        yield Check(what, "review", f"{sentence}: few relations were preserved.")
    else:
        yield Check(what, "passed", f"{sentence}.")
