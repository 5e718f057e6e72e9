"""Rules kept: which association rules of the original can still be mined from the release.

    kept (accuracy ratio) = |R_o ∩ R_p| / |R_o|,   precision = |R_o ∩ R_p| / |R_p|

R holds the rules of 2 to 4 items with a single head at the same relative support and the same
confidence; a rule is the same when body and head are, whatever its numbers.
"""

from __future__ import annotations

from halfmask.data import Itemset
from halfmask.errors import NotMeasurable
from halfmask.measures.base import Estimate
from halfmask.measures.comparison import Comparison
from halfmask.measures.frequent import FrequentSets, frequent_sets
from halfmask.measures.measure import Measure
from halfmask.patterns.mining import Itemsets
from halfmask.patterns.rules import rules

__all__ = ["RULES_KEPT"]

MIN_CONFIDENCE = 0.7
MOST_ITEMS = 4


def _compute(comparison: Comparison) -> Estimate:
    sets = frequent_sets(comparison)
    ours = _rules(sets.original)
    if not ours:
        raise NotMeasurable(
            f"The original has no rule of confidence {MIN_CONFIDENCE:.0%} at a support of "
            f"{sets.min_support:,} rows."
        )
    if sets.release is None:
        return _asked_one_by_one(sets, ours)
    theirs = _rules(sets.release)
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


def _rules(side: Itemsets) -> set[tuple[Itemset, int]]:
    found = rules(side, min_confidence=MIN_CONFIDENCE, max_items=MOST_ITEMS)
    return {rule.what for rule in found}


def _asked_one_by_one(sets: FrequentSets, ours: set[tuple[Itemset, int]]) -> Estimate:
    """The rules of the original by the supports that the release answers with."""
    shares = zip(sets.original, sets.found_share.tolist(), strict=True)
    found = {tuple(sorted(itemset)): share for (itemset, _), share in shares}
    least = sets.release_support / sets.release_size
    common = 0
    for body, head in ours:
        whole = found[tuple(sorted((*body, head)))]
        common += whole >= least - 1e-12 and whole >= MIN_CONFIDENCE * max(found[body], 0.0)
    details = {
        "min_support": sets.min_support,
        "min_confidence": MIN_CONFIDENCE,
        "rules_of_original": len(ours),
        "common": common,
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
    cost="1.3 s",
    compute=_compute,
)
