"""Association of two attributes or values in a table: Cramér's V."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Schema, Table
from halfmask.methods.items import items_named

__all__ = ["cramers_v"]


def cramers_v(table: Table, one: str, other: str) -> float:
    """How strongly two columns, or `column=value`, go together: 0 not at all, 1 fully.

    A value is held against all other values of its column.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> cramers_v(Table(schema, np.array([[0, 1], [1, 0]] * 5)), "sex", "ill=yes")
    1.0
    """
    schema = table.schema
    columns = [int(schema.domains[items_named(schema, name)[0]]) for name in (one, other)]
    counts = table.marginal([schema.names[c] for c in columns])
    counts = _against_rest(schema, one, counts)
    counts = _against_rest(schema, other, counts.T).T
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    total, least = counts.sum(), min(counts.shape) - 1
    if not total or least < 1:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    return float(np.sqrt(((counts - expected) ** 2 / expected).sum() / total / least))


def _against_rest(schema: Schema, name: str, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The lines of a table as the value named and all others; as they are for a column."""
    items = items_named(schema, name)
    if name in schema.names:
        return counts
    first = int(schema.offsets[schema.domains[items[0]]])
    line = counts[items[0] - first]
    return np.stack([line, counts.sum(axis=0) - line])
