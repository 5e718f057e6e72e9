"""What every search shares: what it found, the ranks it works in, the way back to item numbers.

Which search for which data: Krimp while its candidates fit, Slim beyond.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Alphabet, Transactions
from halfmask.errors import BadInput, HalfmaskError
from halfmask.patterns.code_table import CodeTable
from halfmask.patterns.mining import Kind, TooManyItemsets, mine
from halfmask.run import Progress

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


@dataclass(frozen=True, eq=False)
class Search:
    """What a search found."""

    code_table: CodeTable
    candidates: int
    """How many candidates were looked at, single items included."""
    accepted: int
    """How many of them entered the table; pruning may have dropped some again."""
    complete: bool
    """False when the search was stopped: the table is the best one up to then."""
    tables: dict[int, CodeTable] = field(default_factory=dict)
    """For each minimum support asked for as a snapshot, the table of a search with it."""


def check_schema(rows: Transactions, schema: Alphabet) -> None:
    """Refuse rows that are not over the items of the schema."""
    if rows.n_items != schema.n_items:
        raise BadInput(
            f"The rows are over {rows.n_items:,} items, the schema lists {schema.n_items:,}."
        )


def search_ranks(
    rows: Transactions, ranks: NDArray[np.int32], min_support: int
) -> NDArray[np.int32]:
    """Ranks without gaps in which the frequent items come first, otherwise as given."""
    if sorted(ranks.tolist()) != list(range(rows.n_items)):
        raise BadInput(f"The ranks must be the numbers 0 to {rows.n_items - 1:,}, each once.")
    by_rank = np.lexsort((ranks, rows.item_counts < min_support))
    order = np.empty(rows.n_items, np.int32)
    order[by_rank] = np.arange(rows.n_items, dtype=np.int32)
    return order


def table_from_ranks(  # noqa: PLR0913, PLR0917 - the arrays of one table
    schema: Alphabet,
    rows: Transactions,
    order: NDArray[np.int32],
    offsets: NDArray[np.int64],
    ranks: NDArray[np.int32],
    usages: NDArray[np.int64],
    supports: NDArray[np.int64],
    item_usages: NDArray[np.int64],
) -> CodeTable:
    """A table in ranks as one in item numbers."""
    item_of = np.argsort(order)
    sets = [
        tuple(sorted(item_of[ranks[a:b]].tolist()))
        for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ]
    return CodeTable(
        schema, sets, usages, supports, item_usages[order], rows.item_counts, rows.size
    )
