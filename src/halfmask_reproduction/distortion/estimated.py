"""Mining what can only be estimated: Apriori where a support is a question to a Countable.

A distorted release answers with an estimate and its standard error, an anatomised one with an
expectation. An estimate need not fall when an itemset grows, so a level is extended from all
itemsets whose estimate plus a few standard errors still reaches the threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Countable, Itemset
from halfmask.data.published.distorted import DistortedBaskets
from halfmask.errors import BadInput


@dataclass(frozen=True, slots=True)
class EstimatedItemset:
    """An itemset with its estimated support and the standard error of the estimate."""

    items: Itemset
    support: float
    error: float


def frequent_by_estimate(
    source: Countable,
    *,
    min_support: float,
    relaxation: float = 0.0,
    extend_errors: float = 0.0,
    max_length: int = 8,
) -> list[EstimatedItemset]:
    """All itemsets whose estimated support reaches `min_support` rows, short ones first.

    `relaxation` lowers the threshold by that share (MASK used 0.1), so that fewer true itemsets are
    missed and more false ones come in. `extend_errors` standard errors are allowed to an itemset
    that is only used to make longer ones.

    >>> from halfmask.data import Baskets
    >>> rows = Baskets.of([["a", "b"]] * 6 + [["a"]] * 3 + [["c"]])
    >>> [(found.items, found.support) for found in frequent_by_estimate(rows, min_support=5)]
    [((0,), 9.0), ((1,), 6.0), ((0, 1), 6.0)]
    """
    if min_support <= 0 or not 0 <= relaxation < 1 or extend_errors < 0 or max_length < 1:
        raise BadInput(
            "Mining needs a minimum support above 0, a relaxation from 0 to below 1, and at least "
            "0 standard errors and 1 item."
        )
    least = min_support * (1 - relaxation)
    found: list[EstimatedItemset] = []
    level: list[Itemset] = [(item,) for item in range(source.schema.n_items)]
    while level:
        values, errors = _ask(source, level)
        found += [
            EstimatedItemset(items, float(value), float(error))
            for items, value, error in zip(level, values, errors, strict=True)
            if value >= least
        ]
        reaching = values + extend_errors * errors >= least
        kept = [level[i] for i in np.flatnonzero(reaching)]
        level = [] if len(level[0]) == max_length else _longer(kept)
    return found


def _ask(
    source: Countable, itemsets: Sequence[Itemset]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if isinstance(source, DistortedBaskets):
        answer = source.estimate(itemsets)
        return answer.values, answer.errors
    values = source.support(itemsets)
    return values, np.zeros(len(values))


def _longer(level: Sequence[Itemset]) -> list[Itemset]:
    """Itemsets one item longer, all of whose subsets of this length are in the level."""
    known = set(level)
    by_prefix: dict[Itemset, list[int]] = {}
    for items in level:
        by_prefix.setdefault(items[:-1], []).append(items[-1])
    joined = (
        (*prefix, one, other)
        for prefix, ends in by_prefix.items()
        for one, other in combinations(sorted(ends), 2)
    )
    return [
        items
        for items in joined
        if all((*items[:i], *items[i + 1 :]) in known for i in range(len(items) - 2))
    ]
