"""Edits: rows while they are edited, and every cell that changed, so that all can be undone.

The log gives the original back to whoever holds it. It stays with the steward and is part of no
release.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Assortment, Itemset, Transactions
from halfmask.errors import BadInput
from halfmask.methods.hiding.index import Index

Numbers: TypeAlias = Sequence[int] | NDArray[np.int64]


class Cell(IntEnum):
    """What a row says about an item."""

    OUT = 0
    IN = 1
    UNKNOWN = 2


@dataclass(frozen=True, eq=False)
class Edits:
    """The log: in row `rows[e]` the cell of `items[e]` went from `before[e]` to `after[e]`.

    >>> log = Edits.removals([0, 1], [2, 2])
    >>> len(log), log.rows_changed, log.count(Cell.OUT)
    (2, 2, 2)
    """

    rows: NDArray[np.int64]
    items: NDArray[np.int64]
    before: NDArray[np.int8]
    after: NDArray[np.int8]

    @classmethod
    def of(cls, edits: Sequence[tuple[int, int, Cell, Cell]]) -> Edits:
        """A log from (row, item, before, after), in order."""
        table = np.array(edits, np.int64).reshape(len(edits), 4)
        return cls(
            table[:, 0], table[:, 1], table[:, 2].astype(np.int8), table[:, 3].astype(np.int8)
        )

    @classmethod
    def removals(cls, rows: Numbers, items: Numbers) -> Edits:
        """A log of items taken out; a cell named twice is taken out once."""
        cells = np.column_stack([np.asarray(rows, np.int64), np.asarray(items, np.int64)])
        _, first = np.unique(cells, axis=0, return_index=True)
        once = cells[np.sort(first)]
        return cls(
            once[:, 0],
            once[:, 1],
            np.full(len(once), Cell.IN, np.int8),
            np.full(len(once), Cell.OUT, np.int8),
        )

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def rows_changed(self) -> int:
        """How many rows an edit touched."""
        return len(np.unique(self.rows))

    def count(self, after: Cell) -> int:
        """How many edits left a cell in this state."""
        return int((self.after == after).sum())

    def reversed(self) -> Edits:
        """The log that takes every edit back, last first."""
        back = slice(None, None, -1)
        return Edits(self.rows[back], self.items[back], self.after[back], self.before[back])


@dataclass(frozen=True, eq=False)
class Marked:
    """Rows with the cells that are in, and the cells that are unknown."""

    certain: Transactions
    unknown: Transactions

    @classmethod
    def plain(cls, rows: Transactions) -> Marked:
        """Rows in which nothing is unknown."""
        nothing = replace(rows, offsets=np.zeros_like(rows.offsets), items=rows.items[:0])
        return cls(rows, nothing)


def apply(edits: Edits, rows: Transactions | Marked) -> Marked:
    """The rows after the edits; the input is untouched.

    >>> rows = Transactions.of([(0, 1), (1,)], n_items=2)
    >>> edited = apply(Edits.removals([0], [1]), rows)
    >>> list(edited.certain), list(undo(Edits.removals([0], [1]), edited))
    ([(0,), (1,)], [(0, 1), (1,)])
    """
    marked = rows if isinstance(rows, Marked) else Marked.plain(rows)
    keys = edits.rows * max(marked.certain.n_items, 1) + edits.items
    # Of several edits of one cell the last decides: np.unique keeps the first of the turned list.
    cells, last = np.unique(keys[::-1], return_index=True)
    state = edits.after[::-1][last]
    return Marked(
        _with_cells(marked.certain, cells, state == Cell.IN),
        _with_cells(marked.unknown, cells, state == Cell.UNKNOWN),
    )


def undo(edits: Edits, published: Transactions | Marked) -> Transactions:
    """The original rows, from the published ones and the log.

    Edits that are made once more change nothing, unless the rows are not those that they left.
    """
    marked = published if isinstance(published, Marked) else Marked.plain(published)
    again = apply(edits, marked).certain
    if not np.array_equal(again.offsets, marked.certain.offsets) or not np.array_equal(
        again.items, marked.certain.items
    ):
        raise BadInput("The log does not belong to these baskets: they are not as it left them.")
    return apply(edits.reversed(), marked).certain


HEAD = ("basket", "item", "before", "after")


def log_lines(edits: Edits, schema: Assortment) -> list[tuple[str, str, str, str]]:
    """The log as lines of text, the first names the columns; baskets are counted from 1.

    >>> log_lines(Edits.removals([0], [1]), Assortment(("beer", "tea")))
    [('basket', 'item', 'before', 'after'), ('1', 'tea', 'in', 'out')]
    """
    states = [state.name.lower() for state in Cell]
    columns = (edits.rows, edits.items, edits.before, edits.after)
    lines = zip(*(column.tolist() for column in columns), strict=True)
    return [HEAD, *((str(r + 1), schema.label(i), states[b], states[a]) for r, i, b, a in lines)]


def read_log(lines: Sequence[Sequence[str]], schema: Assortment, n_rows: int) -> Edits:
    """The log that these lines tell of; the items must be those of the schema.

    >>> lines = [("basket", "item", "before", "after"), ("1", "tea", "in", "out")]
    >>> len(read_log(lines, Assortment(("beer", "tea")), n_rows=2))
    1
    """
    if not lines or tuple(lines[0]) != HEAD:
        raise BadInput(f"A log of edits has the columns {', '.join(HEAD)}.")
    states = {state.name.lower(): state for state in Cell}
    edits = []
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(HEAD) or not line[0].isdigit() or not {*line[2:]} <= states.keys():
            raise BadInput(
                f"Line {number} of the log is not an edit (basket, item, before, after)."
            )
        row = int(line[0]) - 1
        if not 0 <= row < n_rows:
            raise BadInput(f"Line {number} of the log names a basket that the release lacks.")
        edits.append((row, schema.item(line[1]), states[line[2]], states[line[3]]))
    return Edits.of(edits)


def _with_cells(
    rows: Transactions, cells: NDArray[np.int64], held: NDArray[np.bool_]
) -> Transactions:
    """The rows with each of these cells in or out; cells are row × n_items + item, increasing."""
    keys = rows.cells
    place = np.minimum(np.searchsorted(keys, cells), max(len(keys) - 1, 0))
    stay = np.ones(len(keys), bool)
    if len(keys):
        stay[place[keys[place] == cells]] = False
    keys = keys[stay]
    if held.any():
        keys = np.insert(keys, np.searchsorted(keys, cells[held]), cells[held])
    return Transactions.of_cells(keys, rows.weights, rows.n_items)


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
        self.log: list[tuple[int, int, Cell, Cell]] = []
        """What was done so far."""

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

    def support(self, itemset: Itemset) -> int:
        """How many rows hold an itemset now."""
        return self.watch(itemset).support

    def shortest_first(self, itemset: Itemset) -> list[int]:
        """The rows of an itemset now; a row that loses an item leaves, so one sort is enough."""
        return sorted(self.watch(itemset).rows, key=lambda row: (self.length(row), row))

    def best_supported(self, items: Itemset) -> int:
        """The item that most rows hold now."""
        return min(items, key=lambda item: (-self.support((item,)), item))

    def add(self, number: int, item: int) -> None:
        """Put an item into a row."""
        self._changed.setdefault(number, self.row(number)).add(item)
        self.log.append((number, item, Cell.OUT, Cell.IN))
        self._after_edit(number, item)

    def remove(self, number: int, item: int) -> None:
        """Take an item out of a row."""
        self._changed.setdefault(number, self.row(number)).discard(item)
        self.log.append((number, item, Cell.IN, Cell.OUT))
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
