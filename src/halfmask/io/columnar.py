"""Columnar files: Parquet and Arrow IPC, with the label that a release carries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import IO, Any

import pyarrow as pa
from pyarrow import ipc
from pyarrow import parquet as pq

from halfmask.data.table import PIECE
from halfmask.errors import BadInput
from halfmask.io.forms import FileForm
from halfmask.io.sources import FileSource, Source

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
