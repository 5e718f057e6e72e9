"""Making: a model that meets the target, a release drawn from it, and what is read off it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from halfmask.api.generator import Generator
from halfmask.data import Column, Encoding, Release, Table
from halfmask.errors import BadInput, TargetNotMet
from halfmask.judging.tradeoff import (
    Point,
    Run,
    TradeOff,
    a_step_up,
    beside_quality,
    smallest_support,
    trade_off,
    unreachable,
)
from halfmask.measures import Comparison, Readings, compare
from halfmask.measures.comparison import SAMPLE
from halfmask.methods.generator.constraints import Fence
from halfmask.methods.generator.learn import calibrated
from halfmask.methods.generator.model import GeneratorModel
from halfmask.publishing.stages import Stages


@dataclass(frozen=True, slots=True)
class Work:
    """What is asked for beside the settings of the method."""

    rows: int
    held_back: Sequence[Column] | None
    sensitive: str | None
    run: Run
    keys: tuple[str, ...] = ()
    """What an attacker knows of a person; empty: all but what is sensitive."""
    sample_rows: int = SAMPLE
    """Rows that measures read which do not read all."""
    stages: Stages = field(default_factory=Stages)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model, the table it was learnt from, and the curve it lies on."""

    table: Table
    encoding: Encoding
    found: TradeOff
    fence: Fence | None = None

    @property
    def model(self) -> GeneratorModel:
        """The model of the support asked for, with the rules that its rows must keep."""
        return replace(self.found.model, fence=self.fence)


@dataclass(frozen=True, slots=True)
class Made:
    """A release, the model that made it, and what was read off it."""

    fitted: Fitted
    release: Release
    comparison: Comparison
    readings: Readings


def make_release(
    generator: Generator, columns: Sequence[Column], nas_at_most: float | None, work: Work
) -> tuple[Made, Made]:
    """The release of the support asked for, and that of the smallest one that meets the target.

    A release can miss what is expected of its support: by chance, or because what it is calibrated
    to, or the rules it must keep, bring rows of the original back. Higher ones are then tried.
    """
    asked = _make(_fit(generator, columns, work), work)
    if nas_at_most is None or asked.readings["nas"].value <= nas_at_most:
        return asked, asked
    fitted = _fit_stricter(generator, asked.fitted, nas_at_most, work)
    while _nas(fitted, work) > nas_at_most:
        if fitted.model.min_support >= len(fitted.table):
            raise TargetNotMet(unreachable(fitted.found.points, nas_at_most))
        higher = a_step_up(fitted.found, fitted.table, rows=work.rows, run=work.run)
        fitted = replace(fitted, found=_with_margins(higher, fitted.table, work))
    return asked, _make(fitted, work)


def _fit(generator: Generator, columns: Sequence[Column], work: Work) -> Fitted:
    """Learn with the support asked for, and see what higher ones would give."""
    work.stages.begin("searching patterns")
    spoken = [name for name in (work.sensitive, *work.keys) if name is not None]
    table, encoding = generator.encode(columns, keep=spoken)
    for name in spoken:
        if name not in table.schema.names:
            raise BadInput(
                f"Column {name!r} is not published ({encoding.plans[name].reason}), so nothing can "
                "be asked about it; say in a schema what it is (--schema)."
            )
    found = trade_off(table, generator.settings(len(table)), rows=work.rows, run=work.run)
    fence = generator.fence(columns, table.schema)
    return Fitted(table, encoding, _with_margins(found, table, work), fence)


def _fit_stricter(generator: Generator, last: Fitted, nas_at_most: float, work: Work) -> Fitted:
    """Learn with the smallest higher support that is expected to meet the target.

    The values stay those that the support asked for admits: grouping more of them would make rows
    more alike, and so raise the score that is to be lowered.
    """
    tried = last.model.min_support
    if tried >= len(last.table):
        raise TargetNotMet(unreachable(last.found.points, nas_at_most))
    asked = generator.settings(len(last.table))
    settings = replace(asked, min_support=tried + 1, value_support=int(asked.min_support))
    found = smallest_support(last.table, settings, nas_at_most, rows=work.rows, run=work.run)
    return replace(last, found=_with_margins(found, last.table, work).above(last.found))


def _with_margins(found: TradeOff, table: Table, work: Work) -> TradeOff:
    """The same curve with the counts that the model of the support asked for is to meet."""
    return replace(found, model=calibrated(found.model, table, threads=work.run.threads))


def _make(fitted: Fitted, work: Work) -> Made:
    """Draw the release and measure it."""
    work.stages.begin("drawing")
    release = _drawn(fitted, work)
    work.stages.begin("measuring")
    comparison = _compared(fitted, release, work)
    readings = compare(comparison, progress=work.stages.within)
    return Made(fitted, release, comparison, readings)


def _nas(fitted: Fitted, work: Work) -> float:
    """The anonymity score of the release that would be made."""
    comparison = _compared(fitted, _drawn(fitted, work), work)
    return compare(comparison, ["nas"], yardsticks=False)["nas"].value


def _drawn(fitted: Fitted, work: Work) -> Release:
    run = work.run
    return fitted.model.sample(
        work.rows, randomness=run.randomness, threads=run.threads, progress=work.stages.within
    )


def _compared(fitted: Fitted, release: Release, work: Work) -> Comparison:
    run = work.run
    drawn = release.record.get("patterns_per_row")
    held_back = work.held_back
    return Comparison(
        fitted.table,
        release,
        None if held_back is None else fitted.encoding.encode(held_back, unknown="leave out"),
        randomness=run.randomness,
        sensitive=work.sensitive,
        keys=work.keys,
        min_support=fitted.model.value_support,
        drawn_per_row=float(drawn) if isinstance(drawn, int | float) else None,
        threads=run.threads,
        sample_rows=work.sample_rows,
    )


def curve(made: Made, work: Work) -> tuple[Point, ...]:
    """The curve that the release lies on, with the quality of a release at each support."""
    ds = made.readings.get("ds")
    if ds is None:
        return made.fitted.found.points
    compared = made.comparison.sampled
    return beside_quality(
        made.fitted.found,
        compared,
        support=ds.details["min_support"],  # of the release's own reading
        rows=min(work.rows, compared.sample_rows),
        run=work.run,
    )


def price_of_target(asked: Made, made: Made) -> str:
    """What the target cost, beside what the support asked for would have given."""
    supports = (asked.release.record["min_support"], made.release.record["min_support"])
    worse = []
    for name, words in (("marginals_2", "two-way tables are off by"), ("ds", "dissimilarity is")):
        before, after = asked.readings.get(name), made.readings.get(name)
        if before is not None and after is not None:
            worse.append(f"{words} {after.value:.3f} instead of {before.value:.3f}")
    return (
        f"To meet the target, combinations need {supports[1]:,} rows instead of {supports[0]:,}"
        f"{'; ' if worse else ''}{', '.join(worse)}."
    )
