"""Counted rows: rows that lie elsewhere, as the combinations of values that they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from halfmask.data.column import Column, counted_together
from halfmask.errors import BadInput

MOST_COMBINATIONS = 2_000_000
"""Different combinations of some columns that are counted: about 400 MB of memory."""
Names: TypeAlias = tuple[str, ...]
Combinations: TypeAlias = Counter[tuple[str | None, ...]]
"""How many rows hold each combination of labels."""


@dataclass
class CountedRows:
    """Of sets of columns that somebody reads together how many rows hold each combination.

    >>> sex, ill = Column.of("sex", ["f", "m", "f"]), Column.of("ill", ["no", "no", "yes"])
    >>> counted = CountedRows.of([("ill",), ("sex", "ill")], [[sex, ill], [sex, ill]])
    >>> counted.size, dict(counted["ill",])
    (6, {('no',): 4, ('yes',): 2})
    """

    size: int = 0
    """The number of rows."""
    sets: dict[Names, Combinations | None] = field(default_factory=dict)
    """None where there are too many combinations."""
    known: Names = ()
    """All columns of the rows."""

    @classmethod
    def of(cls, sets: Iterable[Names], pieces: Iterable[Sequence[Column]]) -> CountedRows:
        """Those of rows that come a piece at a time; a column that is not there has no values."""
        found = cls(0, {names: Counter() for names in sets})
        for columns in pieces:
            by_name = {column.name: column for column in columns}
            rows, known = len(columns[0]), tuple(by_name)
            for name in {name for names in found.sets for name in names if name not in by_name}:
                by_name[name] = Column(name, (None,), np.zeros(rows, np.int8))
            together = {
                names: Counter(counted_together([by_name[name] for name in names]))
                for names in found.sets
            }
            found.add(cls(rows, dict(together), known))
        return found

    def add(self, other: CountedRows) -> CountedRows:
        """With those of other rows."""
        self.size += other.size
        self.known = self.known or other.known
        for names, more in other.sets.items():
            held = self.sets[names]
            if held is None or more is None:
                self.sets[names] = None
                continue
            held.update(more)
            if len(held) > MOST_COMBINATIONS:
                self.sets[names] = None
        return self

    def without(self, columns: Sequence[Column]) -> CountedRows:
        """Those that are left when these rows are taken off."""
        apart = CountedRows.of(self.sets, [columns])
        left = {
            names: None if held is None else held - (apart.sets[names] or Counter())
            for names, held in self.sets.items()
        }
        return CountedRows(self.size - apart.size, left, self.known)

    def __getitem__(self, names: Names) -> Combinations:
        held = self.sets[names]
        if held is None:
            raise BadInput(
                f"The columns {', '.join(map(repr, names))} hold more than {MOST_COMBINATIONS:,} "
                "different combinations, too many to be counted together; leave out what reads "
                "them together, or round their values first."
            )
        return held

    def columns(self, names: Names) -> tuple[list[Column], list[int]]:
        """Each combination as a row of these columns, and how many rows hold it."""
        held = self[names]
        cells = zip(*held, strict=True) if held else ([] for _ in names)
        columns = [Column.of(n, list(each)) for n, each in zip(names, cells, strict=True)]
        return columns, list(held.values())
