"""Rules kept: which association rules of the original can still be mined from the release.

    kept (accuracy ratio) = |R_o ∩ R_p| / |R_o|,   precision = |R_o ∩ R_p| / |R_p|

R holds the rules of 2 to 4 items with a single head at the same relative support and the same
confidence; a rule is the same when body and head are, whatever its numbers.
"""

from __future__ import annotations

from halfmask.errors import NotMeasurable
from halfmask.measures.base import Estimate
from halfmask.measures.comparison import Comparison
from halfmask.measures.frequent import frequent_sets
from halfmask.measures.measure import Measure
from halfmask.patterns.rules import rules

__all__ = ["RULES_KEPT"]

MIN_CONFIDENCE = 0.7
MOST_ITEMS = 4


def _compute(comparison: Comparison) -> Estimate:
    sets = frequent_sets(comparison)
    if sets.release is None:
        raise NotMeasurable("This release cannot be mined for rules; it answers questions only.")
    ours, theirs = (
        {rule.what for rule in rules(side, min_confidence=MIN_CONFIDENCE, max_items=MOST_ITEMS)}
        for side in (sets.original, sets.release)
    )
    if not ours:
        raise NotMeasurable(
            f"The original has no rule of confidence {MIN_CONFIDENCE:.0%} at a support of "
            f"{sets.min_support:,} rows."
        )
    common = len(ours & theirs)
    details = {
        "min_support": sets.min_support,
        "min_confidence": MIN_CONFIDENCE,
        "rules_of_original": len(ours),
        "rules_of_release": len(theirs),
        "common": common,
        "precision": common / len(theirs) if theirs else None,
        "jaccard": common / len(ours | theirs),
    }
    return Estimate(common / len(ours), details=details)


RULES_KEPT = Measure(
    name="rules_kept",
    room="quality",
    better="higher",
    unit="share",
    meaning="The share of the original's association rules that are still found in the release.",
    how=f"Rules of 2 to {MOST_ITEMS} items with one head, confidence {MIN_CONFIDENCE:.0%} or more, "
    "the same relative support on both sides.",
    cost="3 s",
    compute=_compute,
)
