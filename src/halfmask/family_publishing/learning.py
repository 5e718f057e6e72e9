"""Learning: a model of the parents with their numbers of children, and one of the child rows.

The unit that is protected is the parent: what is learnt of child rows is held by enough parents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.api import Generator
from halfmask.choose.tradeoff import Run
from halfmask.data import Column, Encoding, Schema, Table
from halfmask.data.families import Link, numbers_siblings
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput
from halfmask.family_publishing.originals import Child, Originals
from halfmask.family_publishing.told import of_child, of_parent, prefixed
from halfmask.methods.families import most_learnt, telling_columns
from halfmask.methods.generator import GeneratorModel, learn

__all__ = ["LearntChild", "LearntFamily", "LearntParent", "learn_family"]


@dataclass(frozen=True, eq=False)
class LearntParent:
    """The model of the parents, the table it was learnt from, and the columns that count."""

    table: Table
    encoding: Encoding
    model: GeneratorModel
    counts: tuple[str, ...]
    """For each child table the column that says how many children a parent has in it."""

    def coded(self, originals: Originals) -> Table:
        """Other parents in the same codes; a value that was never met is left out."""
        return self.encoding.encode(_with_counts(originals, self.counts), unknown="leave out")

    def context(self, name: str, coded: Table, columns: Sequence[int]) -> list[Column]:
        """Columns of coded parents as categories, under the names that a child knows them by."""
        decoded = self.encoding.decode(coded)
        return [
            Column(prefixed(name, decoded[i].name), decoded[i].labels, decoded[i].index)
            for i in columns
        ]


@dataclass(frozen=True, eq=False)
class LearntChild:
    """The model of child rows beside their context, and what it was learnt from."""

    table: Table
    """The rows that were learnt from: the context first, then the child's own columns."""
    encoding: Encoding
    model: GeneratorModel
    link: Link
    """Of the rows that were learnt from."""
    most: int
    """So many rows of one parent were learnt from, at most."""
    parents: int
    """Behind everything that was learnt stand at least so many parents."""
    context: tuple[int, ...]
    """Which columns of the coded parents, the most telling first."""
    numbering: dict[str, int]
    """Columns that number the children of each parent, and where they begin."""

    @property
    def width(self) -> int:
        """The columns of the context."""
        return len(self.context)

    @property
    def own(self) -> Schema:
        """The child's own columns."""
        return Schema(self.table.schema.attributes[self.width :])

    def own_part(self, joined: Table) -> Table:
        """The child's own columns of rows with their context."""
        return Table(self.own, joined.codes[:, self.width :])

    def coded(self, child: Child, context: Sequence[Column]) -> Table:
        """All rows of a child table beside the context of their parents, in these codes."""
        beside = [column.take(child.link.parent_of) for column in context]
        own = _own_columns(child, self.numbering)
        return self.encoding.encode([*beside, *own], unknown="leave out")

    def wanted(self, context: Sequence[Column]) -> NDArray[np.int32]:
        """The context of parents in the child's codes; ABSENT where it has none."""
        codes = [
            np.array([code_of.get(label, ABSENT) for label in column.labels], np.int32)[
                column.index
            ]
            for column, code_of in zip(context, self.encoding.code_of, strict=False)
        ]
        return np.stack(codes, axis=1)


@dataclass(frozen=True, eq=False)
class LearntFamily:
    """The models of all tables of a family."""

    name: str
    """Of the parent table."""
    parent: LearntParent
    children: tuple[LearntChild, ...]

    def context(self, n: int, parents: Table) -> list[Column]:
        """What the child table `n` sees of coded parents."""
        return self.parent.context(self.name, parents, self.children[n].context)


def learn_family(generator: Generator, originals: Originals, run: Run) -> LearntFamily:
    """Learn every table, each with randomness of its own."""
    name = originals.parent.name
    parent = _learn_parent(generator, originals, run.apart(name))
    children = tuple(
        _learn_child(generator, name, child, parent, run.apart(child.table.name))
        for child in originals.children
    )
    return LearntFamily(name, parent, children)


def _with_counts(originals: Originals, names: Sequence[str]) -> list[Column]:
    counted = [
        Column.of(name, [str(count) for count in child.link.counts.tolist()], "int64")
        for name, child in zip(names, originals.children, strict=True)
    ]
    return [*originals.parent.columns, *counted]


def _learn_parent(generator: Generator, originals: Originals, run: Run) -> LearntParent:
    """Learn the parents; how many children each has is one more column."""
    counts = tuple(f"number of {child.table.name}" for child in originals.children)
    parent = originals.parent
    for name in counts:
        if name in parent.names:
            raise BadInput(f"{parent.name!r} has a column {name!r}; rename it or the child table.")
    key = originals.children[0].keys.parent
    told = of_parent(generator, parent.names, key=key, counts=counts)
    table, encoding = told.encode(_with_counts(originals, counts), keep=counts)
    settings = told.settings(len(table))
    model = learn(table, settings, threads=run.threads, progress=run.progress)
    return LearntParent(table, encoding, model, counts)


def _learn_child(
    generator: Generator, name: str, child: Child, parent: LearntParent, run: Run
) -> LearntChild:
    """Learn the rows of one child table beside what their parents tell about them."""
    floor = parent.model.min_support
    most = most_learnt(child.link.counts, floor)
    rows = child.link.at_most(most, run.randomness.child("rows that are learnt from"))
    link = child.link.take(rows)
    numbering = {
        column.name: first
        for column in child.table.columns
        if column.name != child.keys.child
        and (first := numbers_siblings(column, child.link)) is not None
    }
    every = _own_columns(child, numbering)
    own = [column.take(rows) for column in every]

    def told(context: Sequence[Column]) -> Generator:
        known = {column.name.removeprefix(f"{name}."): column.name for column in context}
        names = [column.name for column in every]
        return of_child(generator, names, min_support=floor * most, context=known)

    alone = told(())
    first_look, _ = alone.encode(own)
    above = parent.table.take(link.parent_of)
    telling = tuple(telling_columns(above, first_look))
    context = parent.context(name, above, telling)
    settled = told(context)
    kept = [column.name for column in context]
    table, encoding = settled.encode([*context, *own], keep=kept)
    if len(table.schema) == len(kept):  # all that children tell follows from their parents
        kept += [column.name for column in own]
        table, encoding = settled.encode([*context, *own], keep=kept)
    settings = settled.settings(len(table))
    model = learn(table, settings, threads=run.threads, progress=run.progress)
    return LearntChild(table, encoding, model, link, most, floor, telling, numbering)


def _own_columns(child: Child, numbering: dict[str, int]) -> list[Column]:
    """The columns of a child but those that lead to its parent or count its siblings."""
    made = {child.keys.child, *numbering}
    own = [column for column in child.table.columns if column.name not in made]
    if not own:
        raise BadInput(f"{child.table.name!r} has no column beside its keys to publish.")
    return own
