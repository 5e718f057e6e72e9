"""Sanitising baskets with a disclosure threshold (Oliveira & Zaïane 2002, 2003).

Four steps: find the rows that hold each sensitive itemset, choose a victim item, compute how many
rows must lose it, take it out of so many rows in the order of their conflicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Itemset, Transactions
from halfmask.errors import BadInput
from halfmask.methods.hiding.edits import Edits
from halfmask.methods.hiding.index import Index, Rows
from halfmask.methods.hiding.outcome import Target
from halfmask.methods.hiding.sensitive import Sensitive
from halfmask.methods.hiding.thresholds import check_share, rows_to_edit
from halfmask.methods.hiding.victims import (
    greedy_victims,
    grouped_victims,
    largest_victim,
    smallest_victim,
)

__all__ = ["Sanitise", "psi_of_each", "sanitising_targets"]

Victim = Literal["naive", "minfia", "maxfia", "iga", "iga-greedy", "rra", "ra"]


@dataclass(frozen=True, slots=True)
class Sanitise:
    """Take items out until at most a share `psi` of the rows keep each sensitive itemset.

    A row's conflicts are the sensitive itemsets it holds. Rows with few conflicts go first for
    naive, minfia and maxfia; rows with many for the others, where one removal serves several.

    >>> Sanitise("iga", psi=0.1).order
    'descending'
    """

    victim: Victim = "iga"
    psi: float | tuple[float, ...] = 0.0
    """Share of its rows that may keep an itemset: one for all, or one for each."""
    conflict_order: Literal["ascending", "descending"] | None = None
    keep_nonempty: bool = False
    """Leave the best supported harmless item in a row that would come out empty."""

    def __post_init__(self) -> None:
        if self.victim not in get_args(Victim):
            raise BadInput(
                f"There is no victim rule {self.victim!r}; there is {', '.join(get_args(Victim))}."
            )
        if self.conflict_order not in (None, "ascending", "descending"):
            raise BadInput(f"Conflicts are ordered ascending or descending, not {self.order!r}.")
        for psi in self.psi if isinstance(self.psi, tuple) else (self.psi,):
            check_share("disclosure threshold psi", psi)

    @property
    def order(self) -> Literal["ascending", "descending"]:
        """The order of conflicts in which rows are taken."""
        if self.conflict_order is not None:
            return self.conflict_order
        return "ascending" if self.victim in ("naive", "minfia", "maxfia") else "descending"

    def targets(self, index: Index, sensitive: Sensitive) -> tuple[Target, ...]:
        """At most a share psi of its rows keeps each itemset."""
        return sanitising_targets(index, sensitive, self.psi)

    def edits(
        self, rows: Transactions, index: Index, sensitive: Sensitive, rng: np.random.Generator
    ) -> Edits:
        """The items to take out."""
        itemsets = sensitive.all_itemsets
        holders = [index.rows_with(itemset) for itemset in itemsets]
        conflicts = np.bincount(np.concatenate(holders), minlength=len(rows))
        sign = 1 if self.order == "ascending" else -1
        chosen = [
            found[np.argsort(sign * conflicts[found], kind="stable")][: rows_to_edit(len(found), p)]
            for found, p in zip(holders, psi_of_each(self.psi, len(itemsets)), strict=True)
        ]
        parts = _victims(self.victim, itemsets, chosen, rows, rng)
        edits = Edits.removals(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        return _spare_empty_rows(edits, rows, itemsets) if self.keep_nonempty else edits


def psi_of_each(psi: float | tuple[float, ...], count: int) -> tuple[float, ...]:
    """One disclosure threshold for each sensitive itemset."""
    if not isinstance(psi, tuple):
        return (psi,) * count
    if len(psi) != count:
        raise BadInput(
            f"There are {count} sensitive itemsets and {len(psi)} disclosure thresholds."
        )
    return psi


def sanitising_targets(
    index: Index, sensitive: Sensitive, psi: float | tuple[float, ...]
) -> tuple[Target, ...]:
    """An itemset is hidden when no more rows keep it than its disclosure threshold allows."""
    itemsets = sensitive.all_itemsets
    counts = [len(index.rows_with(itemset)) for itemset in itemsets]
    return tuple(
        Target(itemset, support_below=count - rows_to_edit(count, p) + 1)
        for itemset, count, p in zip(itemsets, counts, psi_of_each(psi, len(itemsets)), strict=True)
    )


def _victims(
    rule: Victim,
    itemsets: Sequence[Itemset],
    chosen: Sequence[Rows],
    rows: Transactions,
    rng: np.random.Generator,
) -> list[tuple[Rows, NDArray[np.int64]]]:
    """For each itemset the rows and, beside each, the item it loses."""
    supports = rows.item_counts
    if rule == "naive":
        return [_all_but_one(z, found, rows) for z, found in zip(itemsets, chosen, strict=True)]
    if rule == "rra":
        turns = [np.resize(z, len(found)) for z, found in zip(itemsets, chosen, strict=True)]
        return list(zip(chosen, turns, strict=True))
    if rule == "ra":
        return [(f, rng.choice(z, len(f))) for z, f in zip(itemsets, chosen, strict=True)]
    if rule in ("iga", "iga-greedy"):
        victims = (grouped_victims if rule == "iga" else greedy_victims)(itemsets, supports)
    else:
        choose = smallest_victim if rule == "minfia" else largest_victim
        victims = [choose(itemset, supports) for itemset in itemsets]
    return [(found, np.full(len(found), v)) for found, v in zip(chosen, victims, strict=True)]


def _all_but_one(
    itemset: Itemset, found: Rows, rows: Transactions
) -> tuple[Rows, NDArray[np.int64]]:
    """Naive: all items go; a row that is the itemset itself keeps its best supported one."""
    cells = (np.repeat(found, len(itemset)), np.tile(np.array(itemset, np.int64), len(found)))
    if len(itemset) == 1:  # keeping the only item would keep the itemset
        return cells
    same = np.diff(rows.offsets)[cells[0]] == len(itemset)
    goes = ~(same & (cells[1] == largest_victim(itemset, rows.item_counts)))
    return cells[0][goes], cells[1][goes]


def _spare_empty_rows(edits: Edits, rows: Transactions, itemsets: Sequence[Itemset]) -> Edits:
    """Take back one removal in every row that lost all its items.

    One item brings back no itemset of two or more; items that are sensitive alone stay out.
    """
    alone = {itemset[0] for itemset in itemsets if len(itemset) == 1}
    lengths = np.diff(rows.offsets) - np.bincount(edits.rows, minlength=len(rows))
    supports = rows.item_counts
    best: dict[int, int] = {}
    for e in np.flatnonzero(lengths[edits.rows] == 0).tolist():
        row, item = int(edits.rows[e]), int(edits.items[e])
        held = best.get(row)
        if item not in alone and (
            held is None or (-supports[item], item) < (-supports[held], held)
        ):
            best[row] = item
    spared = np.array(
        [best.get(r) == i for r, i in zip(edits.rows.tolist(), edits.items.tolist(), strict=True)],
        bool,
    )
    return Edits.removals(edits.rows[~spared], edits.items[~spared])
