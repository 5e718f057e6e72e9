"""Make: what a generator learns of rows that stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from halfmask.data import Column, Encoding, Table
from halfmask.data.coding.dependencies import Coded
from halfmask.data.coding.ordering import RankQuestion
from halfmask.data.coding.ranks import Ranks
from halfmask.data.table import Sums
from halfmask.engines.original import SpreadColumns
from halfmask.engines.pieces import added, fits_here, summed
from halfmask.engines.rows import SpreadTable
from halfmask.errors import BadInput
from halfmask.methods.generator.learn import calibrated
from halfmask.methods.generator.method import GeneratorMethod, check_kept, drawn
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.method import Made
from halfmask.methods.private.method import Private
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.publishing.job import Job
from halfmask.publishing.make import run_of, within_memory
from halfmask.publishing.original import Original
from halfmask.run import Run


def check_options(job: Job, where: str) -> None:
    """Refuse what an engine cannot do."""
    if not isinstance(job.method, GeneratorMethod | Private):
        raise BadInput(
            f"With {where}, tables are published by the methods generator and private "
            f"(--epsilon), not by {job.method.name}; the other methods need all rows in one place."
        )
    if job.request.key:
        raise BadInput(
            f"The option 'key' needs all rows in one place and is not there with {where}; "
            "leave it out, or publish a part of the table."
        )


def run_elsewhere(job: Job, original: Original) -> Run:
    """How the method of a job runs on rows that lie elsewhere."""
    run = run_of(job, original)
    if not fits_here(len(original.elsewhere)):
        run = replace(run, supports=False)  # no curve is drawn of rows that are not here
    return run


def learnt_of(job: Job, original: Original, run: Run) -> Learnt:
    """What the method of a job learns of rows that lie elsewhere."""
    method = within_memory(job, original)
    if isinstance(method, Private):
        run.stages.begin("searching patterns")
        fitted = method.fit(original.elsewhere, run)
        return Learnt(fitted.original, fitted.encoding, fitted.model, {}, fitted.notes)
    return learn_spread(method, original.elsewhere, run)


def made_here(job: Job, original: Original) -> Made:
    """A release of what is learnt of rows that lie elsewhere, drawn in memory."""
    run = run_elsewhere(job, original)
    if isinstance(job.method, Private):
        return job.method.make(original.elsewhere, run)
    learnt = learnt_of(job, original, run)
    table: Any = learnt.table
    assert isinstance(learnt.model, GeneratorModel)  # noqa: S101 - the other method is above
    return drawn(learnt.model, table, learnt.encoding, run, models=learnt.models)


@dataclass(frozen=True, eq=False)
class Learnt:
    """Models of the rows of an engine, the rows as they were coded, and what is said of these."""

    table: Table | SpreadTable
    encoding: Encoding
    model: GeneratorModel | NoisyModel
    models: Mapping[int, GeneratorModel]
    notes: tuple[str, ...] = ()


def learn_spread(method: GeneratorMethod, source: SpreadColumns, run: Run) -> Learnt:
    """What the method learns; the same as of the same rows in memory."""
    columns = method.kept(source.columns)
    run.stages.begin("searching patterns")
    encoding = method.fitted(columns)
    table = source.table(encoding)
    coded = method.folded(Coded(table, encoding), columns, run.keep)
    check_kept(run.keep, coded.encoding)
    table = coded.table
    if method.matched > 1:
        ranks = _ranks(method, source, coded.encoding)
        schema = replace(table.schema, ranks=ranks)
        table = table.with_columns(schema, range(len(schema)))
    models = method.models(table, run)
    model = calibrated(models[min(models)], table, threads=run.threads)
    model = model.fenced(method.fence(source.counted, len(source), table.schema))
    return Learnt(table, coded.encoding, model, models)


def _ranks(method: GeneratorMethod, source: SpreadColumns, encoding: Encoding) -> Ranks | None:
    columns = method.kept(source.columns)
    asked = RankQuestion.of(columns, encoding, method.apart(columns))
    if asked is None:
        return None
    sums = source.engine.reduced(partial(_summed, asked.sums), added)
    if source.held_back:
        apart = asked.sums(source.held_back)
        sums = tuple(a - b for a, b in zip(sums, apart, strict=True))
    return asked.answer(sums[0], sums[1], len(source))


def _summed(count: Callable[[list[Column]], Sums], pieces: Iterator[list[Column]]) -> Sums:
    return summed(map(count, pieces))
