"""Copied rows: release rows that are rows of a few persons in the original.

The attack: a reader of the release alone takes a row at random and believes that it describes a
real person. He is right in the harmful way when the original holds that very row, and fewer than
k persons share it. By luck alone he is right as often as with independent columns, the yardstick.

Unique rows found: persons with a row of their own whose row stands in the release.

The attack: somebody knows every value of a person who is one of a kind, and looks whether the
release holds that row. What luck alone finds is what the same search finds for persons who were
never in the original: held-out rows that no original row equals. Only the difference is memory;
the rest is plausibility.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.confidence import Interval, difference, wilson
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.row_hits import row_hits, stranger_hits


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
    hits = row_hits(comparison)
    bands = by_rarity(hits.released, hits.in_original, comparison.min_support)
    few = bands["few"] if comparison.min_support > 1 else 0.0
    details = {"k": comparison.min_support, "share_by_holders": bands}
    return Estimate(min(1.0, bands["one"] + few), details=details)


COPIED_ROWS = Measure(
    name="copied_rows",
    spread=True,
    room="privacy",
    better="lower",
    unit="share",
    meaning="The share of release rows that are, value for value, a row that fewer than k "
    "people of the original hold.",
    how="Exact matches of whole rows, split by how many original rows are equal; k is the minimum "
    "support.",
    cost="0.5 s",
    compute=_compute,
    by_row=True,
)


def _found_originals(comparison: Comparison) -> Interval:
    hits = row_hits(comparison)
    unique = hits.supports == 1
    if not unique.any():
        raise NotMeasurable("No row of the original is unique.")
    return wilson(int(hits.found[unique].sum()), int(hits.rows[unique].sum()))


def _found_strangers(comparison: Comparison) -> Interval:
    """The same for held-out persons who would be one of a kind among the original rows."""
    hits = stranger_hits(comparison)
    new = hits.in_original == 0
    people = hits.people[new]
    if not people.sum():
        raise NotMeasurable("Every held-out row equals some row of the original.")
    return wilson(int(people[hits.found[new]].sum()), int(people.sum()))


def _compute_found(comparison: Comparison) -> Estimate:
    share = _found_originals(comparison)
    hits = row_hits(comparison)
    unique = int(hits.rows[hits.supports == 1].sum())
    details = {"unique_rows": unique, "found": round(share.value * unique)}
    return Estimate(share.value, details=details)


def _compute_excess(comparison: Comparison) -> Estimate:
    strangers = _found_strangers(comparison)
    originals = _found_originals(comparison)
    gap = difference(originals, strangers)
    details = {"success": originals.value, "control": strangers.value}
    return Estimate(gap.value, gap.low, gap.high, details)


UNIQUE_FOUND = Measure(
    name="unique_found",
    spread=True,
    room="privacy",
    better="lower",
    unit="share",
    meaning="The share of people with a unique row whose exact row appears in the release.",
    how="Exact matches of the original rows of support 1.",
    cost="0.5 s",
    compute=_compute_found,
    of_holdout=lambda comparison: _found_strangers(comparison).value,
)

UNIQUE_EXCESS = Measure(
    name="unique_excess",
    spread=True,
    room="privacy",
    better="lower",
    unit="difference of shares",
    meaning="How much more often the row of a unique person appears in the release than the "
    "row of a comparable person who was held out; 0 is plausibility, above 0 is "
    "memorisation.",
    how="Share found of original rows of support 1, less share found of held-out rows that no "
    "original row equals; interval by Newcombe's rule.",
    cost="0.5 s",
    compute=_compute_excess,
    control=True,
)
