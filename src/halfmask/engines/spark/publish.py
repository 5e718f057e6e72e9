"""The main job on Spark: the same path, with the rows where they are."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from halfmask.data import Column
from halfmask.data.coding.filling import Filling
from halfmask.data.rows import SpreadRows
from halfmask.documents.model import any_model_bytes
from halfmask.engines.make import Learnt, check_options, learnt_of
from halfmask.engines.original import read_spread
from halfmask.engines.pieces import MOST_HERE
from halfmask.engines.spark.engine import SparkEngine
from halfmask.engines.spark.release import SparkRelease
from halfmask.engines.spark.session import check_frame, format_of, read_named, running_session
from halfmask.engines.spark.storage import Folder
from halfmask.errors import BadInput, TargetNotMet
from halfmask.methods.method import Made
from halfmask.methods.tables import without
from halfmask.publishing.job import Job
from halfmask.publishing.make import meet_target, rows_to_draw
from halfmask.publishing.original import Original, fitting
from halfmask.publishing.publication import Publication
from halfmask.publishing.publish import judged
from halfmask.report.document import ReleaseFile


def publish(frame: Any, *, method: Any = "generator", **options: Any) -> SparkPublication:
    """Turn a dataframe of Spark into a release, measured and judged, where its rows are.

    The options are those of `halfmask.publish` for the method generator; `output` is a folder on
    any file system that Spark writes to. The release is a dataframe again (`.data`).
    """
    session = check_frame(frame)
    job = Job.of(None, method, options)
    check_options(job, "Spark")
    output = job.request.output
    folder = None if output is None else Folder(session, str(output))
    if folder is not None:
        folder.check_free(force=job.request.force)
    every = list(frame.columns)
    _check_names(every)
    kept = without([Column(name, (), np.empty(0, np.int32)) for name in every], job.method.drop)
    engine = SparkEngine(frame.select(*(_quoted(column.name) for column in kept)))
    original = read_spread(job, engine, every, "The table")
    job, small = fitting(job, original)
    made = _made(job, original, session)
    publication = judged(job, original, meet_target(job, original, made), small)
    if publication.verdict.word == "do not publish":
        raise TargetNotMet(f"{publication.verdict} Nothing was written.")
    job.run.stages.begin("writing")
    rows = rows_to_draw(job, original)
    release = SparkRelease(session, publication.first.made.model, rows, job.run.randomness)
    found = SparkPublication(
        publication.tables, publication.verdict, publication.families, publication.remarks,
        spread=release,
    )  # fmt: skip
    return found if folder is None else _written(found, folder, job)


def publish_named(source: str, *, method: Any = "generator", **options: Any) -> SparkPublication:
    """The same for a table named by its place or its name in the catalogue; it is written beside.

    `halfmask publish --engine spark` is this.
    """
    reading = options.pop("reading", None)
    if options.get("output") is None:
        options["output"] = _beside(source)
    session = running_session()
    frame = read_named(session, source, None if reading is None else reading.format)
    return publish(frame, method=method, **options)


def _beside(source: str) -> str:
    """Where the release of a table goes unless it is said.

    >>> _beside("lake/people.parquet"), _beside("clinic.people"), _beside("s3a://lake/people")
    ('lake/people.release.parquet', 'people.release.parquet', 's3a://lake/people.release.parquet')
    """
    if format_of(source) is None:
        return f"{source.rsplit('.', 1)[-1]}.release.parquet"
    stem = source.rstrip("/")
    for ending in (".parquet", ".orc", ".delta"):
        stem = stem.removesuffix(ending)
    return f"{stem}.release.parquet"


def _quoted(name: str) -> str:
    """A column as Spark's expressions name it."""
    return "`" + name.replace("`", "``") + "`"


def _check_names(names: list[str]) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise BadInput(
            f"The table has two columns called {twice[0]!r}; every column needs its own name."
        )


def _made(job: Job, original: Original, session: Any) -> Made:
    """What the method learns of the rows, and a release of it."""
    learnt, run = learnt_of(job, original)
    rows = rows_to_draw(job, original)
    run.stages.begin("drawing")
    return _drawn(learnt, SparkRelease(session, learnt.model, rows, run.randomness))


def _drawn(learnt: Learnt, spread: SparkRelease) -> Made:
    release = spread.release
    here: Any = release.data
    if isinstance(here, SpreadRows):
        here = here.part(MOST_HERE)
    table: Any = learnt.table
    return Made(
        release,
        table,
        Filling(here, spread.randomness),
        here,
        model=learnt.model,
        models=learnt.models,
        encoding=learnt.encoding,
    )


@dataclass(frozen=True, eq=False)
class SparkPublication(Publication):
    """A release whose rows are on a cluster."""

    spread: SparkRelease | None = None

    @cached_property
    def data(self) -> Any:
        """The released rows, as a dataframe of Spark."""
        assert self.spread is not None  # noqa: S101 - given by `publish`
        return self.spread.frame


def _written(found: SparkPublication, folder: Folder, job: Job) -> SparkPublication:
    """The rows, their manifest, the model and the report."""
    assert found.spread is not None  # noqa: S101 - given by `publish`
    table, stem = found.first, _stem(folder.path)
    model = any_model_bytes(table.made.model)
    facts = {
        "release": table.release.kind,
        "halfmask": version("halfmask"),
        "rows": found.spread.rows,
        "model_sha256": hashlib.sha256(model).hexdigest(),
    }
    named = replace(
        table, release_file=ReleaseFile(folder.path.rstrip("/").rsplit("/", 1)[-1], None)
    )
    told = replace(found, tables=dict.fromkeys(found.tables, named))
    pages = {f"{stem}.model.json": model, f"{stem}.report.html": told.report.bytes()}
    if job.request.external_report is not None:
        pages[str(job.request.external_report)] = told.report.bytes(external=True)
    folder.write(found.data, facts, pages)
    return replace(told, files=(Path(folder.path), *map(Path, pages)))


def _stem(path: str) -> str:
    """The beginning of the names beside a release.

    >>> _stem("lake/people.release.parquet"), _stem("out/")
    ('lake/people', 'out')
    """
    return path.rstrip("/").removesuffix(".parquet").removesuffix(".release")
