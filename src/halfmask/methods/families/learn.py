"""Learning: a model of the parents with their numbers of children, and one of the child rows.

The unit that is protected is the parent: what is learnt of child rows is held by enough parents.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Column, Encoding, Schema, Table
from halfmask.data.families import Link, numbers_siblings
from halfmask.data.family_tables import ChildTable, FamilyTables
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput
from halfmask.methods.families.deal import most_learnt, telling_columns
from halfmask.methods.families.settings import columns_named, of_child, of_parent, prefixed
from halfmask.methods.generator.learn import learn
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.run import Run

MOST_COUNTED = 2**31
NOBODY = "(none)"
"""Before the first child of a parent."""


@dataclass(frozen=True, eq=False)
class LearntParent:
    """The model of the parents, the table it was learnt from, and the columns that count."""

    table: Table
    encoding: Encoding
    model: GeneratorModel | NoisyModel
    counts: tuple[str, ...]
    """For each child table the column that says how many children a parent has in it."""
    most: int = MOST_COUNTED
    """Children beyond so many are not counted."""

    @property
    def own(self) -> Schema:
        """All columns: parents are drawn beside nothing."""
        return self.table.schema

    def coded(self, originals: FamilyTables) -> Table:
        """Other parents in the same codes; a value that was never met is left out."""
        columns = with_counts(originals, self.counts, self.most)
        return self.encoding.encode(columns, unknown="leave out")

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
    model: GeneratorModel | NoisyModel
    link: Link
    """Of the rows that were learnt from."""
    most: int
    """So many rows of one parent were learnt from, at most."""
    parents: int
    """Behind everything that was learnt stand at least so many parents."""
    context: tuple[int, ...]
    """Which columns of the coded parents, the most telling first."""
    look: Encoding
    """The child's own columns by themselves: how the sibling before is told."""
    before: str | None
    """The column in which a child knows the sibling before it; it leads the context."""
    numbering: dict[str, int]
    """Columns that number the children of each parent, and where they begin."""
    agreeing: tuple[int, ...] | None = None
    """The columns of the context in which a child should agree, the most telling first; all in
    their order where nothing is said."""

    @property
    def width(self) -> int:
        """The columns of the context."""
        return len(self.context) + (self.before is not None)

    @property
    def own(self) -> Schema:
        """The child's own columns."""
        return Schema(self.table.schema.attributes[self.width :])

    def own_part(self, joined: Table) -> Table:
        """The child's own columns of rows with their context."""
        return Table(self.own, joined.codes[:, self.width :])

    def coded(self, child: ChildTable, context: Sequence[Column]) -> Table:
        """All rows of a child table beside the context of their parents, in these codes."""
        beside = [column.take(child.link.parent_of) for column in context]
        own = own_columns(child, self.numbering)
        if self.before is not None:
            coded = self.look.encode(own, unknown="leave out")
            beside.insert(0, _siblings(coded, child.link, self.before))
        return self.encoding.encode([*beside, *own], unknown="leave out")

    def wanted(self, context: Sequence[Column]) -> NDArray[np.int32]:
        """The context of parents in the child's codes, without the sibling before."""
        codes = [
            np.array([code_of.get(label, ABSENT) for label in column.labels], np.int32)[
                column.index
            ]
            for column, code_of in zip(context, self._code_of, strict=False)
        ]
        parents = len(context[0]) if context else 0
        return np.stack(codes, axis=1) if codes else np.empty((parents, 0), np.int32)

    @property
    def _code_of(self) -> Sequence[Mapping[str | None, int]]:
        return self.encoding.code_of[self.before is not None :]

    @property
    def first_born(self) -> int:
        """The code of a child that has no sibling before it."""
        return self.encoding.code_of[0].get(NOBODY, ABSENT)

    @property
    def as_before(self) -> NDArray[np.int32]:
        """What the next sibling sees of each code in that column; the last is that of ABSENT."""
        assert self.before is not None  # noqa: S101 - the caller looked
        code_of = self.encoding.code_of[0]
        values = (*self.table.schema[self.before].values, None)
        return np.array([code_of.get(value, ABSENT) for value in values], np.int32)


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


def learn_family(method: GeneratorMethod, originals: FamilyTables, run: Run) -> LearntFamily:
    """Learn every table, each with randomness of its own."""
    name = originals.parent.name
    parent = _learn_parent(method, originals, run.apart(name))
    children = tuple(
        _learn_child(method, name, child, parent, run.apart(child.table.name))
        for child in originals.children
    )
    return LearntFamily(name, parent, children)


def with_counts(
    originals: FamilyTables, names: Sequence[str], most: int = MOST_COUNTED
) -> list[Column]:
    """The columns of the parents, and those that count their children, up to so many."""
    counted = [
        Column.of(name, [str(c) for c in np.minimum(child.link.counts, most).tolist()], "int64")
        for name, child in zip(names, originals.children, strict=True)
    ]
    return [*originals.parent.columns, *counted]


def count_names(originals: FamilyTables) -> tuple[str, ...]:
    """The columns of the parents that say how many children they have in each table."""
    names = tuple(f"number of {child.table.name}" for child in originals.children)
    parent = originals.parent
    for name in names:
        if name in parent.names:
            raise BadInput(f"{parent.name!r} has a column {name!r}; rename it or the child table.")
    return names


def _learn_parent(method: GeneratorMethod, originals: FamilyTables, run: Run) -> LearntParent:
    """Learn the parents; how many children each has is one more column."""
    counts, parent = count_names(originals), originals.parent
    key = originals.children[0].keys.parent
    settings = of_parent(method, parent.names, key=key, counts=counts)
    table, encoding = settings.encode(with_counts(originals, counts), keep=counts)
    return LearntParent(table, encoding, _learnt(settings, table, run), counts)


def _learn_child(
    method: GeneratorMethod, name: str, child: ChildTable, parent: LearntParent, run: Run
) -> LearntChild:
    """Learn the rows of one child table beside what their parents tell about them."""
    floor = parent.model.min_support
    most = most_learnt(child.link.counts, floor)
    rows = child.link.at_most(most, run.randomness.child("rows that are learnt from"))
    link = child.link.take(rows)
    numbering = _numbering(child)
    every = own_columns(child, numbering)
    own = [column.take(rows) for column in every]

    def settings_beside(context: Sequence[Column]) -> GeneratorMethod:
        known = {column.name.removeprefix(f"{name}."): column.name for column in context}
        names = [column.name for column in every]
        return of_child(method, names, min_support=floor * most, context=known)

    first_look, look = settings_beside(()).encode(own)
    above = parent.table.take(link.parent_of)
    telling = tuple(telling_columns(above, first_look))
    context = parent.context(name, above, telling)
    coded = look.encode(every, unknown="leave out")
    before = _telling_sibling(coded, child.link, rows, columns_named(method))
    if before is not None:
        context.insert(0, _siblings(coded, child.link, before).take(rows))
    settled = settings_beside(context)
    kept = [column.name for column in context] + ([] if before is None else [before])
    table, encoding = settled.encode([*context, *own], keep=kept)
    if len(table.schema) == len(context):  # all that children tell follows from their parents
        every_name = [*kept, *(column.name for column in own)]
        table, encoding = settled.encode([*context, *own], keep=every_name)
    return LearntChild(
        table=table,
        encoding=encoding,
        model=_learnt(settled, table, run),
        link=link,
        most=most,
        parents=floor,
        context=telling,
        look=look,
        before=before,
        numbering=numbering,
    )


def _learnt(method: GeneratorMethod, table: Table, run: Run) -> GeneratorModel:
    settings = method.learning(len(table))
    return learn(table, settings, threads=run.threads, progress=run.progress)


def _numbering(child: ChildTable) -> dict[str, int]:
    """The columns that number the children of each parent, and where they begin."""
    return {
        column.name: first
        for column in child.table.columns
        if column.name != child.keys.child
        and (first := numbers_siblings(column, child.link)) is not None
    }


def _telling_sibling(
    coded: Table, link: Link, rows: NDArray[np.intp], spoken: Collection[str]
) -> str | None:
    """The category of the sibling before that tells most about a child, if any does.

    Numbers and dates are not looked at: where rows are sorted by them, they tell of the sorting.
    Columns that a setting speaks of, such as those to be hidden with another, are not looked at:
    what is said of a column would have to hold for the sibling's as well.
    """
    last = np.where((link.before >= 0)[:, None], coded.codes[link.before], ABSENT)[rows]
    allowed = [i for i, a in enumerate(coded.schema) if a.bins is None and a.name not in spoken]
    schema = Schema(tuple(coded.schema.attributes[i] for i in allowed))
    found = telling_columns(Table(schema, last[:, allowed]), coded.take(rows))
    return schema.names[found[0]] if found else None


def _siblings(coded: Table, link: Link, name: str) -> Column:
    """What each child knows of the sibling before it, as a category."""
    labels: list[str | None] = [*coded.schema[name].values, NOBODY]
    if None not in labels:
        labels.append(None)
    codes = coded.codes[:, coded.schema.position(name)][link.before]
    seen = np.where(codes == ABSENT, labels.index(None), codes)
    index = np.where(link.before < 0, labels.index(NOBODY), seen).astype(np.int32)
    return Column(f"previous {name}", tuple(labels), index).take(np.arange(len(index)))


def own_columns(child: ChildTable, numbering: dict[str, int]) -> list[Column]:
    """The columns of a child but those that lead to its parent or count its siblings."""
    made = {child.keys.child, *numbering}
    own = [column for column in child.table.columns if column.name not in made]
    if not own:
        raise BadInput(f"{child.table.name!r} has no column besides its keys to publish.")
    return own
