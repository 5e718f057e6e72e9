"""Drawing: parents with their numbers of children, and child rows that fit them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Attribute, Claim, Release, Schema, Table
from halfmask.data.coding.filling import Filling, fill
from halfmask.data.families import Link
from halfmask.data.family_tables import ChildTable, FamilyTables
from halfmask.data.table import ABSENT
from halfmask.methods.families.deal import Dealt, Stock
from halfmask.methods.families.learn import LearntChild, LearntFamily, LearntParent
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.run import Run

POOL_FACTOR = 10
"""Child rows drawn for each that is wanted; with three, a fifth fewer find a parent that agrees
with them in every column of the context."""
MOST_POOL_CELLS = 1 << 26

_Column = tuple[Attribute, NDArray[np.int32]]


@dataclass(frozen=True, eq=False)
class DrawnParents:
    """The released parents in codes and as they are written."""

    release: Release
    coded: Table
    filling: Filling
    """The rows as they are written; filled already, because parent and child must fit."""
    counts: tuple[NDArray[np.int64], ...]
    """For each child table, how many children each parent gets."""


@dataclass(frozen=True, eq=False)
class DrawnChildren:
    """The released children of one table, in codes beside their context and as they are written."""

    release: Release
    coded: Table
    filling: Filling
    link: Link


@dataclass(frozen=True, eq=False)
class DrawnFamily:
    """All tables of a release."""

    parents: DrawnParents
    children: tuple[DrawnChildren, ...]


def draw_family(
    learnt: LearntFamily, originals: FamilyTables, rows: int | None, run: Run
) -> DrawnFamily:
    """Draw so many parents, then their children table by table."""
    parents = _draw_parents(learnt.parent, rows, run.apart(learnt.name))
    children = tuple(
        _draw_children(learnt, n, child, parents, run.apart(child.table.name))
        for n, child in enumerate(originals.children)
    )
    return DrawnFamily(parents, children)


def _draw_parents(learnt: LearntParent, rows: int | None, run: Run) -> DrawnParents:
    """Draw parents; the columns that count their children are not part of what is written."""
    release = _sampled(learnt.model, rows, run)
    coded = _table(release)
    filled = fill(coded, run.randomness)
    counts = tuple(_numbers(filled, name) for name in learnt.counts)
    shown = [n for n in filled.schema.names if n not in learnt.counts]
    written = Filling(_assembled(_columns(filled), shown), run.randomness)
    return DrawnParents(release, coded, written, counts)


def _draw_children(
    family: LearntFamily, n: int, child: ChildTable, parents: DrawnParents, run: Run
) -> DrawnChildren:
    """Draw a pool of child rows and deal it out to the parents."""
    learnt, counts = family.children[n], parents.counts[n]
    slots = np.repeat(np.arange(len(counts)), counts)
    pool = _sampled(learnt.model, _pool_rows(len(slots), len(learnt.table.schema)), run)
    context = np.full((len(slots), learnt.width), ABSENT, np.int32)
    if learnt.context:
        context[:, learnt.before is not None :] = learnt.wanted(family.context(n, parents.coded))[
            slots
        ]
    dealt = _dealt(learnt, context, _table(pool), slots, run.randomness.child("dealing"))
    drawn, width = _table(pool).codes, learnt.width
    joined = Table(learnt.table.schema, np.hstack([context, drawn[dealt.rows][:, width:]]))
    asked = width if learnt.agreeing is None else len(learnt.agreeing)
    agreed = float((dealt.agreed == asked).mean()) if len(slots) else 1.0
    rows = _written(fill(joined, run.randomness), learnt, child, parents.filling.whole, slots)
    release = _labelled(pool, learnt, joined, agreed, family.name)
    written = Filling(rows, run.randomness)
    return DrawnChildren(release, joined, written, Link(slots, len(counts)))


def _sampled(model: GeneratorModel | NoisyModel, rows: int | None, run: Run) -> Release:
    """Rows of a model; those of a private one with the key of its log, which is the quickest."""
    if isinstance(model, NoisyModel):
        return model.sampled(rows, model.log.key, seeded=run.randomness.seeded)
    assert rows is not None  # noqa: S101 - only private models hide the number of rows
    return model.sample(rows, randomness=run.randomness, threads=run.threads)


def _pool_rows(wanted: int, columns: int) -> int:
    """Ten for one, as far as memory is set aside for it, and never fewer than are wanted."""
    most = MOST_POOL_CELLS // max(columns, 1)
    return max(wanted, min(POOL_FACTOR * wanted, most), 1)


def _table(release: Release) -> Table:
    assert isinstance(release.data, Table)  # noqa: S101 - a generator draws tables
    return release.data


def _dealt(
    learnt: LearntChild,
    context: NDArray[np.int32],
    pool: Table,
    slots: NDArray[np.intp],
    rng: np.random.Generator,
) -> Dealt:
    """Deal out the pool: first to all first children, then to the second ones, and so on.

    What each knows of the sibling before is written into the context.
    """
    asked = _without_gaps(context, pool.codes, rng)
    if learnt.agreeing is not None:
        columns = [*learnt.agreeing, *range(learnt.width, len(pool.schema))]
        schema = Schema(tuple(pool.schema.attributes[column] for column in columns))
        sorted_pool = Table(schema, np.asfortranarray(pool.codes[:, columns]))
        return Stock.of(sorted_pool, len(learnt.agreeing)).deal(asked[:, learnt.agreeing], rng)
    stock = Stock.of(pool, learnt.width)
    if learnt.before is None:
        return stock.deal(asked, rng)
    dealt = Dealt(np.zeros(len(slots), np.intp), np.zeros(len(slots), np.int64))
    codes = pool.codes[:, pool.schema.position(learnt.before)]
    rank = np.arange(len(slots)) - np.searchsorted(slots, slots)
    by_rank = np.argsort(rank, kind="stable")
    as_before = learnt.as_before
    for lines in np.split(by_rank, np.cumsum(np.bincount(rank))[:-1]):
        first = not rank[lines[:1]].any()
        before = learnt.first_born if first else as_before[codes[dealt.rows[lines - 1]]]
        context[lines, 0] = before
        asked[lines, :1] = _without_gaps(context[lines, :1], pool.codes, rng)
        found = stock.deal(asked[lines], rng)
        dealt.rows[lines], dealt.agreed[lines] = found.rows, found.agreed
    return dealt


def _without_gaps(
    context: NDArray[np.int32], pool: NDArray[np.int32], rng: np.random.Generator
) -> NDArray[np.int32]:
    """A value that too few children were learnt with is taken as anybody's."""
    filled = context.copy()
    for column in range(context.shape[1]):
        gaps = np.flatnonzero(context[:, column] == ABSENT)
        filled[gaps, column] = rng.choice(pool[:, column], len(gaps))
    return filled


def _labelled(
    pool: Release, learnt: LearntChild, joined: Table, agreed: float, name: str
) -> Release:
    """The release with what it promises: behind all that was learnt stand enough parents."""
    floor, private = learnt.model.min_support, isinstance(learnt.model, NoisyModel)
    context = learnt.table.schema.names[: learnt.width]
    behind = {} if private else {"min_parents": learnt.parents}
    promise = (
        "Every combination of values that was learnt, and every count that was "
        f"matched, is at least {floor:,} rows; at most {learnt.most:,} rows of "
        f"each parent were learnt from, so that at least {learnt.parents:,} rows "
        f"of {name!r} support it"
    )
    return replace(
        pool,
        data=joined,
        claim=Claim(
            promise=pool.claim.promise if private else promise,
            assumption=pool.claim.assumption,
            terms={**pool.claim.terms, **behind, "most_of_one_parent": learnt.most},
        ),
        record={
            **pool.record,
            "rows": len(joined),
            "most_of_one_parent": learnt.most,
            **behind,
            "context": context,
            "context_agreed": agreed,
        },
    )


def _written(
    filled: Table, learnt: LearntChild, child: ChildTable, parents: Table, slots: NDArray[np.intp]
) -> Table:
    """The child rows with the keys of their parents, in the order of their dates."""
    order = _by_date(filled, learnt, slots)
    keys = {key.name for key in learnt.table.schema.keys}
    columns = {
        name: (attribute, codes if name in keys else codes[order])
        for name, (attribute, codes) in _columns(filled).items()
    }
    above = child.keys.parent
    of_parent, place = _columns(parents)[above]
    storage = child.table.column(child.keys.child).storage
    columns[child.keys.child] = (
        Attribute(child.keys.child, of_parent.values, storage),
        place[slots],
    )
    for name, first in learnt.numbering.items():
        columns[name] = _numbered(name, child.table.column(name).storage, slots, first)
    return _assembled(columns, [name for name in child.table.names if name in columns])


def _by_date(filled: Table, learnt: LearntChild, slots: NDArray[np.intp]) -> NDArray[np.intp]:
    """Rows by parent, and those of one parent by the first column of dates."""
    for attribute in learnt.own:
        if attribute.bins is not None and attribute.bins.scale.is_moment:
            dates = filled.codes[:, filled.schema.position(attribute.name)]
            return np.lexsort((dates, slots))
    return np.arange(len(slots))


def _numbered(name: str, storage: str, slots: NDArray[np.intp], first: int) -> _Column:
    """Numbers for the children of each parent, from `first` on."""
    rank = np.arange(len(slots)) - np.searchsorted(slots, slots)
    values = tuple(str(first + i) for i in range(int(rank.max(initial=0)) + 1))
    return Attribute(name, values, storage), rank.astype(np.int32)


def _numbers(filled: Table, name: str) -> NDArray[np.int64]:
    """The cells of a column of whole numbers; a missing one is none."""
    values = [int(value or 0) for value in filled.schema[name].values]
    return np.array([*values, 0], np.int64)[filled.codes[:, filled.schema.position(name)]]


def _columns(table: Table) -> dict[str, _Column]:
    return {
        attribute.name: (attribute, table.codes[:, position])
        for position, attribute in enumerate(table.schema)
    }


def _assembled(columns: dict[str, _Column], names: list[str]) -> Table:
    """A table of these columns in this order."""
    attributes, codes = zip(*(columns[name] for name in names), strict=True)
    return Table(Schema(tuple(attributes)), np.stack(codes, axis=1))
