"""Keyed rows: numbers that depend on what stands in a row, and so not on the order of rows.

Where some rows of a table are to be taken at random, those with the smallest keys are: the same
rows in whatever order, and in however many parts, a table is read. A row's key is made of its
content and of which copy it is among equal rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.data.column import Column
from halfmask.randomness import Randomness

Numbers = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MISSING = b"\xff"
"""No text begins so."""


def mixed(numbers: Numbers) -> Numbers:
    """Each number as another, one to one, that looks unlike it [Steele, Lea & Flood 2014].

    >>> mixed(np.array([0, 1], np.uint64)).tolist()
    [16294208416658607535, 10451216379200822465]
    """
    found = numbers + _STEP
    found ^= found >> np.uint64(30)
    found *= np.uint64(0xBF58476D1CE4E5B9)
    found ^= found >> np.uint64(27)
    found *= np.uint64(0x94D049BB133111EB)
    found ^= found >> np.uint64(31)
    return found


def row_numbers(cells: Iterable[tuple[NDArray[np.integer[Any]], Numbers]], rows: int) -> Numbers:
    """A number for each row: of each column which value a row holds, and a number for each value.

    Tabulation hashing [Zobrist 1970]: rows alike in all columns have one number, others two.
    """
    found = np.zeros(rows, np.uint64)
    for index, of_value in cells:
        found += of_value[index]
    return mixed(found)


def numbers_of_columns(columns: Sequence[Column], key: bytes) -> Numbers:
    """The numbers of raw rows, by the text of their cells.

    >>> ages = Column.of("age", ["30", None, "30"])
    >>> numbers = numbers_of_columns([ages], b"secret")
    >>> numbers[0] == numbers[2] != numbers[1]
    np.True_
    """
    return row_numbers(
        ((column.index, _of_labels(column, key)) for column in columns), len(columns[0])
    )


def _of_labels(column: Column, key: bytes) -> Numbers:
    name = blake2b(column.name.encode(), digest_size=16).digest()
    digests = (
        blake2b(
            _MISSING if label is None else label.encode("utf-8", "surrogatepass"),
            digest_size=8,
            key=key,
            person=name,
        ).digest()
        for label in column.labels
    )
    return np.frombuffer(b"".join(digests), "<u8")


def is_among(numbers: Numbers, wanted: Numbers) -> NDArray[np.bool_]:
    """Which of the numbers are wanted; these must be in order.

    >>> is_among(np.array([7, 3], np.uint64), np.array([1, 3], np.uint64)).tolist()
    [False, True]
    """
    if not len(wanted):
        return np.zeros(len(numbers), bool)
    place = np.minimum(np.searchsorted(wanted, numbers), len(wanted) - 1)
    return np.asarray(wanted[place] == numbers)


@lru_cache(maxsize=1024)
def numbers_of_codes(size: int, position: int, use: str) -> Numbers:
    """The number of each code of the column at a position; the last is that of an absent one."""
    rng = Randomness(0).child(f"{use} of column {position}")
    return rng.integers(0, 1 << 64, size + 1, np.uint64)


def copies(numbers: Numbers) -> NDArray[np.int64]:
    """Which copy each row is among those of its number, counted from 0.

    >>> copies(np.array([7, 3, 7, 7], np.uint64)).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(numbers, kind="stable")
    place = np.arange(len(numbers))
    ordered = numbers[order]
    first = np.ones(len(numbers), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    copy = np.empty(len(numbers), np.int64)
    copy[order] = place - np.maximum.accumulate(np.where(first, place, 0))
    return copy


def keys_of(numbers: Numbers, copy: NDArray[np.int64]) -> Numbers:
    """The key of each of these copies."""
    return mixed(numbers + copy.astype(np.uint64) * _STEP)


def in_key_order(numbers: Numbers, most: int | None = None) -> NDArray[np.intp]:
    """The rows in the order of their keys, or the first `most` of them.

    >>> rows = np.array([5, 9, 5, 2], np.uint64)
    >>> rows[in_key_order(rows)].tolist() == np.sort(rows)[in_key_order(np.sort(rows))].tolist()
    True
    """
    keys = keys_of(numbers, copies(numbers))
    if most is None or most >= len(keys):
        return np.argsort(keys)
    some = np.argpartition(keys, most)[:most]
    return np.asarray(some[np.argsort(keys[some])], np.intp)
