"""The verdict about releases by a method with a promise of its own: baskets, separated tables.

The method's promise, counted again, comes first. Then come what stands in the release by name or
by row, and what became of the relations between items. Targets decide alone whether the answer is
no, as for tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from halfmask.judging.verdict import (
    HIGH_NAS,
    WEAK_RELATIONS,
    Check,
    Outcome,
    Targets,
    Verdict,
    decide,
)
from halfmask.measures import Readings


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

    >>> from halfmask.measures import Readings
    >>> kept = Check("Promise", "passed", "It was counted again.")
    >>> judge_promise([kept], Readings(()), Targets(), risk=0.2, rare_named=3).word
    'look here'
    """
    found = [*promised, *_risk(risk, targets.risk_at_most)]
    found += _rows(readings, targets.nas_at_most)
    found += _rare(rare_named)
    found += _relations(readings, targets.ds_at_most)
    return decide(tuple(found), targets)


def _risk(risk: float | None, at_most: float | None) -> Iterator[Check]:
    what = "What an attack gains"
    if at_most is None:
        return
    if risk is None:
        sentence = "This method has no attack with a bound, so the target cannot be checked."
        yield Check(what, "missed", sentence)
        return
    missed = risk > at_most + 1e-9
    sentence = (
        f"The attack that this method stands against succeeds with a probability of up to "
        f"{risk:.3f}, {'above' if missed else 'within'} the target {at_most:g}."
    )
    yield Check(what, "missed" if missed else "passed", sentence)


def _rows(readings: Readings, at_most: float | None) -> Iterator[Check]:
    what, nas = "Rows that come back", readings.taken("nas")
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
    advice = " Many whole rows of the original stand in the release again." if high else ""
    yield Check(what, "look here" if high else "passed", f"{sentence}{beside}.{advice}")


def _rare(count: int) -> Iterator[Check]:
    if count:
        sentence = (
            f"{count:,} items that few baskets of the original hold stand in the release by name; "
            "suppress rare values, or make sure that no name tells of a person."
        )
        yield Check("Rare items", "look here", sentence)


def _relations(readings: Readings, at_most: float | None) -> Iterator[Check]:
    what, bits = "Relations kept", readings.taken("ds")
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
        f"The frequencies of pairs moved by {pairs.value:.3f}; of independent items they move by "
        f"{independent:.3f}"
    )
    if weak:
        yield Check(what, "look here", f"{sentence}: few relations were kept.")
    else:
        yield Check(what, "passed", f"{sentence}.")
