"""Dialect: the delimiter and the header of a text table, found by looking, never by betting."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from halfmask.errors import BadInput
from halfmask.io.sources import BLOCK, Source

_DELIMITERS = (",", ";", "\t", "|")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_SAMPLE = 50  # records looked at; a delimiter that divides fifty records alike is the one


def numbered_records(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each record that is not an empty line, with the number of the line it ends on."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    for record in reader:
        if record:
            yield reader.line_num, record


def checked_delimiter(delimiter: str) -> str:
    """The delimiter that was given, unless none can look like that."""
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise BadInput(f"A delimiter is one character such as ',' or ';', not {delimiter[:20]!r}.")
    return delimiter


def find_delimiter(source: Source, *, expected: str | None = None) -> str:
    r"""The delimiter that divides the first records into equally many cells.

    >>> find_delimiter(Source("'x.csv'", b"name;height\nann;1,70\nbob;1,80\n"))
    ';'
    """
    if expected is not None:
        return checked_delimiter(expected)
    widths = {delimiter: _widths(source, delimiter) for delimiter in _DELIMITERS}
    steady = {d: w[0] for d, w in widths.items() if w and w[0] > 1 and len(set(w)) == 1}
    if not steady:
        steady = {d: w[0] for d, w in widths.items() if w and w[0] > 1 and _lacks_index(w)}
    if not steady:
        # No delimiter at all is a table of one column; an unsteady one is reported as ragged.
        return max(_DELIMITERS, key=lambda d: widths[d][0] if widths[d] else 1)
    widest = max(steady.values())
    chosen = [d for d, width in steady.items() if width == widest]
    if len(chosen) > 1:
        both = " or ".join(repr(d) for d in chosen)
        raise BadInput(
            f"The cells of {source.name} could be delimited by {both}; choose one (--delimiter)."
        )
    return chosen[0]


@dataclass(frozen=True, slots=True)
class Above:
    """What stands above the header: so many bytes of so many lines."""

    size: int = 0
    remarks: tuple[str, ...] = ()


def lines_above(source: Source, delimiter: str | None, lines: int | None) -> Above:
    r"""The lines above a table: as many as were told, or titles of one cell over wider records.

    >>> content = b"Visits 2020\n\nname,age\nann,31\nbob,44\n"
    >>> lines_above(Source("'x.csv'", content), None, None).size
    13
    """
    content = source.content[: 1 << 20].splitlines(keepends=True)
    if lines is not None:
        return Above(sum(map(len, content[:lines])))
    best = max(
        [checked_delimiter(delimiter)] if delimiter else _DELIMITERS,
        key=lambda d: _usual_width(_widths(source, d) or [0]),
    )
    rows = [
        [cell.strip() for cell in line.decode("utf-8", "ignore").strip("\r\n").split(best)]
        for line in content[:_SAMPLE]
    ]
    titles = titles_above(rows)
    if not any(map(any, rows[:titles])):  # empty lines are no titles
        return Above()
    return Above(sum(map(len, content[:titles])), (said_of_titles(titles),))


def _usual_width(widths: Sequence[int]) -> tuple[float, int]:
    """The width in the middle, and how many records have it: decimal commas divide no header.

    >>> _usual_width([4, 4, 4]) > _usual_width([1, 4, 4])
    True
    """
    middle = float(np.median(widths))
    return middle, list(widths).count(round(middle))


MOST_TITLES = 10
"""Lines above a header that are taken for titles."""


def titles_above(rows: Sequence[Sequence[str | None]]) -> int:
    """How many records at the beginning hold one cell where the others hold several.

    >>> titles_above([["Visits", ""], ["name", "age"], ["ann", "31"], ["bob", "44"]])
    1

    A first cell that alone is empty is that of an index, and counts.

    >>> titles_above([["Visits", ""], ["", "age"], ["1", "31"], ["2", "44"]])
    1
    """
    filled = [sum(map(bool, row)) + _names_all_but_first(row) for row in rows]
    titles = 0
    while titles < min(len(filled), MOST_TITLES) and filled[titles] <= 1:
        titles += 1
    beneath = filled[titles:]
    steady = len(beneath) > 1 and min(beneath[:3]) > 1
    return titles if steady and float(np.median(beneath)) > 1 else 0


def _names_all_but_first(row: Sequence[str | None]) -> bool:
    return len(row) > 1 and not row[0] and all(row[1:])


def said_of_titles(titles: int) -> str:
    """What was skipped, as a sentence."""
    lines = "A line" if titles == 1 else f"{titles} lines"
    was = "was" if titles == 1 else "were"
    return (
        f"{lines} above the header {was} taken for a title and left out (--skip-lines 0 keeps it)."
    )


def _lacks_index(widths: Sequence[int]) -> bool:
    """Whether all records are one cell wider than the first, which names no numbers of rows."""
    return len(widths) > 2 and {*widths[1:]} == {widths[0] + 1}


def _widths(source: Source, delimiter: str) -> list[int]:
    widths: list[int] = []
    try:
        for _, record in islice(numbered_records(_lines(source), delimiter), _SAMPLE):
            widths.append(len(record))
    except csv.Error:
        # The head of a large file may break off within a record; those before it still count.
        return widths if len(source.content) >= BLOCK else []
    return widths


def _lines(source: Source) -> Iterable[str]:
    # What a block cuts a character in two of is no part of the first records.
    return io.TextIOWrapper(io.BytesIO(source.content), "utf-8", "ignore", newline="")


INDEX = ""
"""The name of a first column that has none: it numbers or names the rows."""


@dataclass(frozen=True, slots=True)
class Header:
    """The column names, and where in the content the rows begin."""

    names: tuple[str, ...]
    rows_at: int
    newline: str
    nameless: tuple[str, ...] = ()
    """The names that columns without any were given."""
    twice: tuple[str, ...] = ()
    """The names of columns that were called like one before them."""

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns that are read: all but an index without a name."""
        return tuple(name for name in self.names if name != INDEX)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was left out, and what got a name."""
        said = []
        if len(self.kept) < len(self.names):
            said.append(
                "The first column has no name: it was taken for an index of the rows and left out "
                "(give it a name in the file to publish it)."
            )
        said += [
            f"Column {self.names.index(name) + 1:,} has no name; it is called {name!r}."
            for name in self.nameless
        ]
        said += [
            f"Another column has the same name as the one that is called {name!r} here."
            for name in self.twice
        ]
        return tuple(said)


def read_header(source: Source, delimiter: str, *, header: bool | None) -> Header:
    """The names in the first record; without a header they are column1, column2 and so on.

    A first record with a number or an empty cell may be a row of data: unless `header` says what
    it is, or the rows below do, the question goes back to the steward. An empty first cell, and a
    first record that is one cell short, belong to an index.
    """
    offset, cells = _first_record(source, delimiter)
    end = source.content[:offset]
    newline = "\r\n" if end.endswith(b"\r\n") else "\n"
    if header is False:
        names = tuple(f"column{i}" for i in range(1, len(cells) + 1))
        return Header(names, 0, newline)
    widths = _widths(source, delimiter)
    if _lacks_index(widths):
        cells = [INDEX, *cells]
    if header is None:
        _check_header(source, cells, delimiter)
    return replace(named_columns(cells), rows_at=offset, newline=newline)


def named_columns(cells: Sequence[str]) -> Header:
    """The header of these cells: every column with a name of its own, but for an index.

    >>> named_columns(["", "a", "a", ""]).names
    ('', 'a', 'a.2', 'column4')
    """
    called = [cell or (f"column{i}" if i > 1 else INDEX) for i, cell in enumerate(cells, 1)]
    nameless = [name for name, cell in zip(called, cells, strict=True) if name != cell]
    names: dict[str, None] = {}
    twice: list[str] = []
    for name in called:
        number, own = 1, name
        while own in names:
            number += 1
            own = f"{name}.{number}"
        twice += [own] if own != name else []
        names[own] = None
    return Header(tuple(names), 0, "\n", tuple(nameless), tuple(twice))


def _first_record(source: Source, delimiter: str) -> tuple[int, list[str]]:
    lines = _lines(source)
    read = 0

    def counted() -> Iterator[str]:
        nonlocal read
        for line in lines:
            read += len(line.encode())
            yield line

    try:
        for record in csv.reader(counted(), delimiter=delimiter, strict=True):
            if record:
                return read, record
    except csv.Error as problem:
        raise BadInput(f"The header of {source.name} cannot be read: {_plain(problem)}.") from None
    raise BadInput(f"{source.name} holds nothing but empty lines.")


def _check_header(source: Source, cells: Sequence[str], delimiter: str) -> None:
    """Refuse a first record that may be a row, unless what stands below tells that it is none."""
    odd = [i for i, cell in enumerate(cells, 1) if not cell or _is_number(cell)]
    if odd in ([], [1]) and (not odd or (cells[0] == INDEX and len(cells) > 1)):
        return
    if not _differs_from_rows(source, cells, delimiter):
        raise BadInput(
            f"The first line of {source.name} may not be a header (cell {odd[0]} is empty or a "
            "number); use --header if it holds the column names, --no-header if it is a row."
        )


def _differs_from_rows(source: Source, cells: Sequence[str], delimiter: str) -> bool:
    """Whether a column begins with a word, or with nothing, and goes on otherwise.

    So do years and other numbers that follow one another in a header, and in no row.
    """
    rows: list[list[str]] = []
    with suppress(csv.Error):  # the head of a large file may break off within a record
        for _, record in islice(numbered_records(_lines(source), delimiter), 1, _SAMPLE):
            rows.append(record)
    rows = [row for row in rows if len(row) == len(cells)]
    for place, cell in enumerate(cells):
        below = [row[place] for row in rows if row[place]]
        if cell and not _is_number(cell) and below and all(map(_is_number, below)):
            return True
    unnamed_index = cells[0] == INDEX and bool(rows) and all(row[0] for row in rows)
    whole = [int(cell) for cell in cells if cell.isdecimal()]
    return unnamed_index or (len(whole) > 2 and set(np.diff(whole)) == {1})


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell.strip()) is not None


def _plain(problem: csv.Error) -> str:
    text = str(problem)
    if "limit" in text:
        return f"it has a cell of more than {csv.field_size_limit():,} characters"
    return "a quotation mark is opened and never closed" if "end of data" in text else text
