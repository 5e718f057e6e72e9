"""Pair frequencies: how much the supports of pairs have moved, relative to their sum.

    Σ over the frequent pairs X of |supp_p(X)/n_p − supp_o(X)/n_o| / Σ supp_o(X)/n_o

A pair is frequent when at least the minimum support of original rows hold it. The release answers
with what it can count: rows, an expectation over its buckets, an estimate through its noise.
"""

from __future__ import annotations

import numpy as np

from halfmask.errors import NotMeasurable
from halfmask.measures.base import Estimate
from halfmask.measures.code_tables import at_a_support_that_fits, itemset_limit
from halfmask.measures.comparison import Comparison
from halfmask.measures.item_frequencies import frequency_dissimilarity
from halfmask.measures.measure import Measure
from halfmask.measures.side import Side
from halfmask.patterns.mining import Itemsets, mine

__all__ = ["PAIR_FREQUENCIES"]


def _compute(comparison: Comparison) -> Estimate:
    original = comparison.original_side
    pairs = original.once("pairs", lambda: _pairs(comparison, original))
    both = pairs.lengths == 2
    if not both.any():
        raise NotMeasurable("No pair of items is held by enough rows of the original.")
    itemsets = [tuple(sorted(z)) for (z, _), pair in zip(pairs, both, strict=True) if pair]
    held = pairs.supports[both] / original.size
    found = comparison.release.support(itemsets) / comparison.release.size
    change = np.abs(found - held)
    return Estimate(
        frequency_dissimilarity(held, found),
        details={
            "pairs": len(itemsets),
            "min_support": int(pairs.supports[both].min()),
            "mean_relative_error": float((change / held).mean()),
            "largest_change": float(change.max()),
        },
    )


def _pairs(comparison: Comparison, side: Side) -> Itemsets:
    """Single items and pairs, at the smallest support that does not give too many."""
    limit = itemset_limit(comparison)
    return at_a_support_that_fits(
        comparison,
        lambda support: mine(side.distinct, min_support=support, max_length=2, limit=limit),
    )


PAIR_FREQUENCIES = Measure(
    name="pair_frequencies",
    room="quality",
    better="lower",
    unit="share",
    meaning="How much the frequencies of pairs of items have moved, relative to their sum; "
    "0 is not at all.",
    how="Summed absolute change of relative support over the pairs frequent in the original, "
    "divided by the sum of the original's; the mean error of a pair stands in the details.",
    cost="1.1 s",
    compute=_compute,
    default=False,
)
