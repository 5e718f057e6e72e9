"""k-anonymity check: are the rare rows of the release the rare rows of the original?

    Σ release rows t with 1 ≤ supp_o(t) < k   /   Σ release rows t      over  supp_p(t) < k

The attack: a reader picks a release row that fewer than k release rows share and takes it for one
of fewer than k persons. The reading is how often he is right. It promises no k-anonymity of the
release; a low value says that rarity in the release tells little about rarity in the original.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure


def rare_in_both(in_release: ArrayLike, in_original: ArrayLike, k: int) -> tuple[float, float]:
    """The share of the release's rare rows that are rare rows of the original: by rows, distinct.

    Release supports 1, 2, 1, 5 and original supports 1, 0, 7, 1 of the same rows, k = 3: three
    are rare in the release (4 rows), of which the first is rare in the original.

    >>> rare_in_both([1, 2, 1, 5], [1, 0, 7, 1], k=3)
    (0.25, 0.3333333333333333)
    """
    here, there = np.asarray(in_release), np.asarray(in_original)
    rare = (here >= 1) & (here < k)
    if not rare.any():
        raise NotMeasurable(f"Every row of the release is shared by {k:,} or more of its rows.")
    both = rare & (there >= 1) & (there < k)
    return float(here[both].sum() / here[rare].sum()), float(both.sum() / rare.sum())


def _compute(comparison: Comparison) -> Estimate:
    release = comparison.release_side.tally
    in_original = comparison.original_side.tally.count(release.keys)
    k = comparison.min_support
    rows, distinct = rare_in_both(release.counts, in_original, k)
    rare = release.counts < k
    details = {
        "k": k,
        "distinct": distinct,
        "rare_release_rows": int(release.counts[rare].sum()),
        "rare_distinct_rows": int(rare.sum()),
    }
    return Estimate(rows, details=details)


K_ANONYMITY = Measure(
    name="k_anonymity",
    room="privacy",
    better="lower",
    unit="share",
    meaning="Of the release rows rarer than k, the share that are rows of the original "
    "rarer than k.",
    how="Rows are weighted by how often the release holds them; k is the minimum support.",
    cost="0.5 s",
    compute=_compute,
)
