"""What hiding cost: patterns still found, patterns lost, patterns invented, cells changed.

P and P' are the frequent patterns (itemsets or rules) of the original and of the release; a
pattern is restricted when it holds a sensitive one. [Oliveira & Zaïane 2002; Bertino et al. 2005]

What hiding cost and whether it worked, as measures.

P and P' are the frequent itemsets of the original and of the release at the same support, RP those
that hold a sensitive itemset:

    misses cost  |~RP(D) without P'| / |~RP(D)|
    artifactual     |P' without P| / |P'|            side effects (|P| − |P'| − |RP|) / (|P| − |RP|)
    cells changed   |D Δ D'| / |D|, row by row
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Baskets, Countable, Itemset, Transactions
from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.frequent import frequent_sets
from halfmask.measures.measure import Estimate, Measure, Room
from halfmask.patterns.mining import mine

P = TypeVar("P", bound=Hashable)

_NOT_ROW_BY_ROW = "The rows of this release are not those of the original, row by row."


@dataclass(frozen=True, slots=True)
class SideEffects:
    """How the patterns of a release differ from those of the original."""

    hiding_failure: float | None
    """Share of the restricted patterns that can still be found; None where there were none."""
    misses_cost: float | None
    """Share of the other patterns that are lost; None where there were none."""
    artifactual: float
    """Share of the patterns found that the original does not have."""
    side_effect_factor: float | None
    """Share by which the number of other patterns fell; ghosts can hide losses in it."""


def side_effects(
    before: Collection[P], after: Collection[P], restricted: Callable[[P], bool]
) -> SideEffects:
    """Compare the frequent patterns of the original with those of the release.

    >>> found = side_effects({"ab", "ac", "b", "c"}, {"b", "ac"}, lambda p: p == "ab")
    >>> found.hiding_failure, round(found.misses_cost, 3), found.artifactual
    (0.0, 0.333, 0.0)
    """
    original, release = set(before), set(after)
    secret = {pattern for pattern in original if restricted(pattern)}
    still = sum(restricted(pattern) for pattern in release)
    others = original - secret
    return SideEffects(
        hiding_failure=still / len(secret) if secret else None,
        misses_cost=len(others - release) / len(others) if others else None,
        artifactual=len(release - original) / len(release) if release else 0.0,
        # (|P| - |P'| - |RP|) / (|P| - |RP|)
        side_effect_factor=(len(others) - len(release)) / len(others) if others else None,
    )


def restricted_by(sensitive: Collection[Itemset]) -> Callable[[Itemset], bool]:
    """Whether an itemset holds a sensitive one.

    >>> restricted_by([(0, 2)])((0, 1, 2))
    True
    """
    secrets = [frozenset(itemset) for itemset in sensitive]

    def restricted(itemset: Itemset) -> bool:
        held = set(itemset)
        return any(secret <= held for secret in secrets)

    return restricted


def itemset_side_effects(
    original: Transactions,
    published: Transactions,
    sensitive: Collection[Itemset],
    *,
    min_support: int,
    max_length: int | None = None,
) -> SideEffects:
    """Mine both sides at one minimum support and compare their itemsets.

    >>> from halfmask.data import Baskets
    >>> rows = Baskets.of(["ab", "ab", "b"]).transactions
    >>> itemset_side_effects(rows, rows, [(0, 1)], min_support=2).hiding_failure
    1.0
    """
    found = [
        [itemset for itemset, _ in mine(rows, min_support=min_support, max_length=max_length)]
        for rows in (original, published)
    ]
    return side_effects(found[0], found[1], restricted_by(sensitive))


def item_dissimilarity(original: Countable, release: Countable) -> float:
    """Diss = Σ |f(i) - f'(i)| / Σ f(i) over all items; blind to items that only change rows.

    >>> from halfmask.data import Baskets
    >>> item_dissimilarity(Baskets.of(["ab", "ab"]), Baskets.of(["ab", "b"]))
    0.25
    """
    items = [(item,) for item in range(original.schema.n_items)]
    before, after = original.support(items), release.support(items)
    if not before.sum():
        raise NotMeasurable("The original holds no item, so no share of them changed.")
    return float(np.abs(before - after).sum() / before.sum())


def cell_dissimilarity(original: Baskets, release: Baskets) -> float:
    """|D Δ D'| / |D|: changed cells per cell of the original; the rows must correspond.

    >>> cell_dissimilarity(Baskets.of(["ab", "b"]), Baskets.of(["b", "ab"]))
    0.6666666666666666
    """
    if len(original) != len(release):
        raise NotMeasurable(_NOT_ROW_BY_ROW)
    before, after = _cells(original.transactions), _cells(release.transactions)
    if not len(before):
        raise NotMeasurable("The original holds no item, so no share of them changed.")
    return len(np.setxor1d(before, after, assume_unique=True)) / len(before)


def unknown_share(original: Countable, unknown: Transactions) -> float:
    """Unknown cells per item of the original: what blocking costs."""
    total = original.support([(item,) for item in range(original.schema.n_items)]).sum()
    if not total:
        raise NotMeasurable("The original holds no item, so no share of them is unknown.")
    return float(len(unknown.items) / total)


def interest(both: float, left: float, right: float) -> float:
    """J-measure in bits: what a rule X → Y says, from the shares P(XY), P(X) and P(Y).

    J = P(XY) log2(P(Y|X) / P(Y)) + P(X¬Y) log2(P(¬Y|X) / P(¬Y))   [Smyth & Goodman 1992]

    >>> round(interest(3 / 6, 4 / 6, 4 / 6), 7)
    0.0157896
    """
    if not 0 < left <= 1:
        raise NotMeasurable(
            "The left side of the rule never occurs, so the rule has no confidence."
        )
    parts = ((both, right), (left - both, 1 - right))
    return sum(p * math.log2(p / left / base) for p, base in parts if p > 0)


def _cells(rows: Transactions) -> NDArray[np.int64]:
    row_of = np.repeat(np.arange(len(rows), dtype=np.int64), np.diff(rows.offsets))
    return row_of * max(rows.n_items, 1) + rows.items


def _effects(comparison: Comparison) -> tuple[SideEffects, int]:
    return comparison.once("side effects", _mined_effects)


def _mined_effects(comparison: Comparison) -> tuple[SideEffects, int]:
    sets = frequent_sets(comparison)
    if sets.release is None:
        raise NotMeasurable("This release cannot be mined; it only answers support queries.")
    before, after = (
        [tuple(sorted(itemset)) for itemset, _ in side] for side in (sets.original, sets.release)
    )
    restricted = restricted_by(comparison.secrets.wholes)
    return side_effects(before, after, restricted), sets.min_support


def _reader(name: str, *, of_secrets: bool) -> Callable[[Comparison], Estimate]:
    def compute(comparison: Comparison) -> Estimate:
        if of_secrets:
            _check_secrets(comparison)
        effects, support = _effects(comparison)
        value = getattr(effects, name)
        if value is None:
            raise NotMeasurable(
                f"No itemset of this kind is held by {support:,} rows of the original."
            )
        return Estimate(float(value), details={"min_support": support})

    return compute


def _check_secrets(comparison: Comparison) -> None:
    if not len(comparison.secrets):
        raise NotMeasurable("This measure needs sensitive patterns, and none were named.")


def _failure(comparison: Comparison) -> Estimate:
    """The patterns that a miner with these thresholds found in the original, and still finds."""
    _check_secrets(comparison)
    secrets, original, release = comparison.secrets, comparison.original, comparison.release
    floor = float(comparison.mining_support)
    if secrets.min_support is not None:
        floor = secrets.floor(original.size)
    before = secrets.found(original.support, original.size, floor=floor)
    if not before.any():
        raise NotMeasurable("No sensitive pattern reaches the thresholds in the original.")
    scaled = max(floor * release.size / original.size, 1e-9)
    after = secrets.found(release.support, release.size, floor=scaled) & before
    details = {
        "patterns": int(before.sum()),
        "still_found": int(after.sum()),
        "min_support": round(floor),
        "min_confidence": secrets.min_confidence,
    }
    return Estimate(float(after.sum() / before.sum()), details=details)


def _changed(comparison: Comparison) -> Estimate:
    original, release = comparison.original_side.rows, comparison.release_side.rows
    if isinstance(original, Baskets) and isinstance(release, Baskets):
        return Estimate(cell_dissimilarity(original, release))
    codes = [side.table.codes for side in (comparison.original_side, comparison.release_side)]
    if len(codes[0]) != len(codes[1]):
        raise NotMeasurable(_NOT_ROW_BY_ROW)
    return Estimate(float(np.not_equal(*codes).mean()))  # another value is one change, not two


def _measure(
    name: str, meaning: str, how: str, compute: Callable[[Comparison], Estimate], room: Room
) -> Measure:
    return Measure(
        name=name,
        of_one_method=True,
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
        "The share of the original's items that were taken out or put in, row by row.",
        "Cells that differ, divided by the items (of a table: cells) of the original; for methods "
        "that keep the rows.",
        _changed,
        "quality",
    ),
    _measure(
        "misses_cost",
        "The share of the non-sensitive frequent patterns that were lost.",
        f"{_BOTH_MINED}; non-sensitive are those that contain no sensitive pattern.",
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
        "The share by which the number of non-sensitive frequent patterns fell.",
        f"{_BOTH_MINED}, counted without matching them; new patterns can mask lost ones.",
        _reader("side_effect_factor", of_secrets=True),
        "quality",
    ),
    _measure(
        "hiding_failure",
        "The share of the sensitive patterns that can still be found.",
        "Those whose support, and of rules whose confidence, reaches the thresholds in the "
        "release, divided by those that reach them in the original.",
        _failure,
        "privacy",
    ),
)
