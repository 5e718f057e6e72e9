"""The generator: learn a code table of the original, then draw new rows from its patterns.

[Vreeken, van Leeuwen & Siebes, Privacy Preservation through Data Generation, 2007]
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from halfmask.data import Table
from halfmask.data.rows import Rows
from halfmask.errors import BadInput
from halfmask.methods.calibration.choose_margins import choose_margins
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.part import SEARCHED, floor_in_part, recounted
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.methods.generator.telling import told
from halfmask.patterns.krimp import Prune, krimp
from halfmask.patterns.mining import absolute_support
from halfmask.patterns.search import BUDGET, Search, SearchKind, choose_search
from halfmask.patterns.slim import slim
from halfmask.run import Progress

LEVELS = 12
"""Supports of a curve: enough to see its shape, and to narrow a range twelvefold at once."""
COMPARED = 10_000
"""Rows in which Slim looks for the patterns of higher supports, which are there to be compared
with: on census data the score is then off by .02 or less, for a sixth of the time."""


def learn(
    table: Rows,
    settings: GeneratorSettings | None = None,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> GeneratorModel:
    """Learn a generator; when `progress` says stop, the best one so far comes back.

    Its counts are rounded, so that it may leave the house; those of `learn_exactly` are not.

    >>> import numpy as np
    >>> from halfmask.data import Attribute, Schema
    >>> from halfmask.randomness import Randomness
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> table = Table(schema, np.array([[0, 1], [1, 0]] * 20 + [[0, 0]] * 5))
    >>> model = learn(table, GeneratorSettings(min_support=5))
    >>> [(p.labels, p.usage) for p in model.code_table.patterns()][:2]
    [(('sex=m', 'ill=no'), 21), (('sex=f', 'ill=yes'), 18)]
    >>> model.sample(1000, randomness=Randomness(7)).size
    1000.0
    """
    return told(learn_exactly(table, settings, threads=threads, progress=progress), table)


def learn_exactly(
    table: Rows,
    settings: GeneratorSettings | None = None,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> GeneratorModel:
    """The same with the counts of the table, for use in the house."""
    settings = with_search(table, settings or GeneratorSettings(), progress=progress)
    model = _found(table, settings, threads=threads, progress=progress)
    return counted(model, table, threads=threads)


def _found(
    table: Rows, settings: GeneratorSettings, *, threads: int, progress: Progress | None
) -> GeneratorModel:
    search = _search(table, settings, threads=threads, progress=progress)
    return GeneratorModel(search.code_table, settings, complete=search.complete)


def calibrated(model: GeneratorModel, table: Rows, *, threads: int = 1) -> GeneratorModel:
    """The model with the checked margins that its settings ask for, and every count rounded."""
    return told(counted(model, table, threads=threads), table)


def counted(
    model: GeneratorModel, table: Rows, *, rows: int | None = None, threads: int = 1
) -> GeneratorModel:
    """The model with these margins as they are counted, for use in the house.

    For a release of few `rows`, margins are chosen more quickly.
    """
    settings = model.settings
    if not settings.calibration.order:
        return model
    margins = choose_margins(
        table,
        model.source,
        replace(settings.calibration, base=1),
        min_support=model.min_support,
        hide_together=settings.hide_together,
        longest=settings.max_pattern_length,
        rows=rows,
        threads=threads,
    )
    return replace(model, margins=margins)


def limited(model: GeneratorModel, order: int | None) -> GeneratorModel:
    """The model with tables of at most `order` attributes to meet; all of them for none.

    As in the choice of margins, those around the target may be one attribute wider at order 1; at a
    higher one it is told along trees. Counts that the model does not hold cannot be met.
    """
    if order is None:
        return model
    own = model.settings.calibration
    highest = 0 if model.margins is None else own.order
    if order > highest:
        held = f"counts of up to {highest} columns together" if highest else "no counts"
        raise BadInput(f"A release cannot match counts of {order} columns; the model holds {held}.")
    if model.margins is None:
        return model
    calibration = replace(own, order=order)
    kept = tuple(
        margin
        for margin in model.margins
        if len(margin.attributes) <= order + (order == 1 and own.target in margin.attributes)
    )
    target_trees = model.margins.target_trees if order > 1 else None
    return replace(
        model,
        settings=replace(model.settings, calibration=calibration),
        margins=replace(model.margins, tables=kept, target_trees=target_trees) if order else None,
    )


def support_levels(lowest: int, highest: int, count: int = LEVELS) -> list[int]:
    """About `count` supports between the two, each the same factor above the one before.

    >>> support_levels(10, 1000, 5)
    [10, 32, 100, 316, 1000]
    >>> support_levels(3, 5)
    [3, 4, 5]
    """
    spread = np.geomspace(lowest, max(highest, lowest), count)
    return sorted({round(float(level)) for level in spread})


def learn_at(
    table: Rows,
    settings: GeneratorSettings,
    supports: Collection[int],
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> dict[int, GeneratorModel]:
    """The generators of several minimum supports, from one search or two.

    Krimp's candidates come most frequent first, so the table of a larger support is a stage on
    the path; a search that was stopped gives the supports that it had reached, and the best table
    so far for the smallest. Slim searches for the smallest as `learn` does, and for each of the
    others once more in fewer rows.
    None of them has margins to meet yet: `calibrated` adds them to the one that is taken.
    """
    if not supports:
        raise BadInput("Name at least one minimum support.")
    settings = with_search(table, replace(settings, min_support=min(supports)), progress=progress)
    floors = {support: settings.pattern_floor(support) for support in sorted(supports)}
    lowest = min(floors.values())
    higher = sorted({*floors.values()} - {lowest}, reverse=True)
    if settings.search == "slim":
        first = _found(table, settings, threads=threads, progress=progress)
        found = {
            floor: _roughly(table, settings, floor, threads=threads, progress=progress)
            for floor in higher
            if progress is None or progress(0, 0)  # none when time is up
        }
        found[lowest] = first
    else:
        search = _search(table, settings, threads=threads, progress=progress, snapshots=higher)
        found = {
            floor: GeneratorModel(search.tables[floor], settings)
            for floor in higher
            if floor in search.tables
        }
        found[lowest] = GeneratorModel(search.code_table, settings, complete=search.complete)
    return {
        support: replace(found[floor], settings=replace(settings, min_support=support))
        for support, floor in floors.items()
        if floor in found
    }


def _roughly(
    table: Rows,
    settings: GeneratorSettings,
    floor: int,
    *,
    threads: int,
    progress: Progress | None,
) -> GeneratorModel:
    """About the generator of a higher support: a model to compare with, no release."""

    def search(part: Table, level: int, _: Collection[int]) -> Search:
        return slim(
            part.transactions,
            part.schema,
            min_support=level,
            prune="repaired" if settings.prune else "none",
            gain="estimate",  # one of the two that are tried for the table that is released
            max_length=settings.max_pattern_length,
            forbidden=settings.forbidden(part.schema),
            effort=settings.effort / 40,
            threads=threads,
            progress=progress,
        )

    rows = min(COMPARED, settings.search_rows or COMPARED)
    found = _in_part(table, replace(settings, search_rows=rows), floor, (), search)
    return GeneratorModel(found.code_table, settings, complete=found.complete)


def with_search(
    table: Rows, settings: GeneratorSettings, *, progress: Progress | None = None
) -> GeneratorSettings:
    """The settings with "auto" made into the search that fits this table; names checked."""
    settings.check_names(table.schema)
    if not len(table):
        raise BadInput("The table has no rows; a generator needs some to learn from.")
    if settings.search != "auto":
        return _searching(table, settings, settings.search)
    part = table.part(_searching(table, settings, "krimp").search_rows or len(table))
    floor = _pattern_floor(table, settings)
    chosen = choose_search(
        part.transactions,
        min_support=floor_in_part(floor, len(part), len(table)),
        candidates=settings.candidates,
        max_length=settings.max_pattern_length,
        forbidden=settings.forbidden(table.schema),
        budget=min(BUDGET, settings.max_candidates),
        progress=progress,
    )
    return _searching(table, settings, chosen)


def _pattern_floor(table: Rows, settings: GeneratorSettings) -> int:
    return settings.pattern_floor(absolute_support(settings.min_support, len(table)))


def _searching(table: Rows, settings: GeneratorSettings, search: SearchKind) -> GeneratorSettings:
    """The settings with this search, and the rows it looks at where these are not all."""
    most = settings.search_rows or SEARCHED[search]
    return replace(settings, search=search, search_rows=most if most < len(table) else None)


def _search(
    table: Rows,
    settings: GeneratorSettings,
    *,
    threads: int,
    progress: Progress | None,
    snapshots: Collection[int] = (),
) -> Search:
    floor = _pattern_floor(table, settings)

    def search(part: Table, level: int, levels: Collection[int]) -> Search:
        return _search_in(part, settings, level, levels, threads=threads, progress=progress)

    return _in_part(table, settings, floor, snapshots, search)


def _in_part(
    table: Rows,
    settings: GeneratorSettings,
    floor: int,
    snapshots: Collection[int],
    search: Callable[[Table, int, Collection[int]], Search],
) -> Search:
    """Search in the rows that the settings allow; the tables found are counted in all rows."""
    rows, part = len(table), table.part(settings.search_rows or len(table))
    if len(part) == rows:
        return search(part, floor, snapshots)
    floors = {support: floor_in_part(support, len(part), rows) for support in {floor, *snapshots}}
    lowest = floors[floor]
    found = search(part, lowest, sorted({*floors.values()} - {lowest}, reverse=True))
    tables = found.tables | {lowest: found.code_table}
    reached = {support: tables[level] for support, level in floors.items() if level in tables}
    counted = recounted(reached, table)
    return replace(found, code_table=counted.pop(floor), tables=counted)


def _search_in(  # noqa: PLR0913 - what to search, and how to go about it
    table: Table,
    settings: GeneratorSettings,
    floor: int,
    snapshots: Collection[int],
    *,
    threads: int,
    progress: Progress | None,
) -> Search:
    forbidden = settings.forbidden(table.schema)
    prune: Prune = "repaired" if settings.prune else "none"
    if settings.search == "slim":
        return slim(
            table.transactions,
            table.schema,
            min_support=floor,
            prune=prune,
            max_length=settings.max_pattern_length,
            forbidden=forbidden,
            effort=settings.effort,
            threads=threads,
            progress=progress,
        )
    return krimp(
        table.transactions,
        table.schema,
        min_support=floor,
        candidates=settings.candidates,
        prune=prune,
        max_length=settings.max_pattern_length,
        forbidden=forbidden,
        limit=settings.max_candidates,
        threads=threads,
        progress=progress,
        snapshots=snapshots,
    )
