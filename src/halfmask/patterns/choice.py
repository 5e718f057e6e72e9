"""Which search for which data: Krimp while its candidates fit, Slim beyond."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from halfmask.data import Transactions
from halfmask.patterns.mining import Kind, Progress, TooManyItemsets, mine

__all__ = ["BUDGET", "SearchKind", "choose_search"]

SearchKind = Literal["krimp", "slim"]

BUDGET = 2_000_000
"""Candidates that Krimp takes in seconds and in about 100 megabytes."""


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
    answer is exact, and its cost is bounded however many there are.

    >>> rows = Transactions.of([range(20)] * 3, n_items=20)
    >>> choose_search(rows, min_support=3), choose_search(rows, min_support=3, budget=1000)
    ('krimp', 'slim')
    """
    try:
        mine(
            rows,
            min_support=min_support,
            kind=candidates,
            max_length=max_length,
            forbidden=forbidden,
            limit=budget,
            progress=progress,
        )
    except TooManyItemsets:
        return "slim"
    return "krimp"
