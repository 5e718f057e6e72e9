"""Rules kept: which association rules of the original can still be mined from the release.

    kept (accuracy ratio) = |R_o ∩ R_p| / |R_o|,   precision = |R_o ∩ R_p| / |R_p|

R holds the rules of 2 to so many items with a single head at the same relative support and the same
confidence (4 items and 70 % unless said); a rule is the same when body and head are, whatever its
numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import AskedRules, Comparison
from halfmask.measures.frequent import FrequentSets, frequent_sets, key_words, packed_keys
from halfmask.measures.measure import Estimate, Measure
from halfmask.patterns.mining import Itemsets, rules

DEFAULT = AskedRules()


def _compute(comparison: Comparison) -> Estimate:
    sets, asked = frequent_sets(comparison), comparison.rules
    ours = rule_keys(sets.original, asked)
    if not len(ours):
        raise NotMeasurable(
            f"The original has no rule of confidence {asked.min_confidence:.0%} at a support of "
            f"{sets.min_support:,} rows."
        )
    if sets.release is None:
        return _asked_one_by_one(sets, asked)
    theirs = rule_keys(sets.release, asked)
    common = len(np.intersect1d(ours, theirs, assume_unique=True))
    details = {
        "min_support": sets.min_support,
        "min_confidence": asked.min_confidence,
        "most_items": asked.most_items,
        "rules_of_original": len(ours),
        "rules_of_release": len(theirs),
        "common": common,
        "precision": common / len(theirs) if len(theirs) else None,
        "jaccard": common / (len(ours) + len(theirs) - common),
    }
    return Estimate(common / len(ours), details=details)


def rule_keys(side: Itemsets, asked: AskedRules = DEFAULT) -> NDArray[Any]:
    """One key for each rule: that of its itemset and of its head.

    The key of an itemset is a sum over its items, so that of the body is a subtraction, and all
    bodies are looked up at once.
    """
    few = np.flatnonzero(side.lengths <= asked.most_items)
    words = key_words(side.offsets, side.items)[few]
    keys = packed_keys(words)
    order = np.argsort(keys)
    found = []
    for head in range(min(asked.most_items, int(side.lengths.max(initial=1)))):
        own = np.flatnonzero(side.lengths[few] > max(head, 1))
        alone = np.arange(len(own) + 1, dtype=np.int64)
        heads = key_words(alone, side.items[side.offsets[few[own]] + head])
        bodies = packed_keys(words[own] - heads)
        place = order[np.minimum(np.searchsorted(keys, bodies, sorter=order), len(keys) - 1)]
        wholes, parts = side.supports[few[own]], side.supports[few[place]]
        sure = wholes >= asked.min_confidence * parts
        found.append(packed_keys(np.concatenate([words[own], heads], axis=1)[sure]))
    return np.concatenate(found)


def _asked_one_by_one(sets: FrequentSets, asked: AskedRules) -> Estimate:
    """The rules of the original by the supports that the release answers with."""
    listed = rules(sets.original, min_confidence=asked.min_confidence, max_items=asked.most_items)
    ours = {rule.what for rule in listed}
    shares = zip(sets.original, sets.found_share.tolist(), strict=True)
    found = {tuple(sorted(itemset)): share for (itemset, _), share in shares}
    least = sets.release_support / sets.release_size
    common = 0
    for body, head in ours:
        whole = found[tuple(sorted((*body, head)))]
        common += whole >= least - 1e-12 and whole >= asked.min_confidence * max(found[body], 0.0)
    details = {
        "min_support": sets.min_support,
        "min_confidence": asked.min_confidence,
        "most_items": asked.most_items,
        "rules_of_original": len(ours),
        "common": common,
    }
    return Estimate(common / len(ours), details=details)


RULES_KEPT = Measure(
    name="rules_kept",
    reads="counts",
    room="quality",
    better="higher",
    unit="share",
    meaning="The share of the original's association rules that are still found in the release.",
    how="Rules of 2 to 4 items with one item on the right, confidence 70% or more (unless others "
    "are asked for), the same relative support on both sides.",
    cost="1.3 s",
    compute=_compute,
    of_all_rows=False,
)
