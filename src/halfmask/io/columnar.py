"""Columnar files: Parquet and Arrow IPC, with the label that a release carries."""

from __future__ import annotations

from typing import IO, Any

import pyarrow as pa
from pyarrow import ipc
from pyarrow import parquet as pq

from halfmask.errors import BadInput
from halfmask.io.forms import FileForm
from halfmask.io.sources import Source

__all__ = ["RELEASE_KEY", "read_columnar", "release_label", "write_columnar"]

RELEASE_KEY = b"halfmask.release"
"""The metadata key whose value says by which kind of method a release was made."""


def read_columnar(source: Source, form: FileForm) -> pa.Table:
    """The table in a Parquet file or an Arrow file or stream."""
    kind = "Parquet" if form.format == "parquet" else "Arrow"
    reader = _parquet if form.format == "parquet" else _arrow
    try:
        return reader(pa.BufferReader(source.content))
    except (pa.ArrowException, OSError):
        raise BadInput(f"{source.name} is not a whole {kind} file.") from None


def _parquet(content: Any) -> pa.Table:
    # Dictionary pages stay dictionaries only where the file says so; types are the file's own.
    return pq.ParquetFile(content).read()


def _arrow(content: Any) -> pa.Table:
    try:
        return ipc.open_file(content).read_all()
    except pa.ArrowInvalid:
        content.seek(0)
        return ipc.open_stream(content).read_all()


def write_columnar(file: IO[bytes], table: pa.Table, form: FileForm, *, release: str) -> None:
    """Write a release; the schema says that it is one, and nothing of the original's metadata."""
    labelled = table.replace_schema_metadata({RELEASE_KEY: release.encode()})
    if form.format == "parquet":
        pq.write_table(labelled, file, compression="zstd")
        return
    with ipc.new_file(file, labelled.schema) as writer:
        writer.write_table(labelled)


def release_label(table: pa.Table) -> str | None:
    """How the table was made, if its metadata say that it is a release."""
    label = (table.schema.metadata or {}).get(RELEASE_KEY)
    return None if label is None else label.decode(errors="replace")
