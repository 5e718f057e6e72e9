"""JSON lines: an object a line, as a table."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import IO, Any

import msgspec
import pyarrow as pa
from pyarrow import json as arrow_json

from halfmask.data import Column, Table
from halfmask.errors import BadInput
from halfmask.io.columns import columns_of, table_to_arrow
from halfmask.io.sources import FileSource, Source


def read_json_lines(source: Source | FileSource) -> list[Column]:
    """The columns of a file; a key that a line lacks is missing there."""
    content = b"".join(source.blocks())
    try:
        table = arrow_json.read_json(
            io.BytesIO(content),
            read_options=arrow_json.ReadOptions(block_size=max(len(content), 1)),
        )
    except pa.ArrowException:
        raise BadInput(
            f"{source.name} is not JSON lines: each line is an object with the same kind of value "
            "under each key."
        ) from None
    return columns_of(table, source.name)


def write_json_lines(file: IO[bytes], pieces: Iterable[Table]) -> None:
    """A release, an object a line; missing is null."""
    encoder = msgspec.json.Encoder(enc_hook=_text)
    for piece in pieces:
        for row in table_to_arrow(piece).to_pylist():
            file.write(encoder.encode(row) + b"\n")


def _text(value: Any) -> str:
    return str(value)
