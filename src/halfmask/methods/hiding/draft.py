"""Draft: rows that are being edited, with true counts after every edit."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from halfmask.data import Itemset, Transactions
from halfmask.methods.hiding.index import Index


@dataclass(frozen=True, eq=False, slots=True)
class Watched:
    """An itemset and the rows that hold it now."""

    itemset: Itemset
    rows: set[int]

    @property
    def support(self) -> int:
        """The number of rows that hold the itemset now."""
        return len(self.rows)


class EditDraft:
    """Rows under the pencil: only rows that change are copied.

    Closed forms for the number of edits go wrong as soon as one edit touches two sensitive
    patterns, so the algorithms look at these counts before each edit.

    >>> from halfmask.data import Baskets
    >>> baskets = Baskets.of(["ab", "a", "b"])
    >>> draft = EditDraft(baskets.transactions, Index.of(baskets))
    >>> both = draft.watch((0, 1))
    >>> draft.add(1, 1); both.support
    2
    >>> draft.remove(0, 0); sorted(both.rows)
    [1]
    """

    def __init__(self, original: Transactions, index: Index) -> None:
        self._original = original
        self._index = index
        self._changed: dict[int, set[int]] = {}
        self._watched: dict[Itemset, Watched] = {}
        self._by_item: defaultdict[int, list[Watched]] = defaultdict(list)

    def row(self, number: int) -> set[int]:
        """The items of a row now; not to be changed by the caller."""
        held = self._changed.get(number)
        if held is None:
            bounds = self._original.offsets
            held = set(self._original.items[bounds[number] : bounds[number + 1]].tolist())
        return held

    def length(self, number: int) -> int:
        """The number of items of a row now."""
        held = self._changed.get(number)
        bounds = self._original.offsets
        return int(bounds[number + 1] - bounds[number]) if held is None else len(held)

    def watch(self, itemset: Itemset) -> Watched:
        """Keep the rows of an itemset up to date from now on."""
        known = self._watched.get(itemset)
        if known is not None:
            return known
        watched = Watched(itemset, set(self._index.rows_with(itemset).tolist()))
        for number, held in self._changed.items():
            self._update(watched, number, held)
        self._watched[itemset] = watched
        for item in itemset:
            self._by_item[item].append(watched)
        return watched

    def add(self, number: int, item: int) -> None:
        """Put an item into a row."""
        self._changed.setdefault(number, self.row(number)).add(item)
        self._after_edit(number, item)

    def remove(self, number: int, item: int) -> None:
        """Take an item out of a row."""
        self._changed.setdefault(number, self.row(number)).discard(item)
        self._after_edit(number, item)

    def _after_edit(self, number: int, item: int) -> None:
        for watched in self._by_item[item]:
            self._update(watched, number, self._changed[number])

    @staticmethod
    def _update(watched: Watched, number: int, held: set[int]) -> None:
        if held.issuperset(watched.itemset):
            watched.rows.add(number)
        else:
            watched.rows.discard(number)
