"""The verdict: publish, look here, or do not publish, with the reasons in words.

Targets that the steward sets decide alone whether the answer is no. Without a target the verdict
never says more than "look here": what is private enough is for the steward to say, and the levels
below only point at what usually goes wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from halfmask.errors import BadInput
from halfmask.measures import Reading, Readings

__all__ = ["Targets", "Verdict", "judge"]

Word = Literal["publish", "look here", "do not publish"]

HIGH_NAS = 0.5
"""Half of the weight of the original's rows came back; the papers call such data not suited."""
FEW_PATTERNS = 1.5
"""Fewer patterns per row than this: most rows are one long pattern, copied whole."""
WEAK_RELATIONS = 0.5
"""A dissimilarity above this share of what independent columns get: few relations were kept."""


@dataclass(frozen=True, slots=True)
class Targets:
    """What the steward asks of a release."""

    nas_at_most: float | None = None

    def __post_init__(self) -> None:
        if self.nas_at_most is not None and not 0 <= self.nas_at_most <= 1:
            raise BadInput(
                f"The normalised anonymity score lies between 0 and 1; "
                f"it cannot be at most {self.nas_at_most:g}."
            )


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer and why."""

    word: Word
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.word.capitalize()}: {' '.join(self.reasons)}"


def judge(readings: Readings, targets: Targets) -> Verdict:
    """Hold the readings against the targets, then look for what usually goes wrong."""
    missed = _missed(readings, targets)
    if missed:
        return Verdict("do not publish", missed)
    doubts = (*_privacy_doubts(readings, targets), *_quality_doubts(readings))
    if doubts:
        return Verdict("look here", doubts)
    met = "the target is met" if targets.nas_at_most is not None else "no target was set"
    return Verdict("publish", (f"{met[0].upper()}{met[1:]} and nothing stands out.",))


def _value(readings: Readings, name: str) -> Reading | None:
    return readings.get(name) if name in readings.names else None


def _missed(readings: Readings, targets: Targets) -> tuple[str, ...]:
    nas = _value(readings, "nas")
    if targets.nas_at_most is None:
        return ()
    if nas is None:
        return ("The anonymity score that the target speaks of could not be measured.",)
    if nas.value <= targets.nas_at_most:
        return ()
    return (f"The anonymity score is {nas.value:.3f}, above the target {targets.nas_at_most:g}.",)


def _privacy_doubts(readings: Readings, targets: Targets) -> tuple[str, ...]:
    doubts = []
    nas = _value(readings, "nas")
    if nas is not None and targets.nas_at_most is None and nas.value > HIGH_NAS:
        doubts.append(
            f"{nas.value:.0%} of the weight of the original's rows stands in the release again; "
            "raise the minimum support or set a target."
        )
    used = _value(readings, "patterns_per_row")
    if used is not None and used.value < FEW_PATTERNS:
        doubts.append(
            f"A row is made of only {used.value:.1f} patterns on average, so whole rows come back; "
            "these data are not suited at this minimum support."
        )
    return tuple(doubts)


def _quality_doubts(readings: Readings) -> tuple[str, ...]:
    bits = _value(readings, "ds")
    if bits is None or "independent" not in bits.yardsticks:
        return ()
    independent = bits.yardsticks["independent"]
    if bits.value <= WEAK_RELATIONS * independent:
        return ()
    sentence = (
        f"The dissimilarity to the original is {bits.value:.3f}, that of independent columns "
        f"{independent:.3f}: few relations were kept; lower the minimum support if privacy allows."
    )
    return (sentence,)
