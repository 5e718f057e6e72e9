"""Tables as baskets of `column=value` items, for methods that edit single items; and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfmask.data import Assortment, Baskets, Column, Encoding, Table, Transactions
from halfmask.data.coding.kinds import plan_columns
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput


def as_baskets(table: Table) -> Baskets:
    """The rows of a table as baskets of `column=value` items, numbered as in the table.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema((Attribute("sex", ("f", "m")),))
    >>> as_baskets(Table(schema, np.array([[0], [1]]))).schema.names
    ('sex=f', 'sex=m')
    """
    labels = tuple(table.schema.label(item) for item in range(table.schema.n_items))
    return Baskets(Assortment(labels), table.transactions)


def plain_table(columns: Sequence[Column]) -> tuple[Table, Encoding]:
    """The columns with every value as it is: nothing is binned, grouped or left out."""
    given = TableSpec({column.name: ColumnSpec(kind="category") for column in columns})
    plans = plan_columns(columns, given, floor=1)
    encoding = Encoding.fit(columns, min_support=1, rare="keep", plans=plans)
    return encoding.encode(columns), encoding


def as_table(original: Table, published: Baskets, unknown: Transactions | None = None) -> Table:
    """Published items as rows of the table, one value for each column.

    Where an item was added beside the value of a row, it takes its place; an unknown item makes
    the whole cell unknown, since the value beside it would give it away.
    """
    schema, rows = original.schema, published.transactions
    if len(rows) != len(original):
        raise BadInput("The rows of this release are not those of the table, row by row.")
    codes = np.full((len(rows), len(schema)), ABSENT, np.int32)
    row_of = np.repeat(np.arange(len(rows)), np.diff(rows.offsets))
    columns = schema.domains[rows.items]
    values = rows.items - schema.offsets[columns]
    old = original.codes[row_of, columns] == values
    for chosen in (old, ~old):  # what is new is written last, and stays
        codes[row_of[chosen], columns[chosen]] = values[chosen]
    if unknown is not None:
        row_of = np.repeat(np.arange(len(unknown)), np.diff(unknown.offsets))
        codes[row_of, schema.domains[unknown.items]] = ABSENT
    return Table(schema, codes)
