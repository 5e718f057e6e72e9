"""Growing target trees: how the column that readers will predict follows from the others.

Tables of a few columns cannot say what long combinations of values decide. So trees of splits
are grown about the target, one after another, each where the ones before are wrong, as boosting
does [Friedman 2001], and cut back to what the luckiest of all splits would not show by chance;
what is told at their leaves are counts of at least `min_support` rows. The class shares of drawn
rows are fitted to the leaves of all trees together by iterative scaling [Darroch & Ratcliff 1972],
and the target is drawn anew from them. How many rows are in a leaf is left alone: only what the
target is there is learnt, because to meet the number of rows in small groups would tell who was in
the original. `reference/target_trees.py` is the same in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Schema, Table
from halfmask.data.rows import Rows
from halfmask.data.table import ABSENT
from halfmask.data.target_trees import SplitPath, TargetTrees, Tree, counts_at
from halfmask.methods.calibration.raking import row_order, runs
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.generator.part import floor_in_part
from halfmask.methods.names import forbidden_pairs

GROWN_FROM = 1 << 20
"""Rows of a table from which trees are grown: about as many as are searched for patterns."""
MOST_TREES = 30
MOST_LEAVES = 256
MOST_ASKED = 8
"""Columns on one path."""
CAUTION = 0.25
"""Splits are asked that bring more than chance would give the luckiest of all, so that trees
tell what holds for people like these and not who they were. At 1 the bound for it is used as it is;
it is wide, and a quarter was seen to suffice."""
ROUNDS, ROUNDS_BETWEEN = 4, 2
"""Of fitting: for a release, and after each tree while growing."""
MOST_SHARES = 1 << 22
"""Rows times values of the target that are fitted at once: 32 MB."""
GOLDEN = (5**0.5 - 1) / 2

Codes = NDArray[np.int32]
Shares = NDArray[np.float64]
Allowed = Callable[[Codes], NDArray[np.bool_]]
"""Which values of the target may stand in each of these rows: rows × values."""


@dataclass(frozen=True, eq=False)
class ClassFit:
    """What the shares of the target's values are multiplied by at the leaves of each tree."""

    target_trees: TargetTrees
    schema: Schema
    factors: tuple[Shares, ...]
    """Of each tree: leaves × values."""

    def shares(self, codes: Codes, *, threads: int = 1) -> Shares:
        """The share of each value of the target in rows, by their other columns."""
        size = self.schema[self.target_trees.target].size
        codes = np.asfortranarray(codes)
        shares = np.full((len(codes), size), 1.0 / size)
        for tree, factors in zip(self.target_trees.trees, self.factors, strict=True):
            leaf = tree.leaf_of(codes, self.schema, threads=threads)
            shares *= np.vstack([factors, np.ones(size)])[leaf]  # -1 is the last: as it was
            shares /= shares.sum(axis=1, keepdims=True)
        return shares


def fit_classes(
    target_trees: TargetTrees, schema: Schema, codes: Codes, *, min_support: int
) -> tuple[ClassFit, Shares]:
    """Fit the shares in these rows to what the trees disclose."""
    size = schema[target_trees.target].size
    leaves = [tree.leaf_of(codes, schema) for tree in target_trees.trees]
    told = _Told.of(target_trees, size, min_support)
    shares = np.full((len(codes), size), 1.0 / size)
    fitted, factors = told.fit(leaves, shares, rounds=ROUNDS)
    return ClassFit(target_trees, schema, told.cut(factors)), fitted


def redrawn(
    codes: Codes,
    fit: ClassFit,
    *,
    rng: np.random.Generator,
    allowed: Allowed | None = None,
    threads: int = 1,
) -> Codes:
    """The rows with the target drawn anew from its shares; a rule may rule out some values.

    Like rows get numbers that lie evenly in [0, 1), so that their values come as often as their
    shares say and not by chance only.
    """
    schema, start = fit.schema, rng.random()
    column = schema.position(fit.target_trees.target)
    size = schema.attributes[column].size
    rows = np.array(codes, np.int32, order="F")
    if not len(rows):
        return rows
    target = rows[:, column].copy()
    rows[:, column] = 0  # so that rows are alike whatever it was
    order = row_order(rows, schema)
    step = max(MOST_SHARES // size, 1)
    for first in range(0, len(rows), step):
        part = order[first : first + step]
        distinct = runs(rows[part])
        like = rows[part[distinct]]
        shares = fit.shares(like, threads=threads)
        if allowed is not None:
            shares = shares * allowed(like)
        reach = np.repeat(np.cumsum(shares, axis=1), np.diff(distinct, append=len(part)), axis=0)
        even = (start + GOLDEN * np.arange(first, first + len(part))) % 1.0
        value = (even[:, None] * reach[:, -1:] >= reach).sum(axis=1)
        possible = value < size  # in no row where every value is ruled out
        target[part[possible]] = value[possible]
    rows[:, column] = target
    return rows


def grow_trees(  # noqa: PLR0913 - what to grow from, and what is kept apart
    table: Rows,
    drawn: Codes,
    settings: CalibrationSettings,
    *,
    min_support: int,
    hide_together: Sequence[tuple[str, str]] = (),
    longest: int | None = None,
) -> TargetTrees | None:
    """Trees about the target, grown where those before are wrong in the rows drawn.

    Those of a long table are grown from a part of it, and counted in all of its rows. None tells
    of two attributes that are hidden together, nor of more than `longest` at once.
    Growing sees counts below the floor no more than telling does: what decides a split are
    counts of at least `min_support` rows, and whether the rest of a leaf is none, few, or so many.
    """
    schema, target = table.schema, settings.target
    if target is None or not len(drawn) or schema[target].size < 2:
        return None
    part = table.part(GROWN_FROM)
    floor = floor_in_part(min_support, len(part), len(table))
    trees = _grown(part, drawn, settings, floor, hide_together, longest)
    if len(part) < len(table):
        counts = counts_at(table, target, [tree.paths for tree in trees])
        trees = [
            Tree.counted(each, tree.paths, min_support=min_support, base=settings.base)
            for tree, each in zip(trees, counts, strict=True)
        ]
    return TargetTrees(target, tuple(tree for tree in trees if tree.leaves))


def _grown(  # noqa: PLR0913, PLR0917 - what to grow from, and what is kept apart
    table: Table,
    drawn: Codes,
    settings: CalibrationSettings,
    min_support: int,
    hide_together: Sequence[tuple[str, str]],
    longest: int | None,
) -> list[Tree]:
    """The trees of a table in memory, one after the other."""
    schema, target = table.schema, str(settings.target)
    known = table.take(np.flatnonzero(table.codes[:, schema.position(target)] != ABSENT))
    growing = _Growing.of(known, drawn, settings, hide_together, longest, min_support)
    count = partial(Tree.of, known, target, min_support=min_support, base=settings.base)
    trees = [count([()]), *(count(paths) for paths in growing.single_splits())]
    leaves = [tree.leaf_of(drawn, schema) for tree in trees]
    size = schema[target].size
    shares = np.full((len(drawn), size), 1.0 / size)
    shares, _ = _Told.of(TargetTrees(target, tuple(trees)), size, min_support).fit(
        leaves, shares, rounds=ROUNDS
    )
    for _ in range(MOST_TREES):
        paths = growing.paths(shares)
        if len(paths) < 2:
            break
        trees.append(count(paths))
        leaves.append(trees[-1].leaf_of(drawn, schema))
        told = _Told.of(TargetTrees(target, tuple(trees)), size, min_support)
        shares, _ = told.fit(leaves, shares, rounds=ROUNDS_BETWEEN)
    return trees


@dataclass(frozen=True, eq=False)
class _Told:
    """What trees disclose as the kernel reads it: see native/calibration/target_trees.hpp."""

    offsets: NDArray[np.int64]
    told: Shares
    rest: Shares
    few: Shares
    rows: int
    min_support: int

    @classmethod
    def of(cls, target_trees: TargetTrees, size: int, min_support: int) -> _Told:
        every = [leaf for tree in target_trees.trees for leaf in tree.leaves]
        told = np.full((len(every), size), -1.0)
        for n, leaf in enumerate(every):
            for code, count in leaf.counts:
                told[n, code] = count
        return cls(
            np.cumsum([0, *(len(tree.leaves) for tree in target_trees.trees)]),
            told,
            np.array([-1 if b.rest is None else b.rest for b in every], np.float64),
            np.array([tree.suppressed for tree in target_trees.trees], np.float64),
            max((tree.rows for tree in target_trees.trees), default=0),
            min_support,
        )

    def fit(self, leaves: Sequence[Codes], shares: Shares, *, rounds: int) -> tuple[Shares, Shares]:
        """Shares in the rows, and factors of all leaves."""
        size = shares.shape[1]
        numbered = [
            np.where(leaf < 0, -1, leaf + first).astype(np.int32)
            for leaf, first in zip(leaves, self.offsets, strict=False)
        ]
        fitted, factors = _native.fit_classes(
            np.concatenate(numbered),
            self.offsets,
            self.told.ravel(),
            self.rest,
            self.few,
            shares.ravel(),
            size,
            self.min_support,
            float(self.rows),
            rounds,
            None,
        )
        return fitted.reshape(-1, size), factors.reshape(-1, size)

    def cut(self, factors: Shares) -> tuple[Shares, ...]:
        """The factors of each tree."""
        return tuple(np.split(factors, self.offsets[1:-1]))


@dataclass(frozen=True, eq=False)
class _Growing:
    """What stays the same from tree to tree, as the kernel reads it."""

    schema: Schema
    columns: tuple[int, ...]
    """Those that may be asked about."""
    codes: Codes
    classes: Codes
    drawn: Codes
    apart: NDArray[np.uint8]
    most: Codes
    n_classes: int
    min_support: int

    @classmethod
    def of(  # noqa: PLR0913, PLR0917 - the parts of one kernel call
        cls,
        known: Table,
        drawn: Codes,
        settings: CalibrationSettings,
        hide_together: Sequence[tuple[str, str]],
        longest: int | None,
        min_support: int,
    ) -> _Growing:
        schema, target = known.schema, known.schema.position(str(settings.target))
        apart = np.zeros((len(schema), len(schema)), np.uint8)
        for one, other in forbidden_pairs(schema, hide_together):
            a, b = schema.domains[one], schema.domains[other]
            apart[a, b] = apart[b, a] = 1
        most = _most_asked(schema, settings, longest)
        columns = tuple(
            c
            for c, attribute in enumerate(schema)
            if c != target and attribute.size > 1 and most[c] > 0 and not apart[c, target]
        )
        return cls(
            schema,
            columns,
            known.codes[:, columns].ravel(order="F"),
            np.ascontiguousarray(known.codes[:, target]),
            np.asarray(drawn, np.int32)[:, columns].ravel(order="F"),
            apart[np.ix_(columns, columns)].ravel(),
            most[list(columns)],
            schema.attributes[target].size,
            min_support,
        )

    def single_splits(self) -> list[list[SplitPath]]:
        """For each column a path for each of its values."""
        asked = (self.schema.attributes[c] for c in self.columns)
        return [[((a.name, code, True),) for code in range(a.size)] for a in asked]

    def paths(self, shares: Shares) -> list[SplitPath]:
        """The leaves of a tree that is grown where these shares of the drawn rows are wrong."""
        sizes = [self.schema.attributes[c].size for c in self.columns]
        tree = _native.grow_tree(
            self.codes,
            self.classes,
            self.drawn,
            shares.ravel(),
            np.array(sizes, np.int32),
            self.apart,
            self.most,
            self.n_classes,
            self.min_support,
            MOST_LEAVES,
            CAUTION,
            None,
        )
        column, value, yes, no = (each.tolist() for each in tree)
        names = [self.schema.attributes[c].name for c in self.columns]
        found: list[SplitPath] = []
        open_ways: list[tuple[int, SplitPath]] = [(0, ())]
        while open_ways:
            node, path = open_ways.pop()
            if column[node] < 0:
                found.append(path)
                continue
            name, code = names[column[node]], value[node]
            open_ways += [
                (no[node], (*path, (name, code, False))),
                (yes[node], (*path, (name, code, True))),
            ]
        return found


def _most_asked(schema: Schema, settings: CalibrationSettings, longest: int | None) -> Codes:
    """How many columns a path that asks about each may ask about; the target stands beside them."""
    every = MOST_ASKED if longest is None else min(MOST_ASKED, longest - 1)
    of_target = settings.order_for.get(str(settings.target), every + 1) - 1
    return np.array(
        [
            min(every, of_target, settings.order_for.get(name, every + 1) - 1)
            for name in schema.names
        ],
        np.int32,
    )
