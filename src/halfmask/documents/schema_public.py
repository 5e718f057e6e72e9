"""Public schemas: what a steward declares of a table, written without a look at its values.

What stands in such a file is known whoever is in the table, so a private release may use it for
nothing. Names of columns are taken from the file, and their types where the file is typed.
"""

from __future__ import annotations

from collections.abc import Sequence

from halfmask.data.column import Column
from halfmask.documents.schema import quoted

_KINDS = {"number": "number", "moment": "date", "time": "date", "truth": "category"}
_LINES = {
    "number": ("# range = [0, 120]", "# step = 1", "# bins = [18, 65]"),
    "date": ('# range = ["1900-01-01", "2030-12-31"]',),
    "category": ('# values = ["a", "b"]',),
}


def public_schema_text(columns: Sequence[Column], *, typed: bool) -> str:
    """The schema to fill in; where the file is not typed, every kind is left open.

    >>> print(public_schema_text([Column.of("sex", ["f", "m"])], typed=False))
    # What can be in this table...
    [columns.sex]
    kind = "?"
    """
    return "\n".join([_HEAD, *(_lines(column, typed=typed) for column in columns)])


def _lines(column: Column, *, typed: bool) -> str:
    kind = _KINDS.get(column.kind) if typed else None
    lines = [f"[columns.{quoted(column.name)}]", f'kind = "{kind or "?"}"']
    if typed and column.kind == "truth":
        lines.append('values = ["true", "false"]')
    elif kind is not None:
        lines += _LINES[kind]
    return "\n".join([*lines, ""])


_HEAD = """\
# What can be in this table, whoever is in it. Nothing here was read off the values; fill it in
# from the form, the manual or the law, not from the data. Then
# halfmask publish FILE --epsilon 1 --schema THIS promises privacy without exception, and spends
# nothing on what it says.
#
#   kind     number, date, category, key (made anew) or text (left out); replace every "?"
#   values   of a category all that can be: values = ["f", "m"]; what is not listed counts as
#            "other" where that is listed, else as missing
#   range    of numbers and dates the least and the largest that can be: range = [0, 120]; what
#            lies beyond is counted at the end
#   step     of numbers the distance of neighbours: step = 1 (whole), step = 0.01
#   bins     where bins begin: bins = [18, 65]; without it they are learnt within the budget
#   format   how dates are written, if not like 2026-01-31: format = "%d/%m/%Y"
#   role     identifier or ignore (both left out), sensitive, quasi-identifier
#   missing  values that mean "no value": missing = [-8, 999]
#
# Without values, or without a range, these are learnt too, and that costs a part of epsilon.
"""
