"""Copied rows: release rows that are rows of a few persons in the original.

The attack: a reader of the release alone takes a row at random and believes that it describes a
real person. He is right in the harmful way when the original holds that very row, and fewer than
k persons share it. By luck alone he is right as often as with independent columns, the yardstick.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from halfmask.measures.base import Estimate
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Measure

__all__ = ["COPIED_ROWS", "by_rarity"]


def by_rarity(in_release: ArrayLike, in_original: ArrayLike, k: int) -> dict[str, float]:
    """The share of release rows whose row nobody, one, fewer than k, or k and more persons hold.

    Ten release rows: 4 of a row nobody holds, 3 of a unique one, 1 of a pair, 2 of a common one.

    >>> by_rarity([4, 3, 1, 2], [0, 1, 2, 9], k=5)
    {'nobody': 0.4, 'one': 0.3, 'few': 0.1, 'many': 0.2}
    """
    here, there = np.asarray(in_release, np.float64), np.asarray(in_original)
    total = here.sum()
    few = (there > 1) & (there < k)
    bands = {"nobody": there == 0, "one": there == 1, "few": few, "many": there >= max(k, 2)}
    return {name: float(here[band].sum() / total) for name, band in bands.items()}


def _compute(comparison: Comparison) -> Estimate:
    release = comparison.release_side.tally
    in_original = comparison.original_side.tally.count(release.keys)
    bands = by_rarity(release.counts, in_original, comparison.min_support)
    few = bands["few"] if comparison.min_support > 1 else 0.0
    details = {"k": comparison.min_support, "share_by_holders": bands}
    return Estimate(min(1.0, bands["one"] + few), details=details)


COPIED_ROWS = Measure(
    name="copied_rows",
    room="privacy",
    better="lower",
    unit="share",
    meaning="The share of release rows that are, value for value, a row that fewer than k persons "
    "of the original hold.",
    how="Exact matches of whole rows, split by how many original rows are equal; k is the minimum "
    "support.",
    cost="0.5 s",
    compute=_compute,
)
