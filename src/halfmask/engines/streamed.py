"""The main job on one machine with an original that is larger than its memory."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from halfmask.data import Column, Encoding
from halfmask.data.coding.filling import Filling
from halfmask.data.counted import CountedRows
from halfmask.engines.make import check_options, learnt_of
from halfmask.engines.original import read_spread
from halfmask.engines.pieces import Batches, fits_here
from halfmask.engines.stream import Stream
from halfmask.errors import BadInput
from halfmask.io.forms import FileOptions
from halfmask.io.given import Given
from halfmask.methods.generator.method import drawn
from halfmask.methods.method import Made
from halfmask.methods.tables import TableMethod
from halfmask.publishing.delivery import Delivery
from halfmask.publishing.job import Job
from halfmask.publishing.make import meet_target
from halfmask.publishing.original import fitting
from halfmask.publishing.publication import Publication
from halfmask.publishing.publish import judged


def publish_streamed(source: Any, *, method: Any = "generator", **options: Any) -> Publication:
    """Publish a columnar file or a table of a database that is read in batches, a few times.

    Of the original nothing is kept in memory but counts, 16 bytes for each different row, and at
    most a million rows; its codes wait on the disk. The release is held in codes.
    """
    job = Job.of(source, method, options)
    check_options(job, "an original read in passes")
    if job.is_family:
        raise BadInput("Families of tables are not read in passes; publish one table.")
    delivery = Delivery.of(job)
    name, given = next(iter(job.given.items()))
    every, engine = stream_of(given, job.request.reading, job.method)
    original = read_spread(job, engine, every, name)
    job, small = fitting(job, original)
    learnt, run = learnt_of(job, original)
    table: Any = learnt.table
    made = drawn(learnt.model, table, learnt.encoding, run, models=learnt.models)
    if not fits_here(round(made.release.size)) and original.elsewhere.counted.sets:
        made = replace(made, evaluated=_counted(made, original.elsewhere.counted))
    publication = judged(job, original, meet_target(job, original, made), small)
    if publication.verdict.word == "do not publish":
        raise delivery.refuse(publication)
    job.run.stages.begin("writing")
    return delivery.write(publication)


def _counted(made: Made, original: CountedRows) -> CountedRows:
    """The rows of a long release, counted as those of the original were."""
    assert isinstance(made.rows, Filling)  # noqa: S101 - a generator's rows are filled
    pieces = (Encoding.of_schema(piece.schema).decode(piece) for piece in made.rows.pieces())
    return CountedRows.of(original.sets, pieces)


def stream_of(
    given: Given, reading: FileOptions | None, method: TableMethod
) -> tuple[list[str], Stream]:
    """The names of all columns, and the rows of those that take part."""
    schema = given.schema(reading)
    kept = method.kept([Column(name, (), np.empty(0, np.int32)) for name in schema.names])
    names = [column.name for column in kept]
    kept_schema = pa.schema([schema.field(name) for name in names])
    return list(schema.names), Stream.of(kept_schema, partial(_batches, given, reading, names))


def _batches(given: Given, reading: FileOptions | None, names: list[str]) -> Batches:
    for batch in given.batches(reading):
        yield batch.select(names)
