"""Baskets at the door: lists, and columns of lists, in and out.

Basket files: FIMI numbers, or names divided by commas; an empty line is an empty basket.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import replace
from typing import IO, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfmask.data import Assortment, Baskets, Transactions
from halfmask.errors import BadInput
from halfmask.io.columns import columns_of
from halfmask.io.csv_tables import quoted_formula
from halfmask.io.dialect import checked_delimiter
from halfmask.io.forms import FileForm
from halfmask.io.frames import form_of, to_arrow
from halfmask.io.sources import Source
from halfmask.io.storage import is_supported, to_values
from halfmask.io.text import as_utf8, from_utf8

_ITEMS = pa.field("items", pa.list_(pa.string()))


def baskets_of(
    row_of: NDArray[Any], item_of: NDArray[Any], names: list[str], n_rows: int
) -> Baskets:
    """Baskets from (row, item) pairs in any order; a pair that comes twice counts once.

    Items are numbered by name, and by size where every name is a number.
    """
    order = sorted(range(len(names)), key=_sorting_key(names))
    new_of_old = np.empty(len(names), np.int64)
    new_of_old[order] = np.arange(len(names))
    cells = np.unique(row_of.astype(np.int64) * max(len(names), 1) + new_of_old[item_of])
    rows = Transactions.of_cells(cells, np.ones(n_rows, np.int64), len(names))
    return Baskets(Assortment(tuple(names[i] for i in order)), rows)


def _sorting_key(names: list[str]) -> Any:
    if all(name.isascii() and name.isdigit() and len(name) < 19 for name in names):
        return lambda i: int(names[i])
    return lambda i: names[i]


def to_baskets(data: Any) -> Baskets:
    """Baskets from lists of item names, or from a frame with one column of such lists.

    >>> to_baskets([["milk", "bread"], []]).schema.names
    ('bread', 'milk')
    """
    if isinstance(data, str | bytes):
        raise BadInput("A text is not a list of baskets; give lists of item names, or read a file.")
    if isinstance(data, list | tuple) or not _is_frame(data):
        return baskets_from_lists(data)
    table = to_arrow(data)
    column = list_column(table.schema)
    if column is None:
        raise BadInput("The frame has no column of lists, or several, so it holds no baskets.")
    return _from_list_column(table[column])


def _is_frame(data: Any) -> bool:
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "columns")


def baskets_from_lists(rows: Iterable[Iterable[Any]]) -> Baskets:
    """Baskets from lists of item names (or of numbers, which are their own names)."""
    number: dict[str, int] = {}
    row_of: list[int] = []
    item_of: list[int] = []
    n_rows = 0
    for n_rows, row in enumerate(rows, 1):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            raise BadInput(f"Basket {n_rows:,} is not a list of items.")
        for name in row:
            row_of.append(n_rows - 1)
            item_of.append(number.setdefault(_item_name(name, n_rows), len(number)))
    return _non_empty(
        baskets_of(np.array(row_of, np.int64), np.array(item_of, np.int64), list(number), n_rows)
    )


def _item_name(name: Any, row: int) -> str:
    if name is None or name != name:  # noqa: PLR0124 - the test for NaN
        raise BadInput(f"Basket {row:,} holds a missing item.")
    return str(name)


def list_column(schema: pa.Schema) -> str | None:
    """The name of the only column of lists, if there is exactly one."""
    found = [field.name for field in schema if _is_list(field.type)]
    return found[0] if len(found) == 1 else None


def _is_list(type_: pa.DataType) -> bool:
    return bool(pa.types.is_list(type_) or pa.types.is_large_list(type_))


def _from_list_column(cells: pa.ChunkedArray) -> Baskets:
    """A missing list is an empty basket."""
    whole = cells.combine_chunks() if cells.num_chunks != 1 else cells.chunk(0)
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    if not is_supported(whole.type.value_type):
        raise BadInput(f"The lists hold {str(whole.type.value_type)[:60]}, not item names.")
    lengths = whole.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    row_of = np.repeat(np.arange(len(whole)), lengths)
    return _pairs(row_of, whole.flatten(), len(whole))


def _pairs(row_of: NDArray[Any], items: pa.Array, n_rows: int) -> Baskets:
    if items.null_count:
        raise BadInput("A basket holds a missing item.")
    if not len(items):
        raise BadInput("All baskets are empty.")
    [column] = columns_of(pa.table({"item": items}))
    return baskets_of(row_of, column.index, [str(label) for label in column.labels], n_rows)


def _non_empty(baskets: Baskets) -> Baskets:
    if not len(baskets):
        raise BadInput("There are no baskets.")
    return baskets


def baskets_to_arrow(baskets: Baskets, field: pa.Field = _ITEMS) -> pa.Table:
    """One row for each basket: the list of its items, in a column like `field`."""
    rows = baskets.transactions
    if int(rows.weights.max(initial=1)) > 1:
        raise BadInput("Baskets with weights cannot be written; repeat each basket instead.")
    names = to_values(baskets.schema.names, _takeable(field.type.value_type))
    lists = pa.LargeListArray.from_arrays(pa.array(rows.offsets), names.take(pa.array(rows.items)))
    return pa.table({field.name: lists.cast(field.type)})


def _takeable(type_: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_string_view(type_) else type_


def from_baskets(baskets: Baskets, *, like: Any = None) -> Any:
    """The baskets as lists of names, or as a frame of the kind of `like` with one list column."""
    if like is None or isinstance(like, list | tuple):
        return baskets_to_arrow(baskets)["items"].to_pylist()
    return form_of(like).dress(baskets_to_arrow(baskets, to_arrow(like).schema.field(0)))


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
