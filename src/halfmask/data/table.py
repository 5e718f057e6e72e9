"""Table: rows × attributes as integer codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from halfmask.data.countable import Itemset
from halfmask.data.keyed import Numbers, in_key_order, numbers_of_codes, row_numbers
from halfmask.data.schema import Schema
from halfmask.data.transactions import Transactions
from halfmask.errors import BadInput

Sums = tuple[NDArray[Any], ...]
"""Counts that are added up over pieces of a table."""

ABSENT = -1
"""The code of a cell without an item: left out, not missing (missing is an item of its own)."""

PIECE = 1 << 18
"""Rows that are looked at or written at a time, where all at once would only cost memory."""


@dataclass(frozen=True, eq=False)
class Table:
    """A categorical table: `codes[r, a]` is the value number of attribute a in row r.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> table = Table(schema, np.array([[0, 1], [0, 0], [1, 0]]))
    >>> table.marginal(["sex", "ill"]).tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    >>> table.support([(0,), (0, 3)]).tolist()
    [2.0, 1.0]
    """

    schema: Schema
    codes: NDArray[np.int32]

    def __post_init__(self) -> None:
        codes = np.asfortranarray(self.codes, dtype=np.int32)
        if codes.ndim != 2 or codes.shape[1] != len(self.schema):
            raise BadInput(
                f"A table over {len(self.schema)} columns needs a matrix of that width, "
                f"not one of shape {self.codes.shape}."
            )
        sizes = np.diff(self.schema.offsets)
        if codes.size and not ((codes >= ABSENT).all() and (codes.max(axis=0) < sizes).all()):
            raise BadInput("A code of the table lies outside the values of its column.")
        codes.setflags(write=False)
        object.__setattr__(self, "codes", codes)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def size(self) -> float:
        """The number of rows."""
        return float(len(self.codes))

    def marginal(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """Joint counts of these attributes; rows without one of the values are in no cell."""
        columns = [self.schema.position(name) for name in attributes]
        shape = tuple(self.schema.attributes[c].size for c in columns)
        if not columns:
            return np.array(self.size)
        counts = np.zeros(int(np.prod(shape)), np.int64)
        for start in range(0, len(self), PIECE):
            counts += _cells(self.codes[start : start + PIECE], columns, shape)
        return counts.astype(np.float64).reshape(shape)

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.float64]:
        """The number of rows that contain each itemset."""
        if len(self) <= PIECE:
            return self.transactions.support(itemsets).astype(np.float64)
        counts = np.zeros(len(itemsets))
        for piece in self.pieces():
            counts += piece.support(itemsets)
        return counts

    @cached_property
    def transactions(self) -> Transactions:
        """Every row as the set of its items."""
        items = np.ascontiguousarray(self.codes) + self.schema.offsets[:-1]
        lengths = np.full(len(self), len(self.schema), np.int64)
        if (self.codes == ABSENT).any():
            present = np.ascontiguousarray(self.codes) != ABSENT
            lengths = present.sum(axis=1)
            items = items[present]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        flat = items.reshape(-1).astype(np.int32, copy=False)
        return Transactions(offsets, flat, np.ones(len(self), np.int64), self.schema.n_items)

    def take(self, rows: NDArray[np.intp]) -> Table:
        """The given rows, in the given order."""
        return Table(self.schema, self.codes[rows])

    def summed(self, count: Callable[[Table], Sums]) -> Sums:
        """What is counted in each piece of the table, added up.

        >>> from halfmask.data import Attribute
        >>> table = Table(Schema((Attribute("sex", ("f", "m")),)), np.array([[0], [1], [1]]))
        >>> table.summed(lambda piece: (piece.marginal(["sex"]),))
        (array([1., 2.]),)
        """
        counted = map(count, self.pieces())
        found = next(counted)
        for each in counted:  # one after the other, so that few are in memory
            found = tuple(a + b for a, b in zip(found, each, strict=True))
        return found

    def with_columns(self, schema: Schema, columns: Sequence[int]) -> Self:
        """The same rows with some of the columns, under another schema."""
        every = list(columns) == list(range(len(self.schema)))
        return type(self)(schema, self.codes if every else self.codes[:, list(columns)])

    def numbers(self, use: str = "rows") -> Numbers:
        """A number for each row that depends on its codes only; others for each use."""
        return row_numbers(
            (
                (self.codes[:, position], numbers_of_codes(attribute.size, position, use))
                for position, attribute in enumerate(self.schema)
            ),
            len(self),
        )

    def part(self, rows: int) -> Table:
        """So many rows, the same ones in whatever order the table is; itself if it has no more."""
        if rows >= len(self):
            return self
        return self.take(in_key_order(self.numbers(), rows))

    def pieces(self) -> Iterator[Table]:
        """The table cut into tables of `PIECE` rows, the last with the rest; one if it is empty."""
        for start in range(0, max(len(self), 1), PIECE):
            yield Table(self.schema, self.codes[start : start + PIECE])


def _cells(
    codes: NDArray[np.int32], columns: Sequence[int], shape: Sequence[int]
) -> NDArray[np.int64]:
    """How many of these rows are in each cell of a table over some columns."""
    key = np.zeros(len(codes), np.int64)
    complete = np.ones(len(codes), bool)
    for column, size in zip(columns, shape, strict=True):
        held = codes[:, column]
        complete &= held != ABSENT
        key *= size
        key += held
    return np.bincount(key[complete], minlength=int(np.prod(shape)))
