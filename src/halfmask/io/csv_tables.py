"""CSV tables: every cell is read as the text it is; types are inferred from the distinct texts."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv as arrow_csv

from halfmask.data import Attribute, Column, Table
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput
from halfmask.io.columns import check_names, columns_of
from halfmask.io.dialect import Header, find_delimiter, numbered_records, read_header
from halfmask.io.forms import FileForm, FileOptions
from halfmask.io.inference import typed
from halfmask.io.sources import Source
from halfmask.io.text import as_utf8, from_utf8

__all__ = ["read_csv", "write_csv"]

_BLOCK = 16 * 1024 * 1024
_ROWS_AT_ONCE = 65_536
_TEXT = pa.dictionary(pa.int32(), pa.string())
_SOMETHING = re.compile(rb"[^\r\n]")


def read_csv(source: Source, form: FileForm, options: FileOptions) -> tuple[list[Column], FileForm]:
    """The typed columns of a CSV or TSV file, and the form it turned out to have."""
    source, encoding = as_utf8(source, options.encoding)
    tab = "\t" if form.format == "tsv" else None
    given = tab if options.delimiter is None else options.delimiter
    delimiter = find_delimiter(source, expected=given)
    header = read_header(source, delimiter, header=options.header)
    check_names(list(header.names), source.name)
    found = replace(
        form,
        delimiter=delimiter,
        encoding=encoding,
        header=options.header is not False,
        newline=header.newline,
    )
    columns = columns_of(_parse(source, delimiter, header), source.name)
    for column in columns:
        _check_cells(column, source)
    return [typed(column) for column in columns], found


def _check_cells(column: Column, source: Source) -> None:
    """Refuse what Python's own reader would refuse: a cell without end is a lost quotation mark."""
    limit = csv.field_size_limit()
    if any(label is not None and len(label) > limit for label in column.labels):
        raise BadInput(
            f"Column {column.name[:80]!r} of {source.name} has a cell of more than {limit:,} "
            f"characters; is a quotation mark missing?"
        )


def _parse(source: Source, delimiter: str, header: Header) -> pa.Table:
    if not _SOMETHING.search(source.content, header.rows_at):
        raise BadInput(f"{source.name} has a header and no rows.")
    rows = pa.py_buffer(source.content)[header.rows_at :]
    names = list(header.names)
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(rows),
            read_options=arrow_csv.ReadOptions(column_names=names, block_size=_BLOCK),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=b'"' in source.content,
                # With one column an empty line is a row whose cell is missing.
                ignore_empty_lines=len(names) > 1,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, _TEXT),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                check_utf8=False,
            ),
        )
    except pa.ArrowException:
        raise BadInput(_explain(source, delimiter, len(names))) from None


def _explain(source: Source, delimiter: str, width: int) -> str:
    """Why the parser gave up, in words of ours: the parser's own would quote the row."""
    line = 0
    try:
        for line, record in numbered_records(source, delimiter):
            if len(record) != width:
                cells = "1 cell" if len(record) == 1 else f"{len(record):,} cells"
                return (
                    f"Line {line:,} of {source.name} has {cells} where the first line has "
                    f"{width:,}; mend the line, or say another --delimiter."
                )
    except csv.Error as problem:
        if "limit" in str(problem):
            limit = csv.field_size_limit()
            return (
                f"A cell after line {line:,} of {source.name} has more than {limit:,} characters."
            )
        return (
            f"A quotation mark after line {line:,} of {source.name} is misplaced or never closed."
        )
    return f"{source.name} cannot be read as a table divided by {delimiter!r}."


def write_csv(file: IO[bytes], table: Table, form: FileForm) -> None:
    r"""Write the labels of the table as they are spelled, missing as an empty cell.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema((Attribute("size", ("M, L", "", None)),))
    >>> from io import BytesIO
    >>> out = BytesIO()
    >>> write_csv(out, Table(schema, np.array([[0], [1], [2]])), FileForm("csv"))
    >>> out.getvalue()
    b'size\n"M, L"\n""\n\n'
    """
    names = table.schema.names
    if form.header:
        line = form.delimiter.join(_quoted(name, form.delimiter) for name in names) + form.newline
        file.write(from_utf8(line.encode(), form.encoding, first=True))
    last = len(names) - 1
    texts = [
        _cell_texts(attribute, form.delimiter, form.newline if position == last else "")
        for position, attribute in enumerate(table.schema)
    ]
    for start in range(0, len(table), _ROWS_AT_ONCE):
        codes = table.codes[start : start + _ROWS_AT_ONCE]
        first = start == 0 and not form.header
        file.write(from_utf8(_lines(texts, codes, form.delimiter), form.encoding, first=first))


def _lines(texts: list[pa.Array], codes: NDArray[np.int32], delimiter: str) -> bytes:
    """The rows as text: each distinct cell was quoted once, rows are joined in one sweep."""
    cells = [
        text.take(pa.array(np.where(codes[:, i] == ABSENT, len(text) - 1, codes[:, i])))
        for i, text in enumerate(texts)
    ]
    joined = pc.binary_join_element_wise(*cells, pa.scalar(delimiter, pa.large_string()))
    # The last cell of a row ends in the line end, so the text buffer of the column is the file.
    content: bytes = joined.buffers()[2].to_pybytes()
    return content


def _cell_texts(attribute: Attribute, delimiter: str, end: str) -> pa.Array:
    """What to write for each code; the last place is the empty cell of ABSENT."""
    texts = ["" if v is None else _quoted(v, delimiter) for v in attribute.values]
    return pa.array([text + end for text in [*texts, ""]], pa.large_string())


def _quoted(text: str, delimiter: str) -> str:
    if text and not any(mark in text for mark in (delimiter, '"', "\n", "\r")):
        return text
    return '"' + text.replace('"', '""') + '"'
