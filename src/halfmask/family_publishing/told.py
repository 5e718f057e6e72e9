"""What is said of a whole family, told to the generator of each of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from halfmask.api.generator import Generator
from halfmask.data.coding.spec import ColumnSpec
from halfmask.documents.schema import table_spec
from halfmask.errors import BadInput, UnknownName


def prefixed(table: str, column: str) -> str:
    """A column of the parent beside those of a child.

    >>> prefixed("patients", "age")
    'patients.age'
    """
    return f"{table}.{column}"


def check_told(generator: Generator, tables: Mapping[str, Sequence[str]]) -> None:
    """Refuse what no family can do, and columns that no table of it has."""
    if generator.constraints is not None or generator.target is not None:
        raise BadInput("An asset and a target speak of one table; publish a family without them.")
    if not isinstance(generator.order, str):
        raise BadInput("An order of columns speaks of one table; take 'random' or 'columns'.")
    every = list(dict.fromkeys(name for names in tables.values() for name in names))
    spec = table_spec(generator.schema)
    for name in (
        *generator.drop,
        *generator.categorical,
        *spec.columns,
        *spoken_of(generator),
    ):
        if name not in every:
            raise UnknownName("column of the family called", name, every)


def spoken_of(generator: Generator) -> list[str]:
    """The columns to be hidden with others, or drawn or calibrated in a way of their own."""
    pairs = (*generator.hide_together, *table_spec(generator.schema).hide_together)
    named = {**(generator.laplace_for or {}), **(generator.calibrate_for or {})}
    return [_column(said) for said in (*(part for pair in pairs for part in pair), *named)]


def _column(said: str) -> str:
    return said.split("=", 1)[0]


def of_parent(
    generator: Generator, names: Sequence[str], *, key: str, counts: Iterable[str]
) -> Generator:
    """The generator of the parents: their key is a key, their numbers of children are numbers."""
    more = {key: ColumnSpec(kind="key")} | {n: ColumnSpec(kind="number") for n in counts}
    return _restricted(generator, [*names, *counts], more, {})


def of_child(
    generator: Generator,
    names: Sequence[str],
    *,
    min_support: int,
    context: Mapping[str, str],
) -> Generator:
    """The generator of child rows; `context` gives the names that columns of the parent have."""
    more = {name: ColumnSpec(kind="category") for name in context.values()}
    told = _restricted(generator, [*context.values(), *names], more, context)
    return told.set_params(min_support=min_support)


def _restricted(
    generator: Generator,
    names: Sequence[str],
    more: Mapping[str, ColumnSpec],
    renamed: Mapping[str, str],
) -> Generator:
    """The same settings as far as they speak of these columns."""
    spec = table_spec(generator.schema)
    known = set(names)
    pairs = [
        tuple(_renamed(part, known, renamed) for part in pair)
        for pair in (*spec.hide_together, *generator.hide_together)
    ]
    columns = {name: said for name, said in spec.columns.items() if name in known}
    params: dict[str, Any] = {
        **generator.get_params(),
        "drop": (),
        "categorical": [name for name in generator.categorical if name in known],
        "laplace_for": _about(generator.laplace_for, known),
        "calibrate_for": _about(generator.calibrate_for, known),
        "hide_together": [pair for pair in pairs if all(_column(p) in known for p in pair)],
        "schema": replace(spec, columns={**columns, **more}, hide_together=()),
    }
    return Generator(**params)


def _about(given: Mapping[str, Any] | None, known: set[str]) -> dict[str, Any]:
    return {name: value for name, value in (given or {}).items() if _column(name) in known}


def _renamed(part: str, known: set[str], renamed: Mapping[str, str]) -> str:
    """The name that a column of the parent has beside those of the child."""
    column = _column(part)
    if column in known or column not in renamed:
        return part
    return renamed[column] + part[len(column) :]
