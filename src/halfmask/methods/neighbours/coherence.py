"""(h, k, p)-coherence by suppression (Xu, Wang, Fu & Yu, KDD 2008).

An attacker knows up to p public items of a person. Every such set that occurs must be held by at
least k baskets, and no private item by more than a share h of them; a set that fails is a mole.
Public items are suppressed everywhere until no mole is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Baskets, Claim, Itemset, Release, Transactions
from halfmask.errors import BadInput
from halfmask.methods.neighbours.levels import Bits, Lines, population

__all__ = ["Coherence", "Moles", "find_moles", "suppress_moles", "suppressions"]


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
    public = [item for item in public if rows.item_counts[item]]
    lines, secret = Lines.of(rows, public), Lines.of(rows, private).bits
    good = _coherent(lines.bits, lines.supports, secret, model)
    kept: list[Itemset] = [(n,) for n in np.flatnonzero(good).tolist()]
    minimal: list[Itemset] = []
    for _ in range(1, model.p):
        larger: list[Itemset] = []
        for found in lines.extensions(kept):  # a set that does not occur betrays nobody
            bits = lines.bits[found.items] & found.bits if len(secret) else found.bits
            fine = _coherent(bits, found.supports, secret, model)
            larger += [(*found.itemset, item) for item in found.items[fine].tolist()]
            minimal += [(*found.itemset, item) for item in found.items[~fine].tolist()]
        kept = larger
    numbers = np.array(public, np.int64)
    return Moles(
        tuple(numbers[~good].tolist()),
        tuple(tuple(numbers[list(mole)].tolist()) for mole in minimal),
    )


def _coherent(
    bits: Bits, supports: NDArray[np.int64], secret: Bits, model: Coherence
) -> NDArray[np.bool_]:
    """Which of these sets are held by k rows and give no private item away."""
    good = supports >= model.k
    for line in secret:
        share = population(bits[good] & line) / np.maximum(supports[good], 1)
        good[good] = share <= model.h + 1e-12
    return good


def suppressions(moles: Moles, supports: NDArray[np.int64]) -> tuple[int, ...]:
    """The items to suppress, in order: single moles, then greedily the best trade.

    The trade of an item is the number of minimal moles it ends per occurrence it costs. The
    support of other sets does not change by suppression, so no mole is ever searched again.

    >>> suppressions(Moles((), ((0, 2), (1, 2))), np.array([3, 3, 3]))
    (2,)
    """
    chosen = list(moles.single)
    holding: dict[int, set[int]] = {}
    for number, mole in enumerate(moles.minimal):
        for item in mole:
            holding.setdefault(item, set()).add(number)
    while holding:
        best = min(holding, key=lambda item: (-len(holding[item]) / int(supports[item]), item))
        chosen.append(best)
        ended = holding.pop(best)
        for number in ended:
            for item in moles.minimal[number]:
                if item != best:
                    holding[item].discard(number)
        holding = {item: left for item, left in holding.items() if left}
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
            f"{model.k} baskets or gives a private item away with a probability above {model.h:g}",
            assumption="the attacker knows public items only, and at most so many",
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
    gone = np.zeros(rows.n_items, bool)
    gone[list(items)] = True
    stay = ~gone[rows.items]
    kept = np.concatenate([[0], np.cumsum(stay)])
    return replace(rows, offsets=kept[rows.offsets].astype(np.int64), items=rows.items[stay])
