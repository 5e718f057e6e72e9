"""What hiding cost and whether it worked, as measures.

P and P' are the frequent itemsets of the original and of the release at the same support, RP those
that hold a sensitive itemset:

    hiding failure  |RP(D')| / |RP(D)|         misses cost  |~RP(D) without P'| / |~RP(D)|
    artifactual     |P' without P| / |P'|            side effects (|P| − |P'| − |RP|) / (|P| − |RP|)
    cells changed   |D Δ D'| / |D|, row by row
"""

from __future__ import annotations

from collections.abc import Callable

from halfmask.data import Baskets
from halfmask.errors import NotMeasurable
from halfmask.measures.base import Estimate, Room
from halfmask.measures.comparison import Comparison
from halfmask.measures.frequent import frequent_sets
from halfmask.measures.hiding import (
    SideEffects,
    cell_dissimilarity,
    restricted_by,
    side_effects,
)
from halfmask.measures.measure import Measure

__all__ = ["HIDDEN_PATTERNS"]


def _effects(comparison: Comparison) -> tuple[SideEffects, int]:
    return comparison.once("side effects", _mined_effects)


def _mined_effects(comparison: Comparison) -> tuple[SideEffects, int]:
    sets = frequent_sets(comparison)
    if sets.release is None:
        raise NotMeasurable("This release cannot be mined; it answers questions only.")
    before, after = (
        [tuple(sorted(itemset)) for itemset, _ in side] for side in (sets.original, sets.release)
    )
    return side_effects(before, after, restricted_by(comparison.secrets)), sets.min_support


def _reader(name: str, *, of_secrets: bool) -> Callable[[Comparison], Estimate]:
    def compute(comparison: Comparison) -> Estimate:
        if of_secrets and not comparison.secrets:
            raise NotMeasurable("This measure is about sensitive patterns, and none were named.")
        effects, support = _effects(comparison)
        value = getattr(effects, name)
        if value is None:
            raise NotMeasurable(
                f"No itemset of this kind is held by {support:,} rows of the original."
            )
        return Estimate(float(value), details={"min_support": support})

    return compute


def _changed(comparison: Comparison) -> Estimate:
    original, release = comparison.original_side.rows, comparison.release_side.rows
    if not (isinstance(original, Baskets) and isinstance(release, Baskets)):
        raise NotMeasurable("This measure compares the cells of baskets, and these are tables.")
    return Estimate(cell_dissimilarity(original, release))


def _measure(
    name: str, meaning: str, how: str, compute: Callable[[Comparison], Estimate], room: Room
) -> Measure:
    return Measure(
        name=name,
        room=room,
        better="lower",
        unit="share",
        meaning=meaning,
        how=how,
        cost="3 s",
        compute=compute,
        default=False,
    )


_BOTH_MINED = "All itemsets held by the same share of rows on both sides"

HIDDEN_PATTERNS = (
    _measure(
        "cells_changed",
        "The share of the original's items that were taken out or put in, basket by basket.",
        "Cells that differ, divided by the items of the original; for methods that keep the rows.",
        _changed,
        "quality",
    ),
    _measure(
        "misses_cost",
        "The share of the harmless frequent patterns that were lost on the way.",
        f"{_BOTH_MINED}; harmless are those without a sensitive pattern inside.",
        _reader("misses_cost", of_secrets=True),
        "quality",
    ),
    _measure(
        "artifactual",
        "The share of the frequent patterns found that the original does not have.",
        f"{_BOTH_MINED}; those of the release only, divided by those of the release.",
        _reader("artifactual", of_secrets=False),
        "quality",
    ),
    _measure(
        "side_effects",
        "By which share the number of harmless frequent patterns fell.",
        f"{_BOTH_MINED}, counted without asking which; new patterns can hide lost ones in it.",
        _reader("side_effect_factor", of_secrets=True),
        "quality",
    ),
    _measure(
        "hiding_failure",
        "The share of the frequent patterns with a sensitive one inside that can still be found.",
        f"{_BOTH_MINED}; restricted ones of the release, divided by those of the original.",
        _reader("hiding_failure", of_secrets=True),
        "privacy",
    ),
)
