"""Checked margins: tables of counts that many rows stand behind, the rest of each as one number.

Checked margins of baskets: how many baskets hold an item or a set, where many do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from halfmask.data.countable import Countable
from halfmask.data.rounding import to_base
from halfmask.data.schema import Schema
from halfmask.data.target_trees import TargetTrees
from halfmask.data.transactions import Transactions
from halfmask.errors import BadInput


@dataclass(frozen=True, eq=False)
class BasketMargins:
    """Sets of up to `order` items with the baskets that hold them; nothing is told of others.

    >>> sets = Transactions.of([(0,), (1,), (0, 1)], n_items=2)
    >>> margins = BasketMargins(sets, np.array([30, 25, 20]), rows=50, min_support=20, order=2)
    >>> margins.smallest, list(margins.limited(1).sets)
    (20, [(0,), (1,)])
    """

    sets: Transactions
    """Shorter ones first, then by their items."""
    counts: NDArray[np.int64]
    rows: int
    """The baskets of the original."""
    min_support: int
    """The smallest count that may be told."""
    order: int
    held: NDArray[np.int64] = field(init=False, repr=False)
    """The number of items of each set."""

    def __post_init__(self) -> None:
        counts = np.ascontiguousarray(self.counts, np.int64)
        if counts.shape != (len(self.sets),):
            raise BadInput("A margin of baskets has a count for each set.")
        if len(counts) and not (self.min_support <= counts.min() and counts.max() <= self.rows):
            raise BadInput(
                "A set is held by fewer baskets than the minimum support, or by "
                "more than there are."
            )
        held = self.sets.lengths
        if len(held) and not (held.min() >= 1 and held.max() <= self.order):
            raise BadInput(f"A margin of baskets is a set of 1 to {self.order} items.")
        listed = [(len(items), items) for items in self.sets]
        if any(one >= other for one, other in pairwise(listed)):
            raise BadInput("The margins of baskets are listed shortest first, each once.")
        for array in (counts, held):
            array.setflags(write=False)
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "held", held)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def smallest(self) -> int | None:
        """The smallest count that is told; none where there is no set."""
        return int(self.counts.min()) if len(self.counts) else None

    def limited(self, order: int) -> BasketMargins:
        """Only the sets of up to so many items."""
        if order >= self.order:
            return self
        stop = int(np.searchsorted(self.held, order, side="right"))
        offsets, items = self.sets.offsets[: stop + 1], self.sets.items
        kept = Transactions(
            offsets, items[: offsets[-1]], np.ones(stop, np.int64), self.sets.n_items
        )
        return BasketMargins(kept, self.counts[:stop], self.rows, self.min_support, order)


@dataclass(frozen=True, eq=False)
class Margin:
    """A table over some attributes: the cells that enough rows hold, and one remainder.

    >>> from halfmask.data import Attribute, Table
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> table = Table(schema, np.array([[0, 0]] * 9 + [[0, 1]] * 2 + [[1, 0]] * 7 + [[1, 1]] * 3))
    >>> margin = Margin.of(table, schema, ("sex", "ill"), min_support=5)
    >>> margin.cells.tolist(), margin.counts.tolist(), margin.remainder
    ([[0, 0], [1, 0]], [9, 7], 5)
    """

    attributes: tuple[str, ...]
    cells: NDArray[np.int32]
    """A line of codes, one for each attribute, for each cell that is told."""
    counts: NDArray[np.int64]
    remainder: int
    """The rows in all other cells together."""

    def __post_init__(self) -> None:
        if len(set(self.attributes)) != len(self.attributes) or not self.attributes:
            raise BadInput("A margin names each of its attributes once, and at least one.")
        cells = np.ascontiguousarray(self.cells, np.int32).reshape(-1, len(self.attributes))
        counts = np.ascontiguousarray(self.counts, np.int64)
        if counts.shape != (len(cells),) or (counts < 1).any() or self.remainder < 0:
            raise BadInput("A margin has a count above 0 for each cell, and a remainder.")
        if len(np.unique(cells, axis=0)) != len(cells):
            raise BadInput("A margin lists a cell twice.")
        for array in (cells, counts):
            array.setflags(write=False)
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "counts", counts)

    @classmethod
    def of(
        cls,
        data: Countable,
        schema: Schema,
        attributes: Sequence[str],
        *,
        min_support: int,
        base: int = 1,
    ) -> Margin:
        """Count a table."""
        counts = data.marginal(attributes)
        return cls.counted(counts, schema, attributes, min_support=min_support, base=base)

    @classmethod
    def counted(
        cls,
        found: NDArray[np.float64],
        schema: Schema,
        attributes: Sequence[str],
        *,
        min_support: int,
        base: int = 1,
    ) -> Margin:
        """The table of these counts; cells below the floor go into the remainder.

        The others are rounded to `base`. A remainder of a few rows would be as telling as a cell of
        a few, so the smallest cell joins them where they are fewer than the floor.
        """
        counts = found.reshape(-1).astype(np.int64)
        disclosed = counts >= min_support
        if 0 < counts[~disclosed].sum() < min_support and disclosed.any():
            smallest = np.flatnonzero(disclosed)[counts[disclosed].argmin()]
            disclosed[smallest] = False
        shape = [schema[name].size for name in attributes]
        cells = np.stack(np.unravel_index(np.flatnonzero(disclosed), shape), axis=1)
        rounded = to_base(counts[disclosed], base)
        rest = int(to_base(counts[~disclosed].sum(keepdims=True), base)[0])
        return cls(tuple(attributes), cells.astype(np.int32), rounded, rest)

    @property
    def rows(self) -> int:
        """The rows that have a value of each attribute."""
        return int(self.counts.sum()) + self.remainder

    def shares(self) -> NDArray[np.float64]:
        """The share of the remainder, then of each cell."""
        return np.concatenate([[self.remainder], self.counts]) / max(self.rows, 1)

    def classes(self, schema: Schema) -> NDArray[np.int32]:
        """For each cell of the whole table in order: 0 in the remainder, else its line from 1."""
        sizes = [schema[name].size for name in self.attributes]
        classes = np.zeros(int(np.prod(sizes)), np.int32)
        places = np.ravel_multi_index(tuple(self.cells.T), sizes)
        classes[places] = np.arange(1, len(self.cells) + 1, dtype=np.int32)
        return classes

    def __str__(self) -> str:
        return " × ".join(self.attributes)


@dataclass(frozen=True, eq=False)
class Margins:
    """The margins of an original that a release is to meet, and the floor they respect."""

    tables: tuple[Margin, ...]
    min_support: int
    base: int = 1
    """What counts were rounded to; 1 is not at all."""
    target_trees: TargetTrees | None = None
    """What is told of the column that readers will predict, along splits about the others."""
    estimated: bool = False
    """Whether the counts are estimates from models of several sites, and not those of rows."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", tuple(self.tables))
        if min(self._along, default=self.min_support) + self.base // 2 < self.min_support:
            raise BadInput("A leaf discloses a count below the minimum support.")
        for margin in self.tables:
            least = margin.counts.min(initial=self.min_support) + self.base // 2
            if least < self.min_support:
                raise BadInput(
                    f"A cell of {margin} is held by fewer rows than the minimum support."
                )

    def __iter__(self) -> Iterator[Margin]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    @property
    def cells(self) -> int:
        """How many cells are told in all."""
        return len(self._along) + sum(len(margin.cells) for margin in self.tables)

    @property
    def smallest(self) -> int | None:
        """The smallest count that is told; none where there is no cell."""
        counts = [int(margin.counts.min()) for margin in self.tables if len(margin.counts)]
        return min([*counts, *self._along], default=None)

    @property
    def _along(self) -> list[int]:
        """The counts that are told along trees."""
        return [] if self.target_trees is None else self.target_trees.counts

    def to_rows(self, schema: Schema) -> Iterator[dict[str, str | int | None]]:
        """Every count on a line: table, cell and count; the rest of a table has no cell."""
        for margin in self.tables:
            items = [schema.items_of(name).start for name in margin.attributes]
            for cell, count in zip(margin.cells + items, margin.counts.tolist(), strict=True):
                labels = ", ".join(schema.label(int(item)) for item in cell)
                yield {"table": str(margin), "cell": labels, "count": count}
            yield {"table": str(margin), "cell": None, "count": margin.remainder}
        if self.target_trees is not None:
            yield from self.target_trees.to_rows(schema)

    @property
    def order(self) -> int:
        """The attributes of the widest table; 0 without any."""
        return max((len(margin.attributes) for margin in self.tables), default=0)
