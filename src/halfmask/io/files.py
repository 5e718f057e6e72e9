"""Files: read an original, write a release, in whichever form the name or the steward says."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

import pyarrow as pa

from halfmask.data import Baskets, Column, Table
from halfmask.errors import BadInput
from halfmask.io import databases
from halfmask.io.addresses import Address, address_of, is_address
from halfmask.io.basket_files import read_basket_csv, read_fimi, write_baskets
from halfmask.io.baskets import baskets_to_arrow, list_column, to_baskets
from halfmask.io.columnar import read_columnar, release_label, write_columnar
from halfmask.io.columns import columns_of, table_to_arrow
from halfmask.io.csv_tables import read_csv, write_csv
from halfmask.io.forms import (
    STANDARD,
    Compression,
    FileForm,
    FileOptions,
    PathLike,
    form_for,
    named_form,
)
from halfmask.io.sources import Source, check_readable, open_source
from halfmask.io.writing import Outputs

__all__ = ["BasketFile", "TableFile", "read", "save", "stage", "write"]

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


def read(path: PathLike, options: FileOptions = _FIND_OUT) -> TableFile | BasketFile:
    """Read a file; its name (or the format given) says what it is, its content must agree.

    The address of a database is read as well, see `halfmask.io.databases`.
    """
    if is_address(path):
        return _database(path)
    if str(path) != STANDARD:
        check_readable(path)  # before its name is judged: a directory has no format
    form = named_form(path, options.format)
    source = open_source(path, form.compression)
    _check_content(source, form)
    if form.format in ("parquet", "arrow"):
        return _columnar_file(source, form)
    if form.format == "fimi":
        return BasketFile(*read_fimi(source, form))
    if form.format == "basket":
        return BasketFile(
            *read_basket_csv(source, form, delimiter=options.delimiter, encoding=options.encoding)
        )
    columns, found = read_csv(source, form, options)
    return TableFile(tuple(columns), found)


def _database(path: PathLike) -> TableFile:
    address = address_of(path)
    rows = databases.read_table(address)
    # A release that goes to a file keeps the types of the database best as Parquet.
    return TableFile(tuple(columns_of(rows, address.server)), FileForm("parquet"))


def _columnar_file(source: Source, form: FileForm) -> TableFile | BasketFile:
    table = read_columnar(source, form)
    if table.num_columns == 1 and list_column(table.schema) is not None:
        return BasketFile(to_baskets(table), form, release_label(table))
    return TableFile(tuple(columns_of(table, source.name)), form, release_label(table))


def _check_content(source: Source, form: FileForm) -> None:
    for magic, kind in ((_PARQUET, "parquet"), (_ARROW, "arrow")):
        if source.content.startswith(magic) and form.format != kind:
            raise BadInput(
                f"{source.name} holds {kind} and not {form.format}; rename it, or say "
                f"--format {kind}."
            )


def write(
    file: IO[bytes], data: Table | Baskets, form: FileForm, *, release: str = "synthetic"
) -> None:
    """Write a release into an open file; `release` names the kind of method that made it."""
    with _packed(file, form.compression) as unpacked:
        if form.format in ("parquet", "arrow"):
            arrow = table_to_arrow(data) if isinstance(data, Table) else baskets_to_arrow(data)
            write_columnar(unpacked, arrow, form, release=release)
        elif isinstance(data, Table):
            if form.holds_baskets:
                raise BadInput(
                    f"A table cannot be written as {form.format}; write .csv or .parquet."
                )
            write_csv(unpacked, data, form)
        else:
            if not form.holds_baskets:
                raise BadInput("Baskets cannot be written as a table; write .dat or .basket.csv.")
            write_baskets(unpacked, data, form)


def stage(
    data: Table | Baskets, address: Address, *, release: str, force: bool = False
) -> databases.Session:
    """Write a release into a table whose transaction is still open."""
    if not isinstance(data, Table):
        raise BadInput("Baskets cannot be written to a database; write .dat or .basket.csv.")
    return databases.stage_table(address, table_to_arrow(data), release=release, force=force)


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
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, compression) as packed:
            yield packed
        file.write(sink.getvalue())


def save(
    data: Table | Baskets,
    path: PathLike,
    *,
    form: FileForm | None = None,
    release: str = "synthetic",
    force: bool = False,
) -> None:
    """Write one release file (or table) as a whole; without `form` the name decides."""
    if is_address(path):
        with Outputs() as outputs:
            outputs.wait_for(stage(data, address_of(path), release=release, force=force))
        return
    chosen = form or form_for(path)
    with Outputs(force=force) as outputs, outputs.open(path) as file:
        write(file, data, chosen, release=release)
