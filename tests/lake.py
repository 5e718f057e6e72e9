"""A table for engines: types, gaps, a rare value and a column that follows from another."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from clinic import clinic

import halfmask as hm
from halfmask.data import Encoding
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.engines.original import _held_back
from halfmask.engines.pieces import RawEngine
from halfmask.engines.rows import _ROW, SpreadTable, View, _wanted
from halfmask.io.columns import columns_of
from halfmask.methods.private.log import PoolSettings

ROWS = 2_000
ASSET = """\
relation:
  key: [person]
  attributes:
    sex: {type: str}
    ward: {type: str}
    stay: {type: int}
    floor: {type: int}
    fee: {type: float}
    seen: {type: date}
asset:
- name: stays
  weight: 0.6
  attributes:
    ward: {aw: 1.0, cw: 0.5, slink: [south]}
    stay: {aw: 0.5, cw: 0.5, slink: [short]}
    fee: {aw: 0.2, cw: 0.2}
  simple:
    south: {expr: {attr: ward, cmp: "==", value: south}, clink: [soon]}
    short: {expr: {attr: stay, cmp: "<=", value: 1}, clink: [soon]}
  complex:
    soon: {op: implies, args: [south, short], weight: 0.8}
- name: people
  weight: 0.4
  attributes:
    sex: {aw: 1.0, cw: 1.0}
    floor: {aw: 1.0, cw: 1.0, slink: [below]}
    seen: {aw: 0.5, cw: 0.5}
    stay: {aw: 0.0, cw: 0.0, slink: [below]}
  simple:
    below: {expr: "floor <= stay + 1", weight: 0.5}
"""
"""What matters in the table below; both rules are broken by many of its rows."""
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


def check_lacks(there: hm.Publication, here: hm.Publication) -> None:
    """The same rules are kept, and the same is lacking of the asset."""
    assert there.first.release.notes == here.first.release.notes
    assert sum("breaks the constraint" in note for note in here.first.release.notes) == 2
    one, other = there.first.lacks, here.first.lacks
    assert one is not None
    assert other is not None
    assert one.absolute_violations == other.absolute_violations == 0
    assert other.accuracy.raw > 0
    for told, expected in zip(one.informations, other.informations, strict=True):
        assert told.tuples == pytest.approx(expected.tuples)
        for each, own in zip(told.attributes, expected.attributes, strict=True):
            assert asdict(each) == pytest.approx(asdict(own)), own.attribute
    assert [asdict(c) for i in one.informations for c in i.constraints] == [
        asdict(c) for i in other.informations for c in i.constraints
    ]


FREQUENT = pa.table({"sex": ["f", "m", "m"] * 400, "ward": ["north", "south"] * 600})


def check_once(engine: RawEngine) -> None:
    """Of rows that many pieces hold, one of each kind comes here, raw and in codes."""
    encoding = Encoding.fit(columns_of(FREQUENT), min_support=10)
    kept = engine.coded(encoding.encode, encoding.schema)
    rows = SpreadTable(kept, View.whole(encoding.schema), 1_200, None)
    drawn = rows.part(1_000)
    assert len(drawn) == 1_000
    numbers = np.unique(drawn.numbers())
    assert len(numbers) == 4
    brought = kept.gathered_once(partial(_wanted, rows.view, numbers), _ROW, "number")
    assert sorted(brought["number"].to_numpy().view(np.uint64).tolist()) == numbers.tolist()
    back = _held_back(engine, b"key", 900, 1_200)
    assert len(back[0]) == 900
    share = np.mean([cell == "m" for cell in back[0].cells])
    assert share == pytest.approx(2 / 3, abs=0.05)
