"""What attacks on a release come to: nobody says "publish" of what was not attacked.

Of the attacks those count whose success is held against people that the method never saw, by their
intervals; the distance to the closest record never decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist

from halfmask.data.release import Check
from halfmask.measures import Reading, Readings

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

OF_MODEL = "tracing_model"
TRACING = ("tracing", "tracing_tree", OF_MODEL)
"""Attacks with a scale of their own, the AUC: how well members are told from strangers."""
LEAK = 0.6
"""An AUC of a tracing attack that may lie above this asks for a review."""
LEAST_SUPPORT = 5
"""What fewer people hold is about these people, whatever the attacks find."""
SMALL_EXCESS = 0.1
"""A difference to held-out persons that is surely below this is no reason to look twice."""


def attack_checks(
    readings: Readings,
    *,
    risk_at_most: float | None,
    leak_at_most: float | None,
    min_support: int | None,
) -> Iterator[Check]:
    """Every check that "publish" needs beside the promise of a method."""
    yield from _attacks(readings, risk_at_most)
    yield _tracing(readings, leak_at_most)
    for blank in readings.unmeasured:
        if blank.name == OF_MODEL:  # which is measured only where it was asked for
            sentence = f"The model file could not be attacked: {blank.reason}"
            yield Check("Tracing from the model", "not attacked", sentence)
    yield _unique(readings)
    if min_support is not None:
        yield _support(min_support)


def _attacks(readings: Readings, at_most: float | None) -> Iterator[Check]:
    attacks = [reading for name in ATTACKS if (reading := readings.taken(name)) is not None]
    if not attacks:
        sentence = (
            "No attack could be compared with people that the method never saw; hold rows back "
            "(leave --holdout to its default, or set --holdout 0.2)."
        )
        yield Check("Attacks", "not attacked" if at_most is None else "missed", sentence)
        return
    found = [
        check
        for reading in attacks
        if (check := _attack(reading, len(attacks), at_most)).outcome != "passed"
        and (at_most is not None or reading.name != "unique_excess")  # has a check of its own
    ]
    limit = "chance" if at_most is None else f"the target {at_most:g}"
    count = "The attack" if len(attacks) == 1 else f"Each of the {len(attacks)} attacks"
    sentence = (
        f"{count} measured is within {limit}, compared with the same attack on held-out rows."
    )
    yield from found or [Check("Attacks", "passed", sentence)]


def _tracing(readings: Readings, at_most: float | None) -> Check:
    """Whether an attacker who compares the release with other people tells members apart."""
    what = "Tracing"
    found = [reading for name in TRACING if (reading := readings.taken(name)) is not None]
    if not found:
        blank = next((one for one in readings.unmeasured if one.name in TRACING), None)
        why = "" if blank is None else f": {blank.reason.rstrip('.')}"
        sentence = f"No tracing attack could be measured{why}."
        return Check(what, "not attacked" if at_most is None else "missed", sentence)
    limit = LEAK if at_most is None else at_most
    worst = max(found, key=lambda reading: reading.high)
    sentence = (
        f"The strongest tracing attack tells members from strangers with an AUC of "
        f"{worst.value:.3f} (95 % interval {worst.low:.3f} to {worst.high:.3f}; 0.5 is chance"
        f"{_knowing(worst)})"
    )
    if worst.high <= limit:
        return Check(what, "passed", f"{sentence}, within {limit:g}.")
    sentence += f", and {limit:g} is the most that should be: {_advice(worst)}"
    if at_most is not None:
        return Check(what, "missed", f"{sentence}.")
    if worst.name != OF_MODEL:
        sentence += f"; of a single table, --leak-at-most {limit:g} looks for such settings"
    return Check(what, "review", f"{sentence}.")


def tracing_above(readings: Readings, at_most: float) -> list[str]:
    """The tracing attacks that may be above this by their intervals, that on the model last."""
    found = [readings.taken(name) for name in TRACING]
    return [reading.name for reading in found if reading is not None and reading.high > at_most]


def _knowing(attack: Reading) -> str:
    rows = attack.details.get("reference_rows")
    return "" if rows is None else f"; the attacker knows {rows:,} other people"


def plausible(excess: Reading) -> str:
    """In words, that rows of strangers reappear as often as those of the original."""
    return (
        f"rows of held-out people appear in it as often (difference {excess.value:.3f}, "
        f"95 % interval {excess.low:.3f} to {excess.high:.3f}): such rows are plausible, "
        "not memorised."
    )


def _advice(worst: Reading) -> str:
    if worst.name == OF_MODEL:
        return (
            "keep the model in the house, raise the minimum support, round its counts "
            "(--round-margins 10), or calibrate less"
        )
    return "raise the minimum support, calibrate less, or hold more rows back to be surer"


def _unique(readings: Readings) -> Check:
    """Whether people with a row of their own find it more often than strangers do."""
    what, excess = "Unique rows", readings.taken("unique_excess")
    if excess is None:
        return _unique_without_strangers(what, readings)
    success, control = (float(excess.details.get(key, 0.0)) for key in ("success", "control"))
    sentence = (
        f"The release has the rows of {success:.1%} of the people with a unique row, and of "
        f"{control:.1%} of comparable people who were never in the original (difference "
        f"{excess.value:.3f}, 95 % interval {excess.low:.3f} to {excess.high:.3f})"
    )
    if excess.low <= 0 and excess.value <= SMALL_EXCESS:
        return Check(what, "passed", f"{sentence}: as plausible as strangers, not memorised.")
    advice = "rows of single people are copied; raise the minimum support"
    return Check(what, "review", f"{sentence}: {advice}.")


def _unique_without_strangers(what: str, readings: Readings) -> Check:
    found = readings.taken("unique_found")
    if found is not None and found.value > 0:
        sentence = (
            f"The release has the rows of {found.value:.1%} of the people with a unique row, and "
            "no comparable held-out person shows how many would be there by chance."
        )
        return Check(what, "review", sentence)
    if found is None and not any(one.name == "unique_found" for one in readings.unmeasured):
        return Check(what, "not attacked", "Unique rows were not looked for in the release.")
    return Check(what, "passed", "The release has no row of a person with a unique row.")


def _support(floor: int) -> Check:
    what = "Minimum support"
    if floor >= LEAST_SUPPORT:
        return Check(what, "passed", f"Whatever was learnt is held by at least {floor:,} rows.")
    sentence = (
        f"What {'a single row holds' if floor == 1 else f'{floor} rows hold'} may enter the "
        f"release; raise the minimum support to {LEAST_SUPPORT} or more (--min-support)."
    )
    return Check(what, "review", sentence)


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
