"""The verdict on a method that promises something else than the minimum support of its patterns.

Its promise is counted again in what is published. Where people can be held back, the release is
attacked like every other; where they cannot, the verdict says so instead of "publish".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from halfmask.data.release import Check, Outcome
from halfmask.judging.attacks import SMALL_EXCESS, attack_checks, plausible
from halfmask.judging.verdict import (
    HIGH_NAS,
    WEAK_RELATIONS,
    Targets,
    Verdict,
    decide,
    moved_check,
)
from halfmask.measures import Readings

NO_ATTACK = Check(
    "Attacks",
    "not attacked",
    "This method works on the rows of the original one by one, so nobody can be held back to "
    "compare an attack with: only its promise was checked.",
)


def judge_promise(  # noqa: PLR0913 - what speaks for and against a release
    promised: Sequence[Check],
    readings: Readings,
    targets: Targets,
    *,
    risk: float | None,
    rare_named: int,
    attackable: bool = False,
    min_support: int | None = None,
) -> Verdict:
    """Hold a release against its promise and the targets.

    `risk` is the probability with which the attack that the method stands against succeeds at
    most; `rare_named` counts items in the release that few rows of the original hold. With an
    `attackable` method people were, or could have been, held back.

    >>> kept = Check("Promise", "passed", "It was counted again.")
    >>> judge_promise([kept], Readings(()), Targets(), risk=0.2, rare_named=3).word
    'not attacked'
    """
    found = [*promised]
    if attackable:
        found += attack_checks(
            readings,
            risk_at_most=targets.risk_at_most,
            leak_at_most=targets.leak_at_most,
            min_support=min_support,
        )
    else:
        found += [*_risk(risk, targets.risk_at_most), NO_ATTACK]
    found += _rows_back(readings, targets.nas_at_most)
    found += _rare(rare_named)
    found += _pairs_kept(readings, targets.ds_at_most)
    found += moved_check(readings, targets.moved_at_most)
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
    excess = readings.taken("nas_excess")
    if excess is not None and excess.low <= 0 and excess.high <= SMALL_EXCESS:
        yield Check(what, "passed", f"{sentence}; {plausible(excess)}")
        return
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
