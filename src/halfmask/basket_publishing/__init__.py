"""From an original to a release by a method with a promise of its own: make, measure, write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from halfmask.api.measuring import Measured
from halfmask.basket_publishing.comparing import measure_baskets
from halfmask.basket_publishing.hiding import Hiding
from halfmask.basket_publishing.made import BasketMethod, Made, TableMethod
from halfmask.basket_publishing.measuring import OF_BASKETS, OF_TABLES, Sides, read_measures
from halfmask.basket_publishing.methods import Anatomy, BasketGenerator, Distortion
from halfmask.basket_publishing.models import Coherent, KmAnonymous, TableAnatomy
from halfmask.basket_publishing.orders import over_basket_orders
from halfmask.basket_publishing.original import Original, RareItems, rare_items, without_items
from halfmask.basket_publishing.publication import BasketPublication
from halfmask.basket_publishing.writing import Written
from halfmask.data import Baskets, Table
from halfmask.errors import BadInput
from halfmask.io.forms import FileOptions, PathLike
from halfmask.io.frames import ARROW
from halfmask.io.places import Places
from halfmask.io.refusal import refusal
from halfmask.judging.basket_verdict import judge_promise
from halfmask.judging.dials import DialPoint
from halfmask.judging.tradeoff import Run
from halfmask.judging.verdict import Targets
from halfmask.measures import Readings
from halfmask.methods.generator.process import Progress
from halfmask.patterns.mining import absolute_support
from halfmask.randomness import Randomness
from halfmask.report.frequencies import frequencies

__all__ = [
    "METHODS",
    "Anatomy",
    "BasketGenerator",
    "BasketMethod",
    "BasketPublication",
    "Coherent",
    "Distortion",
    "Hiding",
    "KmAnonymous",
    "TableAnatomy",
    "TableMethod",
    "measure_baskets",
    "publish_baskets",
]

METHODS: Mapping[str, type] = {
    "anatomy": Anatomy,
    "distortion": Distortion,
    "hiding": Hiding,
    "baskets": BasketGenerator,
    "coherence": Coherent,
    "km": KmAnonymous,
    "table-anatomy": TableAnatomy,
}
"""The methods by the names that the command line and `halfmask.publish` know them by."""


def publish_baskets(  # noqa: PLR0913 - one keyword for each thing a steward may say
    source: Any,
    *,
    method: BasketMethod | TableMethod,
    nas_at_most: float | None = None,
    ds_at_most: float | None = None,
    risk_at_most: float | None = None,
    rare_values: RareItems = "keep",
    output: PathLike | None = None,
    external_report: PathLike | None = None,
    edit_log: PathLike | None = None,
    seed: int | None = None,
    threads: int = 1,
    force: bool = False,
    reading: FileOptions | None = None,
    progress: Progress | None = None,
) -> BasketPublication:
    """Turn baskets (in memory or in a file) into a release, measured, judged and written.

    With a file, the release, the tables its reader needs and its report are written beside it (or
    beside `output`); with baskets in memory nothing is written unless `output` says where.
    `nas_at_most`, `ds_at_most` and `risk_at_most` bound the anonymity score, the dissimilarity and
    the probability with which the attack that the method stands against succeeds; when a target is
    missed, `TargetNotMet` is raised; of files only the page with the reasons is written. `edit_log`
    names the file for the edits of a hiding method: it gives the original back, so it must stay in
    the house. `rare_values`
    says whether items that fewer than `min_support` baskets hold are suppressed first.

    >>> rows = Baskets.of([["beer", "crisps"], ["tea"], ["beer"], ["crisps", "tea"]] * 50)
    >>> published = publish_baskets(rows, method=Distortion(keep=0.9), seed=1)
    >>> len(published.baskets), published.release.kind
    (200, 'distorted')
    """
    targets = Targets(nas_at_most, ds_at_most, risk_at_most)
    if edit_log is not None and not isinstance(method, Hiding):
        raise BadInput("Only hiding edits single cells; the other methods have no log of edits.")
    written = Written.of(
        source,
        _places(Places.of(source, output), method),
        method.writes,
        external_report=external_report,
        edit_log=edit_log,
        force=force,
    )
    original = Original.read(source, method, reading)
    run = Run(Randomness(seed), threads, progress)
    floor = absolute_support(method.min_support, round(original.data.size))
    made = _make(method, original, floor if rare_values == "suppress" else 0, run)
    readings = read_measures(
        Sides(original.data, made.rows, made.counted, made.secrets),
        _names(original, made) + (("ds",) if ds_at_most is not None else ()),
        min_support=floor,
        randomness=run.randomness,
        threads=threads,
    )
    verdict = judge_promise(
        made.checks, readings, targets, risk=made.risk, rare_named=_rare(original, made, floor)
    )
    publication = BasketPublication(
        release=made.release,
        baskets=made.rows,
        original_size=round(original.data.size),
        min_support=floor,
        readings=Measured(readings.items, ARROW),
        verdict=verdict,
        remarks=(*made.release.notes, *original.notices, *_seeded(made, run)),
        # Which items hiding took out would point at what was hidden.
        frequencies=() if made.log else frequencies(original.data, made.counted, floor),
        rare=original.rare,
        model=made.model,
        dials=_dials(made, original, readings, run),
        log=None if made.log is None else made.log(),
    )
    if verdict.word == "do not publish":
        raise refusal(str(verdict), publication.report.bytes, written.places, force=force)
    return written.write(publication, made, original.form)


def _places(places: Places, method: BasketMethod | TableMethod) -> Places:
    """Only what is drawn has a model to be written."""
    return places if isinstance(method, BasketGenerator) else replace(places, model=None)


def _dials(made: Made, original: Original, readings: Readings, run: Run) -> tuple[DialPoint, ...]:
    if made.model is None or not isinstance(original.data, Baskets):
        return ()
    count = len(made.rows)
    return over_basket_orders(made.model, original.data, readings, baskets=count, run=run)


def _make(method: Any, original: Original, floor: int, run: Run) -> Made:
    """Let the method work; rare items leave the baskets first when that was asked for."""
    data = original.data
    if floor and isinstance(data, Baskets):
        data = without_items(data, floor)
    made: Made = method.make(data, run)
    return made


def _names(original: Original, made: Made) -> tuple[str, ...]:
    """The measures for this kind of data, and those that only the method has."""
    if isinstance(original.data, Table):
        return OF_TABLES + made.own_measures
    rows_stay = made.rows.schema == original.data.schema
    return (OF_BASKETS if rows_stay else OF_BASKETS[:5]) + made.own_measures


def _rare(original: Original, made: Made, floor: int) -> int:
    if isinstance(original.data, Baskets) and isinstance(made.rows, Baskets):
        return rare_items(original.data, made.rows, floor)
    return 0


def _seeded(made: Made, run: Run) -> tuple[str, ...]:
    if run.randomness.seeded and made.release.kind != "sanitised":
        return ("The randomness was seeded: whoever knows the seed can repeat the draws.",)
    return ()
