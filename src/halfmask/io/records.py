"""Records: the table among the lines of a sheet or a text file.

People write a title above the table and a total below it, give two columns one name and none to a
third. What is found is settled in the way that loses nothing, and said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from halfmask.data import Column, Table
from halfmask.errors import BadInput
from halfmask.io.columns import table_to_arrow
from halfmask.io.dialect import named_columns, said_of_titles, titles_above
from halfmask.io.forms import FileOptions

_TOTAL = re.compile(
    r"((grand |sub)?total(s|e)?|sum(me|ma)?|gesamt(summe)?|insgesamt|totaal|somme|all rows):?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Sheet:
    """Names and rows of a table, and what was settled on the way."""

    names: tuple[str, ...]
    rows: list[Sequence[str | None]]
    remarks: tuple[str, ...]


MOST_ROWS = 1_048_576
"""What a sheet of a spreadsheet holds."""


def records_of(pieces: Iterable[Table]) -> Iterator[Sequence[Any]]:
    """A release as the records of a sheet: the names of the columns, then row after row."""
    rows = 0
    for number, piece in enumerate(pieces):
        table = table_to_arrow(piece)
        if not number:
            yield list(table.column_names)
        rows += table.num_rows
        if rows >= MOST_ROWS:
            raise BadInput(f"A sheet holds at most {MOST_ROWS - 1:,} rows; write .csv or .parquet.")
        yield from zip(*(column.to_pylist() for column in table.columns), strict=True)


def table_in(records: Sequence[Sequence[str | None]], where: str, options: FileOptions) -> Sheet:
    """The table in the records of a sheet: without empty ones, titles and a last line of totals."""
    filled = [row for row in records if any(cell is not None for cell in row)]
    if not filled:
        raise BadInput(f"{where} holds nothing but empty lines.")
    width = max(max(i for i, c in enumerate(row, 1) if c is not None) for row in filled)
    rows = [(*row, *[None] * width)[:width] for row in filled]
    titles = titles_above(rows)
    if options.skip_lines is not None:
        titles = options.skip_lines
    remarks = [said_of_titles(titles)] if titles and options.skip_lines is None else []
    rows = rows[titles:]
    if options.header is False:
        names: tuple[str, ...] = tuple(f"column{i}" for i in range(1, width + 1))
    else:
        header = named_columns([cell or "" for cell in rows[0]])
        names, rows = header.names, rows[1:]
        remarks += header.remarks
    if not rows:
        raise BadInput(f"{where} has a header and no rows.")
    return Sheet(names, list(rows), tuple(remarks))


def without_total(
    columns: Sequence[Column], options: FileOptions
) -> tuple[list[Column], tuple[str, ...]]:
    """The columns without a last row that adds up the others, and what is said about it.

    >>> rows = [Column.of("town", ["Rome", "Lodi", "Total"]), Column.of("n", ["1", "2", "3"])]
    >>> [column.cells for column in without_total(rows, FileOptions())[0]]
    [['Rome', 'Lodi'], ['1', '2']]
    """
    last = [column.labels[int(column.index[-1])] for column in columns if len(column)]
    named = any(text is not None and _TOTAL.fullmatch(text.strip()) for text in last)
    rows = len(columns[0])
    if not named or options.totals or rows < 2:
        return list(columns), ()
    kept = np.arange(rows - 1)
    said = "The last row is one of totals: it was left out (--totals keeps it)."
    return [column.take(kept) for column in columns], (said,)
