"""The main job: read, fit, release, measure, judge, write.

(The function is `halfmask.publish`; a module of that name would stand in its way.)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.api import Generator, Measured, Model, form_or_none
from halfmask.choose.tradeoff import Point, Run, smallest_support, trade_off, unreachable
from halfmask.choose.verdict import Targets, Verdict, judge
from halfmask.data import Column, Encoding, Release, Table
from halfmask.data.encoding import RareValues
from halfmask.errors import BadInput, TargetNotMet
from halfmask.io import files
from halfmask.io.forms import STANDARD, FileForm, FileOptions, PathLike, form_for
from halfmask.io.frames import ARROW, to_columns
from halfmask.io.models import model_bytes
from halfmask.io.places import Places
from halfmask.io.writing import Outputs, check_free, write_bytes
from halfmask.measures import Comparison, Readings, compare
from halfmask.methods.generator import GeneratorModel, Progress
from halfmask.randomness import Randomness
from halfmask.report.document import Document
from halfmask.report.external import external_form
from halfmask.report.frequencies import Frequencies, frequencies
from halfmask.report.html import report_bytes

__all__ = ["Publication", "Report", "publish"]

MOST_PATTERNS = 20
"""Patterns listed in the report; the model file holds them all."""


@dataclass(frozen=True, eq=False)
class Report:
    """One page a steward can sign, in an internal form and in one that may go out."""

    document: Document

    def html(self, *, external: bool = False) -> str:
        """The page as text."""
        return self._bytes(external).decode()

    def save(self, path: PathLike, *, external: bool = False, force: bool = False) -> None:
        """Write the page; an existing file is not overwritten unless `force`."""
        write_bytes(path, self._bytes(external), force=force)

    def _bytes(self, external: bool) -> bytes:  # noqa: FBT001
        return report_bytes(external_form(self.document) if external else self.document)


@dataclass(frozen=True, eq=False)
class Publication:
    """A release with everything that speaks for and against publishing it."""

    release: Release
    model: Model
    readings: Measured
    verdict: Verdict
    trade_off: tuple[Point, ...]
    remarks: tuple[str, ...]
    """Sentences to read before publishing: the price of a target, doubts, rare values."""
    rare: tuple[RareValues, ...]
    """What became of values held by too few rows, an account for each column."""
    frequencies: tuple[Frequencies, ...]
    """How often each value stands in the original and in the release, rare ones left out."""
    held_back: int
    """How many rows of the original the method never saw."""
    files: tuple[Path, ...] = ()

    @property
    def data(self) -> Any:
        """The released rows as the kind of dataframe that came in."""
        return self.model.framed(self.release)

    @property
    def report(self) -> Report:
        """The page that says whether to publish."""
        return Report(self.document)

    @property
    def document(self) -> Document:
        """What the report says."""
        learnt = self.model.learnt
        floor = learnt.min_support
        listed = sorted(learnt.code_table.patterns(), key=lambda p: (-p.usage, p.items))
        shown = [p for p in listed if p.usage >= floor and len(p.items) > 1]
        accounts = {str(account) for account in self.rare}
        return Document(
            title="Release report",
            version=version("halfmask"),
            verdict=self.verdict,
            release=self.release,
            original_rows=learnt.code_table.rows,
            held_back=self.held_back,
            min_support=floor,
            readings=self.readings,
            trade_off=self.trade_off,
            patterns=tuple(shown[:MOST_PATTERNS]),
            frequencies=self.frequencies,
            remarks=tuple(r for r in self.remarks if r not in accounts),
            rare_values=self.rare,
            machine={k: v for k, v in self.to_dict().items() if k != "files"},
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the rows, in plain types."""
        return {
            "verdict": self.verdict.word,
            "reasons": list(self.verdict.reasons),
            "checks": [asdict(check) for check in self.verdict.checks],
            "rows": int(self.release.size),
            "rows_held_back": self.held_back,
            "patterns": len(self.model.learnt.code_table.sets),
            "record": dict(self.release.record),
            "remarks": list(self.remarks),
            **self.readings.to_dict(),
            "trade_off": [point.to_dict() for point in self.trade_off],
            "files": [str(path) for path in self.files],
        }


def publish(  # noqa: PLR0913 - one keyword for each thing a steward may say
    source: Any,
    *,
    method: Generator | None = None,
    nas_at_most: float | None = None,
    ds_at_most: float | None = None,
    risk_at_most: float | None = None,
    rows: int | None = None,
    holdout: float = 0.0,
    sensitive: str | None = None,
    output: PathLike | None = None,
    external_report: PathLike | None = None,
    seed: int | None = None,
    force: bool = False,
    reading: FileOptions | None = None,
    progress: Progress | None = None,
) -> Publication:
    """Turn an original (a dataframe or a file) into a release, measured and judged.

    With a file, the release, its model and its report are written beside it (or beside `output`);
    with a dataframe nothing is written unless `output` says where. `nas_at_most` finds the smallest
    minimum support that meets it; `ds_at_most` and `risk_at_most` bound the dissimilarity and what
    an attack may gain. When a target is missed, `TargetNotMet` is raised and nothing is written.
    `external_report` names the file of a report that may go out with the release.
    `holdout` keeps that share of the rows away from the method, so that the attacks among the
    measures can tell memory from plausibility.

    >>> import polars
    >>> frame = polars.DataFrame({"sex": ["f", "m"] * 20, "ill": ["no", "no", "yes", "no"] * 10})
    >>> published = publish(frame, method=Generator(min_support=5), seed=1)
    >>> published.data.shape
    (40, 2)
    """
    targets = Targets(nas_at_most, ds_at_most, risk_at_most)
    generator = method or Generator()
    places = Places.of(source, output)
    for path in (*places.all, *([external_report] if external_report is not None else ())):
        check_free(path, force=force)
    columns, form = _read(source, generator, reading)
    run = Run(Randomness(seed), generator.threads, progress)
    work = _Work(len(columns[0]) if rows is None else rows, run)
    seen, held_back = _split(columns, holdout, run.randomness)

    fitted = _fit(generator, seen, work)
    made = asked = _make(fitted, held_back, sensitive, work)
    while targets.nas_at_most is not None and not _meets(made.readings, targets.nas_at_most):
        fitted = _fit_stricter(generator, fitted, targets.nas_at_most, work)
        made = _make(fitted, held_back, sensitive, work)
    verdict = judge(made.readings, targets)
    if verdict.word == "do not publish":
        raise TargetNotMet(f"{verdict} Nothing was written.")
    price = () if made is asked else (_price(asked, made),)
    publication = Publication(
        release=made.release,
        model=Model(fitted.model, form_or_none(source)),
        readings=Measured(made.readings.items, form_or_none(source) or ARROW),
        verdict=verdict,
        trade_off=fitted.trade_off,
        remarks=(*price, *made.release.notes, *map(str, fitted.encoding.rare)),
        rare=fitted.encoding.rare,
        frequencies=frequencies(fitted.table, made.release, fitted.model.min_support),
        held_back=0 if held_back is None else len(held_back[0]),
    )
    return _write(publication, places, form, external_report, force=force)


@dataclass(frozen=True, slots=True)
class _Work:
    """How the work is run."""

    rows: int
    run: Run


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A model, the table it was learnt from, and the curve it lies on."""

    model: GeneratorModel
    table: Table
    encoding: Encoding
    trade_off: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class _Made:
    """A release and what was read off it."""

    release: Release
    readings: Readings


def _read(
    source: Any, generator: Generator, reading: FileOptions | None
) -> tuple[list[Column], FileForm | None]:
    """The columns that take part, and how the file was written."""
    if not isinstance(source, str | os.PathLike):
        return generator.kept(to_columns(source)), None
    found = files.read(source, reading or FileOptions())
    if not isinstance(found, files.TableFile):
        raise BadInput(
            f"{os.fspath(source)!r} holds baskets, and the generator needs a table; choose the "
            "method anatomy, distortion, hiding or baskets."
        )
    return generator.kept(found.columns), found.form


def _split(
    columns: list[Column], holdout: float, randomness: Randomness
) -> tuple[list[Column], list[Column] | None]:
    """The rows that the method sees, and those held back."""
    if not 0 <= holdout < 1:
        raise BadInput(f"The hold-out is a share of the rows from 0 to below 1, not {holdout:g}.")
    rows = len(columns[0])
    count = round(rows * holdout)
    if not count:
        return columns, None
    shuffled: NDArray[np.intp] = randomness.child("hold-out").permutation(rows)
    back, seen = np.sort(shuffled[:count]), np.sort(shuffled[count:])
    return [c.take(seen) for c in columns], [c.take(back) for c in columns]


def _fit(generator: Generator, columns: Sequence[Column], work: _Work) -> _Fitted:
    """Learn with the support asked for, and see what higher ones would give."""
    table, encoding = generator.encode(columns)
    found = trade_off(table, generator.settings(len(table)), rows=work.rows, run=work.run)
    return _Fitted(found.model, table, encoding, found.points)


def _fit_stricter(generator: Generator, last: _Fitted, nas_at_most: float, work: _Work) -> _Fitted:
    """Learn with the smallest higher support that is expected to meet the target.

    The values stay those that the support asked for admits: grouping more of them would make rows
    more alike, and so raise the score that is to be lowered. A release can miss what was expected
    of it by a hair; the caller then asks again.
    """
    tried = last.model.min_support
    if tried >= len(last.table):
        raise TargetNotMet(unreachable(last.trade_off, nas_at_most))
    asked = generator.settings(len(last.table))
    settings = replace(asked, min_support=tried + 1, value_support=int(asked.min_support))
    found = smallest_support(last.table, settings, nas_at_most, rows=work.rows, run=work.run)
    below = tuple(point for point in last.trade_off if point.min_support <= tried)
    return replace(last, model=found.model, trade_off=(*below, *found.points))


def _meets(readings: Readings, nas_at_most: float) -> bool:
    return readings["nas"].value <= nas_at_most


def _price(asked: _Made, made: _Made) -> str:
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


def _make(
    fitted: _Fitted, held_back: Sequence[Column] | None, sensitive: str | None, work: _Work
) -> _Made:
    """Draw the release and measure it."""
    run = work.run
    release = fitted.model.sample(work.rows, randomness=run.randomness, threads=run.threads)
    drawn = release.record.get("patterns_per_row")
    comparison = Comparison(
        fitted.table,
        release,
        None if held_back is None else fitted.encoding.encode(held_back, unknown="leave out"),
        randomness=run.randomness,
        sensitive=sensitive,
        min_support=fitted.model.value_support,
        drawn_per_row=float(drawn) if isinstance(drawn, int | float) else None,
        threads=run.threads,
    )
    return _Made(release, compare(comparison))


def _write(
    publication: Publication,
    places: Places,
    form: FileForm | None,
    external_report: PathLike | None,
    *,
    force: bool,
) -> Publication:
    """Write what has a place, all of it or nothing."""
    with Outputs(force=force) as outputs:
        if places.release is not None:
            with outputs.open(places.release) as file:
                table = publication.release.data
                assert isinstance(table, Table)  # noqa: S101 - the generator draws tables
                like = form_for(places.release, like=form)
                files.write(file, table, like, release=publication.release.kind)
        if places.model is not None:
            with outputs.open(places.model) as file:
                file.write(model_bytes(publication.model.learnt))
        if places.report is not None:
            with outputs.open(places.report) as file:
                file.write(publication.report.html().encode())
        if external_report is not None:
            with outputs.open(external_report) as file:
                file.write(publication.report.html(external=True).encode())
    paths = (*places.all, *([external_report] if external_report is not None else ()))
    written = tuple(Path(path) for path in paths if str(path) != STANDARD)
    return replace(publication, files=written)
