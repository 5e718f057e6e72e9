"""Which item of a sensitive itemset is taken out (Oliveira & Zaïane 2002)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Itemset

__all__ = ["greedy_victims", "grouped_victims", "largest_victim", "smallest_victim"]

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
