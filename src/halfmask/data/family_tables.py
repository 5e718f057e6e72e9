"""The tables of a family as they came in, joined by their keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from halfmask.data.column import Column
from halfmask.data.families import Link, Orphans, link
from halfmask.errors import BadInput, UnknownName


@dataclass(frozen=True, slots=True)
class Keys:
    """The column that identifies a parent, and the column of the child that names it.

    >>> Keys.of("patient_id"), Keys.of("id=patient_id")
    (Keys(parent='patient_id', child='patient_id'), Keys(parent='id', child='patient_id'))
    """

    parent: str
    child: str

    @classmethod
    def of(cls, text: str) -> Keys:
        """The keys that a text names: one name for both, or `parent=child`."""
        parent, equals, child = (part.strip() for part in text.partition("="))
        return cls(parent, child if equals else parent)


@dataclass(frozen=True, eq=False)
class FamilyTable:
    """One table of a family with its name."""

    name: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.columns[0]), len(self.columns)

    def column(self, name: str) -> Column:
        """The column of this name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise UnknownName(f"column of {self.name!r} called", name, self.names)

    def without(self, drop: Sequence[str]) -> FamilyTable:
        """The table without the columns of these names, as far as it has them."""
        return replace(self, columns=tuple(c for c in self.columns if c.name not in drop))

    def take(self, rows: NDArray[np.intp]) -> FamilyTable:
        """Some of the rows."""
        return replace(self, columns=tuple(column.take(rows) for column in self.columns))


@dataclass(frozen=True, eq=False)
class ChildTable:
    """A child table: whose child each row is, and by which columns."""

    table: FamilyTable
    link: Link
    keys: Keys
    dropped: int = 0
    """Rows that were left out because they have no parent."""


@dataclass(frozen=True, eq=False)
class FamilyTables:
    """A parent table and its child tables."""

    parent: FamilyTable
    children: tuple[ChildTable, ...]

    @property
    def tables(self) -> tuple[FamilyTable, ...]:
        """All tables, the parent first."""
        return (self.parent, *(child.table for child in self.children))

    @property
    def sizes(self) -> list[int]:
        """The rows of each table."""
        return [table.size[0] for table in self.tables]

    @property
    def parents(self) -> int:
        """How many parents there are."""
        return self.sizes[0]

    def without(self, drop: Sequence[str]) -> FamilyTables:
        """The tables without the columns of these names; a key stays where it is needed."""
        keys = {name for c in self.children for name in (c.keys.parent, c.keys.child)}
        for name in drop:
            if name in keys:
                raise BadInput(f"Column {name!r} joins the tables and cannot be left out.")
        children = (replace(c, table=c.table.without(drop)) for c in self.children)
        return FamilyTables(self.parent.without(drop), tuple(children))

    def of_parents(self, rows: NDArray[np.intp]) -> FamilyTables:
        """Some parents with all their children."""
        some = []
        for child in self.children:
            theirs, link_ = child.link.of_parents(rows)
            some.append(replace(child, table=child.table.take(theirs), link=link_))
        return FamilyTables(self.parent.take(rows), tuple(some))


def joined_tables(
    tables: Sequence[FamilyTable], keys: Sequence[str], orphans: Orphans
) -> FamilyTables:
    """The tables, the parent first, joined by `keys`: guessed, one for all, or one for each."""
    parent, *others = tables
    given = [Keys.of(text) for text in keys] * (len(others) if len(keys) == 1 else 1)
    children = tuple(
        _joined(parent, other, given[n] if given else _guessed(parent, other), orphans)
        for n, other in enumerate(others)
    )
    if len({child.keys.parent for child in children}) > 1:
        raise BadInput("The child tables name their parents by different columns of the parent.")
    return FamilyTables(parent, children)


def check_keys(tables: int, keys: Sequence[str]) -> None:
    """Refuse keys that do not go with so many tables, before any is read."""
    if tables < 2:
        raise BadInput("A family is a parent table and at least one child table.")
    if len(keys) not in (0, 1, tables - 1):
        raise BadInput(
            f"There are {len(keys):,} keys for {tables - 1:,} child tables; give one for each."
        )


def _joined(parent: FamilyTable, child: FamilyTable, keys: Keys, orphans: Orphans) -> ChildTable:
    found, rows = link(
        parent.column(keys.parent),
        child.column(keys.child),
        tables=(parent.name, child.name),
        orphans=orphans,
    )
    lost = len(child.columns[0]) - len(rows)
    return ChildTable(child.take(rows) if lost else child, found, keys, lost)


def _guessed(parent: FamilyTable, child: FamilyTable) -> Keys:
    """The one column that both tables have and that tells the parents apart."""
    shared = [name for name in parent.names if name in child.names]
    unique = [n for n in shared if len(parent.column(n).labels) == len(parent.column(n))]
    if len(unique) == 1:
        return Keys(unique[0], unique[0])
    both = f"{parent.name!r} and {child.name!r}"
    if not shared:
        raise BadInput(
            f"No column name occurs in both {both}; name the columns that join them (--key a=b)."
        )
    if not unique:
        raise BadInput(
            f"None of the columns that {both} share ({_listed(shared)}) identifies the rows of "
            f"{parent.name!r}; name the columns that join them (--key)."
        )
    raise BadInput(f"{both} could be joined by {_listed(unique)}; choose one (--key).")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")
