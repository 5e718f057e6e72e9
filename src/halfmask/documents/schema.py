"""Schema files: what a steward says about the columns, as a small TOML file."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from halfmask.data.coding.cutting import BINS
from halfmask.data.coding.kinds import Plan
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.data.column import Column
from halfmask.errors import BadInput, UnknownName
from halfmask.io.forms import PathLike
from halfmask.io.sources import read_bytes

_MOST_BYTES = 16 * 1024 * 1024
_NOTHING = TableSpec()


def table_spec(given: PathLike | TableSpec | None) -> TableSpec:
    """What is said about a table: itself, or what the file of this name says."""
    if given is None:
        return _NOTHING
    return read_schema(given) if isinstance(given, str | os.PathLike) else given


def read_schema(path: PathLike) -> TableSpec:
    """The schema in a TOML file; a field or name that does not exist is refused with the nearest.

    The file is checked against the columns of a table when it meets one.
    """
    return parse_schema(read_bytes(path, _MOST_BYTES), repr(Path(path).name))


def parse_schema(content: bytes, name: str) -> TableSpec:
    """The schema in the bytes of a file of this name."""
    try:
        document = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as problem:
        place = str(problem).rpartition("(at ")[2].rstrip(")")
        where = f" (at {place})" if place and place != str(problem) else ""
        raise BadInput(f"{name} is not a schema: it is not TOML{where}.") from None
    try:
        return _table(document)
    except BadInput as reason:
        raise BadInput(f"{name} is not a schema: {reason}") from None


def schema_text(columns: Sequence[Column], plans: Mapping[str, Plan], *, floor: int) -> str:
    """The schema of a table as a file to correct: every guess with its reason as a comment.

    Only values that at least `floor` rows hold are named.

    >>> from halfmask.data.coding.kinds import plan_each
    >>> columns = [Column.of("sex", ["f", "m"] * 30)]
    >>> print(schema_text(columns, plan_each(columns, TableSpec(), floor=10), floor=10))
    # What the columns of this table are taken for...
    [columns.sex]
    kind = "category"  # 2 different values
    # order = ["f", "m"]
    """
    parts = [_HEAD, *(_lines(column, plans[column.name], floor) for column in columns)]
    return "\n".join(parts)


def _lines(column: Column, plan: Plan, floor: int) -> str:
    lines = [f"[columns.{quoted(column.name)}]"]
    if plan.fate == "drop":
        lines.append(f'role = "ignore"  # left out: {plan.reason}')
        return "\n".join([*lines, ""])
    lines.append(f'kind = "{plan.kind}"  # {plan.reason}')
    if plan.fate == "bins":
        lines.append(f"# bins = {BINS}")
    common = [
        label
        for label, rows in zip(column.labels, column.counts.tolist(), strict=True)
        if label is not None and rows >= floor and label not in plan.codes
    ]
    if plan.fate == "codes" and 1 < len(common) <= _FEW:
        listed = ", ".join(quoted(label, key=False) for label in sorted(common))
        lines.append(f"# order = [{listed}]")
    if plan.codes and (held := [code for code in plan.codes if _rows(column, code) >= floor]):
        lines.append(f"missing = [{', '.join(quoted(code, key=False) for code in held)}]")
    return "\n".join([*lines, ""])


def _rows(column: Column, label: str) -> int:
    return int(column.counts[column.labels.index(label)])


def quoted(text: str, *, key: bool = True) -> str:
    """A name or value as TOML writes it."""
    if key and _BARE.fullmatch(text):
        return text
    return json.dumps(text, ensure_ascii=False)


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_FEW = 12
_HEAD = """\
# What the columns of this table are taken for. Correct what is wrong; what you delete is guessed.
# halfmask publish FILE --schema THIS, or Generator(schema="THIS"), follow it.
#
#   kind     number, date, category, key (made anew) or text (left out)
#   role     identifier or ignore (both left out), sensitive, quasi-identifier
#   bins     how many, or where they begin: bins = [18, 65]
#   cut      quantile, width, or entropy with target = "column"
#   rare     group, suppress or keep: what becomes of values that few rows hold
#   groups   groups = { north = ["SH", "HH"] }
#   order    the values of an ordered category, first to last
#   missing  values that mean "no value": missing = [-8, 999]
#   format   how dates are written, where days and months could be confused: format = "%d/%m/%Y"
#   laplace  more diversity for the column, or for a value: laplace = { burn = 2 }
#   values, range, step   what can be, for private releases: `halfmask schema init --public`
#
# missing = ["NA"]                            # in every column
# hide_together = [["diagnosis", "postcode"]]  # never in one pattern
"""


def _table(document: Mapping[str, Any]) -> TableSpec:
    _known("field", document, ("columns", "missing", "hide_together"))
    columns = document.get("columns", {})
    if not isinstance(columns, dict):
        raise BadInput("columns is a table with an entry for each column.")
    pairs = document.get("hide_together", [])
    if not isinstance(pairs, list) or not all(_is_pair(pair) for pair in pairs):
        raise BadInput('hide_together lists pairs such as ["diagnosis", "postcode"].')
    return TableSpec(
        {name: _column(name, given) for name, given in columns.items()},
        missing=_texts("missing", document.get("missing", [])),
        hide_together=tuple((one, other) for one, other in pairs),
    )


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(p, str) for p in pair)


def _column(name: str, given: Any) -> ColumnSpec:
    if not isinstance(given, dict):
        raise BadInput(f"columns.{name} is a table with fields such as kind and role.")
    try:
        _known("field", given, list(_FIELDS))
        said = {field: _FIELDS[field](field, value) for field, value in given.items()}
        if isinstance(said.get("laplace"), dict):
            said["laplace_for"] = said.pop("laplace")
        return ColumnSpec(**said)
    except BadInput as reason:
        raise BadInput(f"columns.{name}: {reason}") from None


def _known(what: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            raise UnknownName(what, name, known)


def _texts(field: str, given: Any) -> tuple[str, ...]:
    plain = isinstance(given, list) and all(
        isinstance(part, str | int | float) and not isinstance(part, bool) for part in given
    )
    if not plain:
        raise BadInput(f'{field} is a list of values such as ["a", "b"] or [-8, 999].')
    return tuple(str(part) for part in given)


def _word(field: str, given: Any) -> str:
    if not isinstance(given, str):
        raise BadInput(f"{field} is a word in quotation marks.")
    return given


def _bins(field: str, given: Any) -> int | tuple[str, ...]:
    if isinstance(given, int) and not isinstance(given, bool):
        return given
    if isinstance(given, list) and all(
        hasattr(part, "isoformat") or isinstance(part, str | int | float) for part in given
    ):
        return tuple(map(str, given))
    raise BadInput(f"{field} is a whole number, or a list of the first values of all bins but one.")


def _range(field: str, given: Any) -> tuple[str, str]:
    if not isinstance(given, list) or len(given) != 2:
        raise BadInput(f"{field} is the least and the largest value, such as [0, 120].")
    least, largest = _bins(field, given)  # type: ignore[misc]  # two parts, each as of a bin
    return least, largest


def _step(field: str, given: Any) -> str:
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        raise BadInput(f"{field} is the distance of neighbouring numbers, such as 1 or 0.01.")
    return str(given)


def _groups(field: str, given: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(given, dict):
        raise BadInput(f'{field} is a table such as {{ east = ["NY", "MA"] }}.')
    return {label: _texts(f"{field}.{label}", values) for label, values in given.items()}


def _laplace(field: str, given: Any) -> float | dict[str, float]:
    if isinstance(given, dict):
        return {value: _number(field, number) for value, number in given.items()}
    return _number(field, given)


def _number(field: str, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not given >= 0:
        raise BadInput(f"{field} is a number of at least 0, or a table with one for each value.")
    return float(given)


_FIELDS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("kind", "role", "cut", "target", "rare", "format"), _word),
    **dict.fromkeys(("order", "missing", "values"), _texts),
    "bins": _bins,
    "range": _range,
    "step": _step,
    "groups": _groups,
    "laplace": _laplace,
}
"""What may be said about a column, and how it is read."""
