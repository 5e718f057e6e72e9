"""Publishing a parent table with its child tables: keys that join, children that fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halfmask.api.generator import Generator
from halfmask.api.measuring import Measured
from halfmask.api.model import Model
from halfmask.data.coding.notices import notices, rare_accounts
from halfmask.data.families import Orphans
from halfmask.documents.schema import table_spec
from halfmask.errors import UnknownName
from halfmask.family_publishing.delivery import FamilyDelivery
from halfmask.family_publishing.drawing import DrawnChildren, DrawnFamily, DrawnParents, draw_family
from halfmask.family_publishing.judging import Asked, Side, Sides, judge_family
from halfmask.family_publishing.learning import (
    LearntChild,
    LearntFamily,
    LearntParent,
    learn_family,
)
from halfmask.family_publishing.originals import Original, Originals, read_family, tables_named
from halfmask.family_publishing.publication import FamilyPublication
from halfmask.family_publishing.remarks import remarks_on
from halfmask.family_publishing.told import check_told
from halfmask.io.frames import ARROW
from halfmask.io.refusal import refusal
from halfmask.judging.verdict import Targets, judge
from halfmask.measures import Readings
from halfmask.publishing.preparing import changed, split_rows
from halfmask.publishing.publication import Publication
from halfmask.publishing.request import Request
from halfmask.publishing.room import Room
from halfmask.randomness import Randomness
from halfmask.report.frequencies import frequencies

__all__ = ["FamilyPublication", "publish_family", "tables_named"]


def publish_family(
    tables: Mapping[str, Any],
    request: Request | None = None,
    *,
    key: str | Sequence[str] = (),
    orphans: Orphans = "refuse",
    method: Generator | None = None,
) -> FamilyPublication:
    """Release a parent table (the first) and its child tables, with new keys that join.

    The tables are dataframes or files by name. `key` is the column that joins them, `parent=child`
    where its names differ, one for all child tables or one for each; without it the one column
    that both have and that tells the parents apart. The protected unit is the parent: nothing that
    fewer than `min_support` parents hold is learnt, however many child rows one of them has.

    >>> import polars
    >>> patients = polars.DataFrame({"id": range(60), "sex": ["f", "m"] * 30})
    >>> visits = polars.DataFrame({"id": [*range(60), *range(0, 60, 2)], "ill": ["no", "yes"] * 45})
    >>> published = publish_family({"patients": patients, "visits": visits}, Request(seed=1))
    >>> published.data["visits"].columns
    ['id', 'ill']
    """
    request = request or Request()
    generator, allowed = request.told(method), request.allowed
    delivery = FamilyDelivery.of(
        tables, request.output, request.external_report, force=request.force
    )
    keys = [key] if isinstance(key, str) else [*key]
    whole = read_family(tables, keys, orphans=orphans, reading=request.reading, allowed=allowed)
    check_told(generator, {table.name: table.names for table in whole.tables})
    asked = _asked(generator, request.sensitive, whole)
    whole = whole.without(generator.drop)
    run = request.run(generator)
    sizes = [table.size for table in whole.tables]
    room = Room.within(allowed, *sizes, search_rows=generator.search_rows)
    generator = generator if room.enough else changed(generator, search_rows=room.search_rows)
    seen, held_back = _split(whole, request.holdout, run.randomness)

    learnt = learn_family(generator, seen, run)
    drawn = draw_family(learnt, seen, whole.parents if request.rows is None else request.rows, run)
    back = None if held_back is None else Side.of(held_back, learnt)
    sides = Sides(
        learnt, Side.of(seen, learnt), Side.drawn(drawn), back, asked, run, room.sample_rows
    )
    made = _published(whole, held_back, learnt, drawn, sides)
    families = {
        child.table.name: sides.of_families(n, child.table.name)
        for n, child in enumerate(whole.children)
    }
    readings = {name: table.readings for name, table in made.items()}
    verdict = judge_family(readings, families, request.targets)
    remarks = (*room.remarks, *remarks_on(seen, learnt, families))
    published = FamilyPublication(whole.parent.name, made, families, verdict, remarks)
    if verdict.word == "do not publish":
        raise refusal(str(verdict), published.report.bytes, delivery.refused, force=request.force)
    return delivery.write(published, whole)


def _asked(generator: Generator, sensitive: str | None, whole: Originals) -> Asked:
    """What an attacker knows and would like to learn, by the schema or by name."""
    roles = table_spec(generator.schema)
    wanted = sensitive or next(iter(roles.with_role("sensitive")), None)
    every = list(dict.fromkeys(name for table in whole.tables for name in table.names))
    if wanted is not None and wanted not in every:
        raise UnknownName("column of the family called", wanted, every)
    return Asked(wanted, roles.with_role("quasi-identifier"))


def _split(
    whole: Originals, holdout: float, randomness: Randomness
) -> tuple[Originals, Originals | None]:
    """The parents that the method sees, and those held back, each with all their children."""
    parts = split_rows(whole.parents, holdout, randomness)
    if parts is None:
        return whole, None
    return whole.of_parents(parts[0]), whole.of_parents(parts[1])


def _published(
    whole: Originals,
    held_back: Originals | None,
    learnt: LearntFamily,
    drawn: DrawnFamily,
    sides: Sides,
) -> dict[str, Publication]:
    """The publication of each table by its name."""
    held = [0] * len(whole.tables) if held_back is None else held_back.sizes
    readings = sides.of_parents(drawn.parents.release.record)
    parent = _publication(whole.parent, learnt.parent, drawn.parents, readings, held[0])
    made = {whole.parent.name: parent}
    for n, (child, rows) in enumerate(zip(whole.children, drawn.children, strict=True)):
        table = child.table
        readings = sides.of_children(n, table.name, rows.release.record)
        made[table.name] = _publication(table, learnt.children[n], rows, readings, held[n + 1])
    return made


def _publication(
    original: Original,
    learnt: LearntParent | LearntChild,
    drawn: DrawnParents | DrawnChildren,
    readings: Readings,
    held_back: int,
) -> Publication:
    """One table as a publication of its own, but without curves over other settings."""
    encoding, model = learnt.encoding, learnt.model
    return Publication(
        release=drawn.release,
        model=Model(model, original.frame),
        readings=Measured(readings.items, original.frame or ARROW),
        verdict=judge(readings, Targets()),
        trade_off=(),
        dials=(),
        remarks=(*drawn.release.notes, *notices(encoding), *rare_accounts(encoding.rare)),
        rare=encoding.rare,
        frequencies=tuple(
            found
            for found in frequencies(learnt.table, drawn.release, model.min_support)
            if found.name in learnt.own.names
        ),
        held_back=held_back,
        filling=drawn.filling,
    )
