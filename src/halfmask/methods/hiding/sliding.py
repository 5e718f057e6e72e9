"""SWA, the sliding window algorithm (Oliveira & Zaïane, ICDM 2003): one scan, bounded memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Itemset, Transactions
from halfmask.errors import BadInput
from halfmask.methods.hiding.edits import Edits
from halfmask.methods.hiding.index import Index, Rows
from halfmask.methods.hiding.outcome import Target
from halfmask.methods.hiding.sanitise import psi_of_each, sanitising_targets
from halfmask.methods.hiding.sensitive import SLACK, Sensitive, check_share


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """Sanitise window by window; short rows lose their victim first.

    In a row the victim is the item shared by most of the sensitive itemsets it holds; where none
    is shared, a random one (`ties="random"`) or the one with the smallest number.

    >>> SlidingWindow(window=1000).psi
    0.0
    """

    window: int | None = None
    """Rows in a window; all of them by default."""
    psi: float | tuple[float, ...] = 0.0
    ties: Literal["random", "first"] = "random"

    def __post_init__(self) -> None:
        if self.window is not None and self.window < 1:
            raise BadInput(f"A window holds at least one row, not {self.window}.")
        if self.ties not in ("random", "first"):
            raise BadInput(f"Ties are broken 'random' or 'first', not {self.ties!r}.")
        for psi in self.psi if isinstance(self.psi, tuple) else (self.psi,):
            check_share("disclosure threshold psi", psi)

    def targets(self, index: Index, sensitive: Sensitive) -> tuple[Target, ...]:
        """At most a share psi of its rows keeps each itemset."""
        return sanitising_targets(index, sensitive, self.psi)

    def edits(
        self, rows: Transactions, index: Index, sensitive: Sensitive, rng: np.random.Generator
    ) -> Edits:
        """The items to take out."""
        itemsets = sensitive.all_itemsets
        holders = [index.rows_with(itemset) for itemset in itemsets]
        uses = _uses(itemsets, holders, len(rows))
        lengths = rows.lengths
        found_rows, found_items = [], []
        for itemset, found, psi in zip(
            itemsets, holders, psi_of_each(self.psi, len(itemsets)), strict=True
        ):
            chosen = _first_of_each_window(found, lengths, self.window or max(len(rows), 1), psi)
            found_rows.append(chosen)
            found_items.append(self._victims(itemset, chosen, uses, rng))
        return Edits.removals(np.concatenate(found_rows), np.concatenate(found_items))

    def _victims(
        self,
        itemset: Itemset,
        chosen: Rows,
        uses: dict[int, NDArray[np.int32]],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        items = np.array(itemset, np.int64)
        counts = np.stack([uses[item][chosen] for item in itemset])
        victims: NDArray[np.int64] = items[
            counts.argmax(axis=0)
        ]  # of equal counts the smaller item number
        if self.ties == "random":
            victims = np.where(counts.max(axis=0) > 1, victims, rng.choice(items, len(chosen)))
        return victims


def _uses(
    itemsets: tuple[Itemset, ...], holders: list[Rows], n_rows: int
) -> dict[int, NDArray[np.int32]]:
    """For each sensitive item and row: how many of the row's sensitive itemsets contain it."""
    uses = {item: np.zeros(n_rows, np.int32) for itemset in itemsets for item in itemset}
    for itemset, found in zip(itemsets, holders, strict=True):
        for item in itemset:
            uses[item][found] += 1
    return uses


def _first_of_each_window(found: Rows, lengths: NDArray[np.int64], window: int, psi: float) -> Rows:
    """In each window so many of the rows found as psi demands, the shortest first."""
    number = found // window
    order = np.lexsort((found, lengths[found], number))
    _, starts, counts = np.unique(number[order], return_index=True, return_counts=True)
    rank = np.arange(len(found)) - np.repeat(starts, counts)
    wanted = np.ceil(counts * (1 - psi) - SLACK)
    return found[order][rank < np.repeat(wanted, counts)]
