"""Reference rows: other people of the same population, whom an attacker may know."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from halfmask.data import Baskets
from halfmask.data.coding.alignment import check_same_columns
from halfmask.data.family_tables import FamilyTables
from halfmask.errors import BadInput
from halfmask.io.given import Given
from halfmask.methods.tables import without
from halfmask.publishing.hold_out import FEWEST
from halfmask.publishing.job import Job


def read_reference(job: Job, original: Any) -> Any:
    """The rows that were given for reference, as columns or baskets; what does not fit is refused.

    They are never learnt from and never released.
    """
    given = job.request.reference
    if given is None:
        return None
    if isinstance(original, FamilyTables):
        raise BadInput("A reference is of one table; a family is attacked with a part of its own.")
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
