"""Several draws of one model: each reading with its mean and standard deviation over them.

The papers average ten. Of DS they average the sizes and take one DS of these, which is less than
the mean of single ones where their differences have either sign; both are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from halfmask.measures.measure import Reading, Unmeasured
from halfmask.measures.quality.dissimilarity import CrossSizes
from halfmask.measures.readings import Readings


def over_draws(first: Readings, others: Sequence[Readings]) -> Readings:
    """The readings of one draw; their details tell `draws`, over it and the others.

    A reading that a draw does not have is averaged over the draws that have it.
    """
    return Readings(tuple(_with_draws(item, others) for item in first))


def _with_draws(item: Reading | Unmeasured, others: Sequence[Readings]) -> Reading | Unmeasured:
    if isinstance(item, Unmeasured):
        return item
    further = [found for found in (one.taken(item.name) for one in others) if found is not None]
    same = [item, *further]
    values = [one.value for one in same]
    told: dict[str, Any] = {
        "count": len(values),
        "mean": float(np.mean(values)),
        "sd": float(np.std(values, ddof=1)) if len(values) > 1 else None,
    }
    if item.name == "ds":
        sizes = [CrossSizes(**one.details["bits"]) for one in same]
        told["of_mean_sizes"] = CrossSizes.average(sizes).dissimilarity
    return replace(item, details={**item.details, "draws": told})
