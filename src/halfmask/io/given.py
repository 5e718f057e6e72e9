"""Columns: those of a dataframe or of a file, chosen and put together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from halfmask.data import Column
from halfmask.errors import BadInput, UnknownName
from halfmask.io.databases.addresses import shown
from halfmask.io.files import TableFile, read
from halfmask.io.forms import FileOptions
from halfmask.io.frames import FrameForm, form_of, to_columns
from halfmask.io.sources import Expect


def columns_of(
    source: Any, reading: FileOptions | None = None, expect: Expect | None = None
) -> Sequence[Column]:
    """The columns of a dataframe, or of the table in the file of this name.

    `expect` is told how large a file will be before it is read, and may refuse it.
    """
    if not isinstance(source, str | os.PathLike):
        return to_columns(source)
    found = read(source, reading or FileOptions(), expect=expect)
    if not isinstance(found, TableFile):
        raise BadInput(f"{shown(source)} holds baskets; this needs a table.")
    return found.columns


def form_or_none(source: Any) -> FrameForm | None:
    """The kind of dataframe that came in; none for a file."""
    return None if isinstance(source, str | os.PathLike) else form_of(source)


def without(columns: Sequence[Column], drop: Sequence[str], *, strict: bool = True) -> list[Column]:
    """The columns that are not dropped; each name must exist when `strict`."""
    names = [column.name for column in columns]
    for name in drop if strict else ():
        if name not in names:
            raise UnknownName("column", name, names)
    kept = [column for column in columns if column.name not in set(drop)]
    if not kept:
        raise BadInput("No column is left: every one of them is dropped.")
    return kept


def stacked(columns: Sequence[Column], more: Sequence[Column]) -> list[Column]:
    """The rows of two tables with the same columns."""
    by_name = {column.name: column for column in more}
    return [column.followed_by(by_name[column.name]) for column in columns]
