"""Sanitising baskets with a disclosure threshold (Oliveira & Zaïane 2002, 2003).

Four steps: find the rows that hold each sensitive itemset, choose a victim item, compute how many
rows must lose it, take it out of so many rows in the order of their conflicts.

SWA, the sliding window algorithm (ICDM 2003), does so in one scan with bounded memory.
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
from halfmask.methods.hiding.sensitive import SLACK, Sensitive, check_share, rows_to_edit

Supports = NDArray[np.int64]


def smallest_victim(itemset: Itemset, supports: Supports) -> int:
    """MinFIA: the item held by the fewest rows of the original."""
    return min(itemset, key=lambda item: (supports[item], item))


def largest_victim(itemset: Itemset, supports: Supports) -> int:
    """MaxFIA: the item held by the most rows of the original."""
    return min(itemset, key=lambda item: (-supports[item], item))


def grouped_victims(itemsets: Sequence[Itemset], supports: Supports) -> list[int]:
    """IGA: itemsets that share items form a group and lose the group's label.

    The label is the least supported item that all of a group share. An itemset of several groups
    stays in the largest (of equally large ones, in that with the better supported label); one of
    no group loses its least supported item.

    >>> grouped_victims([(0, 1, 3), (0, 2, 3)], np.array([5, 5, 4, 4]))
    [3, 3]
    """
    groups: dict[tuple[int, ...], int] = {}
    for item in sorted({item for itemset in itemsets for item in itemset}):
        members = tuple(n for n, itemset in enumerate(itemsets) if item in itemset)
        if len(members) > 1:
            shared = set.intersection(*(set(itemsets[n]) for n in members))
            groups[members] = smallest_victim(tuple(sorted(shared)), supports)
    victims = [smallest_victim(itemset, supports) for itemset in itemsets]
    # The group that an itemset stays in is written last.
    order = sorted(groups.items(), key=lambda g: (len(g[0]), supports[g[1]], -g[1]))
    for members, label in order:
        for n in members:
            victims[n] = label
    return victims


def greedy_victims(itemsets: Sequence[Itemset], supports: Supports) -> list[int]:
    """IGA made simple: again and again the item of most itemsets that have no victim yet.

    >>> greedy_victims([(0, 1, 3), (0, 2, 3), (1, 2)], np.array([5, 5, 4, 4]))
    [3, 2, 2]
    """
    victims = [-1] * len(itemsets)
    open_ones = set(range(len(itemsets)))
    while open_ones:
        items = sorted({item for n in open_ones for item in itemsets[n]})
        uses = {item: sum(item in itemsets[n] for n in open_ones) for item in items}
        victim = min(items, key=lambda item: (-uses[item], supports[item], item))
        for n in [n for n in open_ones if victim in itemsets[n]]:
            victims[n] = victim
            open_ones.discard(n)
    return victims


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
        _check_psi(self.psi)

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


def _check_psi(psi: float | tuple[float, ...]) -> None:
    for share in psi if isinstance(psi, tuple) else (psi,):
        check_share("disclosure threshold psi", share)


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
    same = rows.lengths[cells[0]] == len(itemset)
    goes = ~(same & (cells[1] == largest_victim(itemset, rows.item_counts)))
    return cells[0][goes], cells[1][goes]


def _spare_empty_rows(edits: Edits, rows: Transactions, itemsets: Sequence[Itemset]) -> Edits:
    """Take back one removal in every row that lost all its items.

    One item brings back no itemset of two or more; items that are sensitive alone stay out.
    """
    alone = {itemset[0] for itemset in itemsets if len(itemset) == 1}
    lengths = rows.lengths - np.bincount(edits.rows, minlength=len(rows))
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
        _check_psi(self.psi)

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
