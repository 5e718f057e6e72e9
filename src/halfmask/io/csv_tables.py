"""CSV tables: every cell is read as the text it is; types are inferred from the distinct texts."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv as arrow_csv

from halfmask.data import Attribute, Column, Table
from halfmask.data.column import kind_of
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput
from halfmask.io.columns import check_names, columns_of_batches, typed
from halfmask.io.dialect import (
    Header,
    find_delimiter,
    lines_above,
    numbered_records,
    read_header,
)
from halfmask.io.forms import FileForm, FileOptions
from halfmask.io.records import without_total
from halfmask.io.sources import BLOCK, Expect, FileSource, Source
from halfmask.io.text import BlockReader, Text, from_utf8

_ROWS_AT_ONCE = 65_536
_TEXT = pa.dictionary(pa.int32(), pa.string())
_LONGEST = BLOCK + 1
_SOMETHING = re.compile(rb"[^\r\n]")


def read_csv(
    source: Source | FileSource,
    form: FileForm,
    options: FileOptions,
    *,
    block: int = BLOCK,
    expect: Expect | None = None,
) -> tuple[list[Column], FileForm, tuple[str, ...]]:
    """The typed columns of a CSV or TSV file, the form it turned out to have, and remarks.

    The text is read and let go of `block` bytes at a time; a row must fit into one of them.
    """
    text = Text.of(source, options.encoding)
    tab = "\t" if form.format == "tsv" else None
    given = tab if options.delimiter is None else options.delimiter
    skipped = lines_above(text.head, given, options.skip_lines)
    head = replace(text.head, content=text.head.content[skipped.size :])
    delimiter = find_delimiter(head, expected=given)
    header = read_header(head, delimiter, header=options.header)
    header = replace(header, rows_at=header.rows_at + skipped.size)
    check_names(list(header.kept), source.name)
    found = replace(
        form,
        delimiter=delimiter,
        encoding=text.encoding,
        header=options.header is not False,
        newline=header.newline,
    )
    if expect is not None:
        beginning = text.head.content
        lines = beginning.count(b"\n") / source.share_of(len(beginning))
        expect(round(lines), len(header.kept))
    ragged = _Ragged(skip=options.skip_ragged)
    columns = _parse(text, delimiter, header, block, ragged)
    for column in columns:
        _check_cells(column, source.name)
    columns, totals = without_total(columns, options)
    said = (*_about_encoding(text, options), *skipped.remarks, *header.remarks)
    return [typed(column) for column in columns], found, (*said, *ragged.remarks, *totals)


def _about_encoding(text: Text, options: FileOptions) -> tuple[str, ...]:
    if options.encoding is not None or text.encoding not in ("cp1252", "utf-16-le", "utf-16-be"):
        return ()
    name = "Windows-1252" if text.encoding == "cp1252" else text.encoding.upper()
    return (f"The file is not UTF-8; it was read as {name} (--encoding says otherwise).",)


class _Ragged:
    """Lines with too many or too few cells: refused, or left out and counted."""

    def __init__(self, *, skip: bool) -> None:
        self._skip = skip
        self._left_out = 0

    def __call__(self, _row: Any) -> str:
        self._left_out += 1
        return "skip" if self._skip else "error"

    @property
    def remarks(self) -> tuple[str, ...]:
        """How many were left out."""
        if not self._skip or not self._left_out:
            return ()
        lines = "A line" if self._left_out == 1 else f"{self._left_out:,} lines"
        was = "was" if self._left_out == 1 else "were"
        return (f"{lines} with too many or too few cells {was} left out (--skip-ragged).",)


def _check_cells(column: Column, where: str) -> None:
    """Refuse what Python's own reader would refuse: a cell without end is a lost quotation mark."""
    limit = csv.field_size_limit()
    if any(label is not None and len(label) > limit for label in column.labels):
        raise BadInput(
            f"Column {column.name[:80]!r} of {where} has a cell of more than {limit:,} "
            f"characters; is a quotation mark missing?"
        )


def _parse(text: Text, delimiter: str, header: Header, block: int, ragged: _Ragged) -> list[Column]:
    if not _SOMETHING.search(text.head.content, header.rows_at):
        raise BadInput(f"{text.name} has a header and no rows.")
    names = list(header.names)
    schema = pa.schema([(name, _TEXT) for name in header.kept])
    rows = BlockReader(text.blocks(block), skip=header.rows_at)
    try:
        batches = arrow_csv.open_csv(
            rows,
            read_options=arrow_csv.ReadOptions(column_names=names, block_size=block),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=True,
                invalid_row_handler=ragged,
                # With one column an empty line is a row whose cell is missing.
                ignore_empty_lines=len(names) > 1,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, _TEXT),
                include_columns=list(header.kept),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                check_utf8=False,
            ),
        )
        return columns_of_batches(schema, batches, text.name)
    except pa.ArrowException:
        raise BadInput(_explain(text, delimiter, len(names))) from None


def _explain(source: Text, delimiter: str, width: int) -> str:
    """Why the parser gave up, in words of ours: the parser's own would quote the row."""
    line = 0
    try:
        for line, record in numbered_records(_bounded(source, delimiter), delimiter):
            if len(record) != width:
                cells = "1 cell" if len(record) == 1 else f"{len(record):,} cells"
                return (
                    f"Line {line:,} of {source.name} has {cells} where the first line has "
                    f"{width:,}; correct the line, give another --delimiter, or leave such lines "
                    "out (--skip-ragged)."
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
    return f"{source.name} cannot be read as a table delimited by {delimiter!r}."


def _bounded(source: Text, delimiter: str) -> Iterator[str]:
    """The lines of a text; one that would fill the memory is refused."""
    lines = source.lines()
    number = 1
    while line := lines.readline(_LONGEST):
        if len(line) == _LONGEST:
            if max(map(len, line.split(delimiter))) > csv.field_size_limit():
                raise csv.Error("limit")
            raise BadInput(
                f"Line {number:,} of {source.name} has more than {_LONGEST - 1:,} characters; is a "
                "quotation mark or a line end missing?"
            )
        yield line
        number += 1


def write_csv(file: IO[bytes], pieces: Iterable[Table], form: FileForm) -> tuple[str, ...]:
    r"""Write the labels of tables that follow each other as they are spelled, missing as nothing.

    The answer names the columns of which texts were quoted because they look like formulas.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema((Attribute("size", ("M, L", "", None)),))
    >>> from io import BytesIO
    >>> out = BytesIO()
    >>> write_csv(out, [Table(schema, np.array([[0], [1], [2]]))], FileForm("csv"))
    ()
    >>> out.getvalue()
    b'size\n"M, L"\n""\n\n'
    """
    first = True
    quoted: dict[str, None] = {}
    for table in pieces:
        if not form.keep_formulas:
            quoted |= dict.fromkeys(_with_formulas(table))
        for content in _contents(table, form, with_names=first and form.header):
            file.write(from_utf8(content, form.encoding, first=first))
            first = False
    return tuple(quoted)


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would compute this text instead of showing it.

    >>> [is_formula(text) for text in ("=1+1", "@SUM(A1)", "-2+3", "-2.5", "-", "-2 to 3", "-$2")]
    [True, True, True, False, False, False, False]
    """
    return len(text) > 1 and text[0] in "=+-@\t\r" and not _NUMBERS.fullmatch(text)


def quoted_formula(text: str) -> str:
    """The text behind an apostrophe where a spreadsheet would compute it; it can be taken off.

    >>> [quoted_formula(text) for text in ("=1+1", "'=1+1", "tea")]
    ["'=1+1", "''=1+1", 'tea']
    """
    return f"'{text}" if is_formula(text.lstrip("'")) else text


def unquoted_formula(text: str) -> str:
    """The text as it was before `quoted_formula`.

    >>> [unquoted_formula(text) for text in ("'=1+1", "''=1+1", "'tea")]
    ['=1+1', "'=1+1", "'tea"]
    """
    return text[1:] if text.startswith("'") and is_formula(text.lstrip("'")) else text


def about_formulas(columns: Sequence[str]) -> tuple[str, ...]:
    """What was done with the formulas of these columns, as a sentence if there are any."""
    if not columns:
        return ()
    named = ", ".join(map(repr, columns[:_NAMED])) + (", …" if len(columns) > _NAMED else "")
    sentence = (
        f"An apostrophe was put before texts that a spreadsheet would compute ({named}); "
        "--keep-formulas leaves them as they are."
    )
    return (sentence,)


_NAMED = 8
_NUMBERS = re.compile(
    r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?( to [+-]?\d+([.,]\d*)?)?"
    r"|[+-]?[$€£¥₹]?\d{1,3}([.,']?\d{3})*([.,]\d+)?\s?[%$€£¥₹]?",
    re.ASCII,
)


def _with_formulas(table: Table) -> list[str]:
    """The columns whose name or whose texts look like formulas."""
    return [
        attribute.name
        for attribute in table.schema
        if is_formula(attribute.name)
        or (_is_text(attribute) and any(is_formula(v) for v in attribute.values if v is not None))
    ]


def _is_text(attribute: Attribute) -> bool:
    return kind_of(attribute.storage) == "text"


def _contents(table: Table, form: FileForm, *, with_names: bool) -> Iterator[bytes]:
    """The text of a table, some rows at a time."""
    names = table.schema.names
    if with_names:
        line = form.delimiter.join(_quoted(name, form) for name in names)
        yield (line + form.newline).encode()
    last = len(names) - 1
    texts = [
        _cell_texts(attribute, form, form.newline if position == last else "")
        for position, attribute in enumerate(table.schema)
    ]
    for start in range(0, len(table), _ROWS_AT_ONCE):
        yield _lines(texts, table.codes[start : start + _ROWS_AT_ONCE], form.delimiter)


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


def _cell_texts(attribute: Attribute, form: FileForm, end: str) -> pa.Array:
    """What to write for each code; the last place is the empty cell of ABSENT."""
    if not _is_text(attribute):
        form = replace(form, keep_formulas=True)
    texts = ["" if v is None else _quoted(v, form) for v in attribute.values]
    return pa.array([text + end for text in [*texts, ""]], pa.large_string())


@cache
def _in_need_of_quotes(delimiter: str) -> re.Pattern[str]:
    return re.compile(re.escape(delimiter) + r'|["\n\r]')


def _quoted(text: str, form: FileForm) -> str:
    if not form.keep_formulas and is_formula(text):
        text = f"'{text}"
    if text and not _in_need_of_quotes(form.delimiter).search(text):
        return text
    return '"' + text.replace('"', '""') + '"'
