"""Given: what a caller handed over. A file, an address, a dataframe or baskets: asked here only."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import PurePath
from typing import Any

import pyarrow as pa

from halfmask.data import Baskets, Column
from halfmask.data.coding.spec import ColumnSpec
from halfmask.errors import BadInput
from halfmask.io.addresses import address_of, is_address, shown
from halfmask.io.baskets import from_baskets, list_column, read_basket_csv, read_fimi, to_baskets
from halfmask.io.columns import check_names, columns_of_batches
from halfmask.io.columns import columns_of as columns_of_arrow
from halfmask.io.csv_tables import read_csv
from halfmask.io.databases import read_columns, schema_of, stream_rows
from halfmask.io.files import Columnar, open_columnar
from halfmask.io.forms import (
    STANDARD,
    WHOLE,
    FileForm,
    FileOptions,
    PathLike,
    named_form,
    split_name,
)
from halfmask.io.frames import FrameForm, form_of, to_arrow
from halfmask.io.json_lines import read_json_lines
from halfmask.io.sources import (
    Expect,
    FileSource,
    Progress,
    Source,
    check_readable,
    member_of,
    open_file,
    open_source,
)
from halfmask.io.stat_files import read_statistics
from halfmask.io.workbooks import read_open_document, read_workbook

_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}


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
    said: Mapping[str, ColumnSpec] = field(default_factory=dict)
    """What a file of a statistics package says about its columns."""
    remarks: tuple[str, ...] = ()
    """What was left out or settled while reading, in sentences for the steward."""

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
        if _is_baskets(table.schema):
            back = partial(from_baskets, like=self.source)
            return Held(to_baskets(table), as_baskets=back)
        return Held(tuple(columns_of_arrow(table)), frame=form_of(self.source))

    def holds_baskets(self, options: FileOptions | None = None) -> bool:
        """Whether this is baskets; most files say it by their name."""
        if self.path is None:
            return isinstance(self._in_memory.content, Baskets)
        if is_address(self.path):
            return False
        options = options or FileOptions()
        form = _form_of(self.path, options)
        if form.format in ("parquet", "arrow"):
            return _is_baskets(open_columnar(*_opened(self.path, options)).schema)
        return form.holds_baskets

    def schema(self, options: FileOptions | None = None) -> pa.Schema:
        """The columns of what can be read in passes: a columnar file, a table of a database."""
        if self.path is not None and is_address(self.path):
            return schema_of(address_of(self.path))
        return self._columnar(options).schema

    def batches(self, options: FileOptions | None = None) -> Iterator[pa.RecordBatch]:
        """The rows from the first on, of which nothing is kept."""
        if self.path is not None and is_address(self.path):
            return stream_rows(address_of(self.path))
        return self._columnar(options).batches

    def _columnar(self, options: FileOptions | None) -> Columnar:
        asked = options or FileOptions()
        if self.path is None or _form_of(self.path, asked).format not in ("parquet", "arrow"):
            raise BadInput(
                f"{self.words} cannot be read in passes; Parquet and Arrow files and tables of "
                "databases can."
            )
        return open_columnar(*_opened(self.path, asked))

    def read(
        self,
        options: FileOptions | None = None,
        *,
        progress: Progress | None = None,
        expect: Expect | None = None,
    ) -> Held:
        """Read it; a table of a database as well.

        `progress` is told how many bytes of how many are read (of a table of a database, rows), and
        `expect` how large a table will be before it is read, which it may refuse.
        """
        if self.path is None:
            return self._in_memory
        if is_address(self.path):
            columns = read_columns(address_of(self.path), progress=progress, expect=expect)
            # A release that goes to a file keeps the types of the database best as Parquet.
            return Held(tuple(columns), FileForm("parquet"))
        return _read_file(self.path, options or FileOptions(), progress, expect)


def _read_file(
    path: PathLike, options: FileOptions, progress: Progress | None, expect: Expect | None
) -> Held:
    """What a file holds; its name (or the format given) says what, its content must agree."""
    form = _form_of(path, options)
    if form.format in WHOLE:
        return _read_whole(path, form, options)
    source, form = _opened(path, options, progress)
    if form.format in ("parquet", "arrow"):
        return _read_columnar(source, form, expect)
    if form.format == "jsonl":
        return Held(tuple(read_json_lines(source)), form)
    if form.format in ("csv", "tsv"):
        columns, found, remarks = read_csv(source, form, options, expect=expect)
        return Held(tuple(columns), found, remarks=remarks)
    whole = source if isinstance(source, Source) else open_source(path, form.compression)
    if form.format == "fimi":
        return Held(*read_fimi(whole, form))
    return Held(
        *read_basket_csv(whole, form, delimiter=options.delimiter, encoding=options.encoding)
    )


def _read_whole(path: PathLike, form: FileForm, options: FileOptions) -> Held:
    """A workbook, or a file of a statistics package."""
    name = repr(PurePath(path).name)
    if str(path) == STANDARD or form.compression is not None:
        raise BadInput(f"A file of the format {form.format} is read from a file, and not packed.")
    if form.format in ("xlsx", "ods"):
        read = read_workbook if form.format == "xlsx" else read_open_document
        columns, form, remarks = read(path, name, form, options)
        return Held(tuple(columns), form, remarks=remarks)
    columns, form, said = read_statistics(path, name, form)
    return Held(tuple(columns), form, said=said)


def _form_of(path: PathLike, options: FileOptions) -> FileForm:
    """What the name of a file promises; of a zip archive, the name of the file in it."""
    if str(path) != STANDARD:
        check_readable(path)  # before its name is judged: a directory has no format
        inside = str(path).lower().endswith(".zip") and options.format is None
        if inside and not split_name(PurePath(path).name)[1].lower().endswith((".csv.zip",)):
            form = named_form(member_of(path))
            return replace(form, compression="zip")
    return named_form(path, options.format)


def _opened(
    path: PathLike, options: FileOptions, progress: Progress | None = None
) -> tuple[Source | FileSource, FileForm]:
    form = _form_of(path, options)
    source = open_file(path, form.compression, progress=progress)
    beginning = next(source.blocks(max(map(len, _MAGIC))), b"")
    for magic, kind in _MAGIC.items():
        if beginning.startswith(magic) and form.format != kind:
            raise BadInput(
                f"{source.name} holds {kind} and not {form.format}; rename it, or use --format "
                f"{kind}."
            )
    return source, form


def _read_columnar(source: Source | FileSource, form: FileForm, expect: Expect | None) -> Held:
    found = open_columnar(source, form)
    schema = found.schema
    if _is_baskets(schema):
        return Held(to_baskets(found.table()), form)
    check_names(list(schema.names), source.name)
    if expect is not None and found.rows is not None:
        expect(found.rows, len(schema))
    return Held(tuple(columns_of_batches(schema, found.batches, source.name)), form)


def _is_baskets(schema: pa.Schema) -> bool:
    """Whether each row is one list: then these are baskets."""
    return len(schema) == 1 and list_column(schema) is not None


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
