"""Item-frequency dissimilarity: how much the frequencies of single items have moved.

    Σ over items i of |f_p(i) − f_o(i)|  /  Σ f_o(i),      f(i) = supp(i) / n

It is blind to relations: moving an item from one row to another changes nothing.
[Oliveira & Zaïane, Privacy Preserving Frequent Itemset Mining, 2002]

Pair frequencies: how much the supports of pairs have moved, relative to their sum.

    Σ over the frequent pairs X of |supp_p(X)/n_p − supp_o(X)/n_o| / Σ supp_o(X)/n_o

A pair is frequent when at least the minimum support of original rows hold it. The release answers
with what it can count: rows, an expectation over its buckets, an estimate through its noise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Schema
from halfmask.errors import NotMeasurable
from halfmask.measures.code_tables import at_a_support_that_fits, itemset_limit
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.side import Side
from halfmask.patterns.mining import Itemsets, mine


def frequency_dissimilarity(original: NDArray[np.float64], release: NDArray[np.float64]) -> float:
    """The summed change of frequencies relative to their sum.

    >>> frequency_dissimilarity(np.array([0.5, 0.5, 1.0]), np.array([0.25, 0.75, 1.0]))
    0.25
    """
    if not original.sum():
        raise NotMeasurable("No row of the original holds any item.")
    return float(np.abs(release - original).sum() / original.sum())


def _frequencies(side: Side, names: tuple[str, ...]) -> NDArray[np.float64]:
    if isinstance(side.data.schema, Schema):  # the 1-way marginals are counted anyway
        columns = [side.marginal((c,), names)[:-1] for c in range(len(names))]
        return np.concatenate(columns) / side.size
    single = [(item,) for item in range(side.data.schema.n_items)]
    return side.data.support(single) / side.size


def _compute(comparison: Comparison) -> Estimate:
    original, release = (
        _frequencies(side, comparison.names)
        for side in (comparison.original_side, comparison.release_side)
    )
    change = np.abs(release - original)
    # Only items held by enough original rows may be named.
    named = original * comparison.original.size >= comparison.min_support
    order = [int(i) for i in np.argsort(-change, kind="stable") if named[i] and change[i] > 0][:10]
    label = comparison.original.schema.label
    details = {"most_changed": [{"item": label(i), "change": float(change[i])} for i in order]}
    return Estimate(frequency_dissimilarity(original, release), details=details)


ITEM_FREQUENCIES = Measure(
    name="item_frequencies",
    spread=True,
    reads="counts",
    room="quality",
    better="lower",
    unit="share",
    meaning="How much the frequencies of single values have moved, relative to their sum; "
    "0 is not at all.",
    how="Summed absolute change of relative frequency over all items, divided by the sum of the "
    "original's.",
    cost="0.7 s",
    compute=_compute,
)


def _of_pairs(comparison: Comparison) -> Estimate:
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
    reads="counts",
    room="quality",
    better="lower",
    unit="share",
    meaning="How much the frequencies of pairs of items have moved, relative to their sum; "
    "0 is not at all.",
    how="Summed absolute change of relative support over the pairs frequent in the original, "
    "divided by the sum of the original's; the mean error of a pair is in the details.",
    cost="1.1 s",
    compute=_of_pairs,
    default=False,
)
