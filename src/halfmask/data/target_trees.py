"""Branches: what is told of one column in the parts of a table that a few questions cut out.

A branch is a way of questions such as "health is recommended, parents is not usual". Of the rows
that it leads to, the values of the target column that enough rows hold are told with their counts,
the others as one number. Where that number is below the floor it is not told: of such rests only
the sum over all branches of a tree is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data.rounding import to_base
from halfmask.data.rows import Rows
from halfmask.data.schema import Schema
from halfmask.data.table import ABSENT, Sums, Table

Question = tuple[str, int, bool]
"""An attribute, the code of a value, and whether the rows have it."""
Way = tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """One way of questions, and the values of the target that are told of its rows."""

    way: Way
    counts: tuple[tuple[int, int], ...]
    """The code of a value of the target and the rows that hold it."""
    rest: int | None
    """The rows with any other value; none where they are few."""

    def label(self, schema: Schema) -> str:
        """The way as a person writes it."""
        labels = [schema.label(schema.items_of(name)[code]) for name, code, _ in self.way]
        return ", ".join(
            label if equal else f"{name}≠{label[len(name) + 1 :]}"
            for label, (name, _, equal) in zip(labels, self.way, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Tree:
    """Branches that lead to different rows."""

    branches: tuple[Branch, ...]
    few: int
    """The rows of all rests that are not told, together."""

    @classmethod
    def of(
        cls, table: Rows, target: str, ways: Sequence[Way], *, min_support: int, base: int = 1
    ) -> Tree:
        """Count the values of the target at the end of each way.

        A way whose rows have no value often enough tells nothing and is left out. Where all small
        rests together are below the floor, the smallest value of each joins its rest.

        >>> from halfmask.data import Attribute
        >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
        >>> table = Table(schema, np.array([[0, 0]] * 9 + [[0, 1]] * 5 + [[1, 0]] * 7 + [[1, 1]]))
        >>> tree = Tree.of(table, "ill", [(("sex", 0, True),), (("sex", 1, True),)], min_support=5)
        >>> [(branch.counts, branch.rest) for branch in tree.branches], tree.few
        ([(((0, 9), (1, 5)), 0)], 0)
        """
        [counts] = counts_at(table, target, [ways])
        return cls.counted(counts, ways, min_support=min_support, base=base)

    @classmethod
    def counted(
        cls, counts: NDArray[np.int64], ways: Sequence[Way], *, min_support: int, base: int = 1
    ) -> Tree:
        """The tree of these ways, with the values of the target at the end of each."""
        disclosed = counts >= min_support
        small = _few(counts, disclosed, min_support)
        if small.sum() < min_support:
            for n in np.flatnonzero(small):
                disclosed[n, np.argmin(np.where(disclosed[n], counts[n], counts.max() + 1))] = False
        kept = np.flatnonzero(disclosed.any(axis=1))
        few = _few(counts, disclosed, min_support).sum(keepdims=True)
        return cls(
            tuple(
                _branch(ways[n], counts[n], disclosed[n], min_support, base) for n in kept.tolist()
            ),
            int(to_base(few, base)[0]),
        )

    def branch_of(
        self, codes: NDArray[np.int32], schema: Schema, *, threads: int = 1
    ) -> NDArray[np.int32]:
        """The number of the branch that leads to each row, the first of several; -1 without any."""
        return _led(self.ways, codes, schema, threads)

    @property
    def ways(self) -> list[Way]:
        """The way of each branch."""
        return [branch.way for branch in self.branches]

    def rests(self, counts: NDArray[np.int64]) -> list[int]:
        """The rows of each branch with a value of the target that is not told, also where few.

        `counts` are those of all values at the end of its ways.
        """
        told = [[code for code, _ in branch.counts] for branch in self.branches]
        return [int(np.delete(line, codes).sum()) for line, codes in zip(counts, told, strict=True)]

    @property
    def rows(self) -> int:
        """The rows at the end of all branches, as far as they are told."""
        disclosed = sum(count for branch in self.branches for _, count in branch.counts)
        return disclosed + sum(branch.rest or 0 for branch in self.branches) + self.few


@dataclass(frozen=True, slots=True)
class Branches:
    """Trees of questions about the other columns, and what each tells of the target."""

    target: str
    trees: tuple[Tree, ...]

    @property
    def counts(self) -> list[int]:
        """Every count that is told, without the rests."""
        every = (branch for tree in self.trees for branch in tree.branches)
        return [count for branch in every for _, count in branch.counts]

    @property
    def attributes(self) -> list[tuple[str, ...]]:
        """Of each branch: the attributes that it asks about, and the target."""
        every = (branch for tree in self.trees for branch in tree.branches)
        return [(*dict.fromkeys(name for name, _, _ in b.way), self.target) for b in every]

    def to_rows(self, schema: Schema) -> Iterator[dict[str, str | int | None]]:
        """Every count on a line, as the margins have them."""
        items = schema.items_of(self.target)
        for number, tree in enumerate(self.trees, start=1):
            name = f"{self.target}, tree {number}"
            for branch in tree.branches:
                way = f"{branch.label(schema)}, " if branch.way else ""
                for code, count in branch.counts:
                    yield {"table": name, "cell": way + schema.label(items[code]), "count": count}
                if branch.rest:
                    other = f"{way}{self.target}: others"
                    yield {"table": name, "cell": other, "count": branch.rest}
            yield {"table": name, "cell": None, "count": tree.few}


def _led(
    ways: Sequence[Way], codes: NDArray[np.int32], schema: Schema, threads: int = 1
) -> NDArray[np.int32]:
    """The number of the way that leads to each row, the first of several; -1 without any.

    A row without a value has none of the values.
    """
    questions = [question for way in ways for question in way]
    return _native.lead_rows(
        np.asarray(codes, np.int32).ravel(order="F"),
        np.diff(schema.offsets).astype(np.int32),
        np.cumsum([0, *(len(way) for way in ways)], dtype=np.int64),
        np.array([schema.position(name) for name, _, _ in questions], np.int32),
        np.array([code for _, code, _ in questions], np.int32),
        np.array([equal for _, _, equal in questions], np.uint8),
        threads,
        None,
    )


def counts_at(
    table: Rows, target: str, trees: Sequence[Sequence[Way]]
) -> tuple[NDArray[np.int64], ...]:
    """For each list of ways: ways × values of the target; no two ways of a list lead to one row.

    All of them are counted in one pass.
    """
    return table.summed(partial(_counts, target, trees))


def _counts(target: str, trees: Sequence[Sequence[Way]], piece: Table) -> Sums:
    column = piece.codes[:, piece.schema.position(target)]
    size = piece.schema[target].size
    found = []
    for ways in trees:
        way = _led(ways, piece.codes, piece.schema)
        cells = (way * size + column)[(way >= 0) & (column != ABSENT)]
        counts = np.bincount(cells, minlength=len(ways) * size)
        found.append(counts.reshape(len(ways), size).astype(np.int64))
    return tuple(found)


def _few(
    counts: NDArray[np.int64], disclosed: NDArray[np.bool_], min_support: int
) -> NDArray[np.int64]:
    """The rest of each way that tells something, where it is below the floor; else 0."""
    rests = np.where(disclosed, 0, counts).sum(axis=1)
    return np.where((rests < min_support) & disclosed.any(axis=1), rests, 0)


def _branch(
    way: Way, counts: NDArray[np.int64], disclosed: NDArray[np.bool_], min_support: int, base: int
) -> Branch:
    codes = np.flatnonzero(disclosed)
    rounded = to_base(counts[codes], base)
    rest = counts[~disclosed].sum(keepdims=True)
    few = 0 < rest[0] < min_support
    return Branch(
        tuple(way),
        tuple(zip(codes.tolist(), rounded.tolist(), strict=True)),
        None if few else int(to_base(rest, base)[0]),
    )
