"""Target trees: what is disclosed of one column in the parts of a table that a few splits cut out.

A path of splits such as "health is recommended, parents is not usual" leads to a leaf. Of its rows,
the values of the target column that enough rows hold are disclosed with their counts, the others as
one number, the rest. A rest below the floor is suppressed: of all such rests of a tree only the sum
is disclosed.
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

Split = tuple[str, int, bool]
"""An attribute, the code of a value, and whether the rows have it."""
SplitPath = tuple[Split, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One path of splits, and the values of the target that are disclosed of its rows."""

    path: SplitPath
    counts: tuple[tuple[int, int], ...]
    """The code of a value of the target and the rows that hold it."""
    rest: int | None
    """The rows with any other value; none where they are few."""

    def label(self, schema: Schema) -> str:
        """The path as a person writes it."""
        labels = [schema.label(schema.items_of(name)[code]) for name, code, _ in self.path]
        return ", ".join(
            label if equal else f"{name}≠{label[len(name) + 1 :]}"
            for label, (name, _, equal) in zip(labels, self.path, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Tree:
    """Leaves that share no row."""

    leaves: tuple[Leaf, ...]
    suppressed: int
    """The rows of all suppressed rests, together."""

    @classmethod
    def of(
        cls,
        table: Rows,
        target: str,
        paths: Sequence[SplitPath],
        *,
        min_support: int,
        base: int = 1,
    ) -> Tree:
        """Count the values of the target at the end of each path.

        A path whose rows have no value often enough discloses nothing and is left out. Where all
        small rests together are below the floor, the smallest value of each joins its rest.

        >>> from halfmask.data import Attribute
        >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
        >>> table = Table(schema, np.array([[0, 0]] * 9 + [[0, 1]] * 5 + [[1, 0]] * 7 + [[1, 1]]))
        >>> tree = Tree.of(table, "ill", [(("sex", 0, True),), (("sex", 1, True),)], min_support=5)
        >>> [(leaf.counts, leaf.rest) for leaf in tree.leaves], tree.suppressed
        ([(((0, 9), (1, 5)), 0)], 0)
        """
        [counts] = counts_at(table, target, [paths])
        return cls.counted(counts, paths, min_support=min_support, base=base)

    @classmethod
    def counted(
        cls,
        counts: NDArray[np.int64],
        paths: Sequence[SplitPath],
        *,
        min_support: int,
        base: int = 1,
    ) -> Tree:
        """The tree of these paths, with the values of the target at the end of each."""
        disclosed = counts >= min_support
        small = _suppressed(counts, disclosed, min_support)
        if small.sum() < min_support:
            for n in np.flatnonzero(small):
                disclosed[n, np.argmin(np.where(disclosed[n], counts[n], counts.max() + 1))] = False
        kept = np.flatnonzero(disclosed.any(axis=1))
        few = _suppressed(counts, disclosed, min_support).sum(keepdims=True)
        return cls(
            tuple(
                _leaf(paths[n], counts[n], disclosed[n], min_support, base) for n in kept.tolist()
            ),
            int(to_base(few, base)[0]),
        )

    def leaf_of(
        self, codes: NDArray[np.int32], schema: Schema, *, threads: int = 1
    ) -> NDArray[np.int32]:
        """The number of the leaf that holds each row, the first of several; -1 without any."""
        return _led(self.paths, codes, schema, threads)

    @property
    def paths(self) -> list[SplitPath]:
        """The path of each leaf."""
        return [leaf.path for leaf in self.leaves]

    def rests(self, counts: NDArray[np.int64]) -> list[int]:
        """The rest of each leaf, also where it is suppressed.

        `counts` are those of all values at the end of its paths.
        """
        told = [[code for code, _ in leaf.counts] for leaf in self.leaves]
        return [int(np.delete(line, codes).sum()) for line, codes in zip(counts, told, strict=True)]

    @property
    def rows(self) -> int:
        """The rows of all leaves, as far as they are disclosed."""
        disclosed = sum(count for leaf in self.leaves for _, count in leaf.counts)
        return disclosed + sum(leaf.rest or 0 for leaf in self.leaves) + self.suppressed


@dataclass(frozen=True, slots=True)
class TargetTrees:
    """Trees of splits on the other columns, and what each discloses of the target."""

    target: str
    trees: tuple[Tree, ...]

    @property
    def counts(self) -> list[int]:
        """Every count that is disclosed, without the rests."""
        every = (leaf for tree in self.trees for leaf in tree.leaves)
        return [count for leaf in every for _, count in leaf.counts]

    @property
    def attributes(self) -> list[tuple[str, ...]]:
        """Of each leaf: the attributes that it asks about, and the target."""
        every = (leaf for tree in self.trees for leaf in tree.leaves)
        return [(*dict.fromkeys(name for name, _, _ in b.path), self.target) for b in every]

    def to_rows(self, schema: Schema) -> Iterator[dict[str, str | int | None]]:
        """Every count on a line, as the margins have them."""
        items = schema.items_of(self.target)
        for number, tree in enumerate(self.trees, start=1):
            name = f"{self.target}, tree {number}"
            for leaf in tree.leaves:
                path = f"{leaf.label(schema)}, " if leaf.path else ""
                for code, count in leaf.counts:
                    yield {"table": name, "cell": path + schema.label(items[code]), "count": count}
                if leaf.rest:
                    other = f"{path}{self.target}: others"
                    yield {"table": name, "cell": other, "count": leaf.rest}
            yield {"table": name, "cell": None, "count": tree.suppressed}


def _led(
    paths: Sequence[SplitPath], codes: NDArray[np.int32], schema: Schema, threads: int = 1
) -> NDArray[np.int32]:
    """The number of the path that each row follows, the first of several; -1 without any.

    A row without a value has none of the values.
    """
    splits = [split for path in paths for split in path]
    return _native.lead_rows(
        np.asarray(codes, np.int32).ravel(order="F"),
        np.diff(schema.offsets).astype(np.int32),
        np.cumsum([0, *(len(path) for path in paths)], dtype=np.int64),
        np.array([schema.position(name) for name, _, _ in splits], np.int32),
        np.array([code for _, code, _ in splits], np.int32),
        np.array([equal for _, _, equal in splits], np.uint8),
        threads,
        None,
    )


def counts_at(
    table: Rows, target: str, trees: Sequence[Sequence[SplitPath]]
) -> tuple[NDArray[np.int64], ...]:
    """For each list of paths: paths × values of the target; no row follows two paths of a list.

    All of them are counted in one pass.
    """
    return table.summed(partial(_counts, target, trees))


def _counts(target: str, trees: Sequence[Sequence[SplitPath]], piece: Table) -> Sums:
    column = piece.codes[:, piece.schema.position(target)]
    size = piece.schema[target].size
    found = []
    for paths in trees:
        path = _led(paths, piece.codes, piece.schema)
        cells = (path * size + column)[(path >= 0) & (column != ABSENT)]
        counts = np.bincount(cells, minlength=len(paths) * size)
        found.append(counts.reshape(len(paths), size).astype(np.int64))
    return tuple(found)


def _suppressed(
    counts: NDArray[np.int64], disclosed: NDArray[np.bool_], min_support: int
) -> NDArray[np.int64]:
    """The rest of each path that discloses something, where it is below the floor; else 0."""
    rests = np.where(disclosed, 0, counts).sum(axis=1)
    return np.where((rests < min_support) & disclosed.any(axis=1), rests, 0)


def _leaf(
    path: SplitPath,
    counts: NDArray[np.int64],
    disclosed: NDArray[np.bool_],
    min_support: int,
    base: int,
) -> Leaf:
    codes = np.flatnonzero(disclosed)
    rounded = to_base(counts[codes], base)
    rest = counts[~disclosed].sum(keepdims=True)
    few = 0 < rest[0] < min_support
    return Leaf(
        tuple(path),
        tuple(zip(codes.tolist(), rounded.tolist(), strict=True)),
        None if few else int(to_base(rest, base)[0]),
    )
