"""(h, k, p)-coherence by suppression (Xu, Wang, Fu & Yu, KDD 2008).

An attacker knows up to p public items of a person. Every such set that occurs must be held by at
least k baskets, and no private item by more than a share h of them; a set that fails is a mole.
Public items are suppressed everywhere until no mole is left.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Baskets, Claim, Itemset, Release, Transactions
from halfmask.errors import BadInput
from halfmask.methods.suppression.levels import (
    Bits,
    Lines,
    occurring_pairs,
    population,
    taken_rows,
)

SLACK = 1e-12
"""Absorbs the rounding of a share."""


@dataclass(frozen=True, slots=True)
class Coherence:
    """The three numbers of the model, and which items are private.

    >>> Coherence(h=0.8, k=2, p=2, private=("HIV",)).k
    2
    """

    k: int
    p: int
    h: float = 1.0
    private: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.k < 1 or self.p < 1:
            raise BadInput(f"k and p are at least 1; asked for k = {self.k} and p = {self.p}.")
        if not 0 < self.h <= 1:
            raise BadInput(f"The share h lies above 0 and up to 1, not at {self.h:g}.")

    def items(self, baskets: Baskets) -> tuple[list[int], list[int]]:
        """The public and the private items by number."""
        private = sorted({baskets.schema.item(name) for name in self.private})
        hidden = set(private)
        return [i for i in range(baskets.schema.n_items) if i not in hidden], private


@dataclass(frozen=True, slots=True)
class Moles:
    """Single items that are moles, and the minimal moles among the others."""

    single: tuple[int, ...]
    minimal: tuple[Itemset, ...]

    def __len__(self) -> int:
        return len(self.single) + len(self.minimal)


def find_moles(baskets: Baskets, model: Coherence) -> Moles:
    """All minimal moles: sets of up to p public items that betray their owners.

    >>> baskets = Baskets.of(["ab", "ab", "ac", "bc", "c"])
    >>> find_moles(baskets, Coherence(k=2, p=2))
    Moles(single=(), minimal=((0, 2), (1, 2)))
    """
    public, private = model.items(baskets)
    rows = baskets.transactions
    good = _coherent_items(rows, np.array(public, np.int64), private, model)
    single = [item for item in public if rows.item_counts[item] and not good[item]]
    minimal: list[Itemset] = []
    if model.p > 1:
        fine = rows.with_items(good)
        pairs = _pairs(fine, _holders(rows, private), model, minimal)
        if model.p > 2:
            known = np.flatnonzero(good)
            lines, secret = Lines.of(rows, known.tolist()), Lines.of(rows, private).bits
            minimal += _larger(lines, secret, known, model, pairs)
    return Moles(tuple(single), tuple(minimal))


def _coherent_items(
    rows: Transactions, public: NDArray[np.int64], private: Sequence[int], model: Coherence
) -> NDArray[np.bool_]:
    """For each item whether it is public, occurs, and is no mole by itself."""
    counts = rows.item_counts
    good = np.zeros(rows.n_items, bool)
    good[public] = counts[public] >= max(model.k, 1)
    for holders in _holders(rows, private):
        together = taken_rows(rows, holders).item_counts
        good &= together <= (model.h + SLACK) * np.maximum(counts, 1)
    return good


def _holders(rows: Transactions, items: Sequence[int]) -> list[NDArray[np.int64]]:
    """The rows that hold each of these items."""
    row_of = rows.row_of
    return [row_of[rows.items == item] for item in items]


def _pairs(
    rows: Transactions,
    private: Sequence[NDArray[np.int64]],
    model: Coherence,
    moles: list[Itemset],
) -> list[Itemset]:
    """The pairs that are no moles, needed for larger sets only; those that are go to the list."""
    kept: list[Itemset] = []
    secret = [_support_of_pairs(taken_rows(rows, holders)) for holders in private]
    for found in occurring_pairs(rows):
        good = found.supports >= model.k
        keys = found.first * rows.n_items + found.second
        for of_pair in secret:
            good &= of_pair(keys) <= (model.h + SLACK) * found.supports
        bad = zip(found.first[~good].tolist(), found.second[~good].tolist(), strict=True)
        moles += bad
        if model.p > 2:
            kept += zip(found.first[good].tolist(), found.second[good].tolist(), strict=True)
    return kept


def _support_of_pairs(rows: Transactions) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
    """How many of these rows hold the pair of each key, first × n_items + second."""
    blocks = list(occurring_pairs(rows))
    nothing = [np.empty(0, np.int64)]
    keys = np.concatenate(nothing + [b.first * rows.n_items + b.second for b in blocks])
    supports = np.concatenate(nothing + [b.supports for b in blocks])

    def support(asked: NDArray[np.int64]) -> NDArray[np.int64]:
        if not len(keys):
            return np.zeros(len(asked), np.int64)
        place = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
        return np.where(keys[place] == asked, supports[place], 0)

    return support


def _larger(
    lines: Lines, secret: Bits, public: NDArray[np.int64], model: Coherence, pairs: list[Itemset]
) -> list[Itemset]:
    """Minimal moles of three and more items, from the sets one item smaller that are none."""
    moles: list[Itemset] = []
    place = {item: n for n, item in enumerate(public.tolist())}
    kept: list[Itemset] = [(place[a], place[b]) for a, b in pairs]
    for _ in range(2, model.p):
        larger: list[Itemset] = []
        for found in lines.extensions(kept):  # a set that does not occur betrays nobody
            bits = lines.bits[found.items] & found.bits if len(secret) else found.bits
            fine = _coherent(bits, found.supports, secret, model)
            larger += [(*found.itemset, item) for item in found.items[fine].tolist()]
            bad = [(*found.itemset, item) for item in found.items[~fine].tolist()]
            moles += [tuple(public[list(mole)].tolist()) for mole in bad]
        kept = larger
    return moles


def _coherent(
    bits: Bits, supports: NDArray[np.int64], secret: Bits, model: Coherence
) -> NDArray[np.bool_]:
    """Which of these sets are held by k rows and give no private item away."""
    good = supports >= model.k
    for line in secret:
        share = population(bits[good] & line) / np.maximum(supports[good], 1)
        good[good] = share <= model.h + SLACK
    return good


def suppressions(moles: Moles, supports: NDArray[np.int64]) -> tuple[int, ...]:
    """The items to suppress, in order: single moles, then greedily the best trade.

    The trade of an item is the number of minimal moles it ends per occurrence it costs. The
    support of other sets does not change by suppression, so no mole is ever searched again.

    >>> suppressions(Moles((), ((0, 2), (1, 2))), np.array([3, 3, 3]))
    (2,)
    """
    chosen = list(moles.single)
    members = Transactions.of(moles.minimal, len(supports))
    left = members.item_counts.copy()
    mole_of = members.row_of
    by_item = np.argsort(members.items, kind="stable")
    starts = np.concatenate([[0], np.cumsum(left)])
    alive = np.ones(len(members), bool)

    def trade(item: int) -> tuple[float, int]:
        return -int(left[item]) / int(supports[item]), item

    waiting = [trade(item) for item in np.flatnonzero(left).tolist()]
    heapq.heapify(waiting)
    while waiting:
        found = heapq.heappop(waiting)
        item = found[1]
        if not left[item]:
            continue
        if found != trade(item):  # a trade only ever gets worse, so it can wait for its turn
            heapq.heappush(waiting, trade(item))
            continue
        chosen.append(item)
        ended = mole_of[by_item[starts[item] : starts[item + 1]]]
        ended = ended[alive[ended]]
        alive[ended] = False
        np.subtract.at(left, taken_rows(members, ended).items, 1)
    return tuple(chosen)


def suppress_moles(baskets: Baskets, model: Coherence) -> Release:
    """Publish (h, k, p)-coherent baskets; a basket may come out empty, none is dropped.

    >>> released = suppress_moles(Baskets.of(["ab", "ab", "ac", "bc", "c"]), Coherence(k=2, p=2))
    >>> released.support([(0, 1), (2,)]).tolist()
    [2.0, 0.0]
    """
    rows = baskets.transactions
    chosen = suppressions(find_moles(baskets, model), rows.item_counts)
    published = Baskets(baskets.schema, _without(rows, chosen))
    left = len(find_moles(published, model))
    lost = int(rows.item_counts[list(chosen)].sum())
    return Release(
        data=published,
        kind="sanitised",
        method="coherence",
        iso_class="suppression",
        claim=Claim(
            promise=f"{left or 'No'} set of up to {model.p} public items is held by fewer than "
            f"{model.k} rows or discloses a private item with a probability above "
            f"{model.h:g}",
            assumption="the attacker knows public items only, and at most that many",
            terms={"h": model.h, "k": model.k, "p": model.p, "moles": left},
        ),
        record={
            "h": model.h,
            "k": model.k,
            "p": model.p,
            "items_suppressed": len(chosen),
            "cells_removed": lost,
            "distortion": lost / len(rows.items) if len(rows.items) else 0.0,
        },
    )


def _without(rows: Transactions, items: Sequence[int]) -> Transactions:
    stay = np.ones(rows.n_items, bool)
    stay[list(items)] = False
    return rows.with_items(stay)
