"""Files of statistics packages: SPSS, Stata and SAS, with labels and missing codes (pyreadstat)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from halfmask.data import Column, Table
from halfmask.data.coding.spec import ColumnSpec
from halfmask.errors import BadInput
from halfmask.io.columns import check_names, columns_of, table_to_arrow
from halfmask.io.extras import needs
from halfmask.io.forms import Described, FileForm, PathLike

_READERS = {
    "sav": ("read_sav", {"user_missing": True}),
    "dta": ("read_dta", {"user_missing": True}),
    "sas7bdat": ("read_sas7bdat", {"user_missing": True}),
    "xpt": ("read_xport", {}),
}
NAMES = {"sav": "SPSS", "dta": "Stata", "sas7bdat": "SAS", "xpt": "SAS transport"}


def read_statistics(
    path: PathLike, name: str, form: FileForm
) -> tuple[list[Column], FileForm, dict[str, ColumnSpec]]:
    """The columns, the form with all labels, and what the file says about its columns."""
    pyreadstat = needs("pyreadstat", "stats", f"To read {name}")
    needs("pandas", "stats", f"To read {name}")
    reader, options = _READERS[form.format]
    try:
        frame, meta = getattr(pyreadstat, reader)(str(path), **options)
    except Exception:  # noqa: BLE001 - whatever it is, it is no such file
        raise BadInput(f"{name} is not a whole {NAMES[form.format]} file.") from None
    if not len(frame):
        raise BadInput(f"{name} has no rows.")
    check_names(list(frame.columns), name)
    columns = [_column(column, frame[column]) for column in frame.columns]
    described = Described(
        labels={n: t for n, t in meta.column_names_to_labels.items() if t},
        value_labels=dict(meta.variable_value_labels),
        missing=dict(meta.missing_ranges or meta.missing_user_values or {}),
        formats=dict(meta.original_variable_types),
        measures=dict(getattr(meta, "variable_measure", {}) or {}),
        title=meta.file_label or "",
    )
    return columns, replace(form, described=described), _said(columns, described)


def _column(name: str, cells: Any) -> Column:
    """A column; numbers that are all whole are whole, and letters among them are codes."""
    values = [None if _is_nothing(cell) else cell for cell in cells.tolist()]
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    texts = [v for v in values if isinstance(v, str)]
    if numbers and texts:  # Stata and SAS have 27 kinds of missing, by letter
        return Column.of(name, [None if v is None else _written(v) for v in values])
    if numbers and all(float(v).is_integer() and abs(v) < 2**53 for v in numbers):
        values = [v if v is None else int(v) for v in values]
    if texts:
        values = [v or None for v in values]
    return columns_of(pa.table({name: pa.array(values)}))[0]


def _is_nothing(cell: Any) -> bool:
    return cell is None or cell != cell  # noqa: PLR0124 - NaN and NaT differ from themselves


def _written(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def _said(columns: Sequence[Column], described: Described) -> dict[str, ColumnSpec]:
    """Missing codes, and columns all of whose values have labels: those are categories."""
    said = {}
    for column in columns:
        held = [label for label in column.labels if label is not None]
        codes = tuple(t for t in held if _is_code(t, described.missing.get(column.name, ())))
        labelled = {_written(v) for v in described.value_labels.get(column.name, {})}
        values = [text for text in held if text not in codes]
        kind = "category" if labelled and values and labelled.issuperset(values) else None
        if codes or kind:
            said[column.name] = ColumnSpec(kind=kind, missing=codes)  # type: ignore[arg-type]
    return said


def _is_code(text: str, missing: Sequence[Any]) -> bool:
    for one in missing:
        if not isinstance(one, Mapping):
            if text == _written(one):
                return True
            continue
        low, high = one["lo"], one["hi"]
        if isinstance(low, str) or isinstance(high, str):
            if str(low) <= text <= str(high):
                return True
            continue
        try:
            if low <= float(text) <= high:
                return True
        except ValueError:
            continue
    return False


def write_statistics(file: IO[bytes], pieces: Iterable[Table], form: FileForm) -> None:
    """A release with the labels of the original; nothing else of its description is kept."""
    pyreadstat = needs("pyreadstat", "stats", "To write this file")
    needs("pandas", "stats", "To write this file")
    if form.format == "sas7bdat":
        raise BadInput("SAS files (.sas7bdat) can be read and not written; write .xpt or .sav.")
    frame = pa.concat_tables([table_to_arrow(piece) for piece in pieces]).to_pandas()
    told = form.described or Described()
    names = [str(name) for name in frame.columns]
    kept: dict[str, Any] = {
        "file_label": told.title,
        "column_labels": {name: told.labels.get(name, "") for name in names},
    }
    if form.format in ("sav", "dta"):
        kept["variable_value_labels"] = {
            n: dict(v) for n, v in told.value_labels.items() if n in names
        }
    coded = {n: list(v) for n, v in told.missing.items() if n in names and v}
    if form.format == "sav":
        kept["missing_ranges"] = coded
        kept["variable_measure"] = {n: m for n, m in told.measures.items() if n in names and m}
    if form.format == "dta" and coded:
        kept["missing_user_values"] = coded
    for name in coded if form.format == "dta" else ():
        frame[name] = [_number_or_letter(cell, coded[name]) for cell in frame[name].tolist()]
    writer = {"sav": "write_sav", "dta": "write_dta", "xpt": "write_xport"}[form.format]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"release.{form.format}"
        getattr(pyreadstat, writer)(frame, str(path), **kept)
        file.write(path.read_bytes())


def _number_or_letter(cell: Any, letters: Sequence[Any]) -> Any:
    if not isinstance(cell, str) or cell in letters:
        return cell
    return float(cell)
