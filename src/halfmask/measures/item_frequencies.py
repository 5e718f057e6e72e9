"""Item-frequency dissimilarity: how much the frequencies of single items have moved.

    Σ over items i of |f_p(i) − f_o(i)|  /  Σ f_o(i),      f(i) = supp(i) / n

It is blind to relations: moving an item from one row to another changes nothing.
[Oliveira & Zaïane, Privacy Preserving Frequent Itemset Mining, 2002]
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Schema
from halfmask.errors import NotMeasurable
from halfmask.measures.base import Estimate
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Measure
from halfmask.measures.side import Side

__all__ = ["ITEM_FREQUENCIES", "frequency_dissimilarity"]


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
