"""The original of an engine: its columns as counts, and the few rows that are held back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfmask.data import Column, Encoding, Table
from halfmask.data.column import CountedColumn
from halfmask.data.counted import CountedRows, Names
from halfmask.data.keyed import Numbers, in_key_order, is_among, numbers_of_columns
from halfmask.engines.pieces import MOST_HERE, RawEngine, ValueCounts, check_types, fits_here
from halfmask.engines.rows import SpreadTable, View, coded_by, gathered_table
from halfmask.errors import BadInput
from halfmask.io.columns import columns_of
from halfmask.io.given import Held
from halfmask.io.storage import storage_type, to_values
from halfmask.memory import MemoryBudget
from halfmask.publishing.hold_out import count_held_back, hold_out_key
from halfmask.publishing.job import Job
from halfmask.publishing.original import Original, searched_rows
from halfmask.publishing.reference import read_reference

NUMBER = "halfmask number"
"""The column that carries the numbers of rows which are brought here."""


@dataclass(frozen=True, eq=False)
class SpreadColumns:
    """The columns of an engine as a method sees them, without the rows that are held back."""

    engine: RawEngine
    columns: tuple[CountedColumn, ...]
    held_back: tuple[Column, ...]
    key: bytes
    """By which rows were held back."""
    counted: CountedRows
    """What is read together of them."""

    def __len__(self) -> int:
        return len(self.columns[0])

    def table(self, encoding: Encoding) -> Table | SpreadTable:
        """The coded rows: here where they are few, in the order that they have here."""
        code = coded_by(encoding)
        if not fits_here(len(self)):
            back = code(self.held_back) if self.held_back else None
            engine = self.engine.coded(code, encoding.schema)
            return SpreadTable(engine, View.whole(encoding.schema), len(self), back)
        back_rows = len(self.held_back[0]) if self.held_back else 0
        numbers, every = gathered_table(self.engine, encoding, _numbering(self.key))
        return every.take(in_key_order(numbers)[back_rows:])


def read_spread(job: Job, engine: RawEngine, names: Sequence[str], where: str) -> Original:
    """What an engine holds, counted, with the rows that are held back.

    `names` are all columns of the table; the engine has those that are not dropped.
    """
    job.run.stages.begin("reading")
    check_types(engine.schema, where)
    seen = frozenset(engine.schema.names) - job.method.unseen(engine.schema.names)
    values = engine.reduced(partial(ValueCounts.of, seen), ValueCounts.add)
    if not values.rows:
        raise BadInput(f"{where} has no rows.")
    back = count_held_back(values.rows, job.request.holdout)
    key = hold_out_key(job.run.randomness)
    held_back = _held_back(engine, key, back, values.rows) if back else ()
    counted = _counted(engine, _sets_read(job, engine.schema.names), held_back)
    columns = tuple(_beside(job, values.columns(engine.schema, names, held_back), counted))
    job.run.stages.size = values.rows, len(names)
    every: Any = values.columns(engine.schema, names)
    return Original(
        {where: Held(every)},
        columns,
        held_back or None,
        reference=read_reference(job, columns),
        budget=_budget(job, values.rows, len(engine.schema)),
        elsewhere=SpreadColumns(engine, columns, held_back, key, counted),
    )


def _counted(engine: RawEngine, sets: Sequence[Names], held_back: Sequence[Column]) -> CountedRows:
    """What is read together, of all rows that are not held back."""
    if not sets:
        return CountedRows()
    found = engine.reduced(partial(CountedRows.of, sets), CountedRows.add)
    return found.without(held_back) if held_back else found


def _sets_read(job: Job, names: Sequence[str]) -> list[Names]:
    """The columns that somebody reads together: an asset, or bins that are cut by a target."""
    spec, asked = job.method.spec, getattr(job.method, "asset", None)
    cut = [(name, spec.of(name).target) for name in names if spec.of(name).cut == "entropy"]
    sets = [(name, target) for name, target in cut if target is not None]
    sets += [] if asked is None else asked.sets
    return [each for each in dict.fromkeys(sets) if set(each) <= set(names)]


def _beside(
    job: Job, columns: Sequence[CountedColumn], counted: CountedRows
) -> list[CountedColumn]:
    """The columns, those with the counts beside their target that are cut by it."""
    found = []
    for column in columns:
        said = job.method.spec.of(column.name)
        both = (column.name, said.target or "")
        if said.cut == "entropy" and both in counted.sets:
            pairs = {(one, other): rows for (one, other), rows in counted[both].items()}
            found.append(replace(column, beside={both[1]: pairs}))
        else:
            found.append(column)
    return found


def _budget(job: Job, rows: int, columns: int) -> MemoryBudget:
    """What there is memory for on the driver, which holds at most so many rows at once."""
    return MemoryBudget.within(
        job.allowed,
        (min(rows, MOST_HERE), columns),
        search_rows=searched_rows(job),
        sample_rows=MOST_HERE,
    )


def _numbering(key: bytes) -> Any:
    return partial(numbers_of_columns, key=key)


def _held_back(engine: RawEngine, key: bytes, count: int, rows: int) -> tuple[Column, ...]:
    """The rows that are held back, in the order of their keys."""
    nobody = np.empty(0, np.uint64)
    numbers, _ = engine.smallest(_numbering(key), count, nobody, rows)
    wanted = np.unique(numbers)
    schema = pa.schema([*engine.schema, (NUMBER, pa.int64())])
    found = engine.gathered_once(partial(_raw, key, wanted), schema, NUMBER)
    held = found.column(len(schema) - 1).to_numpy().view(np.uint64)
    place: NDArray[np.intp] = np.argsort(held)[np.searchsorted(wanted, numbers)]
    columns = columns_of(found.select(engine.schema.names))
    return tuple(column.take(place) for column in columns)


def _raw(key: bytes, wanted: Numbers, columns: list[Column]) -> pa.Table:
    """One row of each number that is wanted, as it stands in the table."""
    every = numbers_of_columns(columns, key)
    numbers, first = np.unique(every, return_index=True)
    some = first[is_among(numbers, wanted)]
    cells = [
        to_values(column.labels, storage_type(column.storage)).take(pa.array(column.index[some]))
        for column in columns
    ]
    names = [*(column.name for column in columns), NUMBER]
    return pa.table([*cells, pa.array(every[some].view(np.int64))], names=names)
