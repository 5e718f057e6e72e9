"""Bit privacy: how often a reader who sees the noise, and knows it, restores a 1.

The formula stands in `halfmask.data.published.restored`.
"""

from __future__ import annotations

import numpy as np

from halfmask.data import Countable
from halfmask.data.published.distorted import Channel, DistortedBaskets
from halfmask.data.published.distorted_table import DistortedTable
from halfmask.data.published.restored import bit_privacy
from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure


def channel_of(release: Countable) -> Channel:
    """The noise that a release passed through."""
    if not isinstance(release, DistortedBaskets | DistortedTable):
        raise NotMeasurable(
            "This measure needs the noise probabilities of a distorted release, and there are none."
        )
    return release.channel


def _compute(comparison: Comparison) -> Estimate:
    release, original = comparison.release, comparison.original
    channel = channel_of(release)
    items = [(item,) for item in range(original.schema.n_items)]
    supports = original.support(items)
    found = bit_privacy(supports / original.size, channel)
    # A rare item is not named, not even as the worst one.
    common = supports >= comparison.min_support
    named = np.where(common, found.of_item, np.inf)
    worst = int(named.argmin()) if common.any() else None
    occurring = found.shares > 0
    noisy = channel.epsilons[channel.keep < 1]  # a column of one value has nothing to hide
    epsilon = float(noisy.max(initial=0.0))
    return Estimate(
        found.overall,
        details={
            "worst_item": None if worst is None else original.schema.label(worst),
            "its_privacy": None if worst is None else float(found.of_item[worst]),
            "least_privacy": float(found.of_item[occurring].min()),
            "largest_posterior": float(found.posterior[occurring].max()),
            "epsilon_item": epsilon if np.isfinite(epsilon) else None,
            "epsilon_row": float(noisy.sum()) if np.isfinite(epsilon) else None,
        },
    )


BIT_PRIVACY = Measure(
    name="bit_privacy",
    reads="counts",
    of_one_method=True,
    room="privacy",
    better="higher",
    unit="percent",
    meaning="How often a reader who knows the noise and the true supports fails to restore an "
    "item that is in a basket, on average over all items in all baskets.",
    how="100 · (1 − R1) of the channel really applied, items weighted by their support; the "
    "worst item is in the details.",
    cost="0.1 s",
    compute=_compute,
    default=False,
)
