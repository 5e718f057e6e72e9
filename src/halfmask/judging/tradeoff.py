"""The trade-off: what a release of each minimum support would give away, and what it would keep.

Candidates arrive by support, so the code tables of all higher supports are stages of one search,
and the expected anonymity score of a table has a closed form: this side of the curve costs little
more than one fit. For what is kept a release is drawn at some of the supports, measured and thrown
away; the original is mined only once.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np

from halfmask.data import Table
from halfmask.errors import NotMeasurable, TargetNotMet
from halfmask.measures import Comparison, compare, expected_nas, measure_named
from halfmask.measures.frequent import frequent_sets
from halfmask.methods.generator.learn import learn_at, support_levels, with_search
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.run import Run, together

EXACT_COLUMNS, EXACT_ROWS = 10, 2_000
"""Up to this size the expected score is computed exactly in a fraction of a second; its cost
doubles with each further column, while a release is drawn in milliseconds whatever the columns."""
DRAWS = 3
"""Releases whose scores are averaged beyond that size, where one score varies little."""
MANY_ROWS, MANY_CELLS = 20_000, 250_000
"""Beyond so many rows it varies hardly at all, and one release is drawn; also beyond so many cells,
where hardly a row of so many columns comes twice and each release takes long."""


@dataclass(frozen=True, slots=True)
class Point:
    """One minimum support and what a release made with it is expected to give away."""

    min_support: int
    patterns: int
    nas: float
    """The expected normalised anonymity score of a release."""
    how: str
    """Whether it is exact, or the mean of a few releases drawn."""

    people: float | None = None
    """How far pairs of attributes are off in one release drawn, from people who were held back."""
    ds: float | None = None
    """The dissimilarity between the original and one release drawn at this support."""
    single_values: float | None = None
    """How far the frequencies of single attributes moved in that release, on average."""
    patterns_per_row: float | None = None
    """How many patterns made a row of it."""

    def to_dict(self) -> dict[str, float | int | str | None]:
        """The point in plain types."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class TradeOff:
    """A model and the curve of expected scores it lies on, lowest support first."""

    model: GeneratorModel
    points: tuple[Point, ...]
    models: Mapping[int, GeneratorModel]
    """The model of each point."""

    def above(self, other: TradeOff) -> TradeOff:
        """The same model on a curve that begins with the lower supports of another."""
        lowest = self.points[0].min_support
        below = tuple(point for point in other.points if point.min_support < lowest)
        models = {p.min_support: other.models[p.min_support] for p in below} | dict(self.models)
        return TradeOff(self.model, (*below, *self.points), models)


def trade_off(
    model: GeneratorModel,
    models: Mapping[int, GeneratorModel],
    table: Table,
    *,
    rows: int,
    run: Run,
) -> TradeOff:
    """The curve of these models: what the support of each would give among `rows` rows."""
    return TradeOff(model, _points(models.values(), table, rows, run), models)


def smallest_support(
    table: Table, settings: GeneratorSettings, nas_at_most: float, *, rows: int, run: Run
) -> TradeOff:
    """The model of the smallest minimum support whose expected score meets the target.

    The range between the last support that misses and the first that meets is narrowed until they
    are neighbours. Where the score is not monotone, a support between those looked at may meet
    the target too.
    """
    settings = with_search(table, settings)
    low, high = int(settings.min_support), len(table) // 2
    models: dict[int, GeneratorModel] = {}
    points: dict[int, Point] = {}
    while True:
        wanted = [level for level in support_levels(low, high) if level not in points]
        found = _models(table, settings, wanted, run) if wanted else {}
        models |= found
        new = {support: model for support, model in models.items() if support not in points}
        points |= dict(zip(new, _points(new.values(), table, rows, run), strict=True))
        meeting = [s for s in sorted(points) if points[s].nas <= nas_at_most]
        if not meeting:
            raise TargetNotMet(unreachable(points.values(), nas_at_most))
        low = max((s for s in points if s < meeting[0]), default=meeting[0])
        high = meeting[0]
        if high - low <= 1 or not found:  # nothing new: the search was stopped
            curve = tuple(points[s] for s in sorted(points))
            if settings.search == "slim":  # which looks at higher supports roughly
                models |= _models(table, settings, [high], run)
            return TradeOff(models[high], curve, models)


def a_step_up(found: TradeOff, table: Table, *, rows: int, run: Run) -> TradeOff:
    """The model of a support a tenth higher, at most that of all rows, on the same curve."""
    tried = found.model.min_support
    support = min(tried + math.ceil(tried / 10), len(table))
    models = _models(table, found.model.settings, [support], run)
    reached = TradeOff(models[support], (_point(models[support], table, rows, run),), models)
    return reached.above(found)


def _models(
    table: Table, settings: GeneratorSettings, supports: Collection[int], run: Run
) -> dict[int, GeneratorModel]:
    return learn_at(table, settings, supports, threads=run.threads, progress=run.progress)


def _points(
    models: Collection[GeneratorModel], table: Table, rows: int, run: Run
) -> tuple[Point, ...]:
    apart = run.among(len(models))
    tasks = [partial(_point, model, table, rows, apart) for model in models]
    return tuple(together(tasks, run.threads))


def _point(model: GeneratorModel, table: Table, rows: int, run: Run) -> Point:
    """What to expect of one model: in closed form, or as the mean of a few releases."""
    patterns = len(model.code_table.sets)
    if len(model.schema) <= EXACT_COLUMNS and len(table) <= EXACT_ROWS:
        hits = model.expected_hits(table, rows, randomness=run.randomness, threads=run.threads)
        score = expected_nas(hits.log2_probabilities, hits.multiplicities, rows)
        return Point(model.min_support, patterns, score.normalised, hits.how)
    few = rows <= MANY_ROWS and rows * len(model.schema) <= MANY_CELLS
    draws = DRAWS if few else 1
    drawn = [_drawn_nas(model, table, rows, draw, run) for draw in range(draws)]
    return Point(model.min_support, patterns, float(np.mean(drawn)), "drawn")


def _drawn_nas(model: GeneratorModel, table: Table, rows: int, draw: int, run: Run) -> float:
    """The score of one release that nobody will see."""
    release = model.sample(
        rows, randomness=run.randomness, threads=run.threads, first_row=(draw + 1) * rows
    )
    comparison = Comparison(table, release, randomness=run.randomness, threads=run.threads)
    return compare(comparison, ["nas"], yardsticks=False)["nas"].value


def unreachable(points: Iterable[Point], nas_at_most: float) -> str:
    """Why no support will do, in a sentence."""
    best = min(points, key=lambda point: point.nas)
    return (
        f"No minimum support reaches an anonymity score of {nas_at_most:g} or less on these data; "
        f"the lowest expected is {best.nas:.3f}, at support {best.min_support:,}."
    )


READ_ROWS = 10_000
"""Rows of the original, and of each release, that are read: on census data the dissimilarity is
then off by .02 or less, for a sixth of the time."""
WORK = 5e8
"""Itemsets × distinct rows, summed over the supports that are read: about half a second."""
FEWEST = 4
"""Supports that are read however long it takes."""


def beside_quality(
    found: TradeOff, comparison: Comparison, *, support: int, rows: int, run: Run
) -> tuple[Point, ...]:
    """The points of a curve with the dissimilarity, the shift of values and the patterns per row.

    Both sides are mined at the one `support` for all points, so that these can be compared, and in
    few rows. Where that is long work, a few points stand for all.
    """
    few = replace(comparison, sample_rows=min(READ_ROWS, comparison.sample_rows)).sampled
    part = few.original.size / comparison.original.size
    judged = replace(few, evaluation_support=max(1, round(support * part)))
    rows = min(rows, READ_ROWS)
    read = set(_spread(len(found.points), _affordable(judged)))
    apart = run.among(len(read))
    tasks = [
        partial(
            _read, found.points[i], found.models[found.points[i].min_support], judged, rows, apart
        )
        for i in sorted(read)
    ]
    looked_at = dict(zip(sorted(read), together(tasks, run.threads), strict=True))
    return tuple(looked_at.get(i, point) for i, point in enumerate(found.points))


def _affordable(comparison: Comparison) -> int:
    """How many releases can be mined beside the original in about half a second, a few at least."""
    try:
        itemsets = len(frequent_sets(comparison).original)
    except NotMeasurable:
        return FEWEST
    work = max(1, itemsets * len(comparison.original_side.distinct))
    return max(FEWEST, int(WORK // work))


def _spread(count: int, most: int) -> list[int]:
    """At most `most` of `count` places, the first and the last among them.

    >>> _spread(12, 4), _spread(3, 4)
    ([0, 4, 7, 11], [0, 1, 2])
    """
    return sorted({round(float(x)) for x in np.linspace(0, count - 1, min(count, most))})


def _read(
    point: Point, model: GeneratorModel, comparison: Comparison, rows: int, run: Run
) -> Point:
    # Rows that come after those of the release: nobody sees these.
    drawn = model.sample(rows, randomness=run.randomness, threads=run.threads, first_row=rows)
    asked = comparison.with_release(drawn, keep=False)
    readings = compare(asked, ["ds", "marginals_1"], yardsticks=False)
    ds, single = readings.get("ds"), readings.get("marginals_1")
    used = drawn.record.get("patterns_per_row")
    return replace(
        point,
        people=measure_named("marginals_2").people(asked)[0],
        ds=None if ds is None else ds.value,
        single_values=None if single is None else single.value,
        patterns_per_row=float(used) if isinstance(used, int | float) else None,
    )
