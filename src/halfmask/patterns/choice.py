"""Which search for which data: Krimp while its candidates fit, Slim beyond."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Literal

import numpy as np

from halfmask.data import Transactions
from halfmask.errors import HalfmaskError
from halfmask.patterns.mining import Kind, Progress, TooManyItemsets, mine

__all__ = ["BUDGET", "SearchKind", "choose_search"]

SearchKind = Literal["krimp", "slim"]

BUDGET = 2_000_000
"""Candidates that Krimp takes in seconds and in about 100 megabytes."""
_SAMPLE = 20_000


def choose_search(  # noqa: PLR0913 - what decides the number of candidates
    rows: Transactions,
    *,
    min_support: int,
    candidates: Kind = "all",
    max_length: int | None = None,
    forbidden: Collection[tuple[int, int]] = (),
    budget: int = BUDGET,
    progress: Progress | None = None,
) -> SearchKind:
    """Krimp if it would look at no more than `budget` candidates, otherwise Slim.

    The candidates are counted by mining them, which ends as soon as the budget is spent: the
    answer is exact, and its cost is bounded however many there are. One long itemset has so many
    parts that nothing need be mined. A count that is stopped was taking long: then Slim.

    >>> rows = Transactions.of([range(20)] * 3, n_items=20)
    >>> choose_search(rows, min_support=3), choose_search(rows, min_support=3, budget=1000)
    ('krimp', 'slim')
    """
    stopped = False

    def go_on(done: int, total: int) -> bool:
        nonlocal stopped
        stopped = progress is not None and not progress(done, total)
        return not stopped

    if candidates == "all" and max_length is None and not forbidden:
        length = _a_long_itemset(rows, min_support, math.ceil(math.log2(budget)) + 1)
        if 2**length - 1 > budget:
            return "slim"
    try:
        mine(
            rows,
            min_support=min_support,
            kind=candidates,
            max_length=max_length,
            forbidden=forbidden,
            limit=budget,
            progress=go_on,
        )
    except TooManyItemsets:
        return "slim"
    except HalfmaskError:
        if not stopped:
            raise
        return "slim"
    return "krimp"


def _a_long_itemset(rows: Transactions, min_support: int, longest: int) -> int:
    """The length of some itemset that enough rows hold, at most `longest`.

    It grows by the commonest item of the rows that are left. A sample of the rows will do: what
    enough of them hold, enough of all hold.
    """
    step = max(1, len(rows) // _SAMPLE)
    starts, stops = rows.offsets[:-1:step], rows.offsets[1::step]
    weights = rows.weights[::step]
    items = np.concatenate([rows.items[a:b] for a, b in zip(starts, stops, strict=True)])
    row_of = np.repeat(np.arange(len(starts)), stops - starts)
    for length in range(longest):
        held = np.bincount(items, weights[row_of], minlength=rows.n_items)
        best = int(held.argmax()) if len(items) else 0
        if not len(items) or held[best] < min_support:
            return length
        inside = np.zeros(len(starts), bool)
        inside[row_of[items == best]] = True
        kept = inside[row_of] & (items != best)
        items, row_of = items[kept], row_of[kept]
    return longest
