"""Generalisation: how much was lost by publishing items under more general names.

NCP = Σ over the items' occurrences of (items that the published name stands for / all items),
nothing for an item under its own name, divided by the number of occurrences.
"""

from __future__ import annotations

import numpy as np

from halfmask.data import GeneralisedBaskets
from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure


def _compute(comparison: Comparison) -> Estimate:
    release, original = comparison.release, comparison.original
    if not isinstance(release, GeneralisedBaskets):
        raise NotMeasurable("This measure reads what items became, and no item was generalised.")
    occurrences = original.support([(item,) for item in range(original.schema.n_items)])
    if not occurrences.sum():
        raise NotMeasurable("No item occurs in the original, so none lost anything.")
    own_name = np.array(release.became) == np.array(
        [original.schema.label(item) for item in range(original.schema.n_items)]
    )
    losses = np.where(own_name, 0.0, release.group_sizes / original.schema.n_items)
    return Estimate(
        float((occurrences * losses).sum() / occurrences.sum()),
        details={
            "items": original.schema.n_items,
            "names_published": release.published.schema.n_items,
            "under_their_own_name": int(own_name.sum()),
        },
    )


GENERALISATION = Measure(
    name="generalisation",
    reads="counts",
    of_one_method=True,
    room="quality",
    better="lower",
    unit="share",
    meaning="How much is lost by more general names: 0 when every item keeps its own, 1 when one "
    "name stands for all.",
    how="Normalised certainty penalty: the share of all items that a published name stands for, "
    "mean over all occurrences.",
    cost="0.1 s",
    compute=_compute,
    default=False,
)
