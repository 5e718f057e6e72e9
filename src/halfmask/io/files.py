"""Files: write a release, in whichever form the name or the steward says."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import IO, Any

import pyarrow as pa

from halfmask.data import Baskets
from halfmask.data.coding.filling import InPieces
from halfmask.errors import BadInput
from halfmask.io import databases
from halfmask.io.addresses import Address, address_of, is_address
from halfmask.io.baskets import baskets_to_arrow, write_baskets
from halfmask.io.columnar import write_columnar
from halfmask.io.columns import table_to_arrow
from halfmask.io.csv_tables import write_csv
from halfmask.io.forms import (
    Compression,
    FileForm,
    PathLike,
    form_for,
)
from halfmask.io.writing import Outputs


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
            _write_baskets(unpacked, data, form, release)
            return ()
        if form.holds_baskets:
            raise BadInput(f"A table cannot be written as {form.format}; write .csv or .parquet.")
        if form.format in ("parquet", "arrow"):
            write_columnar(unpacked, map(table_to_arrow, data.pieces()), form, release=release)
            return ()
        return write_csv(unpacked, data.pieces(), form)


def _write_baskets(file: IO[bytes], baskets: Baskets, form: FileForm, release: str) -> None:
    if form.format in ("parquet", "arrow"):
        write_columnar(file, iter([baskets_to_arrow(baskets)]), form, release=release)
        return
    if not form.holds_baskets:
        raise BadInput("Baskets cannot be written as a table; write .dat or .basket.csv.")
    write_baskets(file, baskets, form)


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
