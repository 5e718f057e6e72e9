"""Reference rows: other people of the same population, whom an attacker may know."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from halfmask.data import Baskets
from halfmask.data.coding.alignment import check_same_columns
from halfmask.data.family_tables import FamilyTable, FamilyTables, joined_tables
from halfmask.errors import BadInput, UnknownName
from halfmask.io.given import Given
from halfmask.methods.tables import without
from halfmask.publishing.hold_out import FEWEST
from halfmask.publishing.job import Job


def read_reference(job: Job, original: Any) -> Any:
    """The rows that were given for reference, in the form of the original; others are refused.

    They are never learnt from and never released.
    """
    given = job.request.reference
    if given is None:
        return None
    if isinstance(original, FamilyTables):
        return _family(job, given, original)
    source = Given(given)
    _check_other(source, job.one)
    content = source.read(job.request.reading).content
    if isinstance(content, Baskets) != isinstance(original, Baskets):
        kinds = ("a table", "baskets")
        found, asked = (kinds[isinstance(side, Baskets)] for side in (content, original))
        raise BadInput(f"{source.words} holds {found}, and a reference for {asked} is needed.")
    if isinstance(content, Baskets):
        _check_size(source, len(content))
        return over_items(content, original)
    kept = job.method.kept(original)
    dropped = {column.name for column in original} - {column.name for column in kept}
    columns = without(content, tuple(dropped), strict=False)
    check_same_columns(kept, columns, "reference")
    _check_size(source, len(columns[0]))
    return tuple(columns)


def _family(job: Job, given: Any, original: FamilyTables) -> FamilyTables:
    """Other families: a folder with files of the same names, or in Python their tables by name."""
    tables = []
    for table in original.tables:
        source = Given(_table_of(job, given, table.name))
        _check_other(source, job.given[table.name])
        content = source.read(job.request.reading).content
        if isinstance(content, Baskets):
            raise BadInput(f"{source.words} holds baskets; a family is made of tables.")
        columns = without(content, job.method.drop, strict=False)
        check_same_columns(table.columns, columns, f"reference for {table.name!r}")
        tables.append(FamilyTable(table.name, tuple(columns)))
    _check_size(Given(given), tables[0].size[0])
    return joined_tables(tables, job.request.keys, "drop")


def _table_of(job: Job, given: Any, name: str) -> Any:
    if isinstance(given, Mapping):
        if name not in given:
            raise UnknownName("table of the reference called", name, [str(n) for n in given])
        return given[name]
    original = job.given[name].path
    if original is None or not isinstance(given, str | PurePath) or not Path(given).is_dir():
        raise BadInput(
            "The reference of a family is a folder with files of the same names as its tables, or "
            "in Python the tables by name."
        )
    return Path(given) / Path(original).name


def _check_other(reference: Given, original: Given) -> None:
    """Refuse the original as its own reference: an attacker has other people."""
    if reference.path is None or original.path is None:
        return
    with suppress(OSError, ValueError):  # not both are files
        if Path(reference.path).samefile(original.path):
            raise BadInput("The reference is the original itself; it has to be other people.")


def _check_size(source: Given, rows: int) -> None:
    if rows < FEWEST:
        raise BadInput(f"{source.words} holds {rows:,} rows; a reference has at least {FEWEST}.")


def over_items(baskets: Baskets, original: Baskets) -> Baskets:
    """The baskets over the items of the original; items that it does not know are left out.

    >>> over_items(Baskets.of(["ax", "b"]), Baskets.of(["ab"])).support([(0,), (1,)]).tolist()
    [1.0, 1.0]
    """
    known = {name: item for item, name in enumerate(original.schema.names)}
    rows = [
        sorted(known[name] for item in row if (name := baskets.schema.label(item)) in known)
        for row in baskets.transactions
    ]
    if not np.any([len(row) for row in rows]):
        raise BadInput("The reference has no item in common with the original.")
    return Baskets(original.schema, type(original.transactions).of(rows, original.schema.n_items))
