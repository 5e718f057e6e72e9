"""The main job: read, fit, release, measure, judge, write.

(The function is `halfmask.publish`; a module of that name would stand in its way.)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.api import Generator, Measured, Model, form_or_none
from halfmask.choose.tradeoff import Point, Run, smallest_support, trade_off
from halfmask.choose.verdict import Targets, Verdict, judge
from halfmask.data import Column, Encoding, Release, Table
from halfmask.errors import BadInput, TargetNotMet
from halfmask.io import files
from halfmask.io.forms import STANDARD, FileForm, FileOptions, PathLike, form_for
from halfmask.io.frames import ARROW, to_columns
from halfmask.io.models import model_bytes
from halfmask.io.places import Places
from halfmask.io.writing import Outputs, check_free
from halfmask.measures import Comparison, Readings, compare
from halfmask.methods.generator import GeneratorModel, Progress, learn
from halfmask.randomness import Randomness
from halfmask.report.document import Document
from halfmask.report.html import report_bytes

__all__ = ["Publication", "publish"]


@dataclass(frozen=True, eq=False)
class Publication:
    """A release with everything that speaks for and against publishing it."""

    release: Release
    model: Model
    readings: Measured
    verdict: Verdict
    trade_off: tuple[Point, ...]
    rare_values: tuple[str, ...]
    """What became of values held by too few rows, a sentence for each column."""
    held_back: int
    """How many rows of the original the method never saw."""
    files: tuple[Path, ...] = ()

    @property
    def data(self) -> Any:
        """The released rows as the kind of dataframe that came in."""
        return self.model.framed(self.release)

    @property
    def document(self) -> Document:
        """What the report says."""
        remarks = [*self.release.notes, *self.rare_values]
        if self.held_back:
            remarks.append(f"{self.held_back:,} rows were held back from the method as a control.")
        return Document(
            title="Release report",
            verdict=self.verdict,
            release=self.release,
            readings=self.readings,
            trade_off=self.trade_off,
            remarks=tuple(remarks),
            machine=self.to_dict(),
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the rows, in plain types."""
        return {
            "verdict": self.verdict.word,
            "reasons": list(self.verdict.reasons),
            "rows": int(self.release.size),
            "rows_held_back": self.held_back,
            "patterns": len(self.model.learnt.code_table.sets),
            "record": dict(self.release.record),
            "notes": list(self.release.notes),
            "rare_values": list(self.rare_values),
            **self.readings.to_dict(),
            "trade_off": [point.to_dict() for point in self.trade_off],
            "files": [str(path) for path in self.files],
        }


def publish(  # noqa: PLR0913 - one keyword for each thing a steward may say
    source: Any,
    *,
    method: Generator | None = None,
    nas_at_most: float | None = None,
    rows: int | None = None,
    holdout: float = 0.0,
    sensitive: str | None = None,
    output: PathLike | None = None,
    seed: int | None = None,
    force: bool = False,
    reading: FileOptions | None = None,
    progress: Progress | None = None,
) -> Publication:
    """Turn an original (a dataframe or a file) into a release, measured and judged.

    With a file, the release, its model and its report are written beside it (or beside `output`);
    with a dataframe nothing is written unless `output` says where. `nas_at_most` finds the smallest
    minimum support that meets it; when none does, `TargetNotMet` is raised and nothing is written.
    `holdout` keeps that share of the rows away from the method, so that the attacks among the
    measures can tell memory from plausibility.

    >>> import polars
    >>> frame = polars.DataFrame({"sex": ["f", "m"] * 20, "ill": ["no", "no", "yes", "no"] * 10})
    >>> published = publish(frame, method=Generator(min_support=5), seed=1)
    >>> published.data.shape
    (40, 2)
    """
    targets = Targets(nas_at_most=nas_at_most)
    generator = method or Generator()
    places = Places.of(source, output)
    for path in places.all:
        check_free(path, force=force)
    columns, form = _read(source, generator, reading)
    run = Run(Randomness(seed), generator.threads, progress)
    work = _Work(len(columns[0]) if rows is None else rows, run)
    seen, held_back = _split(columns, holdout, run.randomness)

    fitted = _fit(generator, seen, targets, work)
    release = fitted.model.sample(work.rows, randomness=run.randomness, threads=run.threads)
    readings = _measure(fitted, release, held_back, sensitive, work)
    verdict = judge(readings, targets)
    if verdict.word == "do not publish":
        raise TargetNotMet(f"{verdict} Nothing was written.")
    publication = Publication(
        release=release,
        model=Model(fitted.model, form_or_none(source)),
        readings=Measured(readings.items, form_or_none(source) or ARROW),
        verdict=verdict,
        trade_off=fitted.trade_off,
        rare_values=tuple(str(account) for account in fitted.encoding.rare),
        held_back=0 if held_back is None else len(held_back[0]),
    )
    return _write(publication, places, form, force=force)


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


def _read(
    source: Any, generator: Generator, reading: FileOptions | None
) -> tuple[list[Column], FileForm | None]:
    """The columns that take part, and how the file was written."""
    if not isinstance(source, str | os.PathLike):
        return generator.kept(to_columns(source)), None
    found = files.read(source, reading or FileOptions())
    if not isinstance(found, files.TableFile):
        raise BadInput(f"{os.fspath(source)!r} holds baskets; the generator needs a table.")
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


def _fit(generator: Generator, columns: Sequence[Column], targets: Targets, work: _Work) -> _Fitted:
    """Learn with the support asked for, or with the smallest that meets the target."""
    table, encoding = generator.encode(columns)
    settings = generator.settings(len(table))
    if targets.nas_at_most is None:
        traded = trade_off(table, settings, rows=work.rows, run=work.run)
        return _Fitted(traded.model, table, encoding, traded.points)
    traded = smallest_support(table, settings, targets.nas_at_most, rows=work.rows, run=work.run)
    # A higher support makes more values rare: encode anew, so that the floor holds for them too.
    table, encoding = generator.at_support(traded.model.min_support).encode(columns)
    model = learn(table, traded.model.settings, threads=work.run.threads)
    return _Fitted(model, table, encoding, traded.points)


def _measure(
    fitted: _Fitted,
    release: Release,
    held_back: Sequence[Column] | None,
    sensitive: str | None,
    work: _Work,
) -> Readings:
    drawn = release.record.get("patterns_per_row")
    comparison = Comparison(
        fitted.table,
        release,
        None if held_back is None else fitted.encoding.encode(held_back, unknown="leave out"),
        randomness=work.run.randomness,
        sensitive=sensitive,
        min_support=fitted.model.min_support,
        drawn_per_row=float(drawn) if isinstance(drawn, int | float) else None,
        threads=work.run.threads,
    )
    return compare(comparison)


def _write(
    publication: Publication, places: Places, form: FileForm | None, *, force: bool
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
                file.write(report_bytes(publication.document))
    written = tuple(Path(path) for path in places.all if str(path) != STANDARD)
    return replace(publication, files=written)
