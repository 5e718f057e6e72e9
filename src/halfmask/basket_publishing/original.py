"""The original of a method with a promise: baskets, or a table whose rare values are grouped."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from halfmask.api.generator import Generator
from halfmask.basket_publishing.made import Method
from halfmask.basket_publishing.models import TableAnatomy
from halfmask.data import Baskets, Table
from halfmask.data.coding.fitting import RareValues
from halfmask.data.coding.notices import notices
from halfmask.errors import BadInput
from halfmask.io import files
from halfmask.io.databases.addresses import shown
from halfmask.io.forms import FileForm, FileOptions
from halfmask.io.frames import to_columns

RareItems = Literal["keep", "suppress"]


@dataclass(frozen=True, eq=False)
class Original:
    """What is to be published, and how its file was written."""

    data: Baskets | Table
    form: FileForm | None = None
    rare: tuple[RareValues, ...] = ()
    """What became of rare values of a table."""
    notices: tuple[str, ...] = ()
    """What became of columns of a table that are no plain categories."""

    @classmethod
    def read(cls, source: Any, method: Method, reading: FileOptions | None) -> Original:
        """Read a file, or take what is in memory; it must be what the method publishes."""
        if isinstance(method, TableAnatomy):
            return _table(source, method, reading)
        if isinstance(source, Baskets):
            return cls(source)
        if not isinstance(source, str | os.PathLike):
            raise BadInput("This method publishes baskets: a file of baskets, or Baskets.of(rows).")
        found = files.read(source, reading or FileOptions())
        if not isinstance(found, files.BasketFile):
            raise BadInput(
                f"{shown(source)} holds a table, and this method publishes baskets; the "
                "methods generator and table-anatomy publish tables."
            )
        return cls(found.baskets, found.form)


def _table(source: Any, method: TableAnatomy, reading: FileOptions | None) -> Original:
    form = None
    if isinstance(source, Table):
        return Original(source)
    if isinstance(source, str | os.PathLike):
        found = files.read(source, reading or FileOptions())
        if not isinstance(found, files.TableFile):
            raise BadInput(
                f"{shown(source)} holds baskets, and table-anatomy needs a table; the method "
                "anatomy is the one for baskets."
            )
        columns, form = list(found.columns), found.form
    else:
        columns = to_columns(source)
    admission = Generator(
        min_support=method.min_support,
        rare_values=method.rare_values,
        drop=method.drop,
        categorical=method.categorical,
    )
    kept = admission.kept(columns)
    table, encoding = admission.encode(kept, keep=[column.name for column in kept])
    return Original(table, form, encoding.rare, notices(encoding, drawn=False))


def rare_items(original: Baskets, rows: Baskets, floor: int) -> int:
    """How many items of the rows fewer than `floor` baskets of the original hold."""
    held = original.transactions.item_counts
    if rows.schema != original.schema:  # generalised names stand for many items
        return 0
    return int(((held > 0) & (held < floor) & (rows.transactions.item_counts > 0)).sum())


def without_items(baskets: Baskets, floor: int) -> Baskets:
    """The baskets without the items that fewer than `floor` of them hold; none is dropped.

    >>> without_items(Baskets.of(["ab", "a", "a"]), 2).support([(0,), (1,)]).tolist()
    [3.0, 0.0]
    """
    rows = baskets.transactions
    stay = (rows.item_counts >= floor)[rows.items]
    kept = np.concatenate([[0], np.cumsum(stay)])
    offsets = kept[rows.offsets].astype(np.int64)
    return Baskets(baskets.schema, replace(rows, offsets=offsets, items=rows.items[stay]))
