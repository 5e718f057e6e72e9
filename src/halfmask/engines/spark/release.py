"""The release: blocks of rows drawn by the machines of a cluster, counted and written there."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfmask.data import Release, Schema, Table
from halfmask.data.coding.filling import fill
from halfmask.data.counted import CountedRows, Names
from halfmask.data.table import Sums
from halfmask.engines.pieces import Batches, added, fits_here, in_columns, summed
from halfmask.engines.rows import packed, unpacked
from halfmask.engines.spark.engine import (
    COUNTED,
    DrawnElsewhere,
    counted_batch,
    merged_answers,
    spark_schema,
)
from halfmask.engines.spark.words import in_words
from halfmask.io.columns import table_to_arrow
from halfmask.methods.generator.draw import Drawing
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.process import Drawn
from halfmask.randomness import Randomness

_BLOCK = pa.schema(
    [
        ("number", pa.int64()),
        ("codes", pa.binary()),
        ("used", pa.binary()),
        ("attempts", pa.int64()),
        ("fit", pa.binary()),
    ]
)


@dataclass(frozen=True, eq=False)
class SparkRelease:
    """Rows of a model on a cluster; each block is the same wherever it is made."""

    session: Any
    model: GeneratorModel
    rows: int
    randomness: Randomness

    @cached_property
    def drawing(self) -> Drawing:
        """What is drawn; what a machine remembers of it stays with the machine."""
        return Drawing(replace(self.model), self.rows, self.randomness)

    @cached_property
    def blocks(self) -> Any:
        """The blocks, kept on the cluster's disks once they are drawn."""
        from pyspark import StorageLevel

        count = len(self.drawing.places)
        numbers = self.session.range(0, count, 1, numPartitions=max(count, 1))
        fresh = Drawing(replace(self.model), self.rows, self.randomness)
        drawn = numbers.mapInArrow(partial(_drawn, fresh), spark_schema(_BLOCK))
        return drawn.persist(StorageLevel.DISK_ONLY)

    def forget(self) -> None:
        """Let the cluster forget the blocks."""
        if "blocks" in self.__dict__:
            self.blocks.unpersist()

    @cached_property
    def release(self) -> Release:
        """The release with its record: its rows where they are few, otherwise what counts them."""
        from pyspark.sql import functions

        with in_words():
            told = self.blocks.select("number", "fit", "attempts").toArrow().sort_by("number")
            first = (
                self.blocks
                if fits_here(self.rows)
                else self.blocks.filter(functions.col("number") == 0)
            )
            here = first.select("number", "codes", "used").toArrow().sort_by("number")
        drawing = self.drawing
        for fit in told["fit"].to_pylist():
            if drawing.fitting is not None:
                drawing.fitting.add(pickle.loads(fit))  # noqa: S301 - our own, from our cluster
        codes = _joined(self.model.schema, here["codes"])
        used = np.frombuffer(b"".join(here["used"].to_pylist()), "<u2")
        drawn = Drawn(codes, used, sum(told["attempts"].to_pylist()))
        if fits_here(self.rows):
            return drawing.released(drawn)
        found = drawing.released(drawn, done=self.rows)
        record = {**found.record, "rows": self.rows}
        return replace(found, data=SpreadRelease(self), record=record)

    def counted(self, sets: Sequence[Names]) -> CountedRows:
        """How many of the rows that are published hold each combination of these columns."""
        work = partial(_together, tuple(sets))
        return merged_answers(self.frame, work, CountedRows.add)

    @property
    def frame(self) -> Any:
        """The rows as they are published, as a dataframe."""
        places = [first for first, _ in self.drawing.places]
        work = partial(_filled, replace(self.model), self.randomness, places, self.drawing.rows)
        nobody = np.zeros((0, len(self.model.schema)), np.int32)
        empty = fill(Table(self.model.schema, nobody), self.randomness)
        schema = spark_schema(table_to_arrow(empty).schema)
        return self.blocks.select("number", "codes").mapInArrow(work, schema)


def _drawn(drawing: Drawing, batches: Batches) -> Batches:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            drawn, fit = drawing.block(number)
            cells = (
                [number],
                [packed(Table(drawing.model.schema, drawn.codes))],
                [drawn.patterns_used.astype("<u2").tobytes()],
                [drawn.attempts],
                [pickle.dumps(fit)],
            )
            yield pa.record_batch(
                [pa.array(c, f.type) for c, f in zip(cells, _BLOCK, strict=True)], schema=_BLOCK
            )


def _joined(schema: Schema, blocks: pa.ChunkedArray) -> NDArray[np.int32]:
    """The codes of all blocks."""
    return np.vstack([unpacked(schema, each.as_py()).codes for each in blocks])


def _filled(
    model: GeneratorModel,
    randomness: Randomness,
    places: Sequence[int],
    rows: int,
    batches: Batches,
) -> Batches:
    for batch in batches:
        for number, content in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            coded = unpacked(model.schema, content)
            filled = fill(coded, randomness, first_row=places[number], rows=rows)
            yield from table_to_arrow(filled).to_batches()


def _together(sets: Sequence[Names], batches: Batches) -> CountedRows:
    return CountedRows.of(sets, in_columns(batches))


@dataclass(frozen=True, eq=False)
class SpreadRelease(DrawnElsewhere):
    """The coded rows of a long release, which stay where they were drawn."""

    made: SparkRelease

    @property
    def schema(self) -> Schema:  # type: ignore[override]
        """The columns and their values."""
        return self.made.model.schema

    def __len__(self) -> int:
        return self.made.rows

    def summed(self, count: Callable[[Table], Sums]) -> Sums:
        """What is counted in each block, added up."""
        blocks = self.made.blocks.select("codes")
        return merged_answers(blocks, partial(_summed, self.schema, count), added)

    @property
    def counted_numbers(self) -> Any:
        """The numbers of its coded rows and how often each comes in a block, as a dataframe."""
        work = partial(_numbered, self.schema)
        return self.made.blocks.select("codes").mapInArrow(work, spark_schema(COUNTED))

    def part(self, rows: int) -> Table:
        """As many of the first rows of each block, which are in random order."""
        share = min(1.0, rows / len(self))
        work = partial(_some, self.schema, share)
        with in_words():
            blocks = self.made.blocks.select("number", "codes")
            found = blocks.mapInArrow(work, blocks.schema).toArrow().sort_by("number")
        return Table(self.schema, _joined(self.schema, found["codes"]))


def _tables(schema: Schema, batches: Batches) -> Iterator[Table]:
    """Blocks as tables of about as many rows as are counted at once elsewhere."""
    for batch in batches:
        for content in batch.column(batch.num_columns - 1).to_pylist():
            yield from unpacked(schema, content).pieces()


def _numbered(schema: Schema, batches: Batches) -> Batches:
    yield from counted_batch(table.numbers() for table in _tables(schema, batches))


def _summed(schema: Schema, count: Callable[[Table], Sums], batches: Batches) -> Sums:
    return summed(map(count, _tables(schema, batches)))


def _some(schema: Schema, share: float, batches: Batches) -> Batches:
    for batch in batches:
        numbers, contents = (column.to_pylist() for column in batch.columns)
        blocks = [unpacked(schema, content) for content in contents]
        some = [packed(Table(schema, b.codes[: round(share * len(b))])) for b in blocks]
        yield pa.record_batch([pa.array(numbers), pa.array(some)], names=["number", "codes"])
