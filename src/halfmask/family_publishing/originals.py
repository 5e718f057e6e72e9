"""Originals: the tables of a family as they came in, joined by their keys."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Column
from halfmask.data.families import Link, Orphans, link
from halfmask.errors import BadInput, UnknownName
from halfmask.io.databases.addresses import address_of, is_address, shown
from halfmask.io.files import TableFile, read
from halfmask.io.forms import FileForm, FileOptions, PathLike, split_name
from halfmask.io.frames import FrameForm
from halfmask.io.given import columns_of, form_or_none
from halfmask.io.sources import Expect
from halfmask.memory import Memory


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
class Original:
    """One table with its name and the form it came in."""

    name: str
    source: Any
    columns: tuple[Column, ...]
    file: FileForm | None = None
    frame: FrameForm | None = None

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

    def without(self, drop: Sequence[str]) -> Original:
        """The table without the columns of these names, as far as it has them."""
        return replace(self, columns=tuple(c for c in self.columns if c.name not in drop))

    def take(self, rows: NDArray[np.intp]) -> Original:
        """Some of the rows."""
        return replace(self, columns=tuple(column.take(rows) for column in self.columns))


@dataclass(frozen=True, eq=False)
class Child:
    """A child table: whose child each row is, and by which columns."""

    table: Original
    link: Link
    keys: Keys
    dropped: int = 0
    """Rows that were left out because they have no parent."""


@dataclass(frozen=True, eq=False)
class Originals:
    """A parent table and its child tables."""

    parent: Original
    children: tuple[Child, ...]

    @property
    def tables(self) -> tuple[Original, ...]:
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

    def without(self, drop: Sequence[str]) -> Originals:
        """The tables without the columns of these names; a key stays where it is needed."""
        keys = {name for c in self.children for name in (c.keys.parent, c.keys.child)}
        for name in drop:
            if name in keys:
                raise BadInput(f"Column {name!r} joins the tables and cannot be left out.")
        children = (replace(c, table=c.table.without(drop)) for c in self.children)
        return Originals(self.parent.without(drop), tuple(children))

    def of_parents(self, rows: NDArray[np.intp]) -> Originals:
        """Some parents with all their children."""
        some = []
        for child in self.children:
            theirs, link_ = child.link.of_parents(rows)
            some.append(replace(child, table=child.table.take(theirs), link=link_))
        return Originals(self.parent.take(rows), tuple(some))


def tables_named(paths: Sequence[PathLike]) -> dict[str, PathLike]:
    """Files by the names of their tables, the parent first.

    >>> tables_named(["data/patients.csv.gz", "sqlite:///clinic.db?table=visits"])
    {'patients': 'data/patients.csv.gz', 'visits': 'sqlite:///clinic.db?table=visits'}
    """
    named: dict[str, PathLike] = {}
    for path in paths:
        name = address_of(path).stem if is_address(path) else split_name(Path(path).name)[0]
        if name in named:
            raise BadInput(f"Two tables are called {name!r}; rename one of the files.")
        named[name] = path
    return named


def read_family(
    tables: Mapping[str, Any],
    keys: Sequence[str],
    *,
    orphans: Orphans = "refuse",
    reading: FileOptions | None = None,
    allowed: Memory | None = None,
) -> Originals:
    """Read the tables, the parent first, and join them.

    `keys` is nothing (then they are guessed), one for all child tables, or one for each. Before a
    file is read, it is refused if it does not fit into the memory `allowed` beside those before it.
    """
    if len(tables) < 2:
        raise BadInput("A family is a parent table and at least one child table.")
    if len(keys) not in (0, 1, len(tables) - 1):
        raise BadInput(
            f"There are {len(keys):,} keys for {len(tables) - 1:,} child tables; give one for each."
        )
    found: list[Original] = []
    for name, source in tables.items():
        found.append(_read(name, source, reading, partial(_expect, found, allowed)))
    parent, *others = found
    given = [Keys.of(text) for text in keys] * (len(others) if len(keys) == 1 else 1)
    children = tuple(
        _joined(parent, other, given[n] if given else _guessed(parent, other), orphans)
        for n, other in enumerate(others)
    )
    if len({child.keys.parent for child in children}) > 1:
        raise BadInput("The child tables name their parents by different columns of the parent.")
    return Originals(parent, children)


def _expect(before: Sequence[Original], allowed: Memory | None, rows: int, columns: int) -> None:
    """Refuse a table of about so many rows beside those that are read already."""
    if allowed is not None:
        allowed.beside(*(table.size for table in before), (rows, columns), about=True)


def _read(name: str, source: Any, reading: FileOptions | None, expect: Expect) -> Original:
    if not isinstance(source, str | os.PathLike):
        return Original(name, source, tuple(columns_of(source)), frame=form_or_none(source))
    found = read(source, reading or FileOptions(), expect=expect)
    if not isinstance(found, TableFile):
        raise BadInput(f"{shown(source)} holds baskets; a family is made of tables.")
    return Original(name, source, tuple(found.columns), file=found.form)


def _joined(parent: Original, child: Original, keys: Keys, orphans: Orphans) -> Child:
    found, rows = link(
        parent.column(keys.parent),
        child.column(keys.child),
        tables=(parent.name, child.name),
        orphans=orphans,
    )
    lost = len(child.columns[0]) - len(rows)
    return Child(child.take(rows) if lost else child, found, keys, lost)


def _guessed(parent: Original, child: Original) -> Keys:
    """The one column that both tables have and that tells the parents apart."""
    shared = [name for name in parent.names if name in child.names]
    unique = [n for n in shared if len(parent.column(n).labels) == len(parent.column(n))]
    if len(unique) == 1:
        return Keys(unique[0], unique[0])
    both = f"{parent.name!r} and {child.name!r}"
    if not shared:
        raise BadInput(f"No column name stands in both {both}; say which join them (--key a=b).")
    if not unique:
        raise BadInput(
            f"None of the columns that {both} share ({_listed(shared)}) tells the rows of "
            f"{parent.name!r} apart; say which join them (--key)."
        )
    raise BadInput(f"{both} could be joined by {_listed(unique)}; say by which (--key).")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")
