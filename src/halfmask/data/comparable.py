"""What makes two tables comparable: the same columns, and values that have something in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfmask.data.column import Column
from halfmask.data.table import Table
from halfmask.errors import BadInput

__all__ = ["check_common_values", "check_same_columns"]


def check_same_columns(original: Sequence[Column], other: Sequence[Column], what: str) -> None:
    """Refuse another table that lacks a column of the original or has one more."""
    names, found = ([column.name for column in columns] for columns in (original, other))
    lacking = [f"lacks {name!r}" for name in names if name not in found]
    besides = [f"has {name!r} besides" for name in found if name not in names]
    if differing := [*lacking, *besides]:
        raise BadInput(
            f"The {what} does not have the columns of the original: it {differing[0]}. "
            "Columns that one of them lacks can be dropped."
        )


def check_common_values(original: Table, other: Table, what: str) -> None:
    """Refuse another table in which a whole column has nothing to do with the original's."""
    for position, attribute in enumerate(original.schema):
        held = np.zeros((2, attribute.size + 1), bool)  # the last stands for a missing value
        for side, table in zip(held, (original, other), strict=True):
            side[table.codes[:, position]] = True
        if not held.all(axis=0).any():
            raise BadInput(
                f"Column {attribute.name!r} of the {what} has no value in common with the "
                "original: they cannot be compared. Write its values in the same way, or drop it."
            )
