"""The published experiment: what fits the accuracies that the article on distortion prints.

The article computes privacy for symmetric flips; its accuracies are matched, to within half a
point on average, by dropping items only, then dropping the baskets this empties, and applying the
relative minimum support to the shortened file. A release made this way must not carry the
article's privacy numbers.
"""

from __future__ import annotations

import numpy as np

from halfmask.data import Baskets, Transactions
from halfmask.data.release import Release
from halfmask.methods.distortion.distort import distort
from halfmask.methods.distortion.mechanisms import Mechanism
from halfmask.randomness import Randomness


def without_empty(baskets: Baskets) -> Baskets:
    """The baskets that hold something.

    >>> len(without_empty(Baskets.of([["a"], []])))
    1
    """
    rows = baskets.transactions
    lengths = np.diff(rows.offsets)
    filled = lengths > 0
    offsets = np.concatenate([[0], np.cumsum(lengths[filled])]).astype(np.int64)
    kept = Transactions(offsets, rows.items, rows.weights[filled], rows.n_items)
    return Baskets(baskets.schema, kept)


def published_release(baskets: Baskets, mechanism: Mechanism, *, randomness: Randomness) -> Release:
    """Noisy rows counted as they are, without the empty ones; for reproduction only."""
    distorted = distort(baskets, mechanism, randomness=randomness)
    shortened = without_empty(distorted.baskets)
    dropped = round(baskets.size - shortened.size)
    return Release(
        data=shortened,
        kind="distorted",
        method="distortion, as published",
        iso_class="randomization",
        claim=distorted.claim,
        record={**distorted.record, "rows_dropped": dropped},
        notes=(
            *distorted.notes,
            f"{dropped:,} baskets were empty after the distortion and left out.",
            "The privacy that the article prints is not the privacy of this mechanism.",
        ),
    )
