"""Column: one raw column of a table, its distinct values as text and which each row holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Kind = Literal["text", "number", "truth", "moment", "time", "nothing"]

_KINDS: tuple[tuple[str, Kind], ...] = (
    ("string", "text"),
    ("large_string", "text"),
    ("int", "number"),
    ("uint", "number"),
    ("float", "number"),
    ("double", "number"),
    ("half", "number"),
    ("decimal", "number"),
    ("duration", "number"),
    ("bool", "truth"),
    ("date", "moment"),
    ("timestamp", "moment"),
    ("time", "time"),
    ("null", "nothing"),
)


def kind_of(storage: str) -> Kind:
    """What the labels of a column stored so are.

    >>> kind_of("decimal128(5, 2)"), kind_of("dictionary<values=string, indices=int8, ordered=0>")
    ('number', 'text')
    """
    values = storage.removeprefix("dictionary<values=")
    return next((kind for start, kind in _KINDS if values.startswith(start)), "text")


class Labelled:
    """A raw column as far as no rows are needed: its different values and how many hold each."""

    name: str
    labels: tuple[str | None, ...]
    storage: str

    def __len__(self) -> int:
        raise NotImplementedError

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows hold each label."""
        raise NotImplementedError

    @property
    def kind(self) -> Kind:
        """What the labels are."""
        return kind_of(self.storage)

    @property
    def is_text(self) -> bool:
        """Whether any word can be written in this column."""
        return self.kind == "text"

    def relabelled(self, labels: Sequence[str | None]) -> Self:
        """The column with another label for each of its own; those that become one are one."""
        new = tuple(dict.fromkeys(labels))
        number = {label: i for i, label in enumerate(new)}
        return self._with(new, np.array([number[label] for label in labels], np.int32))

    def in_order(self) -> Self:
        """The same with its labels in an order that does not depend on the rows.

        >>> Column.of("sex", ["m", None, "f"]).in_order().labels
        ('f', 'm', None)
        """
        if self.storage.endswith("ordered=1>"):  # their order is a part of their meaning
            return self
        held = sorted({label for label in self.labels if label is not None})
        labels = (*held, *((None,) if None in self.labels else ()))
        number = {label: i for i, label in enumerate(labels)}
        return self._with(labels, np.array([number[label] for label in self.labels], np.int32))

    def _with(self, labels: tuple[str | None, ...], place: NDArray[np.int32]) -> Self:
        """Other labels, and the place of each of the old ones among them."""
        raise NotImplementedError


AnyColumn = TypeVar("AnyColumn", bound=Labelled)
PairCounts = Mapping[tuple[str | None, str | None], int]
"""How many rows hold a label of one column and one of another."""


@dataclass(frozen=True, eq=False)
class CountedColumn(Labelled):
    """A raw column whose rows lie elsewhere.

    >>> CountedColumn("sex", ("m", "f"), np.array([3, 4])).in_order().counts.tolist()
    [4, 3]
    """

    name: str
    labels: tuple[str | None, ...]
    held: NDArray[np.int64]
    storage: str = "string"
    beside: Mapping[str, PairCounts] = field(default_factory=dict)
    """How many rows hold a label of this column and one of another, for columns it is cut by."""

    def __len__(self) -> int:
        return int(self.held.sum())

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows hold each label."""
        return self.held

    def _with(self, labels: tuple[str | None, ...], place: NDArray[np.int32]) -> CountedColumn:
        counts = np.zeros(len(labels), np.int64)
        np.add.at(counts, place, self.held)
        new = {old: labels[at] for old, at in zip(self.labels, place.tolist(), strict=True)}
        beside: dict[str, Counter[tuple[str | None, str | None]]] = {}
        for other, pairs in self.beside.items():
            beside[other] = Counter()
            for (mine, its), rows in pairs.items():
                beside[other][new[mine], its] += rows
        return CountedColumn(self.name, labels, counts, self.storage, beside)


@dataclass(frozen=True, eq=False)
class Column(Labelled):
    """A raw column: its distinct values as text (`None` is missing) and which each row holds.

    >>> Column.of("sex", ["f", "m", None, "f"]).index.tolist()
    [0, 1, 2, 0]
    """

    name: str
    labels: tuple[str | None, ...]
    index: NDArray[np.integer[Any]]
    """The place of each row's label, in a small integer type: for looking up, not for sums."""
    storage: str = "string"

    @classmethod
    def of(cls, name: str, cells: Sequence[str | None], storage: str = "string") -> Column:
        """A column from its cells."""
        labels = tuple(dict.fromkeys(cells))
        code = {label: i for i, label in enumerate(labels)}
        return cls(name, labels, np.array([code[cell] for cell in cells], np.int32), storage)

    def __len__(self) -> int:
        return len(self.index)

    def take(self, rows: NDArray[np.intp]) -> Column:
        """The given rows, in the given order, with the labels that occur in them.

        >>> Column.of("sex", ["f", "m", "f"]).take(np.array([2, 0])).labels
        ('f',)
        """
        held, index = np.unique(self.index[rows], return_inverse=True)
        labels = tuple(self.labels[i] for i in held.tolist())
        return Column(self.name, labels, index.astype(np.int32), self.storage)

    def _with(self, labels: tuple[str | None, ...], place: NDArray[np.int32]) -> Column:
        small = place.astype(self.index.dtype) if len(labels) <= len(self.labels) else place
        return Column(self.name, labels, small[self.index], self.storage)

    def beside(self, other: Column) -> PairCounts:
        """How many rows hold each pair of labels of the two that some row holds.

        >>> sex, ill = Column.of("sex", ["f", "m", "f"]), Column.of("ill", ["no", "no", "no"])
        >>> sex.beside(ill)
        {('f', 'no'): 2, ('m', 'no'): 1}
        """
        found = counted_together([self, other])
        return {(one, two): rows for (one, two), rows in found.items()}

    def followed_by(self, other: Column) -> Column:
        """The rows of both, these first; the storage is this column's.

        >>> Column.of("sex", ["f"]).followed_by(Column.of("sex", ["m", "f"])).cells
        ['f', 'm', 'f']
        """
        labels = tuple(dict.fromkeys((*self.labels, *other.labels)))
        code = {label: i for i, label in enumerate(labels)}
        translation = np.array([code[label] for label in other.labels], np.int32)
        index = np.concatenate([self.index, translation[other.index]]).astype(np.int32)
        return Column(self.name, labels, index, self.storage)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows hold each label."""
        return np.bincount(self.index, minlength=len(self.labels))

    @property
    def cells(self) -> list[str | None]:
        """The label of every row."""
        return [self.labels[i] for i in self.index.tolist()]


def counted_together(columns: Sequence[Column]) -> dict[tuple[str | None, ...], int]:
    """How many rows hold each combination of labels that some row holds.

    >>> counted_together([Column.of("sex", ["f", "m", "f"]), Column.of("ill", ["no", None, "no"])])
    {('f', 'no'): 2, ('m', None): 1}
    """
    held: list[tuple[str | None, ...]] = [()]
    place = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        size = max(len(column.labels), 1)
        both, place = np.unique(place * size + column.index, return_inverse=True)
        firsts, seconds = (each.tolist() for each in np.divmod(both, size))
        held = [(*held[i], column.labels[j]) for i, j in zip(firsts, seconds, strict=True)]
    return dict(zip(held, np.bincount(place, minlength=len(held)).tolist(), strict=True))


def sorted_labels(labels: Sequence[str], storage: str) -> list[str]:
    """Ordered categories as they come, numbers by size, everything else by the alphabet.

    >>> sorted_labels(["10", "9", "nan"], "double"), sorted_labels(["10", "9"], "string")
    (['9', '10', 'nan'], ['10', '9'])
    """
    if storage.endswith("ordered=1>"):
        return list(labels)
    return sorted(labels, key=_size) if kind_of(storage) == "number" else sorted(labels)


def _size(label: str) -> tuple[bool, Decimal]:
    """A number as it sorts, exactly; what is not a number comes last."""
    number = Decimal(label)
    return (True, Decimal(0)) if number.is_nan() else (False, number)
