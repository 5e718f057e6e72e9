"""Linkability: does the release connect two sets of facts about one person?

The attack: somebody has two lists about the same persons, one with the attributes A, the other
with the attributes B, and no common name. For a person he picks, among the release rows nearest
in A, one at random, and likewise in B; where both picks are the same row he declares the facts
linked. What the release owes to its patterns and not to the person shows on held-out persons, the
control; luck alone picks the same of n release rows once in n.

A and B are the known attributes and the others; when none are named, every second column.

k-anonymity check: are the rare rows of the release the rare rows of the original?

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
from halfmask.measures.confidence import difference, wilson
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.nearest import coincidences

_MOST_PERSONS = 600


def _compute(comparison: Comparison) -> Estimate:
    halves = _halves(comparison)
    release = comparison.release_side.packed
    tables = (comparison.original_side.table, comparison.holdout_side.table)
    asked = min(_MOST_PERSONS, *(len(table) for table in tables))
    rates = []
    for name, table in zip(("original", "holdout"), tables, strict=True):
        rng = comparison.randomness.child(f"linkability {name}")
        persons = table.take(np.sort(rng.choice(len(table), asked, replace=False)))
        chances = coincidences(release, persons, halves, threads=comparison.threads)
        rates.append(wilson(float(chances.sum()), asked))
    risk = difference(*rates)
    luck = 1 / comparison.release.size
    details = {
        "persons_of_each_kind": asked,
        "known_first": [comparison.names[c] for c in halves[0]],
        "known_second": [comparison.names[c] for c in halves[1]],
        "success": [rates[0].value, rates[0].low, rates[0].high],
        "control": [rates[1].value, rates[1].low, rates[1].high],
        "luck": luck,
        "beats_luck": rates[0].low > luck,
    }
    return Estimate(risk.value, risk.low, risk.high, details)


def _halves(comparison: Comparison) -> tuple[list[int], list[int]]:
    width = len(comparison.schema)
    first = [comparison.schema.position(name) for name in comparison.keys] or list(
        range(0, width, 2)
    )
    second = [c for c in range(width) if c not in first]
    if not second:
        raise NotMeasurable(
            "Linking needs two sets of attributes, and there is only one attribute."
        )
    return first, second


LINKABILITY = Measure(
    name="linkability",
    room="privacy",
    better="lower",
    unit="risk",
    meaning="How much more often two sets of attributes of a person can be linked through the "
    "release when the person was in the original than when not; 0 is no more often.",
    how="Share of people whose nearest release rows in either half of the attributes are the "
    "same row, ties broken evenly, less the same share of held-out people; equally many "
    "of both.",
    cost="2.1 s",
    compute=_compute,
    control=True,
)


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


def _classes(comparison: Comparison) -> Estimate:
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
    by_matching=True,
    room="privacy",
    better="lower",
    unit="share",
    meaning="Of the release rows rarer than k, the share that are rows of the original "
    "rarer than k.",
    how="Rows are weighted by how often the release holds them; k is the minimum support.",
    cost="0.5 s",
    compute=_classes,
)
