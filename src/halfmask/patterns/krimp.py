"""Krimp: the code table that describes an original best, grown from frequent itemsets.

Candidates come most frequent first; each stays when the original and the table together become
shorter. `reference/krimp.py` is the same in plain Python.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Alphabet, Transactions
from halfmask.errors import BadInput
from halfmask.patterns.mining import (
    DEFAULT_LIMIT,
    Kind,
    TooManyItemsets,
    absolute_support,
    item_ranks,
)
from halfmask.patterns.search import Search, check_schema, search_ranks, table_from_ranks
from halfmask.run import Progress, heeding

Prune = Literal["none", "repaired", "authors"]
"""Whether sets that later ones made useless are dropped, and by whose rule."""

_UNBOUNDED = 2**63 - 1


def krimp(  # noqa: PLR0913 - the settings of a search, each with its default
    rows: Transactions,
    schema: Alphabet,
    *,
    min_support: float,
    candidates: Kind = "all",
    prune: Prune = "none",
    max_length: int | None = None,
    forbidden: Collection[tuple[int, int]] = (),
    ranks: NDArray[np.int32] | None = None,
    limit: int = DEFAULT_LIMIT,
    threads: int = 1,
    progress: Progress | None = None,
    snapshots: Collection[int] = (),
) -> Search:
    """Search the code table of these rows.

    No set is held by fewer than `min_support` rows (a number, or a fraction of all rows); none
    holds both items of a `forbidden` pair.
    `ranks` decides ties between equally frequent candidates; give those of the original when the
    rows are a sample of it. `limit` bounds the number of candidates. `progress(done, total)` is
    called about ten times a second and stops the search by returning False.

    >>> from halfmask.data import Baskets
    >>> baskets = Baskets.of([["a", "b", "c"]] * 5 + [["a", "b"]] * 3 + [["c"]] * 2)
    >>> found = krimp(baskets.transactions, baskets.schema, min_support=2)
    >>> [(p.labels, p.usage) for p in found.code_table.patterns()]
    [(('a', 'b'), 8), (('c',), 7)]
    """
    _check(rows, schema, candidates, prune, threads)
    floor = absolute_support(min_support, rows.size)
    order = search_ranks(rows, item_ranks(rows) if ranks is None else ranks, floor)
    levels = sorted({int(level) for level in snapshots if level >= floor}, reverse=True)
    try:
        tables, seen, accepted, complete = _native.krimp(
            *rows.arrays,
            order,
            floor,
            candidates == "closed",
            _UNBOUNDED if max_length is None else max_length,
            [(int(order[a]), int(order[b])) for a, b in forbidden],
            limit,
            prune,
            levels,
            threads,
            heeding(progress),
        )
    except _native.TooManyItemsets as excess:
        found, fits = excess.args
        raise TooManyItemsets(
            min_support=floor, kind=candidates, found=found, limit=limit, fits=fits
        ) from None
    made = [table_from_ranks(schema, rows, order, *parts) for parts in tables]
    return Search(made[-1], seen, accepted, complete, dict(zip(levels, made[:-1], strict=False)))


def _check(rows: Transactions, schema: Alphabet, candidates: str, prune: str, threads: int) -> None:
    check_schema(rows, schema)
    if candidates not in get_args(Kind):
        raise BadInput(f"Candidates are 'all' or 'closed' itemsets, not {candidates!r}.")
    if prune not in get_args(Prune):
        raise BadInput(f"Pruning is 'none', 'repaired' or 'authors', not {prune!r}.")
    if threads < 1:
        raise BadInput(f"The number of threads is at least 1, not {threads}.")
