"""What is said of a whole family, said to the generator of each of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from halfmask.data.coding.spec import ColumnSpec
from halfmask.errors import BadInput, UnknownName
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.methods.tables import TableMethod


def prefixed(table: str, column: str) -> str:
    """A column of the parent beside those of a child.

    >>> prefixed("patients", "age")
    'patients.age'
    """
    return f"{table}.{column}"


def check_settings_of_family(method: TableMethod, tables: Mapping[str, Sequence[str]]) -> None:
    """Refuse what no family can do, and columns that no table of it has."""
    if any(getattr(method, name, None) is not None for name in ("asset", "target")):
        raise BadInput(
            "An asset and a target column are for a single table; publish a family without them."
        )
    if not isinstance(getattr(method, "order", ""), str):
        raise BadInput(
            "A list of columns as order is for a single table; use 'random' or 'columns'."
        )
    every = list(dict.fromkeys(name for names in tables.values() for name in names))
    said = columns_named(method) if isinstance(method, GeneratorMethod) else ()
    named = (*method.drop, *method.categorical, *method.spec.columns, *said)
    for name in named:
        if name not in every:
            raise UnknownName("column of the family called", name, every)


def columns_named(method: GeneratorMethod) -> list[str]:
    """The columns to be hidden with others, or drawn or calibrated in a way of their own."""
    pairs = (*method.hide_together, *method.spec.hide_together)
    named = {**(method.laplace_for or {}), **(method.calibrate_for or {})}
    return [_column(said) for said in (*(part for pair in pairs for part in pair), *named)]


def _column(said: str) -> str:
    return said.split("=", 1)[0]


def of_parent(
    method: GeneratorMethod, names: Sequence[str], *, key: str, counts: Iterable[str]
) -> GeneratorMethod:
    """The generator of the parents: their key is a key, their numbers of children are numbers."""
    more = {key: ColumnSpec(kind="key")} | {n: ColumnSpec(kind="number") for n in counts}
    return _restricted(method, [*names, *counts], more, {})


def of_child(
    method: GeneratorMethod,
    names: Sequence[str],
    *,
    min_support: int,
    context: Mapping[str, str],
) -> GeneratorMethod:
    """The generator of child rows; `context` gives the names that columns of the parent have."""
    more = {name: ColumnSpec(kind="category") for name in context.values()}
    found = _restricted(method, [*context.values(), *names], more, context)
    return replace(found, min_support=min_support)


def _restricted(
    method: GeneratorMethod,
    names: Sequence[str],
    more: Mapping[str, ColumnSpec],
    renamed: Mapping[str, str],
) -> GeneratorMethod:
    """The same settings as far as they speak of these columns."""
    spec, known = method.spec, set(names)
    pairs = [
        (_renamed(one, known, renamed), _renamed(other, known, renamed))
        for one, other in (*spec.hide_together, *method.hide_together)
    ]
    columns = {name: said for name, said in spec.columns.items() if name in known}
    return replace(
        method,
        drop=(),
        categorical=[name for name in method.categorical if name in known],
        laplace_for=_about(method.laplace_for, known),
        calibrate_for=_about(method.calibrate_for, known),
        hide_together=[pair for pair in pairs if all(_column(p) in known for p in pair)],
        schema=replace(spec, columns={**columns, **more}, hide_together=()),
    )


def _about(given: Mapping[str, Any] | None, known: set[str]) -> dict[str, Any]:
    return {name: value for name, value in (given or {}).items() if _column(name) in known}


def _renamed(part: str, known: set[str], renamed: Mapping[str, str]) -> str:
    """The name that a column of the parent has beside those of the child."""
    column = _column(part)
    if column in known or column not in renamed:
        return part
    return renamed[column] + part[len(column) :]
