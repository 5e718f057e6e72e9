"""Basket files: FIMI numbers, or names divided by commas; an empty line is an empty basket."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import IO

import numpy as np

from halfmask.data import Baskets
from halfmask.errors import BadInput
from halfmask.io.baskets import baskets_of
from halfmask.io.csv_tables import quoted_formula
from halfmask.io.dialect import checked_delimiter
from halfmask.io.forms import FileForm
from halfmask.io.sources import Source
from halfmask.io.text import as_utf8, from_utf8

_DIGITS = 18  # item numbers stay below 2^63


def read_fimi(source: Source, form: FileForm) -> tuple[Baskets, FileForm]:
    r"""Item numbers divided by blanks, one basket a line.

    >>> read_fimi(Source("'x.dat'", b"3 1\n\n3\n"), FileForm("fimi"))[0].schema.names
    ('1', '3')
    """
    content = np.frombuffer(source.content, np.uint8)
    is_digit = (content >= ord("0")) & (content <= ord("9"))
    is_blank = (content == ord(" ")) | (content == ord("\t")) | (content == ord("\r"))
    is_end = content == ord("\n")
    strange = np.flatnonzero(~(is_digit | is_blank | is_end))
    if len(strange):
        raise BadInput(
            f"Line {source.line_at(int(strange[0])):,} of {source.name} holds something that is "
            f"not an item number; baskets of names are read from .basket.csv (--format basket)."
        )
    edges = np.diff(is_digit.astype(np.int8), prepend=0, append=0)
    starts, stops = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    if len(starts) and int((stops - starts).max()) > _DIGITS:
        raise BadInput(f"{source.name} holds an item number of more than {_DIGITS} digits.")
    if not len(starts):
        raise BadInput(f"{source.name} holds no items.")
    ends = np.flatnonzero(is_end)
    row_of = np.searchsorted(ends, starts)
    n_rows = len(ends) + (not source.content.endswith(b"\n"))
    numbers = np.fromstring(source.content, np.int64, sep=" ")
    found, item_of = np.unique(numbers, return_inverse=True)
    newline = "\r\n" if b"\r\n" in source.content[:65_536] else "\n"
    return baskets_of(row_of, item_of, [str(n) for n in found.tolist()], n_rows), replace(
        form, newline=newline
    )


def read_basket_csv(
    source: Source, form: FileForm, *, delimiter: str | None, encoding: str | None
) -> tuple[Baskets, FileForm]:
    """Item names divided by commas, one basket a line, no header; empty cells are padding."""
    source, found = as_utf8(source, encoding)
    chosen = form.delimiter if delimiter is None else checked_delimiter(delimiter)
    form = replace(form, delimiter=chosen, encoding=found)
    lines = io.TextIOWrapper(io.BytesIO(source.content), encoding="utf-8", newline="")
    reader = csv.reader(lines, delimiter=form.delimiter, strict=True)
    number: dict[str, int] = {}
    row_of: list[int] = []
    item_of: list[int] = []
    row = -1
    try:
        for row, cells in enumerate(reader):
            names = [cell.strip() for cell in cells]
            items = [number.setdefault(name, len(number)) for name in names if name]
            item_of += items
            row_of += [row] * len(items)
    except csv.Error:
        raise BadInput(
            f"A quotation mark near line {reader.line_num:,} of {source.name} is misplaced or "
            f"never closed."
        ) from None
    if not number:
        raise BadInput(f"{source.name} holds no items.")
    baskets = baskets_of(np.array(row_of), np.array(item_of), list(number), row + 1)
    return baskets, form


def write_baskets(file: IO[bytes], baskets: Baskets, form: FileForm) -> tuple[str, ...]:
    """Write one basket a line; the answer says whether items were quoted as formulas."""
    names = list(baskets.schema.names)
    quoted = names if form.keep_formulas else [quoted_formula(name) for name in names]
    if form.format == "fimi":
        if not all(name.isascii() and name.isdigit() for name in names):
            raise BadInput(
                "FIMI files hold item numbers and these items have names; write .basket.csv."
            )
        cells, divider = names, " "
    else:
        cells, divider = [_quoted(name, form.delimiter) for name in quoted], form.delimiter
    rows = (divider.join([cells[i] for i in row]) for row in baskets.transactions)
    text = form.newline.join(rows) + form.newline
    file.write(from_utf8(text.encode(), form.encoding, first=True))
    return () if quoted == names else ("items",)


def _quoted(text: str, delimiter: str) -> str:
    if any(mark in text for mark in (delimiter, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text
