"""The main job: read, fit, release, measure, judge, write.

(The function is `halfmask.publish`; a module of that name would stand in its way.)
"""

from __future__ import annotations

import os
from typing import Any

from halfmask.api.generator import Generator
from halfmask.api.measuring import Measured
from halfmask.api.model import Model, filled
from halfmask.assets.evaluation import evaluate
from halfmask.assets.lacks import Evaluation
from halfmask.data import Column
from halfmask.data.coding.filling import Filling
from halfmask.data.coding.notices import notices, rare_accounts
from halfmask.documents.schema import table_spec
from halfmask.errors import BadInput, UnknownName
from halfmask.io import files
from halfmask.io.databases.addresses import shown
from halfmask.io.forms import FileForm, FileOptions
from halfmask.io.frames import ARROW, to_columns
from halfmask.io.given import form_or_none
from halfmask.io.refusal import refusal
from halfmask.judging.dials import over_dials
from halfmask.judging.verdict import judge
from halfmask.memory import Memory
from halfmask.publishing.delivery import Delivery
from halfmask.publishing.making import Work, curve, make_release, price_of_target
from halfmask.publishing.preparing import changed, split_rows
from halfmask.publishing.publication import Publication, Report
from halfmask.publishing.request import Request
from halfmask.publishing.room import Room
from halfmask.publishing.stages import Stages
from halfmask.randomness import Randomness
from halfmask.report.frequencies import frequencies

__all__ = ["Publication", "Report", "Request", "publish"]


def publish(
    source: Any, request: Request | None = None, *, method: Generator | None = None
) -> Publication:
    """Turn an original (a dataframe or a file) into a release, measured and judged.

    With a file, the release, its model and its report are written beside it (or beside the output
    that the request names); with a dataframe nothing is written without one.

    >>> import polars
    >>> frame = polars.DataFrame({"sex": ["f", "m"] * 20, "ill": ["no", "no", "yes", "no"] * 10})
    >>> published = publish(frame, Request(seed=1), method=Generator(min_support=5))
    >>> published.data.shape
    (40, 2)
    """
    request = request or Request()
    targets, generator = request.targets, request.told(method)
    roles = table_spec(generator.schema)
    sensitive = request.sensitive or next(iter(roles.with_role("sensitive")), None)
    delivery = Delivery.of(source, request.output, request.external_report, force=request.force)
    allowed, stages = request.allowed, Stages.of(request.progress)
    stages.begin("reading")
    columns, form = _read(source, generator, request.reading, allowed, stages)
    if sensitive is not None and sensitive not in (names := [c.name for c in columns]):
        raise UnknownName("column", sensitive, names)
    run = request.run(generator)
    size = max(len(columns[0]), request.rows or 0), len(columns)
    room = Room.within(allowed, size, search_rows=generator.search_rows)
    generator = generator if room.enough else changed(generator, search_rows=room.search_rows)
    stages.size = size
    seen, held_back = _split(columns, request.holdout, run.randomness)
    keys = tuple(n for n in roles.with_role("quasi-identifier") if n not in generator.drop)
    work = Work(
        len(columns[0]) if request.rows is None else request.rows,
        held_back,
        sensitive,
        run,
        keys,
        room.sample_rows,
        stages,
    )

    asked, made = make_release(generator, seen, targets.nas_at_most, work)
    verdict = judge(made.readings, targets)
    fitted = made.fitted
    drawn = filled(made.release, run.randomness)
    lacks = _lacks(generator, seen, drawn)
    price = () if made is asked else (price_of_target(asked, made),)
    stages.begin("comparing settings")
    publication = Publication(
        release=made.release,
        model=Model(fitted.model, form_or_none(source)),
        readings=Measured(made.readings.items, form_or_none(source) or ARROW),
        verdict=verdict,
        trade_off=curve(made, work),
        dials=over_dials(
            fitted.model,
            fitted.found.models,
            made.comparison.sampled,
            made.readings,
            rows=work.rows,
            run=work.run,
        ),
        remarks=(
            *room.remarks,
            *price,
            *made.release.notes,
            *notices(fitted.encoding),
            *rare_accounts(fitted.encoding.rare),
            *([] if lacks is None else [str(lacks)]),
        ),
        rare=fitted.encoding.rare,
        frequencies=frequencies(fitted.table, made.release, fitted.model.min_support),
        held_back=0 if held_back is None else len(held_back[0]),
        filling=drawn,
        lacks=lacks,
    )
    if verdict.word == "do not publish":
        raise refusal(str(verdict), publication.report.bytes, delivery.places, force=request.force)
    stages.begin("writing")
    return delivery.write(publication, form)


def _read(
    source: Any, generator: Generator, reading: FileOptions | None, allowed: Memory, stages: Stages
) -> tuple[list[Column], FileForm | None]:
    """The columns that take part, and how the file was written."""
    if not isinstance(source, str | os.PathLike):
        return generator.kept(to_columns(source)), None

    def expect(rows: int, columns: int) -> None:
        stages.size = rows, columns
        allowed.beside((rows, columns - len(generator.drop)), about=True)

    found = files.read(source, reading or FileOptions(), progress=stages.within, expect=expect)
    if not isinstance(found, files.TableFile):
        raise BadInput(
            f"{shown(source)} holds baskets, and the generator needs a table; choose a method for "
            "baskets (--method): baskets, anatomy, distortion, hiding, coherence or km."
        )
    return generator.kept(found.columns), found.form


def _lacks(generator: Generator, original: list[Column], drawn: Filling) -> Evaluation | None:
    """What the release lacks of the asset; nothing to say where a part of it is not published."""
    asset = generator.asset()
    names = {column.name for column in original}
    if asset is None or not names.issuperset(asset.relation.attributes):
        return None
    return evaluate(asset, original, drawn.whole, alignment="none")


def _split(
    columns: list[Column], holdout: float, randomness: Randomness
) -> tuple[list[Column], list[Column] | None]:
    """The rows that the method sees, and those held back."""
    parts = split_rows(len(columns[0]), holdout, randomness)
    if parts is None:
        return columns, None
    return [c.take(parts[0]) for c in columns], [c.take(parts[1]) for c in columns]
