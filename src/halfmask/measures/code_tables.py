"""Code tables of both sides, searched once for all measures that speak in bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from halfmask.data import Transactions
from halfmask.errors import HalfmaskError, NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.side import Side
from halfmask.patterns.code_table import CodeTable
from halfmask.patterns.krimp import krimp
from halfmask.patterns.mining import (
    DEFAULT_LIMIT,
    Itemsets,
    Kind,
    MiningStopped,
    TooManyItemsets,
    item_ranks,
    mine,
)
from halfmask.run import together

T = TypeVar("T")

_WORK = 2e9
"""Candidates × distinct rows that a search gets unasked: a few seconds."""
_STEPS = 3e10
"""Rows that hold a candidate × items of a row squared, over all candidates: about half a second."""
_USUAL = 20
"""Items of a row; longer ones are written with more patterns at once, and each takes longer."""


@dataclass(frozen=True, eq=False)
class CodeTables:
    """The tables of the original and of the release, of one minimum support."""

    original: CodeTable
    release: CodeTable
    min_support: int

    @property
    def pair(self) -> tuple[CodeTable, CodeTable]:
        """Original first."""
        return self.original, self.release


def code_tables(comparison: Comparison) -> CodeTables:
    """Krimp's tables of both sides; ties are broken by the item ranks of the original.

    The minimum support is the one asked for. When none was, it is the smallest from `min_support`
    upwards at which neither side has too many itemsets.
    """
    return comparison.once("code tables", _search_both)


def _search_both(comparison: Comparison) -> CodeTables:
    sides = (comparison.original_side, comparison.release_side)

    def search(support: int) -> CodeTables:
        if comparison.evaluation_support is None:
            for side in sides:  # to mine in vain takes a tenth of a search in vain
                side.once(
                    ("few", support, comparison.candidates, few_itemsets(comparison)),
                    partial(_check_few, comparison, side, support),
                )
        tasks = [partial(_table_of, comparison, side, support) for side in sides]
        first, second = together(tasks, kernel_threads(comparison))
        return CodeTables(first, second, support)

    return at_a_support_that_fits(comparison, search)


def at_a_support_that_fits(comparison: Comparison, search: Callable[[int], T]) -> T:
    """The result of a search at the support asked for, or at the first that is not too low."""
    support = comparison.mining_support
    while True:
        try:
            return search(support)
        except SearchStopped:
            raise NotMeasurable(_too_long(comparison, support)) from None
        except TooManyItemsets as excess:
            if comparison.evaluation_support is not None or excess.fits <= support:
                raise NotMeasurable(
                    f"At least {excess.found:,} itemsets are held by {support:,} rows, more than "
                    f"can be searched; a minimum support of {excess.fits:,} has few enough."
                ) from None
            support = excess.fits


class SearchStopped(HalfmaskError):
    """The time for a search was over before its end."""


def _too_long(comparison: Comparison, support: int) -> str:
    """Why there is no value, and the next support at which there would be one."""
    sentence = f"The time given is over, and patterns held by {support:,} rows are still searched"
    rows = comparison.original_side.distinct
    try:
        mine(rows, min_support=support, limit=few_itemsets(comparison), threads=comparison.threads)
    except TooManyItemsets as excess:
        return f"{sentence}; a minimum support of {excess.fits:,} takes seconds."
    return f"{sentence}; give more time, or a higher minimum support."


def _check_few(comparison: Comparison, side: Side, support: int) -> None:
    """TooManyItemsets where those that so many rows of a side hold take too long to search."""
    kind, rows = comparison.candidates, side.distinct
    mined = itemsets_of(comparison, side, support, kind)
    length = rows.item_counts.sum() / max(rows.size, 1)
    steps = np.cumsum(mined.supports) * max(length, 1.0) ** 2
    if len(steps) and steps[-1] > _STEPS:
        # The most frequent come first: what is as frequent as the first that is too much goes.
        fits = int(mined.supports[np.searchsorted(steps, _STEPS)]) + 1
        raise TooManyItemsets(
            min_support=support, kind=kind, found=len(mined), limit=len(mined) - 1, fits=fits
        )


def itemsets_of(comparison: Comparison, side: Side, support: int, kind: Kind = "all") -> Itemsets:
    """What so many rows of a side hold; TooManyItemsets where these are too many to search.

    Either is found out once for all measures that ask.
    """
    limit = itemset_limit(comparison)
    found = side.once(
        ("mined", support, kind, limit),
        lambda: _mined(comparison, side.distinct, support, kind, limit),
    )
    if isinstance(found, TooManyItemsets):
        raise found.with_traceback(None)
    return found


def _mined(
    comparison: Comparison, rows: Transactions, support: int, kind: Kind, limit: int
) -> Itemsets | TooManyItemsets:
    try:
        return mine(
            rows,
            min_support=min(support, rows.size),
            kind=kind,
            limit=limit,
            threads=kernel_threads(comparison),
            progress=comparison.progress,
        )
    except TooManyItemsets as excess:
        return excess
    except MiningStopped:
        raise SearchStopped("The search of itemsets was stopped.") from None


def _table_of(comparison: Comparison, side: Side, support: int) -> CodeTable:
    return side.once(
        # Ties are broken by the ranks of the original, so that the table is one for this original.
        ("code table", support, comparison.candidates, id(comparison.original)),
        lambda: search_table(comparison, side.distinct, support),
    )


def search_table(comparison: Comparison, rows: Transactions, support: int) -> CodeTable:
    """Krimp's table of any rows over the schema of this comparison."""
    if comparison.progress is not None and not comparison.progress(0, 0):
        raise SearchStopped("There is no time for a search.")
    original = comparison.original_side
    ranks = original.once("ranks", lambda: item_ranks(original.distinct))
    found = krimp(
        rows,
        comparison.original.schema,
        min_support=min(support, rows.size),
        candidates=comparison.candidates,
        ranks=ranks,
        limit=itemset_limit(comparison),
        threads=kernel_threads(comparison),
        progress=comparison.progress,
    )
    if not found.complete:
        raise SearchStopped("The search of a code table was stopped.")
    return found.code_table


def kernel_threads(comparison: Comparison) -> int:
    """Of one search, since several measures are read at once."""
    return max(1, comparison.threads // 2)


def itemset_limit(comparison: Comparison) -> int:
    """How many itemsets a side may have; only a support that was asked for gets all it needs."""
    if comparison.evaluation_support is not None:
        return DEFAULT_LIMIT
    return few_itemsets(comparison)


def few_itemsets(comparison: Comparison) -> int:
    """How many itemsets can be searched in a few seconds."""
    rows = comparison.original_side.distinct
    length = rows.item_counts.sum() / max(rows.size, 1)
    wide = min(1.0, (_USUAL / max(length, 1.0)) ** 3)
    return int(np.clip(wide * _WORK / len(rows), 10_000, 200_000))
