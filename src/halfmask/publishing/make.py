"""Make: let the method work on the original, and look for the support that meets a target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from halfmask.data import Table
from halfmask.data.family_tables import FamilyTables
from halfmask.errors import TargetNotMet
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
from halfmask.methods.generator.learn import calibrated
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
    budget, method = original.budget, job.method
    if budget is not None and not budget.enough:
        method = replace(method, search_rows=budget.search_rows)
    rows = job.request.rows if method.hides_size else rows_to_draw(job, original)
    if isinstance(original.data, FamilyTables):
        return make_family(method, original.data, rows, job.run)
    spoken = [name for name in (job.sensitive, *job.known_columns) if name is not None]
    run = replace(job.run, rows=rows, keep=tuple(spoken))
    made: Made = method.make(original.data, run)
    return made


def rows_to_draw(job: Job, original: Original) -> int:
    """As many as were asked for, or as the original has, rows held back included."""
    return job.request.rows or next(iter(original.held.values())).size[0]


def meet_target(job: Job, original: Original, made: Made) -> Result:
    """What was made with its readings, at the smallest support that meets the target.

    A release can miss what is expected of its support: by chance, or because what it is calibrated
    to, or the rules it must keep, bring rows of the original back. Higher ones are then tried.
    """
    comparison = compared(job, original, made)
    readings = measure(job, original, made, comparison)
    if not isinstance(made.model, GeneratorModel):
        return Result(made, comparison, readings)
    rows, table, at_most = rows_to_draw(job, original), made.original, job.request.nas_at_most
    met = at_most is None or readings["nas"].value <= at_most
    if at_most is None or met or not isinstance(table, Table):  # elsewhere nothing is searched anew
        return Result(made, comparison, _of_runs(job, original, made, readings))
    run = replace(job.run, rows=rows)
    curve = trade_off(made.model, made.models, table, rows=rows, run=run)
    stricter = _expected(job, made, curve, at_most, rows)
    while _nas(job, original, again := _redrawn(made, stricter, run)) > at_most:
        if stricter.model.min_support >= len(table):
            raise TargetNotMet(unreachable(stricter.points, at_most))
        stricter = a_step_up(stricter, table, rows=rows, run=run)
    comparison = compared(job, original, again)
    after = measure(job, original, again, comparison)
    price = price_of_target(made, readings, again, after)
    return Result(again, comparison, _of_runs(job, original, again, after), stricter, (price,))


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


def _redrawn(made: Made, curve: TradeOff, run: Run) -> Made:
    """The release of another support of the same curve."""
    table = made.original
    assert isinstance(table, Table)  # noqa: S101 - a generator learns tables
    assert made.encoding is not None  # noqa: S101 - idem
    model = calibrated(curve.model, table, threads=run.threads)
    fenced = model.fenced(made.model.fence)
    return drawn(fenced, table, made.encoding, run, models=curve.models)


def _nas(job: Job, original: Original, made: Made) -> float:
    """The anonymity score of a release that may not be the last."""
    return compare(compared(job, original, made), ["nas"], yardsticks=False)["nas"].value


def price_of_target(asked: Made, before: Readings, made: Made, after: Readings) -> str:
    """What the target cost, beside what the support asked for would have given."""
    supports = (asked.release.record["min_support"], made.release.record["min_support"])
    worse = []
    for name, words in (("marginals_2", "two-way tables are off by"), ("ds", "dissimilarity is")):
        one, other = before.get(name), after.get(name)
        if one is not None and other is not None:
            worse.append(f"{words} {other.value:.3f} instead of {one.value:.3f}")
    return (
        "To meet the target, the minimum support of combinations was raised from "
        f"{supports[0]:,} to {supports[1]:,} rows{'; ' if worse else ''}{', '.join(worse)}."
    )
