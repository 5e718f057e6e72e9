"""Files: write a release, in whichever form the name or the steward says.

Columnar files: Parquet and Arrow IPC, with the label that a release carries.
"""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import IO, Any

import pyarrow as pa
from pyarrow import ipc
from pyarrow import parquet as pq

from halfmask.data import Baskets
from halfmask.data.coding.filling import InPieces
from halfmask.data.table import PIECE
from halfmask.errors import BadInput
from halfmask.io import databases
from halfmask.io.addresses import Address, address_of, is_address
from halfmask.io.baskets import baskets_to_arrow, write_baskets
from halfmask.io.columns import table_to_arrow
from halfmask.io.csv_tables import write_csv
from halfmask.io.forms import (
    WHOLE,
    Compression,
    FileForm,
    PathLike,
    form_for,
)
from halfmask.io.json_lines import write_json_lines
from halfmask.io.open_documents import write_open_document
from halfmask.io.sources import FileSource, Source
from halfmask.io.stat_files import write_statistics
from halfmask.io.workbooks import write_workbook
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
    with _packed(file, form.compression, form.format) as unpacked:
        if isinstance(data, Baskets):
            return _write_baskets(unpacked, data, form, release)
        if form.holds_baskets:
            raise BadInput(f"A table cannot be written as {form.format}; write .csv or .parquet.")
        if form.format in ("parquet", "arrow"):
            write_columnar(unpacked, map(table_to_arrow, data.pieces()), form, release=release)
            return ()
        if form.format == "jsonl":
            write_json_lines(unpacked, data.pieces())
            return ()
        if form.format in ("xlsx", "ods"):
            write = write_workbook if form.format == "xlsx" else write_open_document
            write(unpacked, data.pieces())
            return ()
        if form.format in WHOLE:
            write_statistics(unpacked, data.pieces(), form)
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
def _packed(file: IO[bytes], compression: Compression | None, format_: str) -> Iterator[IO[bytes]]:
    if compression is None:
        yield file
    elif compression == "gzip":
        # No name and no time of day in the file: the same rows give the same bytes.
        with gzip.GzipFile(
            filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6
        ) as packed:
            yield packed  # type: ignore[misc]
    elif compression == "zip":
        inside = zipfile.ZipInfo(f"release.{format_}")  # dated 1980: the same rows, the same bytes
        inside.compress_type = zipfile.ZIP_DEFLATED
        with zipfile.ZipFile(file, "w") as archive, archive.open(inside, "w") as packed:
            yield packed
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


RELEASE_KEY = b"halfmask.release"
"""The metadata key whose value says by which kind of method a release was made."""


@dataclass(frozen=True, eq=False)
class Columnar:
    """What a columnar file holds: its schema, and its rows batch by batch, once."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    rows: int | None = None
    """How many rows there are, where the file says so before it is read."""

    def table(self) -> pa.Table:
        """All rows that were not taken yet."""
        return pa.Table.from_batches(self.batches, self.schema)


def open_columnar(source: Source | FileSource, form: FileForm) -> Columnar:
    """A Parquet file or an Arrow file or stream, opened and not yet read."""
    kind = "Parquet" if form.format == "parquet" else "Arrow"
    opener = _parquet if form.format == "parquet" else _arrow
    with _whole(source.name, kind):
        opened = opener(_seekable(source))
    return replace(opened, batches=_in_words(opened.batches, source.name, kind))


def _seekable(source: Source | FileSource) -> Any:
    if isinstance(source, FileSource) and source.compression is None:
        return pa.OSFile(str(source.path))
    return pa.BufferReader(b"".join(source.blocks()))


@contextmanager
def _whole(name: str, kind: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError):
        raise BadInput(f"{name} is not a whole {kind} file.") from None


def _in_words(batches: Iterator[pa.RecordBatch], name: str, kind: str) -> Iterator[pa.RecordBatch]:
    with _whole(name, kind):
        yield from batches


def _parquet(content: Any) -> Columnar:
    # Dictionary pages stay dictionaries only where the file says so; types are the file's own.
    file = pq.ParquetFile(content)
    return Columnar(file.schema_arrow, file.iter_batches(batch_size=PIECE), file.metadata.num_rows)


def _arrow(content: Any) -> Columnar:
    try:
        file = ipc.open_file(content)
    except pa.ArrowInvalid:
        content.seek(0)
        stream = ipc.open_stream(content)
        return Columnar(stream.schema, iter(stream))
    every = (file.get_batch(n) for n in range(file.num_record_batches))
    return Columnar(file.schema, every)


def write_columnar(
    file: IO[bytes], pieces: Iterable[pa.Table], form: FileForm, *, release: str
) -> None:
    """Write a release; the schema says that it is one, and nothing of the original's metadata.

    Each piece is written before the next is made, unless the columns list their values
    (dictionaries): the list must be one for the whole file.
    """
    label = {RELEASE_KEY: release.encode()}
    labelled = (piece.replace_schema_metadata(label) for piece in pieces)
    first = next(labelled)
    if any(pa.types.is_dictionary(type_) for type_ in first.schema.types):
        first = pa.concat_tables([first, *labelled]).unify_dictionaries()
    with _writer(file, first.schema, form) as writer:
        for piece in chain([first], labelled):
            writer.write_table(piece)


def _writer(file: IO[bytes], schema: pa.Schema, form: FileForm) -> Any:
    if form.format == "parquet":
        return pq.ParquetWriter(file, schema, compression="zstd")
    return ipc.new_file(file, schema)
