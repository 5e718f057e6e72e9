"""Ladders: how the values of a column become more general, step by step, until nothing is told.

Numbers and dates go from their bins to two, four, … neighbouring bins together. Other values go up
a hierarchy that the steward gave. The last step leaves the cell empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Assortment, Attribute, Encoding, Schema
from halfmask.data.coding.bins import Bins
from halfmask.errors import BadInput
from halfmask.methods.names import items_named
from halfmask.methods.suppression.hierarchy import Hierarchy, hierarchy_lines

Names = tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class Ladder:
    """Under which name each value of a column is published, level by level.

    >>> ladder = Ladder((("Bari", "Lodi", "Rome"), ("south", "north", "south"), (None,) * 3))
    >>> ladder.depth, ladder.codes(1).tolist(), ladder.heights(1).tolist()
    (2, [0, 1, 0], [0.5, 0.5, 0.5])
    """

    levels: tuple[Names, ...]
    grouped: tuple[bool, ...] = ()
    """Which values stand for several already, such as a range of numbers: one step up."""

    @property
    def top(self) -> int:
        """The highest level."""
        return len(self.levels) - 1

    @property
    def depth(self) -> int:
        """|GT|: how many steps lead from a value of the original to the highest level."""
        return self.top + any(self.grouped)

    def names(self, level: int) -> Names:
        """The different names of a level, in the order of their first value."""
        return tuple(dict.fromkeys(self.levels[level]))

    def codes(self, level: int) -> NDArray[np.int64]:
        """For each value the number of its name."""
        place = {name: n for n, name in enumerate(self.names(level))}
        return np.array([place[name] for name in self.levels[level]], np.int64)

    def heights(self, level: int) -> NDArray[np.float64]:
        """The detail that is lost in a cell of each value: h / |GT| [Bertino & Nai Fovino, (8)]."""
        if not self.depth:
            return np.zeros(len(self.levels[0]))
        if not level:
            return np.array(self.grouped or [False] * len(self.levels[0])) / self.depth
        return np.full(len(self.levels[0]), (level + any(self.grouped)) / self.depth)


@dataclass(frozen=True)
class Ladders:
    """The ladders of a table's columns."""

    encoding: Encoding
    trees: Mapping[str, Hierarchy]

    @cached_property
    def schema(self) -> Schema:
        """The columns."""
        return self.encoding.schema

    def of(self, name: str) -> Ladder:
        """The ladder of a column; one that is not to be generalised has a single level."""
        attribute = self.schema[name]
        levels: list[Names] = [attribute.values]
        if attribute.bins is not None:
            levels += _joined(attribute, attribute.bins)
        elif name in self.trees:
            levels += _lifted(attribute, self.trees[name])
        if attribute.size > 1:
            levels.append((None,) * attribute.size)
        return Ladder(tuple(levels), self.grouped(name))

    def grouped(self, name: str) -> tuple[bool, ...]:
        """Which values of a column stand for a range, or for several rare ones."""
        attribute = self.schema[name]
        if attribute.bins is not None:
            wide = [bin_[0].low < bin_[-1].high for bin_ in attribute.bins.bins]
            return (*wide, *[False] * (attribute.size - len(wide)))
        held = [c for c in self.encoding.code_of[self.schema.position(name)].values() if c >= 0]
        return tuple(count > 1 for count in np.bincount(held, minlength=attribute.size).tolist())


def _joined(attribute: Attribute, bins: Bins) -> list[Names]:
    """Two, four, … neighbouring bins under one name; what is no number keeps its own."""
    ends = [(bin_[0].low, bin_[-1].high) for bin_ in bins.bins]
    scale = bins.scale if bins.clock is None else bins.scale.days
    levels: list[Names] = []
    width = 2
    while width < len(ends):
        names: list[str | None] = []
        for start in range(0, len(ends), width):
            part = ends[start : start + width]
            low, high = scale.texts(np.array([part[0][0], part[-1][1]], np.int64))
            names += [f"{low} to {high}"] * len(part)
        levels.append((*names, *attribute.values[len(ends) :]))
        width *= 2
    return levels


def _lifted(attribute: Attribute, tree: Hierarchy) -> list[Names]:
    """The groups above each value; a value without any more keeps the last it has."""
    paths = {
        name: [tree.names[node] for node in tree.ancestors(number)]
        for number, name in enumerate(tree.names[: tree.n_items])
    }
    levels: list[Names] = []
    for step in range(tree.depth):
        above = [
            None if name is None else paths[name][min(step, len(paths[name]) - 1)]
            for name in attribute.values
        ]
        if len(set(above)) > 1:  # one name for all says no more than an empty cell
            levels.append(tuple(above))
    return levels


def column_hierarchies(text: str, schema: Schema) -> dict[str, Hierarchy]:
    r"""Read how values may be generalised: `town=Rome, town=Bari -> south`, one group a line.

    >>> schema = Schema((Attribute("town", ("Bari", "Lodi", "Rome")),))
    >>> lines = "town=Bari, town=Rome -> south\ntown=Lodi -> north\nnorth, south -> Italy"
    >>> column_hierarchies(text=lines, schema=schema)["town"].names
    ('Bari', 'Lodi', 'Rome', 'south', 'north', 'Italy')
    """
    column_of: dict[str, str] = {}
    parents: dict[str, dict[str, str]] = {}
    for number, names, group in hierarchy_lines(text):
        for name in names:
            column, value = (
                (column_of[name], name) if name in column_of else _cell(name, schema, number)
            )
            if column_of.setdefault(group, column) != column:
                raise BadInput(
                    f"Line {number} of the hierarchy puts values of two columns into the group "
                    f"{group!r}; a group belongs to one column."
                )
            above = parents.setdefault(column, {})
            if above.setdefault(value, group) != group:
                raise BadInput(f"Line {number} of the hierarchy puts {name!r} into a second group.")
    return {
        column: Hierarchy.of(above, Assortment(tuple(v for v in schema[column].values if v)))
        for column, above in parents.items()
    }


def _cell(name: str, schema: Schema, line: int) -> tuple[str, str]:
    """The column and the value that `column=value` names."""
    if "=" not in name:
        raise BadInput(
            f"Line {line} of the hierarchy: {name!r} is neither a value (write column=value) nor a "
            "group of a line above."
        )
    items = items_named(schema, name)
    column = schema.attributes[int(schema.domains[items[0]])]
    value = column.values[items[0] - int(schema.offsets[schema.position(column.name)])]
    if value is None:
        raise BadInput(f"Line {line} of the hierarchy: a missing value belongs to no group.")
    return column.name, value
