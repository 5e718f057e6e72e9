"""The engine: our questions asked of a dataframe of Spark, where its rows are."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from math import ceil, sqrt
from typing import Any, Generic

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfmask.data import Column, Schema, Table
from halfmask.data.keyed import Numbers, keys_of
from halfmask.data.rows import Matches, SpreadRows
from halfmask.engines.pieces import Answer, Batches, Numbering, P, T, in_columns
from halfmask.engines.rows import in_lines, packed, unpacked
from halfmask.engines.spark.words import in_words
from halfmask.engines.stream import Counted, smallest_keys
from halfmask.errors import NotCountable

_ANSWER = pa.schema([("answer", pa.binary())])
LINE = 64
"""Coded rows that stand together in a line: Spark hands out 10,000 lines at a time."""
_PACKED = pa.schema([("codes", pa.binary())])
COUNTED = pa.schema([("number", pa.int64()), ("held", pa.int64())])
_CHOSEN = pa.schema([("number", pa.int64()), ("copy", pa.int64())])


class DrawnElsewhere(SpreadRows):
    """A release whose rows were drawn by a cluster."""

    @property
    def counted_numbers(self) -> Any:
        """The numbers of its coded rows and how often each comes in a block, as a dataframe."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Partitions(Generic[P]):
    """The rows of a dataframe, in its partitions."""

    frame: Any
    read: Callable[[Batches], Iterator[P]]
    """What the batches of a partition hold."""

    def reduced(self, answer: Answer[P, T], merge: Callable[[T, T], T]) -> T:
        """The answers of all partitions, merged by the machines that have them."""
        return merged_answers(self.frame, partial(_answer, answer, self.read), merge)

    def smallest(
        self, number: Numbering[P], most: int, without: Numbers, rows: int
    ) -> tuple[Numbers, NDArray[np.int64]]:
        """The numbers of the rows with the smallest keys, with one shuffle of their numbers.

        Keys lie evenly, so about as many as are wanted lie below a bound; only those are brought
        here.
        """
        from pyspark.sql import functions

        with in_words():
            counted = self._counted(number, without)
            each = counted.groupBy("number").agg(functions.sum("held").alias("held"))
            chosen = partial(_chosen, most, _bound(most, rows - len(without)))
            found = each.mapInArrow(chosen, spark_schema(_CHOSEN)).toArrow()
        numbers = found["number"].to_numpy().view(np.uint64)
        return _first(numbers, found["copy"].to_numpy(), most)

    def _counted(self, number: Numbering[P], without: Numbers) -> Any:
        """How often each number comes; a number may stand on several lines."""
        counted = self._mapped(partial(_counted, number, self.read), COUNTED)
        if not len(without):
            return counted
        off, held = np.unique(without, return_counts=True)
        lines = list(zip(off.view(np.int64).tolist(), (-held).tolist(), strict=True))
        session = self.frame.sparkSession
        return counted.union(session.createDataFrame(lines, "number long, held long"))

    def matched(
        self, number: Numbering[P], without: Numbers, release: Any, asked: Numbers
    ) -> Matches:
        """How often rows come here and in a release, with one shuffle of the numbers of both."""
        from pyspark.sql import functions as f

        if not isinstance(release, DrawnElsewhere):
            raise NotCountable("Rows on a cluster are compared with a release that it drew.")
        with in_words():
            own = self._counted(number, without).withColumn("drawn", f.lit(0).cast("long"))
            drawn = release.counted_numbers.select(
                "number", f.lit(0).cast("long").alias("held"), f.col("held").alias("drawn")
            )
            sums = [f.sum(name).alias(name) for name in ("held", "drawn")]
            each = own.union(drawn).groupBy("number").agg(*sums).persist()
            hit = f.sum((f.col("drawn") > 0).cast("long"))
            lines = each.groupBy("held").agg(f.count("*"), hit, f.sum("drawn")).collect()
            wanted = np.unique(asked).view(np.int64).tolist()
            few = self.frame.sparkSession.createDataFrame([(n,) for n in wanted], "number long")
            found = {
                line["number"]: (line["held"], line["drawn"])
                for line in each.join(f.broadcast(few), "number").collect()
            }
            each.unpersist()
        # Rows that only people have who were held back come 0 times in both.
        table = np.array(sorted(tuple(line) for line in lines), np.int64).reshape(-1, 4)
        table[table[:, 0] == 0, 1] = table[table[:, 0] == 0, 2]
        of_asked = np.array([found.get(n, (0, 0)) for n in asked.view(np.int64).tolist()], np.int64)
        both = of_asked.reshape(-1, 2).T
        supports, rows, hits, often = table.T
        return Matches(supports, rows, hits, often, (both[0], both[1]))

    def gathered(self, wanted: Callable[[P], pa.Table], schema: pa.Schema) -> pa.Table:
        """Rows made of those of all partitions, brought here."""
        work = partial(_gathered, wanted, schema, self.read)
        with in_words():
            return self._mapped(work, schema).toArrow().cast(schema)

    def gathered_once(
        self, wanted: Callable[[P], pa.Table], schema: pa.Schema, number: str
    ) -> pa.Table:
        """One row of each number: a frequent row is in most pieces, and all but one stay there."""
        work = partial(_gathered, wanted, schema, self.read)
        with in_words():
            return self._mapped(work, schema).dropDuplicates([number]).toArrow().cast(schema)

    def _mapped(self, work: Callable[[Batches], Batches], schema: pa.Schema) -> Any:
        return self.frame.mapInArrow(work, spark_schema(schema))


@dataclass(frozen=True, eq=False)
class SparkEngine(Partitions[list[Column]]):
    """The rows of a dataframe as they stand in it."""

    schema: pa.Schema
    kept: list[Any] = field(default_factory=list)
    """What the cluster keeps on its disks until this is closed."""

    @classmethod
    def of(cls, frame: Any) -> SparkEngine:
        """Those of a dataframe, with the types of its values."""
        from pyspark.sql.pandas.types import to_arrow_schema

        with in_words():
            schema = to_arrow_schema(frame.schema)
        return cls(frame, partial(_columns, schema), schema)

    def coded(self, code: Callable[[list[Column]], Table], schema: Schema) -> Partitions[Table]:
        """The rows in codes, kept on the disks of the machines that code them."""
        from pyspark import StorageLevel

        work = partial(_coded, code, self.read)
        frame = self._mapped(work, _PACKED).persist(StorageLevel.DISK_ONLY)
        self.kept.append(frame)
        return Partitions(frame, partial(_tables, schema))

    def close(self) -> None:
        """Let the cluster forget what it keeps."""
        while self.kept:
            self.kept.pop().unpersist()


def merged_answers(frame: Any, answer: Callable[[Batches], T], merge: Callable[[T, T], T]) -> T:
    """What is made of the batches of each partition, merged by the machines that have them."""
    with in_words():
        answers = frame.mapInArrow(partial(_answered, answer), spark_schema(_ANSWER))
        contents = answers.rdd.map(_content)
        if contents.getNumPartitions() == 0:
            return answer(iter(()))
        found: T = pickle.loads(contents.treeReduce(partial(_merged, merge)))  # noqa: S301 - ours
        return found


def spark_schema(schema: pa.Schema) -> Any:
    """The same columns in Spark's words."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


def _columns(schema: pa.Schema, batches: Batches) -> Iterator[list[Column]]:
    """Batches as columns of these types: Spark names another time zone than files do."""
    return in_columns(batch.cast(schema) for batch in batches)


def _coded(
    code: Callable[[list[Column]], Table],
    read: Callable[[Batches], Iterator[list[Column]]],
    batches: Batches,
) -> Batches:
    for columns in read(batches):
        table = code(columns)
        content = packed(table)
        cells = in_lines(content, LINE * (len(content) // len(table)))
        yield pa.record_batch([cells], schema=_PACKED)


def _tables(schema: Schema, batches: Batches) -> Iterator[Table]:
    """The coded rows of lines that follow each other in memory."""
    for batch in batches:
        cells = batch.column(0).cast(pa.large_binary())
        _, ends, content = cells.buffers()
        within = np.frombuffer(ends, np.int64)[cells.offset :][: len(cells) + 1]
        yield from unpacked(schema, memoryview(content)[within[0] : within[-1]]).pieces()


def _answer(answer: Answer[P, T], read: Callable[[Batches], Iterator[P]], batches: Batches) -> T:
    return answer(read(batches))


def _answered(answer: Callable[[Batches], T], batches: Batches) -> Batches:
    found = pickle.dumps(answer(batches))
    yield pa.record_batch([pa.array([found], pa.binary())], schema=_ANSWER)


def _content(row: Any) -> bytes:
    return bytes(row[0])


def _merged(merge: Callable[[T, T], T], one: bytes, other: bytes) -> bytes:
    return pickle.dumps(merge(pickle.loads(one), pickle.loads(other)))  # noqa: S301 - ours


def _counted(
    number: Numbering[P], read: Callable[[Batches], Iterator[P]], batches: Batches
) -> Batches:
    """How often each number comes in a partition."""
    yield from counted_batch(map(number, read(batches)))


def counted_batch(parts: Iterable[Numbers]) -> Batches:
    """How often each number comes in all parts."""
    counted = Counted.of(np.empty(0, np.uint64))
    for numbers in parts:
        counted.add(Counted.of(numbers))
    numbers, counts = counted.all()
    yield pa.record_batch([pa.array(numbers.view(np.int64)), pa.array(counts)], schema=COUNTED)


def _bound(most: int, rows: int) -> int | None:
    """A key below which more than `most` of so many lie, but for a chance that nobody meets."""
    wanted = most + 10 * sqrt(most) + 100
    return None if wanted >= rows else ceil(wanted / rows * 2**64)


def _chosen(most: int, below: int | None, batches: Batches) -> Batches:
    for batch in batches:
        numbers, counts = (column.to_numpy(zero_copy_only=False) for column in batch.columns)
        found = smallest_keys(numbers.view(np.uint64), counts, most, below)
        yield pa.record_batch(
            [pa.array(found[0].view(np.int64)), pa.array(found[1])], schema=_CHOSEN
        )


def _first(
    numbers: Numbers, copies: NDArray[np.int64], most: int
) -> tuple[Numbers, NDArray[np.int64]]:
    order = np.argsort(keys_of(numbers, copies))[:most]
    return numbers[order], copies[order]


def _gathered(
    wanted: Callable[[P], pa.Table],
    schema: pa.Schema,
    read: Callable[[Batches], Iterator[P]],
    batches: Batches,
) -> Batches:
    for piece in read(batches):
        yield from wanted(piece).cast(schema).to_batches()
