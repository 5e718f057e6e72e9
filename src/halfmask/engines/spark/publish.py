"""The main job on Spark: the same path, with the rows where they are."""

from __future__ import annotations

import hashlib
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from halfmask.data import Column
from halfmask.data.coding.filling import Filling
from halfmask.data.rows import SpreadRows
from halfmask.documents.model import any_model_bytes
from halfmask.engines.make import Learnt, check_options, learnt_of, run_elsewhere
from halfmask.engines.original import read_spread
from halfmask.engines.pieces import fits_here
from halfmask.engines.spark.engine import SparkEngine
from halfmask.engines.spark.release import SparkRelease
from halfmask.engines.spark.session import check_frame, format_of, read_named, running_session
from halfmask.engines.spark.storage import Folder
from halfmask.errors import BadInput, TargetNotMet
from halfmask.methods.method import Made
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.publishing.books import Books, ledger_beside
from halfmask.publishing.job import Job
from halfmask.publishing.make import meet_target
from halfmask.publishing.original import fitting
from halfmask.publishing.publication import Publication
from halfmask.publishing.publish import judged
from halfmask.report.document import ReleaseFile
from halfmask.run import Run

SOME = 1_000
"""Rows of a long release that are brought here to stand for the others."""


def publish(frame: Any, *, method: Any = "generator", **options: Any) -> SparkPublication:
    """Turn a dataframe of Spark into a release, measured and judged, where its rows are.

    The options are those of `halfmask.publish` for the methods generator and private (`epsilon`);
    `output` is a folder on any file system that Spark writes to. The release is a dataframe again
    (`.data`).
    """
    return _publish(frame, method, options)


def _publish(
    frame: Any, method: Any, options: dict[str, Any], ledger: Path | None = None
) -> SparkPublication:
    """The same; `ledger` is where a private release is entered unless it is said."""
    session = check_frame(frame)
    job = Job.of(None, method, options)
    check_options(job, "Spark")
    output = job.request.output
    folder = None if output is None else Folder(session, str(output))
    books = Books.at(job.method, ledger, output)
    if folder is not None:
        folder.check_free(*_pages(folder, job).values(), force=job.request.force)
    every = list(frame.columns)
    _check_names(every)
    kept = job.method.kept([Column(name, (), np.empty(0, np.int32)) for name in every])
    engine = SparkEngine.of(frame.select(*(_quoted(column.name) for column in kept)))
    with closing(engine):
        found = _published(job, engine, every, books)
        return found if folder is None else _written(found, folder, job)


def _published(job: Job, engine: SparkEngine, every: list[str], books: Books) -> SparkPublication:
    """The release of the rows of an engine, judged; nothing is written yet but the ledger."""
    session = engine.frame.sparkSession
    original = read_spread(job, engine, every, "The table")
    job, small = fitting(job, original)
    run = run_elsewhere(job, original)
    learnt = learnt_of(job, original, run)
    run.stages.begin("drawing")
    model: Any = learnt.model
    spread = SparkRelease(session, model, run.rows or model.rows, run.randomness)
    others: list[SparkRelease] = []
    try:
        learnt = _with_patterns(learnt, spread)
        made = replace(_made(learnt, spread), again=partial(_again, learnt, spread, others))
        if isinstance(made.release.data, SpreadRows) and original.elsewhere.counted.sets:
            made = replace(made, evaluated=spread.counted([*original.elsewhere.counted.sets]))
        publication = judged(job, original, meet_target(job, original, made), small)
        if publication.verdict.word == "do not publish":
            raise TargetNotMet(f"{publication.verdict} Nothing was written.")
        job.run.stages.begin("writing")
        publication = books.entered(publication, job, original)
    except BaseException:
        spread.forget()
        raise
    finally:
        _forget(others)
    if publication.first.made.model is not learnt.model:  # a higher support met the target
        spread.forget()
        spread = replace(spread, model=publication.first.made.model)
    return SparkPublication(
        publication.tables, publication.verdict, publication.families, publication.remarks,
        spread=spread,
    )  # fmt: skip


def publish_named(source: str, *, method: Any = "generator", **options: Any) -> SparkPublication:
    """The same for a table named by its place or its name in the catalogue; it is written beside.

    `halfmask publish --engine spark` is this.
    """
    reading = options.pop("reading", None)
    if options.get("output") is None:
        options["output"] = _beside(source)
    said = None if reading is None else reading.format
    format_ = said or format_of(source)  # refuses before Spark is started
    frame = read_named(running_session(), source, format_)
    here = Path(source).exists()  # otherwise it is on another file system, or in the catalogue
    return _publish(frame, method, options, ledger_beside(source) if here else None)


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


def _with_patterns(learnt: Learnt, spread: SparkRelease) -> Learnt:
    """With the patterns of a private model, where the rows that they are read off stay away."""
    model = learnt.model
    if not isinstance(model, NoisyModel) or fits_here(model.rows):
        return learnt
    own = spread if spread.rows == model.rows else replace(spread, rows=model.rows)
    try:
        return replace(learnt, model=replace(model, told=model.patterns_of(own.coded)))
    finally:
        if own is not spread:
            own.forget()


def _made(learnt: Learnt, spread: SparkRelease) -> Made:
    """A release of what was learnt; of a long one some rows stand for the others."""
    release = replace(spread.release, notes=(*spread.release.notes, *learnt.notes))
    here: Any = release.data
    if isinstance(here, SpreadRows):
        here = here.part(SOME)
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


def _again(learnt: Learnt, spread: SparkRelease, others: list[SparkRelease], run: Run) -> Made:
    """Another release of what was learnt; of the one before nothing is kept."""
    _forget(others)
    others.append(replace(spread, randomness=run.randomness))
    return _made(learnt, others[0])


def _forget(releases: list[SparkRelease]) -> None:
    while releases:
        releases.pop().forget()


@dataclass(frozen=True, eq=False)
class SparkPublication(Publication):
    """A release whose rows are on a cluster."""

    spread: SparkRelease | None = None
    place: str | None = None
    """Where the rows were written."""

    @cached_property
    def data(self) -> Any:
        """The released rows, as a dataframe of Spark."""
        assert self.spread is not None  # noqa: S101 - given by `publish`
        if self.place is not None:
            return self.spread.session.read.parquet(self.place)
        return self.spread.frame


def _written(found: SparkPublication, folder: Folder, job: Job) -> SparkPublication:
    """The rows, their manifest, the model and the report."""
    assert found.spread is not None  # noqa: S101 - given by `publish`
    table, pages = found.first, _pages(folder, job)
    facts = {
        "release": table.release.kind,
        "halfmask": version("halfmask"),
        "rows": found.spread.rows,
    }
    contents: dict[str, bytes] = {}
    if "model" in pages:
        model = contents[pages["model"]] = any_model_bytes(table.made.model)
        facts["model_sha256"] = hashlib.sha256(model).hexdigest()
    named = replace(
        table, release_file=ReleaseFile(folder.path.rstrip("/").rsplit("/", 1)[-1], None)
    )
    told = replace(found, tables=dict.fromkeys(found.tables, named))
    contents[pages["report"]] = told.report.bytes()
    if "external" in pages:
        contents[pages["external"]] = told.report.bytes(external=True)
    folder.write(found.data, facts, contents)
    found.spread.forget()
    files = tuple(p if "://" in p else Path(p) for p in (folder.path, *contents))
    return replace(told, files=files, place=folder.path)


def _pages(folder: Folder, job: Job) -> dict[str, str]:
    """Where the report goes, the model unless its counts are exact, and the report for others."""
    stem, outside = _stem(folder.path), job.request.external_report
    pages = {"model": f"{stem}.model.json"} if job.method.has_model else {}
    pages["report"] = f"{stem}.report.html"
    return pages if outside is None else {**pages, "external": str(outside)}


def _stem(path: str) -> str:
    """The beginning of the names beside a release.

    >>> _stem("lake/people.release.parquet"), _stem("out/")
    ('lake/people', 'out')
    """
    return path.rstrip("/").removesuffix(".parquet").removesuffix(".release")
