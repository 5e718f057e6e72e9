"""CodeTable: patterns in cover order with their usages, the model of an original.

Cover and encode rows with the elements of a code table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfmask import _native
from halfmask.data import Alphabet, Itemset, Transactions
from halfmask.errors import BadInput


@dataclass(frozen=True, eq=False)
class Encoded:
    """A database written in the codes of a table."""

    bits: NDArray[np.float64]
    """The length of each row; of one copy where a row stands for several."""
    set_usages: NDArray[np.int64]
    """How many of these rows use each set, in cover order."""
    item_usages: NDArray[np.int64]
    """How many of these rows use each single item."""
    total: float
    """The length of the whole database."""


def cover(row: Iterable[int], sets: Sequence[Itemset]) -> tuple[Itemset, ...]:
    """The elements that cover one row: sets in cover order as they still fit, then single items.

    >>> cover((0, 1, 2, 3), [(0, 1), (1, 2)])
    ((0, 1), (2,), (3,))
    """
    left = set(row)
    used: list[Itemset] = []
    for itemset in sets:
        if left.issuperset(itemset):
            used.append(itemset)
            left.difference_update(itemset)
    return (*used, *((item,) for item in sorted(left)))


def encode(
    rows: Transactions,
    sets: Transactions,
    set_bits: NDArray[np.float64],
    item_bits: NDArray[np.float64],
) -> Encoded:
    """Rows in given codes; an element without a code (usage 0) has infinite length."""
    bits, usages = _native.encode(
        *rows.arrays, sets.offsets, sets.items, np.concatenate([set_bits, item_bits])
    )
    return Encoded(
        bits, usages[: len(sets)], usages[len(sets) :], float((bits * rows.weights).sum())
    )


_LARGEST_COUNT = 2**53
"""Sums of counts up to here are exact also as floating-point numbers."""


@dataclass(frozen=True, slots=True)
class Bits:
    """The size of an original and of the table that encodes it."""

    database: float
    table: float

    @property
    def total(self) -> float:
        """What the search makes small."""
        return self.database + self.table


@dataclass(frozen=True, slots=True)
class Pattern:
    """One element of a code table as a person reads it."""

    labels: tuple[str, ...]
    items: Itemset
    usage: int
    """How many rows it helps to cover."""
    support: int
    """How many rows contain it."""
    bits: float | None
    """The length of its code; an unused pattern has none."""


@dataclass(frozen=True, eq=False)
class CodeTable:
    """Sets of two or more items in cover order, and all single items, with usages and supports.

    Cover order is longest first, and within one length the order in which the search took them.
    The counts are those of the original of `rows` rows: each of its cells is covered once.

    >>> from halfmask.data import Assortment
    >>> table = CodeTable(Assortment(("a", "b", "c")), [(0, 1)], [3], [3], [0, 1, 2], [3, 4, 2], 5)
    >>> table.cover((0, 1, 2))
    ((0, 1), (2,))
    >>> [(p.labels, p.usage, p.bits) for p in table.patterns()][0]
    (('a', 'b'), 3, 1.0)
    """

    schema: Alphabet
    sets: tuple[Itemset, ...]
    usages: NDArray[np.int64]
    supports: NDArray[np.int64]
    item_usages: NDArray[np.int64]
    item_supports: NDArray[np.int64]
    rows: int
    off_by: int = 0
    """No count is further than this from that of the original; 0 where they are exact."""

    def __init__(  # noqa: PLR0913, PLR0917 - the facts of a table
        self,
        schema: Alphabet,
        sets: Iterable[Iterable[int]],
        usages: ArrayLike,
        supports: ArrayLike,
        item_usages: ArrayLike,
        item_supports: ArrayLike,
        rows: int,
        off_by: int = 0,
    ) -> None:
        set_ = object.__setattr__
        set_(self, "schema", schema)
        set_(self, "sets", tuple(tuple(int(i) for i in itemset) for itemset in sets))
        set_(self, "usages", _counts("usages of sets", usages, len(self.sets)))
        set_(self, "supports", _counts("supports of sets", supports, len(self.sets)))
        set_(self, "item_usages", _counts("usages of items", item_usages, schema.n_items))
        set_(self, "item_supports", _counts("supports of items", item_supports, schema.n_items))
        set_(self, "rows", int(rows))
        set_(self, "off_by", int(off_by))
        self._check_sets()
        self._check_counts()

    def _check_sets(self) -> None:
        n_items = self.schema.n_items
        for itemset in self.sets:
            if len(itemset) < 2 or any(a >= b for a, b in pairwise(itemset)):
                raise BadInput(
                    "A set of a code table has two or more items in increasing order; one has "
                    f"{len(itemset)} items or is not in order."
                )
            if itemset[0] < 0 or itemset[-1] >= n_items:
                raise BadInput(
                    f"A set of the code table holds an item outside the schema's {n_items:,} items."
                )
        lengths = [len(itemset) for itemset in self.sets]
        if any(a < b for a, b in pairwise(lengths)):
            raise BadInput("The sets of a code table must be in cover order: longest first.")
        if len(set(self.sets)) != len(self.sets):
            raise BadInput("A set occurs twice in the code table.")

    def _check_counts(self) -> None:
        if (self.usages > self.supports).any() or (self.item_usages > self.item_supports).any():
            raise BadInput("An element of the code table is used by more rows than contain it.")
        if (self.item_supports > self.rows + self.off_by).any():
            raise BadInput(f"An item is in more rows than the {self.rows:,} of the original.")
        flat = self.elements.items
        set_of, n_items = self.elements.row_of, self.schema.n_items
        covered = np.bincount(flat, self.usages[set_of], minlength=n_items)
        slack = self.off_by * (2 + np.bincount(flat, minlength=n_items))
        if (np.abs(covered + self.item_usages - self.item_supports) > slack).any():
            raise BadInput(
                "The usages of the code table do not add up: "
                "the elements that hold an item must cover each of its rows once."
            )
        if (self.supports[set_of] > self.item_supports[flat]).any():
            raise BadInput("A set of the code table is in more rows than one of its items.")

    @cached_property
    def elements(self) -> Transactions:
        """The sets as compressed rows, in cover order."""
        return Transactions.of(self.sets, self.schema.n_items)

    def __len__(self) -> int:
        return len(self.sets)

    @cached_property
    def usage_sum(self) -> int:
        """S, the number of codes that the original is written in."""
        return int(self.usages.sum() + self.item_usages.sum())

    @cached_property
    def set_bits(self) -> NDArray[np.float64]:
        """The code length of every set; infinite where the usage is 0."""
        return _code_lengths(self.usages, self.usage_sum)

    @cached_property
    def item_bits(self) -> NDArray[np.float64]:
        """The code length of every single item; infinite where the usage is 0."""
        return _code_lengths(self.item_usages, self.usage_sum)

    @cached_property
    def bits(self) -> Bits:
        """The sizes of the original and of this table.

        L(D|CT) = Σ usage(X) · l(X) and L(CT|D) = Σ (st(X) + l(X)) over used elements, where st(X)
        sums -log2(count(i) / sum of all counts) over the items of X.
        """
        standard = _code_lengths(self.item_supports, int(self.item_supports.sum()))
        offsets = self.elements.offsets
        running = np.concatenate([[0.0], np.cumsum(standard[self.elements.items])])
        st_sets = running[offsets[1:]] - running[offsets[:-1]]
        usage = np.concatenate([self.usages, self.item_usages])
        used = usage > 0
        lengths = np.concatenate([self.set_bits, self.item_bits])[used]
        st = np.concatenate([st_sets, standard])[used]
        return Bits(float((usage[used] * lengths).sum()), float((st + lengths).sum()))

    @property
    def compression_ratio(self) -> float:
        """The size of original and table, beside that with single items only: smaller is better.

        L(D, CT) / L(D, ST) of the literature; 1 where there are no sets.
        """
        alone = self.item_supports
        standard = CodeTable(self.schema, [], [], [], alone, alone, self.rows, self.off_by)
        return self.bits.total / standard.bits.total if standard.bits.total else 1.0

    def cover(self, row: Iterable[int]) -> tuple[Itemset, ...]:
        """The elements that cover a row of item numbers."""
        return cover(row, self.sets)

    def encode(self, rows: Transactions, *, laplace: int = 0) -> Encoded:
        """Rows in the codes of this table; `laplace` is added to every usage first.

        With 0 a row that needs an unused element has infinite length; with 1 every row over the
        schema has a finite one.
        """
        if rows.n_items != self.schema.n_items:
            raise BadInput(
                f"The rows are over {rows.n_items:,} items, the code table over "
                f"{self.schema.n_items:,}; both sides need one schema."
            )
        if laplace < 0:
            raise BadInput(f"The Laplace correction is at least 0, not {laplace}.")
        elements = len(self.sets) + self.schema.n_items
        total = self.usage_sum + laplace * elements
        return encode(
            rows,
            self.elements,
            _code_lengths(self.usages + laplace, total),
            _code_lengths(self.item_usages + laplace, total),
        )

    def patterns(self, *, unused: bool = False) -> list[Pattern]:
        """The elements as a person reads them, in cover order, then the single items."""
        single = [(item,) for item in range(self.schema.n_items)]
        listing = [
            *self._listing(self.sets, self.usages, self.supports, self.set_bits),
            *self._listing(single, self.item_usages, self.item_supports, self.item_bits),
        ]
        return [pattern for pattern in listing if unused or pattern.usage > 0]

    def _listing(
        self,
        itemsets: Sequence[Itemset],
        usages: NDArray[np.int64],
        supports: NDArray[np.int64],
        bits: NDArray[np.float64],
    ) -> list[Pattern]:
        return [
            Pattern(
                tuple(self.schema.label(item) for item in itemset),
                itemset,
                usage,
                support,
                length if usage else None,
            )
            for itemset, usage, support, length in zip(
                itemsets, usages.tolist(), supports.tolist(), bits.tolist(), strict=True
            )
        ]


def _counts(name: str, values: ArrayLike, length: int) -> NDArray[np.int64]:
    array = np.array(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.shape != (length,) or not np.issubdtype(array.dtype, np.integer):
        raise BadInput(f"The {name} must be {length:,} whole numbers.")
    if (array < 0).any():
        raise BadInput(f"The {name} must not be negative.")
    if (array > _LARGEST_COUNT).any():
        raise BadInput(f"The {name} are too large to be counts of rows.")
    array = array.astype(np.int64)
    array.setflags(write=False)
    return array


def _code_lengths(usages: NDArray[np.int64], total: int) -> NDArray[np.float64]:
    """-log2(usage / total), infinite for usage 0."""
    lengths = np.full(len(usages), np.inf)
    used = usages > 0
    lengths[used] = np.log2(max(total, 1)) - np.log2(usages[used])
    return lengths
