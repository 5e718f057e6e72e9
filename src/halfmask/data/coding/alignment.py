"""Alignment: the values of an original and of a release file in one space.

Both files are labels and types as somebody wrote them. The same value may be spelled in two ways
(1 and 1.0), and a release may hold a group where the original holds the values that went into it.

What makes two tables comparable: the same columns, and values that have something in common.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.identifiers import with_prefix
from halfmask.data.column import Column, Kind, Labelled, sorted_labels
from halfmask.data.rows import SpreadRows, marginals
from halfmask.data.schema import Attribute
from halfmask.data.table import Table
from halfmask.errors import BadInput

GROUP_LABELS = ("other", "other (grouped)", "other (grouped values)")
"""The labels that rare values may share; the first that no row holds already is taken."""

_WORDS: dict[Kind, str] = {
    "text": "text",
    "number": "numbers",
    "truth": "true and false",
    "moment": "dates",
    "time": "times",
    "nothing": "nothing",
}


def group_label(column: Labelled) -> str:
    """The label for the group of rare values of a column."""
    held = set(column.labels)
    free = next((label for label in GROUP_LABELS if label not in held), None)
    if free is None:
        raise BadInput(
            f"Column {column.name!r} holds every label that rare values could share; rename one."
        )
    return free


def align_column(original: Column, release: Column) -> tuple[Attribute, dict[str | None, int]]:
    """One attribute for both columns, and the code of every label of either.

    >>> old = Column.of("size", ["1", "2", "3"], "int64")
    >>> new = Column.of("size", ["2.0", "1.0"], "double")
    >>> attribute, code_of = align_column(old, new)
    >>> attribute.values, code_of["2.0"]
    (('1', '2', '3'), 1)
    """
    value_of = _comparison(original, release)
    of_original = {value_of(label): label for label in original.labels if label is not None}
    of_release = {value_of(label): label for label in release.labels if label is not None}
    group = _group(original, release)
    held = set(original.labels)
    stars = [label for label in release.labels if label is not None and label not in held]
    joined = {
        label: star
        for value, label in of_original.items()
        if value not in of_release and (star := with_prefix(label, stars)) is not None
    }
    if group is not None or joined:
        of_original = {
            v: label
            for v, label in of_original.items()
            if v in of_release or not (group or label in joined)
        }
    elif not _comparable(original, release) and not of_original.keys() & of_release.keys():
        raise BadInput(
            f"Column {original.name!r} holds {_WORDS[original.kind]} in the original and "
            f"{_WORDS[release.kind]} in the release; their values cannot be compared."
        )
    storage = original.storage if original.kind != "nothing" else release.storage
    added = [label for v, label in of_release.items() if v not in of_original]
    values: list[str | None] = [*_sorted(list(of_original.values()), storage), *sorted(added)]
    if None in original.labels or None in release.labels:
        values.append(None)
    code: dict[Hashable, int] = {value_of(v): i for i, v in enumerate(values) if v is not None}
    code_of = {
        label: len(values) - 1
        if label is None
        else code.get(value_of(joined.get(label, label)), code.get(group, -1))
        for label in (*original.labels, *release.labels)
    }
    return Attribute(original.name, tuple(values), storage), code_of


def _group(original: Column, release: Column) -> str | None:
    """The label under which the release holds values that the original still tells apart."""
    new = set(release.labels) - set(original.labels)
    return next((label for label in reversed(GROUP_LABELS) if label in new), None)


def _comparable(original: Column, release: Column) -> bool:
    return original.kind == release.kind or "nothing" in (original.kind, release.kind)


def _comparison(original: Column, release: Column) -> Callable[[str], Hashable]:
    """What two labels must share to be the same value."""
    kinds = {original.kind, release.kind}
    if "number" in kinds:
        return _number
    if "moment" in kinds:
        return _moment
    return str.lower if "truth" in kinds else str


def _number(label: str) -> Hashable:
    try:
        number = Decimal(label)
    except InvalidOperation:
        return label
    return "nan" if number.is_nan() else number


def _moment(label: str) -> Hashable:
    try:
        return datetime.fromisoformat(label)
    except ValueError:
        return label


def _sorted(labels: list[str], storage: str) -> list[str]:
    try:
        return sorted_labels(labels, storage)
    except InvalidOperation:
        return sorted(labels)


def check_same_columns(original: Sequence[Column], other: Sequence[Column], what: str) -> None:
    """Refuse another table that lacks a column of the original or has one more."""
    names, found = ([column.name for column in columns] for columns in (original, other))
    lacking = [f"lacks {name!r}" for name in names if name not in found]
    besides = [f"also has {name!r}" for name in found if name not in names]
    if differing := [*lacking, *besides]:
        raise BadInput(
            f"The {what} does not have the columns of the original: it {differing[0]}. Drop "
            "the columns that only one of them has."
        )


def check_common_values(original: Table | SpreadRows, other: Table, what: str) -> None:
    """Refuse another table in which a whole column has nothing to do with the original's."""
    for attribute, mine, theirs in zip(original.schema, _held(original), _held(other), strict=True):
        if not (mine & theirs).any():
            raise BadInput(
                f"Column {attribute.name!r} of the {what} has no value in common with the "
                "original: they cannot be compared. Write its values alike, or drop it."
            )


def _held(rows: Table | SpreadRows) -> Iterable[NDArray[np.bool_]]:
    """Of each column which values a row holds; the last stands for a missing value."""
    for counts in marginals(rows, [(name,) for name in rows.schema.names]):
        yield np.append(counts, len(rows) - counts.sum()) > 0
