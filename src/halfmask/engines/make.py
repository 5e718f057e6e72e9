"""Make: what a generator learns of rows that stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

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
from halfmask.methods.generator.method import GeneratorMethod, check_kept
from halfmask.methods.generator.model import GeneratorModel
from halfmask.publishing.job import Job
from halfmask.publishing.make import rows_to_draw
from halfmask.publishing.original import Original
from halfmask.run import Run

NOT_YET = ("key",)
"""Options that need all rows in one place."""


def check_options(job: Job, where: str) -> None:
    """Refuse what an engine cannot do."""
    if not isinstance(job.method, GeneratorMethod):
        raise BadInput(
            f"With {where}, tables are published by the method generator, not by "
            f"{job.method.name}; the other methods need all rows in one place."
        )
    own = job.method.declared()
    for name in NOT_YET:
        value = getattr(job.method if name in own else job.request, name)
        if value not in (None, ()):
            raise BadInput(
                f"The option {name!r} needs all rows in one place and is not there with {where}; "
                "leave it out, or publish a part of the table."
            )


def learnt_of(job: Job, original: Original) -> tuple[Learnt, Run]:
    """What the method of a job learns of rows that lie elsewhere, and how it was run."""
    method, budget = job.method, original.budget
    if budget is not None and not budget.enough:
        method = replace(method, search_rows=budget.search_rows)
    spoken = [name for name in (job.sensitive, *job.known_columns) if name is not None]
    run = replace(job.run, rows=rows_to_draw(job, original), keep=tuple(spoken))
    if not fits_here(len(original.elsewhere)):
        run = replace(run, supports=False)  # no curve is drawn of rows that are not here
    return learn_spread(method, original.elsewhere, run), run


@dataclass(frozen=True, eq=False)
class Learnt:
    """Models of the rows of an engine, and the rows as they were coded."""

    table: Table | SpreadTable
    encoding: Encoding
    model: GeneratorModel
    models: Mapping[int, GeneratorModel]


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
