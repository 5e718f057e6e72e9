"""Attribute and Schema: which columns a table has and which values each may take.

Keys: columns that number the rows, and the fresh numbers that stand in their place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.bins import Bins
from halfmask.data.coding.ranks import Ranks
from halfmask.errors import BadInput, UnknownName
from halfmask.randomness import stream_from


@dataclass(frozen=True, slots=True)
class Attribute:
    """One column: its name, its values in order, and the type they are stored in outside.

    A value is held as text (`None` is the missing value); `storage` names the Arrow type that the
    text is read back into, so an integer column comes back as integers. Numbers and dates that
    were cut into `bins` have the names of the bins for values, then the reasons for a missing one.

    >>> Attribute("age", ("20", "30", None), storage="int64").size
    3
    """

    name: str
    values: tuple[str | None, ...]
    storage: str = "string"
    bins: Bins | None = None
    keeps_rare: bool = False
    """Whether the steward asked to keep the rare values of this column though not of others."""

    def __post_init__(self) -> None:
        if len(set(self.values)) != len(self.values):
            raise BadInput(f"Column {self.name!r} lists a value twice.")
        if self.bins is not None:
            named = (*self.bins.labels, *self.bins.codes)
            if self.values not in (named, (*named, None)):
                raise BadInput(f"The values of column {self.name!r} are not those of its bins.")

    @property
    def size(self) -> int:
        """The number of values: the size of the domain."""
        return len(self.values)

    def code(self, value: str | None) -> int:
        """The code of a value."""
        try:
            return self.values.index(value)
        except ValueError:
            known = [v for v in self.values if v is not None]
            raise UnknownName(f"value of column {self.name!r}", str(value), known) from None


KeyStyle = Literal["number", "text", "uuid"]


@dataclass(frozen=True, slots=True)
class Key:
    """A column that tells every row from every other: a release numbers its rows afresh.

    >>> Key("id", 0).fresh(2, first=10, stream=1)
    ['11', '12']
    >>> Key("id", 0, "string", "text").fresh(1, first=0, stream=1)
    ['00000001']
    """

    name: str
    position: int
    """Where the column stands in the release."""
    storage: str = "int64"
    style: KeyStyle = "number"

    def __post_init__(self) -> None:
        if self.style not in get_args(KeyStyle) or self.position < 0:
            raise BadInput(f"The key {self.name!r} has an unknown place or style.")

    def fresh(self, rows: int, *, first: int, stream: int) -> list[str]:
        """New keys for the rows after the `first` ones; they say nothing about the old.

        `stream` keys the randomness of UUIDs: a row has the same however the table is cut.
        """
        if self.style == "uuid":
            words = stream_from(stream, 2 * first).bytes(16 * rows)
            return [str(UUID(bytes=words[16 * i : 16 * i + 16], version=4)) for i in range(rows)]
        width = 8 if self.style == "text" else 1
        return [f"{number:0{width}d}" for number in range(first + 1, first + rows + 1)]


@dataclass(frozen=True, slots=True)
class Derived:
    """A column that follows from another: no part of the coded table, looked up for a release."""

    name: str
    position: int
    """Where the column stands in the release."""
    source: str
    """The attribute that it follows from."""
    values: tuple[str | None, ...]
    """Its value for each value of the source."""
    storage: str = "string"


@dataclass(frozen=True)
class Schema:
    """The attributes of a table; every (attribute, value) pair is one numbered item.

    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> schema.n_items, schema.label(3), schema.item("ill", "yes")
    (4, 'ill=yes', 3)
    """

    attributes: tuple[Attribute, ...]
    keys: tuple[Key, ...] = ()
    """Columns that number the rows: no part of the coded table, made afresh for a release."""
    derived: tuple[Derived, ...] = ()
    """Columns that follow from an attribute."""
    ranks: Ranks | None = field(default=None, compare=False)
    """How the ranks of ordered columns go together, where that is told."""

    def __post_init__(self) -> None:
        if len(self._index) != len(self.attributes):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise BadInput(f"There are two columns called {twice!r}; every column needs its name.")
        for column in self.derived:
            if len(column.values) != self[column.source].size:
                raise BadInput(f"Column {column.name!r} does not follow from {column.source!r}.")

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    def __getitem__(self, name: str) -> Attribute:
        return self.attributes[self.position(name)]

    @property
    def made(self) -> tuple[Key | Derived, ...]:
        """The columns of a release that are made when it is filled."""
        return (*self.keys, *self.derived)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The attribute names in column order."""
        return tuple(a.name for a in self.attributes)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {a.name: i for i, a in enumerate(self.attributes)}

    def position(self, name: str) -> int:
        """The column number of an attribute."""
        try:
            return self._index[name]
        except KeyError:
            raise UnknownName("column", name, self.names) from None

    @cached_property
    def offsets(self) -> NDArray[np.int32]:
        """The first item of each attribute, and at the end the number of items."""
        sizes = [a.size for a in self.attributes]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)

    @property
    def n_items(self) -> int:
        """The number of (attribute, value) pairs."""
        return int(self.offsets[-1])

    @cached_property
    def domains(self) -> NDArray[np.int32]:
        """The column number of every item."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets))

    def item(self, name: str, value: str | None) -> int:
        """The item number of attribute=value."""
        position = self.position(name)
        return int(self.offsets[position]) + self.attributes[position].code(value)

    def items_of(self, name: str) -> range:
        """All items of one attribute."""
        position = self.position(name)
        return range(int(self.offsets[position]), int(self.offsets[position + 1]))

    def label(self, item: int) -> str:
        """The item as `attribute=value`."""
        position = int(self.domains[item])
        attribute = self.attributes[position]
        value = attribute.values[item - int(self.offsets[position])]
        return f"{attribute.name}={'(missing)' if value is None else value}"
