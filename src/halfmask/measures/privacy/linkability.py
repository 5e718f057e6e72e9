"""Linkability: does the release connect two sets of facts about one person?

The attack: somebody has two lists about the same persons, one with the attributes A, the other
with the attributes B, and no common name. For a person he picks, among the release rows nearest
in A, one at random, and likewise in B; where both picks are the same row he declares the facts
linked. What the release owes to its patterns and not to the person shows on held-out persons, the
control; luck alone picks the same of n release rows once in n.

A and B are the known attributes and the others; when none are named, every second column.
"""

from __future__ import annotations

import numpy as np

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
        raise NotMeasurable("Linking needs two sets of attributes, and there is only one.")
    return first, second


LINKABILITY = Measure(
    name="linkability",
    room="privacy",
    better="lower",
    unit="risk",
    meaning="How much more often two lists of facts about a person can be joined through the "
    "release when the person was in the original than when not; 0 is never.",
    how="Share of persons whose nearest release rows in either half of the attributes are the same "
    "row, ties broken evenly, less the same share of held-out persons; equally many of both.",
    cost="2.1 s",
    compute=_compute,
    control=True,
)
