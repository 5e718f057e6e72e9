"""Errors of mining through noise, as MASK counts them, length by length.

    ρ  = 100/|F ∩ R| · Σ |estimated − true| / true      error of the supports found rightly
    σ⁺ = 100 · |R − F| / |F|                            found, but not frequent
    σ⁻ = 100 · |F − R| / |F|                            frequent, but not found

F are the frequent itemsets of the original, R those found in the release. The accuracy that other
articles print is recall, |F ∩ R| / |F|; precision |F ∩ R| / |R| stands beside it here, because a
release in which everything is frequent has a perfect recall.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from halfmask.data import Itemset
from halfmask.errors import NotMeasurable


@dataclass(frozen=True, slots=True)
class LevelErrors:
    """The errors among itemsets of one length, in percent; None where there is nothing to err."""

    length: int
    frequent: int
    found: int
    support_error: float | None
    false_found: float | None
    missed: float | None


@dataclass(frozen=True, slots=True)
class MinedErrors:
    """The errors of each length, and recall and precision of all itemsets together."""

    levels: tuple[LevelErrors, ...]
    recall: float
    precision: float | None

    def accuracy(self, *, counter_from_one: bool = False) -> float:
        """Recall in percent; the article on distortion starts its counter at 1, not 0."""
        frequent = sum(level.frequent for level in self.levels)
        return 100 * (self.recall + (1 / frequent if counter_from_one else 0.0))

    @property
    def jaccard(self) -> float:
        """Itemsets in both over itemsets in either."""
        frequent = sum(level.frequent for level in self.levels)
        found = sum(level.found for level in self.levels)
        both = self.recall * frequent
        return both / (frequent + found - both)


def mined_errors(
    original: Mapping[Itemset, float], release: Mapping[Itemset, float]
) -> MinedErrors:
    """Compare the frequent itemsets of the original with those found in the release.

    >>> errors = mined_errors({(0,): 10, (1,): 8, (0, 1): 6}, {(0,): 11.0, (2,): 7.0})
    >>> [(e.length, e.support_error, e.false_found, e.missed) for e in errors.levels]
    [(1, 10.0, 50.0, 50.0), (2, None, 0.0, 100.0)]
    >>> errors.recall, errors.precision
    (0.3333333333333333, 0.5)
    """
    if not original:
        raise NotMeasurable("No itemset of the original is frequent, so none can be missed.")
    lengths = sorted({len(items) for items in (*original, *release)})
    both = original.keys() & release.keys()
    return MinedErrors(
        levels=tuple(_level(length, original, release) for length in lengths),
        recall=len(both) / len(original),
        precision=len(both) / len(release) if release else None,
    )


def _level(
    length: int, original: Mapping[Itemset, float], release: Mapping[Itemset, float]
) -> LevelErrors:
    frequent = {items for items in original if len(items) == length}
    found = {items for items in release if len(items) == length}
    both = frequent & found
    errors = [abs(release[items] - original[items]) / original[items] for items in both]
    return LevelErrors(
        length=length,
        frequent=len(frequent),
        found=len(found),
        support_error=100 * sum(errors) / len(errors) if errors else None,
        false_found=100 * len(found - frequent) / len(frequent) if frequent else None,
        missed=100 * len(frequent - found) / len(frequent) if frequent else None,
    )
