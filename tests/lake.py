"""A table for engines: types, gaps, a rare value and a column that follows from another."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from clinic import clinic

from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.methods.private.log import PoolSettings

ROWS = 2_000
PRIVATE = {
    "epsilon": 8.0, "rows_per_person": 2, "target": "ward", "seed": 3,
    "pool": PoolSettings(rows=4_000, last_rows=8_000, last_rounds=5),
    "schema": TableSpec({
        "village": ColumnSpec(kind="category"), "number": ColumnSpec(role="identifier", kind="key"),
        "decade": ColumnSpec(kind="number", range=("0", "12")),
    }),
}  # fmt: skip
"""A private release that takes a second; some of what it needs is declared."""
COUNTED = ("marginals_1", "marginals_2", "marginals_3", "item_frequencies", "nas", "nas_excess",
           "copied_rows", "unique_found", "unique_excess")  # fmt: skip


def people(rows: int = ROWS) -> pa.Table:
    """A clinic with a number, a date, gaps, a rare value and a column that follows from another."""
    rng = np.random.default_rng(5)
    table = clinic(rows).to_arrow()
    table = pa.table({n: c.cast(pa.string()) if n != "decade" else c for n, c in
                      zip(table.column_names, table.columns, strict=True)})  # fmt: skip
    wards = table["ward"].to_pylist()
    fees = rng.gamma(3, 40, rows).round(2)
    return table.append_column("floor", pa.array([{"north": 1, "south": 2}[w] for w in wards]))\
        .append_column("fee", pa.array(fees, mask=rng.random(rows) < 0.1))\
        .append_column("seen", pa.array((18_000 + rng.integers(0, 900, rows)).astype("int32"))
                       .cast(pa.date32()))  # fmt: skip


def villagers(rows: int = 6_000) -> pa.Table:
    """The same with a key, and with villages of which a tenth has one person each."""
    names = [f"village {n}" if n % 10 == 0 else "Bra" for n in range(rows)]
    return people(rows).append_column("village", pa.array(names))\
        .append_column("number", pa.array(range(rows)))  # fmt: skip
