"""Slim: the code table grown directly, by joining elements that are used together.

No list of itemsets is mined: candidates are unions of two elements of the present table, so the
search goes as deep as the data do and can be stopped at any time. `reference/slim.py` is the same
in plain Python.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Alphabet, Transactions
from halfmask.errors import BadInput
from halfmask.patterns.krimp import Prune
from halfmask.patterns.mining import absolute_support, item_ranks
from halfmask.patterns.search import Search, check_schema, search_ranks, table_from_ranks
from halfmask.run import Progress, heeding

Gain = Literal["estimate", "unpaid", "authors"]
SlimGain = Literal["best", Gain]
"""The estimate that orders the trials; "best": "estimate" and "unpaid", whichever ends shorter."""

_UNBOUNDED = 2**63 - 1
STEPS = 10**10
"""Steps of a search of effort 1: about half a minute."""
_MOST_ITEMS = 2**16
"""Items of a search are numbered in 16 bits."""


def slim(  # noqa: PLR0913 - the settings of a search, each with its default
    rows: Transactions,
    schema: Alphabet,
    *,
    min_support: float = 1,
    prune: Prune = "none",
    gain: SlimGain = "best",
    min_gain: float = 0.0,
    max_time: float | None = None,
    max_length: int | None = None,
    forbidden: Collection[tuple[int, int]] = (),
    ranks: NDArray[np.int32] | None = None,
    threads: int = 1,
    progress: Progress | None = None,
    effort: float = math.inf,
) -> Search:
    """Search the code table of these rows.

    No set is held by fewer than `min_support` rows (a number, or a fraction of all rows); none
    holds both items of a `forbidden` pair. `gain` is the estimate that orders the trials; by
    default two searches are made, with two estimates, and the shorter table is returned. A set
    enters when it saves more than `min_gain` bits. After `max_time` seconds, or when
    `progress(sets so far, 0)` returns False, the search ends with the table it has, which covers
    the rows like any other. An `effort` ends it too, wherever and whenever it runs with the same
    table: 1 is about half a minute.

    >>> from halfmask.data import Baskets
    >>> baskets = Baskets.of([["a", "b", "c"]] * 5 + [["a", "b"]] * 3 + [["c"]] * 2)
    >>> found = slim(baskets.transactions, baskets.schema, min_support=2)
    >>> [(p.labels, p.usage) for p in found.code_table.patterns()]
    [(('a', 'b'), 8), (('c',), 7)]
    """
    _check(gain, prune, min_gain, max_time, threads, effort)
    check_schema(rows, schema)
    floor = absolute_support(min_support, rows.size)
    _check_alphabet(rows, floor)
    order = search_ranks(rows, item_ranks(rows) if ranks is None else ranks, floor)
    go_on = heeding(_until(max_time, progress))

    def search(estimate: Gain, threads: int) -> Search:
        table, evaluated, accepted, complete = _native.slim(
            *rows.arrays,
            order,
            floor,
            estimate,
            prune,
            min_gain,
            _UNBOUNDED if max_length is None else max_length,
            [(int(order[a]), int(order[b])) for a, b in forbidden],
            _UNBOUNDED if math.isinf(effort) else math.ceil(effort * STEPS),
            threads,
            go_on,
        )
        found = table_from_ranks(schema, rows, order, *table)
        return Search(found, evaluated, accepted, complete)

    if gain != "best":
        return search(gain, threads)
    if threads == 1:
        first = search("estimate", 1)
        return _shorter(first, search("unpaid", 1)) if first.complete else first
    with ThreadPoolExecutor(1) as beside:
        second = beside.submit(search, "unpaid", threads // 2)
        first = search("estimate", threads - threads // 2)
        return _shorter(first, second.result()) if first.complete else first


def _shorter(one: Search, other: Search) -> Search:
    """The search whose table gives the smaller total; the trials of both are counted."""
    found = other if other.code_table.bits.total < one.code_table.bits.total else one
    tried = one.candidates + other.candidates
    return replace(found, candidates=tried, complete=one.complete and other.complete)


def _check(  # noqa: PLR0913, PLR0917 - the settings of a search
    gain: str, prune: str, min_gain: float, max_time: float | None, threads: int, effort: float
) -> None:
    if gain not in ("best", *get_args(Gain)):
        raise BadInput(f"The gain is 'best', 'estimate', 'unpaid' or 'authors', not {gain!r}.")
    if prune not in get_args(Prune):
        raise BadInput(f"Pruning is 'none', 'repaired' or 'authors', not {prune!r}.")
    if not 0 <= min_gain < float("inf"):
        raise BadInput(f"The least gain is a number of bits from 0 on, not {min_gain}.")
    if max_time is not None and not max_time > 0:
        raise BadInput(f"The time for a search is above 0 seconds, not {max_time}.")
    if not effort > 0:
        raise BadInput(f"The effort of a search is a number above 0, not {effort}.")
    if threads < 1:
        raise BadInput(f"The number of threads is at least 1, not {threads}.")


def _check_alphabet(rows: Transactions, min_support: int) -> None:
    frequent = int((rows.item_counts >= min_support).sum())
    if frequent > _MOST_ITEMS:
        raise BadInput(
            f"{frequent:,} items are in at least {min_support:,} rows; a search takes up to "
            f"{_MOST_ITEMS:,}. Raise min_support."
        )


def _until(max_time: float | None, progress: Progress | None) -> Progress | None:
    """The caller's progress, with an end of the time allowed."""
    if max_time is None:
        return progress
    end = time.monotonic() + max_time

    def go_on(done: int, total: int) -> bool:
        return time.monotonic() < end and (progress is None or progress(done, total))

    return go_on
