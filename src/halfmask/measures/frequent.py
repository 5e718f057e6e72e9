"""Frequent itemsets of both sides, mined once and matched with each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Baskets, Itemset, Table
from halfmask.errors import NotMeasurable
from halfmask.measures.code_tables import at_a_support_that_fits, itemsets_of
from halfmask.measures.comparison import Comparison
from halfmask.patterns.mining import Itemsets


def itemset_keys(offsets: NDArray[np.int64], items: NDArray[np.int32]) -> NDArray[Any]:
    """One 128-bit key for each itemset, the same whatever the order of its items.

    The key adds up two pseudo-random 64-bit numbers for each item; that two different itemsets
    among a billion share one is less likely than 10⁻²⁰.

    >>> keys = itemset_keys(np.array([0, 2, 4, 5]), np.array([3, 1, 1, 3, 1], np.int32))
    >>> bool(keys[0] == keys[1]), bool(keys[0] == keys[2])
    (True, False)
    """
    return packed_keys(key_words(offsets, items))


def key_words(offsets: NDArray[np.int64], items: NDArray[np.int32]) -> NDArray[np.uint64]:
    """The two words of each key; those of an itemset without an item are the difference."""
    words = []
    for salt in (1, 2):
        per_item = _scrambled(2 * items.astype(np.uint64) + np.uint64(salt))
        running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(per_item, dtype=np.uint64)])
        words.append(running[offsets[1:]] - running[offsets[:-1]])  # modulo 2⁶⁴, as it should
    return np.stack(words, axis=1)


def packed_keys(words: NDArray[np.uint64]) -> NDArray[Any]:
    """One key for the words of each row, which can be compared and sorted."""
    return np.ascontiguousarray(words.astype(">u8")).view(f"V{8 * words.shape[1]}").ravel()


def _scrambled(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of splitmix64: every input bit moves every output bit."""
    z = numbers * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@dataclass(frozen=True, eq=False)
class FrequentSets:
    """What is frequent in the original and in the release, as shares of their rows."""

    original: Itemsets
    release: Itemsets | None
    """None when the release answers questions but cannot be mined."""
    original_share: NDArray[np.float64]
    """The support of each original itemset, as a share of the original's rows."""
    found_share: NDArray[np.float64]
    """The support of each original itemset in the release, as a share of its rows."""
    release_size: float
    min_support: int
    """Frequent in the original: held by so many rows."""
    release_support: float
    """Frequent in the release: held by so many of its rows, the same share."""

    @cached_property
    def common(self) -> NDArray[np.bool_]:
        """Which itemsets of the original are frequent in the release too."""
        return np.asarray(self.found_share * self.release_size >= self.release_support - 1e-9)

    @property
    def difference(self) -> NDArray[np.float64]:
        """By how much the support of the common itemsets moved, as a share of rows."""
        return (self.found_share - self.original_share)[self.common]

    @cached_property
    def new_shares(self) -> NDArray[np.float64]:
        """The support of what is frequent in the release only."""
        if self.release is None:
            raise NotMeasurable("This release cannot be mined, so its new patterns are unknown.")
        new = matched(self.release, self.original) < 0
        return np.asarray(self.release.supports[new] / self.release_size)


def frequent_sets(comparison: Comparison) -> FrequentSets:
    """The frequent itemsets of both sides at the same relative support."""
    return comparison.once("frequent sets", _mine_both)


def _mine_both(comparison: Comparison) -> FrequentSets:
    return at_a_support_that_fits(comparison, lambda support: _mine(comparison, support))


def _mine(comparison: Comparison, support: int) -> FrequentSets:
    original, release = comparison.original_side, comparison.release_side
    mined = itemsets_of(comparison, original, support)
    floor = support * release.size / original.size
    theirs = None
    if isinstance(release.data, Table | Baskets):
        least = max(1, math.ceil(floor - 1e-9))
        theirs = itemsets_of(comparison, release, least)
        found = matched(mined, theirs)
        rest = np.flatnonzero(found < 0)
        found[rest] = release.distinct.supports(mined.rows(rest, release.distinct.n_items))
    else:
        found = release.data.support(_itemsets(mined, np.arange(len(mined))))
    return FrequentSets(
        mined, theirs, mined.supports / original.size, found / release.size,
        release_size=release.size, min_support=support, release_support=max(floor, 1e-9),
    )  # fmt: skip


def matched(first: Itemsets, second: Itemsets) -> NDArray[np.float64]:
    """The support in the second list of each itemset of the first; -1 where it is not listed."""
    wanted, listed = (key_words(s.offsets, s.items) for s in (first, second))
    place = _places(wanted, listed)
    found = np.full(len(place), -1.0)
    found[place >= 0] = second.supports[place[place >= 0]]
    return found


def _places(wanted: NDArray[np.uint64], listed: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Where each key stands in a list of different keys; -1 where it does not.

    One word is looked up, for whole numbers are found far faster than pairs of them, and the other
    confirms; two keys that share the first word are told apart by looking at the next.
    """
    place = np.full(len(wanted), -1)
    if not len(listed):
        return place
    order = np.argsort(listed[:, 0])
    by_word = listed[order]
    at = np.searchsorted(by_word[:, 0], wanted[:, 0])
    open_ = np.arange(len(wanted))
    while len(open_):
        open_ = open_[at[open_] < len(listed)]
        found = by_word[at[open_]]
        same = found == wanted[open_]
        place[open_[same.all(axis=1)]] = order[at[open_[same.all(axis=1)]]]
        open_ = open_[same[:, 0] & ~same[:, 1]]
        at[open_] += 1
    return place


def _itemsets(mined: Itemsets, which: Sequence[int] | NDArray[np.intp]) -> list[Itemset]:
    starts, stops = mined.offsets[:-1], mined.offsets[1:]
    return [tuple(sorted(mined.items[starts[i] : stops[i]].tolist())) for i in which]
