"""Workbooks: the table in a sheet of an Excel or OpenDocument file; a release as an Excel sheet."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import IO, Any

from halfmask.data import Column, Table
from halfmask.errors import BadInput, UnknownName
from halfmask.io.columns import check_names, typed
from halfmask.io.dialect import INDEX
from halfmask.io.extras import needs
from halfmask.io.forms import FileForm, FileOptions, PathLike
from halfmask.io.open_documents import sheets_of
from halfmask.io.records import Sheet, records_of, table_in, without_total


def read_workbook(
    path: PathLike, name: str, form: FileForm, options: FileOptions
) -> tuple[list[Column], FileForm, tuple[str, ...]]:
    """The columns of a sheet, the form, and what was left out."""
    openpyxl = needs("openpyxl", "excel", f"To read {name}")
    try:
        book = openpyxl.load_workbook(path, data_only=True)
    except Exception:  # noqa: BLE001 - whatever it is, it is no workbook
        raise BadInput(f"{name} is not a whole Excel workbook.") from None
    filled = [sheet.title for sheet in book.worksheets if sheet.max_row > 1 or sheet.max_column > 1]
    sheet = book[_chosen(book.sheetnames, filled, name, options.sheet)]
    merged = [r for r in sheet.merged_cells.ranges if r.max_row > (options.skip_lines or 0)]
    if merged and not _all_titles(sheet, merged):
        where = ", ".join(sorted(str(r) for r in sheet.merged_cells.ranges)[:3])
        raise _merged(sheet.title, name, f" ({where})")
    records = [[_text(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
    return _table(records, sheet.title, name, form, options)


def read_open_document(
    path: PathLike, name: str, form: FileForm, options: FileOptions
) -> tuple[list[Column], FileForm, tuple[str, ...]]:
    """The columns of a sheet of an .ods file, the form, and what was left out."""
    sheets = {sheet.title: sheet for sheet in sheets_of(path, name)}
    filled = [title for title, sheet in sheets.items() if sheet.rows]
    sheet = sheets[_chosen([*sheets], filled, name, options.sheet)]
    wide = [place for place, row in enumerate(sheet.rows) if sum(map(bool, row)) > 1]
    first = max(options.skip_lines or 0, wide[0] if wide else 0)
    if any(place >= first for place in sheet.merged):
        raise _merged(sheet.title, name)
    return _table(sheet.rows, sheet.title, name, form, options)


def _merged(title: str, name: str, where: str = "") -> BadInput:
    return BadInput(
        f"The sheet {title!r} of {name} has merged cells{where}, which stand for no row or column "
        "of their own; unmerge and fill them."
    )


def _table(
    records: Sequence[Sequence[str | None]],
    title: str,
    name: str,
    form: FileForm,
    options: FileOptions,
) -> tuple[list[Column], FileForm, tuple[str, ...]]:
    """The table among the records of a sheet."""
    found = table_in(records, f"{name} (sheet {title!r})", options)
    columns, remarks = without_total(_columns(found, name), options)
    return [typed(column) for column in columns], form, (*found.remarks, *remarks)


def _all_titles(sheet: Any, merged: Iterable[Any]) -> bool:
    """Whether merged cells stand only above the table, as a title."""
    filled = [
        number
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1)
        if sum(cell is not None for cell in row) > 1
    ]
    return bool(filled) and all(r.max_row < filled[0] for r in merged)


def _chosen(every: Sequence[str], filled: Sequence[str], name: str, wanted: str | None) -> str:
    """The sheet that is wanted, or the only one with rows."""
    if wanted is not None:
        if wanted not in every:
            raise UnknownName(f"sheet in {name} called", wanted, every)
        return wanted
    if not filled:
        raise BadInput(f"{name} has no sheet with rows.")
    if len(filled) > 1:
        known = ", ".join(map(repr, filled[:8]))
        raise BadInput(
            f"{name} has {len(filled)} sheets with rows ({known}); choose one (--sheet)."
        )
    return filled[0]


def _text(cell: Any) -> str | None:
    """A cell as a text table would have it."""
    if cell is None or cell == "":
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, dt.datetime):
        whole = cell.time() == dt.time()
        return cell.date().isoformat() if whole else cell.isoformat(" ", "seconds")
    return str(cell)


def _columns(found: Sheet, name: str) -> list[Column]:
    check_names([n for n in found.names if n != INDEX], name)
    return [
        Column.of(column, [row[place] for row in found.rows])
        for place, column in enumerate(found.names)
        if column != INDEX
    ]


def write_workbook(file: IO[bytes], pieces: Iterable[Table]) -> None:
    """A release as the only sheet of a workbook; numbers and dates are written as such."""
    openpyxl = needs("openpyxl", "excel", "To write a workbook")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("release")
    for record in records_of(pieces):
        sheet.append(_cells(record))
    book.save(file)


def _cells(row: Sequence[Any]) -> list[Any]:
    """Texts stay texts: what a spreadsheet would compute is none of them."""
    return [f"'{cell}" if isinstance(cell, str) and cell.startswith("=") else cell for cell in row]
