"""Did it work? Every sensitive pattern counted again in what is to be published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from halfmask.data import Baskets, Itemset
from halfmask.methods.hiding.blocked import BlockedBaskets, Interval
from halfmask.methods.hiding.sensitive import SensitiveRule
from halfmask.methods.hiding.thresholds import SLACK

__all__ = ["Outcome", "Pattern", "Target", "recount"]

Pattern: TypeAlias = Itemset | SensitiveRule


@dataclass(frozen=True, slots=True)
class Target:
    """When a pattern counts as hidden: its support, or its confidence, lies below a bound."""

    pattern: Pattern
    support_below: int
    confidence_below: float | None = None

    @property
    def itemset(self) -> Itemset:
        """All items of the pattern."""
        return self.pattern.itemset if isinstance(self.pattern, SensitiveRule) else self.pattern

    def met(self, support: float, confidence: float | None) -> bool:
        """Whether a reader who can be sure of these numbers does not find the pattern."""
        if support < self.support_below:
            return True
        if confidence is None or self.confidence_below is None:
            return False
        return confidence < self.confidence_below - SLACK


@dataclass(frozen=True, slots=True)
class Outcome:
    """One sensitive pattern in the published rows; bounds are equal where nothing is unknown."""

    pattern: Pattern
    support: Interval
    confidence: Interval | None
    hidden: bool


def recount(published: Baskets | BlockedBaskets, targets: Sequence[Target]) -> tuple[Outcome, ...]:
    """Count each pattern in the published rows alone; no counter of a method is believed.

    >>> published = Baskets.of(["ab", "a", "b"])
    >>> recount(published, [Target((0, 1), support_below=1)])[0].hidden
    False
    """
    return tuple(_outcome(published, target) for target in targets)


def _outcome(published: Baskets | BlockedBaskets, target: Target) -> Outcome:
    support = _support(published, target.itemset)
    confidence = None
    if isinstance(target.pattern, SensitiveRule):
        confidence = _confidence(published, target.pattern, support)
    sure = None if confidence is None else confidence.low
    return Outcome(target.pattern, support, confidence, target.met(support.low, sure))


def _support(published: Baskets | BlockedBaskets, itemset: Itemset) -> Interval:
    if isinstance(published, BlockedBaskets):
        low, high = published.support_bounds([itemset])[0].tolist()
        return Interval(low, high)
    count = float(published.support([itemset])[0])
    return Interval(count, count)


def _confidence(
    published: Baskets | BlockedBaskets, rule: SensitiveRule, support: Interval
) -> Interval | None:
    """Nothing where the left side never occurs: then nobody can form the rule."""
    if isinstance(published, BlockedBaskets):
        return published.confidence_bounds(rule.lhs, rule.rhs)
    left = float(published.support([rule.lhs])[0])
    return Interval(support.low / left, support.low / left) if left else None
