"""Given: what a caller handed over. A file, an address, a dataframe or baskets: asked here only."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from halfmask.data import Baskets, Column
from halfmask.errors import BadInput
from halfmask.io.addresses import address_of, is_address, shown
from halfmask.io.baskets import from_baskets, list_column, to_baskets
from halfmask.io.columns import columns_of as columns_of_arrow
from halfmask.io.files import BasketFile, holds_lists, read
from halfmask.io.forms import FileForm, FileOptions, PathLike, named_form, split_name
from halfmask.io.frames import FrameForm, form_of, to_arrow
from halfmask.io.sources import Expect, Progress


def is_place(source: Any) -> bool:
    """Whether this names a file or a table of a database, and is not the data themselves."""
    return isinstance(source, str | os.PathLike)


@dataclass(frozen=True, eq=False)
class Held:
    """What was read: the columns of a table, or baskets; and the form they came in."""

    content: tuple[Column, ...] | Baskets
    file: FileForm | None = None
    """How the file was written; None for data in memory."""
    frame: FrameForm | None = None
    """The kind of dataframe; None for a file and for baskets that came as such."""
    as_baskets: Callable[[Baskets], Any] = lambda baskets: baskets
    """Makes released baskets into what came in."""

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns; of baskets the second is the number of items."""
        if isinstance(self.content, Baskets):
            return len(self.content), self.content.schema.n_items
        return len(self.content[0]), len(self.content)


@dataclass(frozen=True, eq=False)
class Given:
    """A source of data, wherever it lies."""

    source: Any

    @property
    def path(self) -> PathLike | None:
        """The file or the address; None for data in memory."""
        return self.source if is_place(self.source) else None

    @property
    def words(self) -> str:
        """The source in a sentence."""
        return "What was given" if self.path is None else shown(self.path)

    @cached_property
    def _in_memory(self) -> Held:
        if isinstance(self.source, Baskets):
            return Held(self.source)
        if isinstance(self.source, list | tuple):
            return Held(to_baskets(self.source), as_baskets=partial(from_baskets, like=None))
        table = to_arrow(self.source)
        if len(table.schema) == 1 and list_column(table.schema) is not None:
            back = partial(from_baskets, like=self.source)
            return Held(to_baskets(table), as_baskets=back)
        return Held(tuple(columns_of_arrow(table)), frame=form_of(self.source))

    def holds_baskets(self, options: FileOptions | None = None) -> bool:
        """Whether this is baskets; most files say it by their name."""
        if self.path is None:
            return isinstance(self._in_memory.content, Baskets)
        if is_address(self.path):
            return False
        form = named_form(self.path, (options or FileOptions()).format)
        if form.format in ("parquet", "arrow"):  # a column of lists is baskets
            return holds_lists(self.path, options or FileOptions())
        return form.holds_baskets

    def read(
        self,
        options: FileOptions | None = None,
        *,
        progress: Progress | None = None,
        expect: Expect | None = None,
    ) -> Held:
        """Read it; `expect` is told how large a file will be, and may refuse it."""
        if self.path is None:
            return self._in_memory
        found = read(self.path, options or FileOptions(), progress=progress, expect=expect)
        if isinstance(found, BasketFile):
            return Held(found.baskets, found.form)
        return Held(tuple(found.columns), found.form)


def columns_of(
    source: Any, reading: FileOptions | None = None, expect: Expect | None = None
) -> Sequence[Column]:
    """The columns of a dataframe, or of the table in the file of this name."""
    found = Given(source).read(reading, expect=expect).content
    if isinstance(found, Baskets):
        raise BadInput(f"{Given(source).words} holds baskets; this needs a table.")
    return found


def form_or_none(source: Any) -> FrameForm | None:
    """The kind of dataframe that came in; none for a file."""
    return None if is_place(source) else form_of(source)


def stacked(columns: Sequence[Column], more: Sequence[Column]) -> list[Column]:
    """The rows of two tables with the same columns."""
    by_name = {column.name: column for column in more}
    return [column.followed_by(by_name[column.name]) for column in columns]


def tables_named(paths: Sequence[PathLike]) -> dict[str, PathLike]:
    """Files by the names of their tables, the parent first.

    >>> tables_named(["data/patients.csv.gz", "sqlite:///clinic.db?table=visits"])
    {'patients': 'data/patients.csv.gz', 'visits': 'sqlite:///clinic.db?table=visits'}
    """
    named: dict[str, PathLike] = {}
    for path in paths:
        known = address_of(path).stem if is_address(path) else None
        name = known or split_name(os.path.basename(os.fspath(path)))[0]  # noqa: PTH119
        if name in named:
            raise BadInput(f"Two tables are called {name!r}; rename one of the files.")
        named[name] = path
    return named
