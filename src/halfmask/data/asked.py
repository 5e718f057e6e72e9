"""Rows that a model is asked about: in its codes, and what their values are within the bins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfmask.data.alignment import GROUP_LABELS
from halfmask.data.column import Column
from halfmask.data.encoding import Encoding
from halfmask.data.schema import Schema
from halfmask.data.table import ABSENT, Table

__all__ = ["asked_rows", "log2_within_bins"]


def asked_rows(columns: Sequence[Column], schema: Schema) -> Table:
    """The rows in the codes of a schema; a value without a code is one of the group "other".

    Without such a group the cell is absent, and a row with it cannot be drawn.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("town", ("Rome", "other")), Attribute("sex", ("f", "m"))))
    >>> rows = [Column.of("town", ["Rome", "Bra"]), Column.of("sex", ["x", "f"])]
    >>> asked_rows(rows, schema).codes.tolist()
    [[0, -1], [1, 0]]
    """
    table = Encoding.of_schema(schema).encode(columns, unknown="leave out")
    codes = table.codes.copy()
    for position, attribute in enumerate(schema):
        group = next((label for label in GROUP_LABELS if label in attribute.values), None)
        if attribute.bins is None and group is not None:
            codes[codes[:, position] == ABSENT, position] = attribute.code(group)
    return Table(schema, codes)


def log2_within_bins(columns: Sequence[Column], table: Table) -> NDArray[np.float64]:
    """For each row the probability (log2) of its values given the bins that they are in."""
    by_name = {column.name: column for column in columns}
    found = np.zeros(len(table))
    for position, attribute in enumerate(table.schema):
        if attribute.bins is not None:
            codes = table.codes[:, position]
            found += attribute.bins.log2_within_rows(by_name[attribute.name], codes)
    return found
