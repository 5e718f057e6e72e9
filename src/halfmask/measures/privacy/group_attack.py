"""Group attack: guess the sensitive value of a person from the values of the person's group.

The attacker knows the other columns of a person and so the group; the best guess is the most
frequent value of the group.
"""

from __future__ import annotations

import numpy as np

from halfmask.data import SeparatedTable
from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure


def _compute(comparison: Comparison) -> Estimate:
    release = comparison.release
    if not isinstance(release, SeparatedTable):
        raise NotMeasurable("This measure reads groups of a separated table; there are none.")
    sizes = release.counts.sum(axis=1)
    best = release.counts.max(axis=1)
    values = release.counts.sum(axis=0) / release.counts.sum()
    return Estimate(
        release.largest_share,
        details={
            "mean": float(best.sum() / sizes.sum()),
            "luck": float(values.max()),
            "groups": len(sizes),
            "smallest_group": int(sizes.min()),
            "fewest_values": int(np.count_nonzero(release.counts, axis=1).min()),
        },
    )


GROUP_ATTACK = Measure(
    name="group_attack",
    reads="counts",
    of_one_method=True,
    room="privacy",
    better="lower",
    unit="probability",
    meaning="The largest probability with which a person's sensitive value is guessed from the "
    "values of the person's group.",
    how="The share of the most frequent sensitive value, largest over the groups; the mean, and "
    "what the most frequent value of all gives, stand in the details.",
    cost="0.1 s",
    compute=_compute,
    default=False,
)
