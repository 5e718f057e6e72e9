"""Files: read an original, write a release, in whichever form the name or the steward says."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any

import pyarrow as pa

from halfmask.data import Baskets, Column
from halfmask.data.coding.filling import InPieces
from halfmask.errors import BadInput
from halfmask.io import databases
from halfmask.io.basket_files import read_basket_csv, read_fimi, write_baskets
from halfmask.io.baskets import baskets_to_arrow, list_column, to_baskets
from halfmask.io.columnar import open_columnar, release_label, write_columnar
from halfmask.io.columns import check_names, table_to_arrow
from halfmask.io.csv_tables import read_csv, write_csv
from halfmask.io.databases.addresses import Address, address_of, is_address
from halfmask.io.forms import (
    STANDARD,
    Compression,
    FileForm,
    FileOptions,
    PathLike,
    form_for,
    named_form,
)
from halfmask.io.growing import columns_of_batches
from halfmask.io.sources import (
    Expect,
    FileSource,
    Progress,
    Source,
    check_readable,
    open_file,
    open_source,
)
from halfmask.io.writing import Outputs

_FIND_OUT = FileOptions()
_PARQUET, _ARROW = b"PAR1", b"ARROW1"


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table as it stood in a file."""

    columns: tuple[Column, ...]
    form: FileForm
    release: str | None = None
    """How the data were made, if the file says that it is a release."""


@dataclass(frozen=True, eq=False)
class BasketFile:
    """Baskets as they stood in a file."""

    baskets: Baskets
    form: FileForm
    release: str | None = None


def read(
    path: PathLike,
    options: FileOptions = _FIND_OUT,
    *,
    progress: Progress | None = None,
    expect: Expect | None = None,
) -> TableFile | BasketFile:
    """Read a file; its name (or the format given) says what it is, its content must agree.

    The address of a database is read as well, see `halfmask.io.databases`. `progress` is told how
    many bytes of how many are read (of a table of a database, rows), and `expect` how large a table
    will be before it is read.
    """
    if is_address(path):
        return _database(path, progress, expect)
    source, form = _opened(path, options, progress)
    if form.format in ("parquet", "arrow"):
        return _columnar_file(source, form, expect)
    if form.format in ("csv", "tsv"):
        columns, found = read_csv(source, form, options, expect=expect)
        return TableFile(tuple(columns), found)
    whole = source if isinstance(source, Source) else open_source(path, form.compression)
    if form.format == "fimi":
        return BasketFile(*read_fimi(whole, form))
    return BasketFile(
        *read_basket_csv(whole, form, delimiter=options.delimiter, encoding=options.encoding)
    )


def _opened(
    path: PathLike, options: FileOptions, progress: Progress | None = None
) -> tuple[Source | FileSource, FileForm]:
    if str(path) != STANDARD:
        check_readable(path)  # before its name is judged: a directory has no format
    form = named_form(path, options.format)
    source = open_file(path, form.compression, progress=progress)
    _check_content(source, form)
    return source, form


def holds_lists(path: PathLike, options: FileOptions = _FIND_OUT) -> bool:
    """Whether the columnar file of this name holds baskets, one list in each row."""
    schema = open_columnar(*_opened(path, options)).schema
    return len(schema) == 1 and list_column(schema) is not None


def _database(path: PathLike, progress: Progress | None, expect: Expect | None) -> TableFile:
    columns = databases.read_columns(address_of(path), progress=progress, expect=expect)
    # A release that goes to a file keeps the types of the database best as Parquet.
    return TableFile(tuple(columns), FileForm("parquet"))


def _columnar_file(
    source: Source | FileSource, form: FileForm, expect: Expect | None
) -> TableFile | BasketFile:
    found = open_columnar(source, form)
    schema, label = found.schema, release_label(found.schema)
    if len(schema) == 1 and list_column(schema) is not None:
        return BasketFile(to_baskets(found.table()), form, label)
    check_names(list(schema.names), source.name)
    if expect is not None and found.rows is not None:
        expect(found.rows, len(schema))
    columns = columns_of_batches(schema, found.batches, source.name)
    return TableFile(tuple(columns), form, label)


def _check_content(source: Source | FileSource, form: FileForm) -> None:
    beginning = next(source.blocks(len(_ARROW)), b"")
    for magic, kind in ((_PARQUET, "parquet"), (_ARROW, "arrow")):
        if beginning.startswith(magic) and form.format != kind:
            raise BadInput(
                f"{source.name} holds {kind} and not {form.format}; rename it, or use --format "
                f"{kind}."
            )


def write(
    file: IO[bytes],
    data: InPieces | Baskets,
    form: FileForm,
    *,
    release: str = "synthetic",
) -> tuple[str, ...]:
    """Write a release into an open file; `release` names the kind of method that made it.

    Rows that are still to be drawn or filled are made piece by piece, so that they are never in
    memory all at once; the bytes are those of the whole table. The answer names the columns of
    which formulas were quoted.
    """
    with _packed(file, form.compression) as unpacked:
        if isinstance(data, Baskets):
            return _write_baskets(unpacked, data, form, release)
        if form.holds_baskets:
            raise BadInput(f"A table cannot be written as {form.format}; write .csv or .parquet.")
        if form.format in ("parquet", "arrow"):
            write_columnar(unpacked, map(table_to_arrow, data.pieces()), form, release=release)
            return ()
        return write_csv(unpacked, data.pieces(), form)


def _write_baskets(
    file: IO[bytes], baskets: Baskets, form: FileForm, release: str
) -> tuple[str, ...]:
    if form.format in ("parquet", "arrow"):
        write_columnar(file, iter([baskets_to_arrow(baskets)]), form, release=release)
        return ()
    if not form.holds_baskets:
        raise BadInput("Baskets cannot be written as a table; write .dat or .basket.csv.")
    return write_baskets(file, baskets, form)


def stage(
    data: InPieces | Baskets, address: Address, *, release: str, force: bool = False
) -> databases.Session:
    """Write a release piece by piece into a table whose transaction is still open."""
    if isinstance(data, Baskets):
        raise BadInput("Baskets cannot be written to a database; write .dat or .basket.csv.")
    pieces = map(table_to_arrow, data.pieces())
    first = next(pieces)
    batches = (batch for piece in chain([first], pieces) for batch in piece.to_batches())
    rows = pa.RecordBatchReader.from_batches(first.schema, batches)
    return databases.stage_table(address, rows, release=release, force=force)


@contextmanager
def _packed(file: IO[bytes], compression: Compression | None) -> Iterator[IO[bytes]]:
    if compression is None:
        yield file
    elif compression == "gzip":
        # No name and no time of day in the file: the same rows give the same bytes.
        with gzip.GzipFile(
            filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6
        ) as packed:
            yield packed  # type: ignore[misc]
    else:
        with pa.CompressedOutputStream(_KeptOpen(file), compression) as packed:
            yield packed


class _KeptOpen(io.RawIOBase):
    """A file that another stream may close without closing it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, content: Any, /) -> int:
        """Into the file."""
        return self._file.write(content)


def save(
    data: InPieces | Baskets,
    path: PathLike,
    *,
    form: FileForm | None = None,
    release: str = "synthetic",
    force: bool = False,
) -> tuple[str, ...]:
    """Write one release file (or table) as a whole; without `form` the name decides.

    The answer is that of `write`.
    """
    if is_address(path):
        with Outputs() as outputs:
            outputs.wait_for(stage(data, address_of(path), release=release, force=force))
        return ()
    chosen = form or form_for(path)
    with Outputs(force=force) as outputs, outputs.open(path) as file:
        return write(file, data, chosen, release=release)
