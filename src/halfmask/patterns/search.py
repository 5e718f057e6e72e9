"""What every search shares: what it found, the ranks it works in, the way back to item numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Alphabet, Transactions
from halfmask.errors import BadInput
from halfmask.patterns.code_table import CodeTable

__all__ = ["Search", "check_schema", "search_ranks", "table_from_ranks"]


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
