"""The main job: read, make, measure, judge, write. One path for tables, baskets and families."""

from __future__ import annotations

from dataclasses import replace
from inspect import cleandoc
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.assets.evaluation import evaluate
from halfmask.assets.lacks import Evaluation
from halfmask.data import Baskets, Table
from halfmask.data.coding.filling import Filling
from halfmask.data.coding.notices import notices, rare_accounts
from halfmask.io.frames import ARROW
from halfmask.judging.dials import DialPoint, over_basket_orders, over_dials
from halfmask.judging.epsilons import EpsilonPoint, over_epsilons
from halfmask.judging.families import judge_family
from halfmask.judging.private import judge_private
from halfmask.judging.promise import judge_promise
from halfmask.judging.tradeoff import Point, beside_quality, trade_off
from halfmask.judging.verdict import Targets, Verdict, judge
from halfmask.measures import Readings
from halfmask.memory import give_back
from halfmask.methods import METHODS
from halfmask.methods.baskets.model import BasketModel
from halfmask.methods.families.method import MadeFamily
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.method import Made
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.methods.private.promise import PromisedModel
from halfmask.publishing.books import Books
from halfmask.publishing.delivery import Delivery
from halfmask.publishing.family_measures import remarks_on_family
from halfmask.publishing.job import Job, options_of
from halfmask.publishing.make import Result, make, meet_target, rows_to_draw
from halfmask.publishing.measure import floor_of, measure_family
from halfmask.publishing.measure_files import Measured
from halfmask.publishing.original import Original, fitting, read_original
from halfmask.publishing.publication import Publication, PublishedTable
from halfmask.report.document import frequencies


def publish(source: Any, *, method: Any = "generator", **options: Any) -> Publication:
    """Turn an original into a release, measured and judged.

    `source` is a dataframe, baskets, a file, a table of a database, or several tables by name
    (`{"patients": patients, "visits": visits}`, the parent first). `method` is the name of a
    method, or one with its settings such as `halfmask.Generator(min_support=20)`. With a file the
    release, its model and its report are written beside it (or beside `output`); with data in
    memory nothing is written unless `output` says where. When a target is missed, `TargetNotMet`
    is raised, and of all files only the page with the reasons is written.

    >>> rows = Baskets.of([["beer", "crisps"], ["tea"], ["beer"], ["crisps", "tea"]] * 50)
    >>> publish(rows, method="distortion", keep=0.9, seed=1).release.kind
    'distorted'
    """
    job = Job.of(source, method, options)
    delivery, books = Delivery.of(job), Books.of(job)
    original = read_original(job)
    job, small = fitting(job, original)
    made = make(job, original)
    if isinstance(made, MadeFamily):
        publication = _published_family(job, original, made)
    else:
        publication = judged(job, original, meet_target(job, original, made), small)
    if publication.verdict.word == "do not publish":
        raise delivery.refuse(publication)
    job.run.stages.begin("writing")
    give_back()
    return delivery.write(books.entered(publication, next(iter(original.held.values())).content))


def _describe() -> str:
    """Every option of every method, where `help()` shows it."""
    lines = []
    for method in METHODS.values():
        lines += ["", f"Options of the method {method.name}:"]
        for one in options_of(method).values():
            default = "" if one.default in (None, (), "") or one.required else f" ({one.default})"
            must = " (must be given)" if one.required else default
            lines.append(f"    {one.name}: {one.help}{must}")
    return "\n".join(lines)


publish.__doc__ = f"{cleandoc(publish.__doc__ or '')}\n{_describe()}\n"


def judged(job: Job, original: Original, result: Result, small: tuple[str, ...]) -> Publication:
    """One table, or baskets, with its verdict; `small` says what a small table asked for."""
    job.run.stages.begin("comparing settings")
    give_back()
    made, readings = result.made, result.readings
    floor, drawn = floor_of(job, made), made.is_drawn
    verdict = _verdict(job, made, result, floor)
    name, held = next(iter(original.held.items()))
    lacks = _lacks(job, original, made) if drawn else None
    curve, dials = _settings_beside(job, original, result)
    table = PublishedTable(
        made=made,
        held=held,
        readings=Measured(readings.items, held.frame or ARROW),
        verdict=verdict,
        min_support=floor,
        held_back=original.rows_held_back[0],
        remarks=(
            *held.remarks,
            *small,
            *original.cost,
            *(() if original.budget is None else original.budget.remarks),
            *result.price,
            *made.release.notes,
            *_about_columns(made, drawn=drawn),
            *([] if lacks is None else [str(lacks)]),
            *_seeded(job, made, drawn=drawn),
        ),
        # Which items hiding took out would point at what was hidden.
        frequencies=()
        if made.log
        else frequencies(
            made.original, made.release if drawn else made.counted, floor, _told(made)
        ),
        trade_off=curve,
        dials=dials,
        epsilons=_epsilons_beside(job, original, result),
        lacks=lacks,
    )
    return Publication({name: table}, verdict, remarks=table.remarks)


def _verdict(job: Job, made: Made, result: Result, floor: int) -> Verdict:
    targets, private = job.request.targets, isinstance(made.model, PromisedModel)
    if made.is_drawn:
        rows = round(made.original.size)
        found = judge(result.readings, targets, min_support=None if private else floor, rows=rows)
    else:
        found = judge_promise(
            made.checks,
            result.readings,
            targets,
            risk=made.risk,
            rare_named=0 if private else _rare_named(made, floor),
            attackable=job.attackable,
            min_support=None if made.model is None or private else floor,
        )
    if found.word == "do not publish":  # then what was tried is a reason too
        found = replace(found, reasons=(*found.reasons, *result.price))
    return judge_private(made.model, found, targets) if private else found


def _rare_named(made: Made, floor: int) -> int:
    """How many items of the release fewer than `floor` baskets of the original hold."""
    original, rows = made.original, made.coded
    if not isinstance(original, Baskets) or not isinstance(rows, Baskets):
        return 0
    if rows.schema != original.schema:  # generalised names stand for many items
        return 0
    held = original.transactions.item_counts
    return int(((held > 0) & (held < floor) & (rows.transactions.item_counts > 0)).sum())


def _about_columns(made: Made, *, drawn: bool) -> tuple[str, ...]:
    """What became of columns that are no plain categories, and of rare values."""
    if made.encoding is None:
        return ()
    said = notices(made.encoding, drawn=drawn)
    return (*said, *rare_accounts(made.encoding.rare)) if drawn else said


def _seeded(job: Job, made: Made, *, drawn: bool) -> tuple[str, ...]:
    if job.run.randomness.seeded and not drawn and made.release.kind != "sanitised":
        return ("The randomness was seeded: whoever knows the seed can repeat the draws.",)
    return ()


def _lacks(job: Job, original: Original, made: Made) -> Evaluation | None:
    """What the release lacks of the asset; nothing to say where a part of it is not published."""
    if getattr(job.method, "asset", None) is None:
        return None
    asset = job.method.asset.asset
    columns = job.method.kept(original.data)
    if not {column.name for column in columns}.issuperset(asset.relation.attributes):
        return None
    before = columns if original.elsewhere is None else original.elsewhere.counted
    after = made.evaluated
    if after is None:
        assert isinstance(made.rows, Filling)  # noqa: S101 - a generator's rows are filled
        after = made.rows.whole
    return evaluate(asset, before, after, alignment="none")


def _epsilons_beside(job: Job, original: Original, result: Result) -> tuple[EpsilonPoint, ...]:
    """What other ε would give, for a private release."""
    if not job.compares or not isinstance(result.made.model, PromisedModel):
        return ()
    return over_epsilons(job.method, original.data, result.made, result.comparison, job.run)


def _settings_beside(
    job: Job, original: Original, result: Result
) -> tuple[tuple[Point, ...], tuple[DialPoint, ...]]:
    """The curve that the release lies on, and what other settings of its dials would give."""
    if not job.compares:
        return (), ()
    made, readings, run = result.made, result.readings, job.run
    if isinstance(made.model, BasketModel) and isinstance(made.original, Baskets):
        count = round(made.release.size)
        dials = over_basket_orders(
            made.model,
            made.original,
            readings,
            baskets=count,
            run=run,
            holdout=original.held_back,
        )
        return (), dials
    if not isinstance(made.model, GeneratorModel) or not isinstance(made.original, Table):
        return (), ()
    rows = rows_to_draw(job, original)
    curve = result.curve
    if curve is None:
        curve = trade_off(made.model, made.models, made.original, rows=rows, run=run)
    sampled = result.comparison.sampled
    points, ds = curve.points, readings.get("ds")
    if ds is not None:
        points = beside_quality(
            curve,
            sampled,
            support=ds.details["min_support"],  # of the release's own reading
            rows=min(rows, sampled.sample_rows),
            run=run,
        )
    dials = over_dials(made.model, curve.models, sampled, readings, rows=rows, run=run)
    return points, dials


def _told(made: Made) -> NDArray[np.int64] | None:
    """What the model tells of single values."""
    model = made.model
    return model.code_table.item_supports if isinstance(model, GeneratorModel) else None


def _verdict_in_family(part: Made, readings: Readings, people: int | None) -> Verdict:
    found = judge(readings, Targets(), min_support=people)
    private = isinstance(part.model, PromisedModel)
    return judge_private(part.model, found, Targets()) if private else found


def _published_family(job: Job, original: Original, made: MadeFamily) -> Publication:
    """The tables of a family, each with a verdict, and one verdict on all of them."""
    readings, between = measure_family(job, original, made)
    learnt = [made.learnt.parent.own, *(child.own for child in made.learnt.children)]
    own = {name: schema.names for name, schema in zip(made.parts, learnt, strict=True)}
    first = made.learnt.parent.model
    people = None if isinstance(first, NoisyModel) else first.min_support
    tables = {}
    for (name, part), held_back in zip(made.parts.items(), original.rows_held_back, strict=True):
        floor, held = floor_of(job, part), original.held[name]
        found = frequencies(part.original, part.release, floor, _told(part))
        tables[name] = PublishedTable(
            made=part,
            held=held,
            readings=Measured(readings[name].items, held.frame or ARROW),
            verdict=_verdict_in_family(part, readings[name], people),
            min_support=floor,
            held_back=held_back,
            remarks=(*part.release.notes, *_about_columns(part, drawn=True)),
            frequencies=tuple(one for one in found if one.name in own[name]),
        )
    verdict = judge_family(readings, between, job.request.targets, min_support=people)
    if isinstance(first, NoisyModel):
        verdict = judge_private(first, verdict, job.request.targets)
    budget = () if original.budget is None else original.budget.remarks
    read = [remark for held in original.held.values() for remark in held.remarks]
    remarks = (
        *read,
        *original.cost,
        *budget,
        *remarks_on_family(original.data, made.learnt, between),
    )
    return Publication(tables, verdict, between, remarks)
