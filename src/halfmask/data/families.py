"""Families: which row of a parent table each row of a child table belongs to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask.data.column import Column
from halfmask.data.table import Table
from halfmask.errors import BadInput

Orphans = Literal["refuse", "drop"]


@dataclass(frozen=True, eq=False)
class Link:
    """For each child row the number of its parent's row.

    >>> Link(np.array([0, 2, 2]), parents=3).counts.tolist()
    [1, 0, 2]
    """

    parent_of: NDArray[np.intp]
    parents: int

    def __post_init__(self) -> None:
        parent_of = np.asarray(self.parent_of, np.intp)
        if len(parent_of) and not (parent_of.min() >= 0 and parent_of.max() < self.parents):
            raise BadInput("A child row belongs to a parent that does not exist.")
        object.__setattr__(self, "parent_of", parent_of)

    def __len__(self) -> int:
        return len(self.parent_of)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many children each parent has."""
        return np.bincount(self.parent_of, minlength=self.parents).astype(np.int64)

    @cached_property
    def before(self) -> NDArray[np.intp]:
        """For each child row the row of the sibling before it, -1 where there is none.

        >>> Link(np.array([0, 1, 0, 0]), 2).before.tolist()
        [-1, -1, 0, 2]
        """
        found = np.full(len(self), -1, np.intp)
        order = np.argsort(self.parent_of, kind="stable")
        follows = self.parent_of[order[1:]] == self.parent_of[order[:-1]]
        found[order[1:][follows]] = order[:-1][follows]
        return found

    def take(self, rows: NDArray[np.intp]) -> Link:
        """The link of some of the child rows."""
        return replace(self, parent_of=self.parent_of[rows])

    def of_parents(self, parents: NDArray[np.intp]) -> tuple[NDArray[np.intp], Link]:
        """The child rows of some parents, and their link among those parents alone.

        >>> rows, some = Link(np.array([0, 2, 2]), parents=3).of_parents(np.array([2]))
        >>> rows.tolist(), some.parent_of.tolist()
        ([1, 2], [0, 0])
        """
        place = np.full(self.parents, -1, np.intp)
        place[parents] = np.arange(len(parents))
        rows = np.flatnonzero(place[self.parent_of] >= 0)
        return rows, Link(place[self.parent_of[rows]], len(parents))

    def at_most(self, most: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """Child rows, in their order, with at most so many of each parent, chosen at random.

        >>> rows = Link(np.array([0, 0, 0, 1]), 2).at_most(2, np.random.default_rng(1))
        >>> len(rows), rows.tolist()[-1]
        (3, 3)
        """
        order = np.lexsort((rng.random(len(self)), self.parent_of))
        starts = np.cumsum(self.counts) - self.counts
        rank = np.arange(len(self)) - starts[self.parent_of[order]]
        return np.sort(order[rank < most])


@dataclass(frozen=True, eq=False)
class Family:
    """A coded parent table with its coded child rows."""

    parents: Table
    children: Table
    link: Link

    def __post_init__(self) -> None:
        if (len(self.children), len(self.parents)) != (len(self.link), self.link.parents):
            raise BadInput("The tables of a family do not have the rows that their link speaks of.")

    def resampled(self, rng: np.random.Generator) -> Family:
        """As many families drawn from these: what another sample of the same people is like."""
        drawn = rng.integers(self.link.parents, size=self.link.parents)
        order = np.argsort(self.link.parent_of, kind="stable")
        counts = self.link.counts[drawn]
        first = (np.cumsum(self.link.counts) - self.link.counts)[drawn]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = order[np.repeat(first, counts) + within]
        slots = np.repeat(np.arange(len(drawn)), counts)
        return Family(self.parents.take(drawn), self.children.take(rows), Link(slots, len(drawn)))

    def of_anybody(self, rng: np.random.Generator) -> Family:
        """Another sample whose parents have anybody's children."""
        other = self.resampled(rng)
        rows = rng.integers(len(self.children), size=len(other.children))
        return replace(other, children=self.children.take(rows))


def link(
    parent: Column, child: Column, *, tables: tuple[str, str], orphans: Orphans = "refuse"
) -> tuple[Link, NDArray[np.intp]]:
    """Join two key columns: the link, and the child rows that it is about.

    Keys are compared as they are written. A key of the parent that is missing or stands twice is
    refused; so are child rows without a parent, unless they are to be dropped.

    >>> link(Column.of("id", ["a", "b"]), Column.of("id", ["b", "b"]), tables=("p", "c"))[0].counts
    array([0, 2])
    """
    _check_key(parent, child, tables)
    row_of = dict(zip(parent.cells, range(len(parent)), strict=True))
    found = np.array(
        [-1 if label is None else row_of.get(label, -1) for label in child.labels], np.intp
    )[child.index]
    rows = np.flatnonzero(found >= 0)
    lost = len(found) - len(rows)
    if lost and (orphans == "refuse" or not len(rows)):
        raise BadInput(_orphaned(child, tables, lost))
    return Link(found[rows], len(parent)), rows


def _check_key(parent: Column, child: Column, tables: tuple[str, str]) -> None:
    if None in parent.labels:
        raise BadInput(
            f"The key {parent.name!r} is missing in rows of {tables[0]!r}; every parent needs one."
        )
    twice = len(parent) - len(parent.labels)
    if twice:
        raise BadInput(
            f"The key {parent.name!r} is not unique in {tables[0]!r}: {twice:,} of its "
            f"{len(parent):,} rows repeat the key of another."
        )
    if child.kind not in (parent.kind, "nothing"):
        raise BadInput(
            f"The key is {parent.kind} in {tables[0]!r} and {child.kind} in {tables[1]!r}; store "
            "both as one type."
        )


def _orphaned(child: Column, tables: tuple[str, str], lost: int) -> str:
    if lost == len(child):
        return f"No row of {tables[1]!r} has a key that occurs in {tables[0]!r}."
    keyless = int(child.counts[child.labels.index(None)]) if None in child.labels else 0
    missing = f", {keyless:,} of them without a key" if keyless else ""
    return (
        f"{lost:,} of the {len(child):,} rows of {tables[1]!r} have no parent in "
        f"{tables[0]!r}{missing}; correct them, or leave them out (--orphans drop)."
    )


def numbers_siblings(column: Column, family: Link) -> int | None:
    """The number of the first child if a column numbers the children of each parent, else none.

    >>> visit = Column.of("visit", ["1", "1", "2"], "int64")
    >>> numbers_siblings(visit, Link(np.array([0, 1, 1]), 2))
    1
    """
    texts = [label or "" for label in column.labels]
    if family.counts.max(initial=0) < 2 or not all(t.isascii() and t.isdigit() for t in texts):
        return None
    if max(map(len, texts)) > len(str(len(family))) + 1:
        return None
    numbers = np.array([int(text) for text in texts], np.int64)[column.index]
    order = np.lexsort((numbers, family.parent_of))
    starts = np.cumsum(family.counts) - family.counts
    rank = np.arange(len(family)) - starts[family.parent_of[order]]
    first = numbers[order] - rank
    return int(first[0]) if first[0] in (0, 1) and (first == first[0]).all() else None
