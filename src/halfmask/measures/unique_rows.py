"""Unique rows found: persons with a row of their own whose row stands in the release.

The attack: somebody knows every value of a person who is one of a kind, and looks whether the
release holds that row. What luck alone finds is what the same search finds for persons who were
never in the original: held-out rows that no original row equals. Only the difference is memory;
the rest is plausibility.
"""

from __future__ import annotations

from halfmask.errors import NotMeasurable
from halfmask.measures.base import Estimate
from halfmask.measures.comparison import Comparison
from halfmask.measures.confidence import Interval, difference, wilson
from halfmask.measures.measure import Measure

__all__ = ["UNIQUE_EXCESS", "UNIQUE_FOUND"]


def _found_originals(comparison: Comparison) -> Interval:
    original = comparison.original_side.tally
    unique = original.keys[original.counts == 1]
    if not len(unique):
        raise NotMeasurable("No row of the original is one of a kind.")
    return wilson(int((comparison.release_side.tally.count(unique) > 0).sum()), len(unique))


def _found_strangers(comparison: Comparison) -> Interval:
    """The same for held-out persons who would be one of a kind among the original rows."""
    holdout = comparison.holdout_side.tally
    of_each = comparison.original_side.tally.count(holdout.keys) == 0
    people = holdout.counts[of_each]
    if not people.sum():
        raise NotMeasurable("Every held-out row equals some row of the original.")
    found = comparison.release_side.tally.count(holdout.keys[of_each]) > 0
    return wilson(int(people[found].sum()), int(people.sum()))


def _compute_found(comparison: Comparison) -> Estimate:
    share = _found_originals(comparison)
    unique = int((comparison.original_side.tally.counts == 1).sum())
    details = {"unique_rows": unique, "found": round(share.value * unique)}
    return Estimate(share.value, details=details)


def _compute_excess(comparison: Comparison) -> Estimate:
    strangers = _found_strangers(comparison)
    originals = _found_originals(comparison)
    gap = difference(originals, strangers)
    details = {"success": originals.value, "control": strangers.value}
    return Estimate(gap.value, gap.low, gap.high, details)


UNIQUE_FOUND = Measure(
    name="unique_found",
    room="privacy",
    better="lower",
    unit="share",
    meaning="The share of persons with a row of their own whose exact row stands in the release.",
    how="Exact matches of the original rows of support 1.",
    cost="0.5 s",
    compute=_compute_found,
)

UNIQUE_EXCESS = Measure(
    name="unique_excess",
    room="privacy",
    better="lower",
    unit="difference of shares",
    meaning="How much more often the row of a one-of-a-kind person stands in the release than the "
    "row of a like person who was held out; 0 is plausibility, above 0 is memory.",
    how="Share found of original rows of support 1, less share found of held-out rows that no "
    "original row equals; interval by Newcombe's rule.",
    cost="0.5 s",
    compute=_compute_excess,
    control=True,
)
