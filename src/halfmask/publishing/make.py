"""Make: let the method work on the original, and look for the settings that meet a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from halfmask.data import Table
from halfmask.data.family_tables import FamilyTables
from halfmask.errors import TargetNotMet
from halfmask.judging.attacks import OF_MODEL, TRACING, tracing_above
from halfmask.judging.tradeoff import (
    TradeOff,
    a_step_up,
    smallest_support,
    trade_off,
    unreachable,
)
from halfmask.measures import Comparison, Readings, compare
from halfmask.measures.draws import over_draws
from halfmask.methods.families.method import MadeFamily, make_family
from halfmask.methods.generator.learn import calibrated, learn_at
from halfmask.methods.generator.method import drawn
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.method import Made
from halfmask.publishing.job import Job
from halfmask.publishing.measure import compared, measure
from halfmask.publishing.original import Original
from halfmask.run import Run


@dataclass(frozen=True, eq=False)
class Result:
    """What was made, and what was read off it."""

    made: Made
    comparison: Comparison
    """What was counted and mined for the readings, to be used again."""
    readings: Readings
    curve: TradeOff | None = None
    """What other supports would give, where a target had to be looked for among them."""
    price: tuple[str, ...] = ()
    """What a target cost, as a sentence."""


def make(job: Job, original: Original) -> Made | MadeFamily:
    """The release of the settings asked for."""
    method, run = within_memory(job, original), run_of(job, original)
    if isinstance(original.data, FamilyTables):
        return make_family(method, original.data, run.rows, job.run)
    made: Made = method.make(original.data, run)
    return made


def within_memory(job: Job, original: Original) -> Any:
    """The method of a job, which searches in fewer rows where memory is short."""
    budget = original.budget
    if budget is None or budget.enough:
        return job.method
    return replace(job.method, search_rows=budget.search_rows)


def run_of(job: Job, original: Original) -> Run:
    """How it runs: the rows to draw, and the columns that somebody speaks of."""
    rows = job.request.rows if job.method.hides_size else rows_to_draw(job, original)
    spoken = [name for name in (job.sensitive, *job.known_columns) if name is not None]
    return replace(job.run, rows=rows, keep=tuple(spoken))


def rows_to_draw(job: Job, original: Original) -> int:
    """As many as were asked for, or as the original has, rows held back included."""
    return job.request.rows or next(iter(original.held.values())).size[0]


def meet_target(job: Job, original: Original, made: Made) -> Result:
    """What was made with its readings, by the first settings that meet the targets."""
    comparison = compared(job, original, made)
    asked = Result(made, comparison, measure(job, original, made, comparison))
    if not isinstance(made.model, GeneratorModel):
        return asked
    found = asked
    if isinstance(made.original, Table):  # of rows elsewhere no other settings are tried
        found = _less_traced(job, original, _reappearing_less(job, original, asked))
    return replace(found, readings=_of_runs(job, original, found.made, found.readings))


def _reappearing_less(job: Job, original: Original, asked: Result) -> Result:
    """At the smallest support that meets the target on the anonymity score.

    A release can miss what is expected of its support: by chance, or because what it is calibrated
    to, or the rules it must keep, bring rows of the original back. Higher ones are then tried.
    """
    made, at_most = asked.made, job.request.nas_at_most
    if at_most is None or asked.readings["nas"].value <= at_most:
        return asked
    rows, table = rows_to_draw(job, original), made.original
    assert isinstance(table, Table)  # noqa: S101 - the caller looked
    run = replace(job.run, rows=rows)
    curve = trade_off(made.model, made.models, table, rows=rows, run=run)
    stricter = _expected(job, made, curve, at_most, rows)
    while True:
        again = _redrawn(made, stricter.model, stricter.models, run)
        if _nas(job, original, again) <= at_most:
            break
        if stricter.model.min_support >= len(table):
            raise TargetNotMet(unreachable(stricter.points, at_most))
        stricter = a_step_up(stricter, table, rows=rows, run=run)
    comparison = compared(job, original, again)
    after = measure(job, original, again, comparison)
    before, now = (one.release.record["min_support"] for one in (made, again))
    raised = f"the minimum support of combinations was raised from {before:,} to {now:,} rows"
    price = price_of_target(raised, asked.readings, after)
    return Result(again, comparison, after, stricter, (price,))


TELLING_LESS = (2, 5, 10)
"""So many times less than asked for counts are believed, and so many times the rows are behind
patterns, until a target on tracing is met."""
READ = ("nas", *(name for name in TRACING if name != OF_MODEL))
"""What is read off a release that may not be the last."""


def _less_traced(job: Job, original: Original, asked: Result) -> Result:
    """By the first settings that meet the target on tracing; as asked for where none does.

    What a model file tells stays as it is: where the attack on its counts misses the target,
    nothing is looked for.
    """
    at_most, found = job.request.leak_at_most, asked.readings
    if at_most is None or not (missed := tracing_above(found, at_most)) or missed[-1] == OF_MODEL:
        return asked
    for times in TELLING_LESS:
        made = _telling_less(job, original, asked.made, times)
        comparison, said = compared(job, original, made), _said(asked.made, made)
        if _meets(job, compare(comparison, READ, yardsticks=False)):
            after = measure(job, original, made, comparison)
            price = price_of_target(said, found, after)
            return Result(made, comparison, after, price=(*asked.price, price))
    tried = f"Settings that tell less were tried in vain, up to these: {said}."
    return replace(asked, price=(*asked.price, tried))


def _meets(job: Job, readings: Readings) -> bool:
    """Whether nothing that was looked for with less told is above its target."""
    traced, nas = job.request.leak_at_most, job.request.nas_at_most
    return not (traced is not None and tracing_above(readings, traced)) and (
        nas is None or readings["nas"].value <= nas
    )


def _telling_less(job: Job, original: Original, made: Made, times: float) -> Made:
    """The release of settings that tell less of single people, at the same supports."""
    table, model = made.original, made.model
    assert isinstance(table, Table)  # noqa: S101 - the caller looked
    supports = {s for s in made.models if s > model.min_support} | {model.min_support}
    run = replace(job.run, rows=rows_to_draw(job, original))
    models = learn_at(
        table, model.settings.telling_less(times), supports,
        threads=run.threads, progress=run.progress,
    )  # fmt: skip
    return _redrawn(made, models[min(models)], models, run)


def _said(asked: Made, made: Made) -> str:
    """How the settings of a release differ from those asked for."""
    before, now = asked.model.settings, made.model.settings
    floors = (one.pattern_floor(int(one.min_support)) for one in (before, now))
    needed = "patterns were held by {1:,} rows instead of {0:,} (--pattern-support)".format(*floors)
    if now.calibration.order < 2:
        return needed
    return (
        f"counts were believed less (--shrink {now.calibration.shrink:g} instead of "
        f"{before.calibration.shrink:g}) and {needed}"
    )


def _of_runs(job: Job, original: Original, made: Made, readings: Readings) -> Readings:
    """The readings of the release, beside those of further draws where several runs are asked."""
    if job.request.runs == 1:
        return readings
    table: Any = made.original
    assert made.encoding is not None  # noqa: S101 - a generator learns tables
    draw = made.again or partial(drawn, made.model, table, made.encoding, models={})
    rows, others = rows_to_draw(job, original), []
    for number in range(1, job.request.runs):
        own = replace(job.run, rows=rows, randomness=job.run.randomness.apart(f"run {number}"))
        asked = compared(job, original, draw(own))
        others.append(compare(asked, readings.names, yardsticks=False))
    return over_draws(readings, others)


def _expected(job: Job, made: Made, curve: TradeOff, at_most: float, rows: int) -> TradeOff:
    """The smallest higher support that is expected to meet the target.

    The values stay those that the support asked for admits: grouping more of them would make rows
    more alike, and so raise the score that is to be lowered.
    """
    table, tried = made.original, made.model.min_support
    assert isinstance(table, Table)  # noqa: S101 - the caller looked
    if tried >= len(table):
        raise TargetNotMet(unreachable(curve.points, at_most))
    asked = job.method.learning(len(table))
    settings = replace(asked, min_support=tried + 1, value_support=int(asked.min_support))
    found = smallest_support(table, settings, at_most, rows=rows, run=job.run)
    return found.above(curve)


def _redrawn(
    made: Made, model: GeneratorModel, models: Mapping[int, GeneratorModel], run: Run
) -> Made:
    """The release of another model of the same table."""
    table = made.original
    assert isinstance(table, Table)  # noqa: S101 - the caller looked
    assert made.encoding is not None  # noqa: S101 - idem
    fenced = calibrated(model, table, threads=run.threads).fenced(made.model.fence)
    return drawn(fenced, table, made.encoding, run, models=models)


def _nas(job: Job, original: Original, made: Made) -> float:
    """The anonymity score of a release that may not be the last."""
    return compare(compared(job, original, made), ["nas"], yardsticks=False)["nas"].value


def price_of_target(changed: str, before: Readings, after: Readings) -> str:
    """What the target cost, beside what the settings asked for would have given."""
    worse = []
    for name, words in (("marginals_2", "two-way tables are off by"), ("ds", "dissimilarity is")):
        one, other = before.get(name), after.get(name)
        if one is not None and other is not None:
            worse.append(f"{words} {other.value:.3f} instead of {one.value:.3f}")
    return f"To meet the target, {changed}{'; ' if worse else ''}{', '.join(worse)}."
