"""Did it work? Every sensitive pattern counted again in what is to be published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from halfmask.data import Baskets, Itemset
from halfmask.errors import BadInput
from halfmask.methods.hiding.blocked import BlockedBaskets, ConfidenceBounds
from halfmask.methods.hiding.sensitive import SLACK, SensitiveRule

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

    @property
    def rule(self) -> SensitiveRule:
        """The pattern, if it is a rule."""
        if not isinstance(self.pattern, SensitiveRule):
            raise BadInput("Only a rule has a left and a right side.")
        return self.pattern

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
    support: ConfidenceBounds
    confidence: ConfidenceBounds | None
    hidden: bool
    """No reader can be sure of it."""
    denied: bool
    """No reader can even think it possible: unknown cells, whatever they were, leave no room."""


def recount(published: Baskets | BlockedBaskets, targets: Sequence[Target]) -> tuple[Outcome, ...]:
    """Count each pattern in the published rows alone; no counter of a method is believed.

    >>> published = Baskets.of(["ab", "a", "b"])
    >>> recount(published, [Target((0, 1), support_below=1)])[0].hidden
    False
    """
    sides = [t.pattern.lhs for t in targets if isinstance(t.pattern, SensitiveRule)]
    asked = list(dict.fromkeys([t.itemset for t in targets] + sides))  # one scan for all of them
    supports = dict(zip(asked, _supports(published, asked), strict=True))
    return tuple(_outcome(target, supports) for target in targets)


def _outcome(target: Target, supports: Mapping[Itemset, ConfidenceBounds]) -> Outcome:
    support = supports[target.itemset]
    confidence = None
    if isinstance(target.pattern, SensitiveRule):
        confidence = _confidence(support, supports[target.pattern.lhs])
    low, high = (None, None) if confidence is None else (confidence.low, confidence.high)
    return Outcome(
        target.pattern,
        support,
        confidence,
        hidden=target.met(support.low, low),
        denied=target.met(support.high, high),
    )


def _supports(
    published: Baskets | BlockedBaskets, itemsets: list[Itemset]
) -> list[ConfidenceBounds]:
    if isinstance(published, BlockedBaskets):
        return [ConfidenceBounds(*bounds) for bounds in published.support_bounds(itemsets).tolist()]
    return [ConfidenceBounds(count, count) for count in published.support(itemsets).tolist()]


def _confidence(whole: ConfidenceBounds, left: ConfidenceBounds) -> ConfidenceBounds | None:
    """Nothing where the left side never occurs: then nobody can form the rule."""
    if not left.high:
        return None
    high = min(whole.high / left.low, 1.0) if left.low else 1.0
    return ConfidenceBounds(whole.low / left.high, high)
