"""Two dials: what each minimum support and each order of calibration keeps and gives away.

Neither dial needs a search of its own. The curve has a model for each support, and margins are
chosen order by order, so those of a lower order are the margins of the highest that are not wider.
One release is drawn for each setting of the two dials, measured and thrown away; order 0 is the
papers' generator.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from math import comb, log
from typing import Any

import numpy as np

from halfmask.data import Baskets
from halfmask.judging.used import used_counts
from halfmask.measures import Comparison, Reading, Readings, compare, measure_named
from halfmask.measures.counted import counted_comparison
from halfmask.methods.baskets.model import BasketModel
from halfmask.methods.calibration.settings import HIGHEST_ORDER
from halfmask.methods.generator.learn import counted, limited
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.telling import rounded
from halfmask.run import Run, together

READ = ("marginals_1", "marginals_2", "nas", "nas_excess", "unique_found", "unique_excess")
"""What is read off each release; the differences from a hold-out need one."""

MOST_SUPPORTS = 4
"""Supports that are looked at: enough for a line."""
WORK = 1_000_000
"""Rows × tables to choose from, over all supports but that of the release: half a second."""
WORK_OF_HIGHEST = 2_000_000
"""The same for the highest order, which is looked at only where it was asked for or is quick."""
FEWEST_ROWS = 2_000
"""Fewer rows would say more about chance than about a setting."""


@dataclass(frozen=True, slots=True)
class DialPoint:
    """One setting of the two dials and what a release made with it keeps and gives away."""

    min_support: int
    order: int
    rows: int
    """Of the release that was read; a large one is read on fewer rows."""
    tables: int
    cells: int
    smallest_count: int | None
    """The smallest count of the original that it was made to meet."""
    here: bool
    """Whether these are the settings of the release that is published."""
    readings: Mapping[str, float] = field(default_factory=dict)
    """By name; `people` is how far pairs are off from people who were held back."""
    second_sample: float | None = None
    """What as many real rows have in the place of `people`: no release is expected to be nearer."""

    def to_dict(self) -> dict[str, Any]:
        """The point in plain types."""
        return asdict(self) | {"readings": dict(self.readings)}


@dataclass(frozen=True, slots=True)
class _Reach:
    """How far the dials are turned, and how many rows are drawn at each setting."""

    supports: int
    order: int
    most: int
    """Rows of a release, and rows for which margins are chosen."""
    whole: bool
    """Whether a setting is looked at in full size, as the release itself is."""

    @classmethod
    def of(cls, model: GeneratorModel, *, rows: int) -> _Reach:
        """As far as is affordable, and at least as far as the model goes.

        The anonymity score of few rows is mostly chance, so supports are left out before rows are.
        """
        calibration, columns = model.settings.calibration, len(model.schema)
        tables = _tables(columns, max(calibration.order, 2), calibration.target)
        most = max(FEWEST_ROWS, WORK // tables)
        full = max(rows, model.code_table.rows)
        size = min(full, most)
        supports = min(MOST_SUPPORTS, 1 + WORK // (size * tables))
        widest = _tables(columns, HIGHEST_ORDER, calibration.target)
        quick = supports * size * widest <= WORK_OF_HIGHEST
        order = max(calibration.order, min(HIGHEST_ORDER if quick else 2, columns))
        return cls(supports, order, most, whole=most >= full)


def over_dials(  # noqa: PLR0913 - the release, what it is compared with, and how to go about it
    model: GeneratorModel,
    models: Mapping[int, GeneratorModel],
    comparison: Comparison,
    readings: Readings,
    *,
    rows: int,
    run: Run,
) -> tuple[DialPoint, ...]:
    """A point for each of a few supports and each order, lowest first.

    `model` made the release, whose `readings` are known; `models` are those of its curve.
    """
    reach = _Reach.of(model, rows=rows)
    supports = _few(models, model.min_support, reach.supports)
    apart = run.among(len(supports))
    widest = together(
        [partial(_widest, model, models[s], comparison, reach, apart) for s in supports],
        run.threads,
    )
    settings = [limited(each, order) for each in widest for order in range(reach.order + 1)]
    apart = run.among(len(settings))

    def point(each: GeneratorModel) -> DialPoint:
        order, own = each.settings.calibration.order, model.settings.calibration.order
        here = (each.min_support, order) == (model.min_support, own)
        if here and reach.whole:
            known = Readings(tuple(item for item in readings if item.name in READ))
            return _point(model, order, known, rows=rows, here=True)
        drawn = min(rows, reach.most)
        found = _readings(each, comparison, drawn, first_row=rows, run=apart)
        return _point(each, order, found, rows=drawn, here=here)

    longest_first = settings[::-1]  # more counts to meet take longer
    return tuple(together([partial(point, each) for each in longest_first], run.threads)[::-1])


def _tables(columns: int, order: int, target: str | None) -> int:
    """How many tables there are to choose from.

    >>> _tables(14, 2, None), _tables(14, 3, "income")
    (105, 755)
    """
    around = 0 if target is None else comb(columns - 1, order)
    return sum(comb(columns, width) for width in range(1, order + 1)) + around


def _few(supports: Collection[int], own: int, count: int) -> list[int]:
    """Some of the supports, about the same factor apart, and the own one.

    The highest are left out: hardly a pattern is so frequent.

    >>> _few([10, 16, 26, 42, 69, 111, 180, 291, 471, 763, 1236, 2000], 10, 4)
    [10, 26, 69, 180]
    """
    lowest, highest = min(supports), max(supports)
    wanted = np.geomspace(lowest, max(lowest, highest / 4), count + 1)[:count]
    return sorted({own, *(min(supports, key=lambda s: abs(log(s / goal))) for goal in wanted)})


def _widest(
    own: GeneratorModel, found: GeneratorModel, comparison: Comparison, reach: _Reach, run: Run
) -> GeneratorModel:
    """The model of a support with margins of the highest order, and the rules of the release."""
    calibration = replace(own.settings.calibration, order=reach.order)
    if (found.min_support, calibration) == (own.min_support, own.settings.calibration):
        return own
    settings = replace(found.settings, calibration=calibration, value_support=own.value_support)
    table = comparison.original_side.table
    model = replace(found, settings=settings, fence=own.fence)
    # Nobody sees it, so that nothing has to be checked.
    return rounded(counted(model, table, rows=reach.most, threads=run.threads), table)


def _readings(
    model: GeneratorModel, comparison: Comparison, rows: int, *, first_row: int, run: Run
) -> Readings:
    """Read off a release whose rows come after those of the one published: nobody sees them."""
    release = model.sample(
        rows, randomness=run.randomness, threads=run.threads, first_row=first_row
    )
    if release.size < 2:  # rules that hardly a row keeps
        return Readings(())
    judged = comparison.with_release(release, keep=False)
    return beside_people(compare(judged, READ, yardsticks=False), judged, "marginals_2")


def beside_people(readings: Readings, comparison: Comparison, name: str) -> Readings:
    """The readings, one of them also with its distance to people who were held back."""
    release, sample = measure_named(name).people(comparison)
    return Readings(
        tuple(
            replace(item, against_holdout=release, second_sample=sample)
            if isinstance(item, Reading) and item.name == name
            else item
            for item in readings
        )
    )


def _told(readings: Readings, pairs: str) -> dict[str, float]:
    """The values by name; how far pairs are off from people leads, where people were held back."""
    found = {item.name: item.value for item in readings.measured}
    of_pairs = readings.taken(pairs)
    people = None if of_pairs is None else of_pairs.against_holdout
    return found if people is None else {"people": people, **found}


def _second_sample(readings: Readings, pairs: str) -> float | None:
    of_pairs = readings.taken(pairs)
    return None if of_pairs is None else of_pairs.second_sample


def _point(
    model: GeneratorModel, order: int, readings: Readings, *, rows: int, here: bool
) -> DialPoint:
    told = model.margins
    return DialPoint(
        model.min_support,
        order,
        rows,
        0 if told is None else len(told),
        0 if told is None else told.cells,
        None if told is None else told.smallest,
        here,
        _told(readings, "marginals_2"),
        _second_sample(readings, "marginals_2"),
    )


READ_OF_BASKETS = ("item_frequencies", "pair_frequencies", "basket_lengths", "nas", "copied_rows")
"""What is read off each release: three on what it keeps, two on what it gives away."""


def over_basket_orders(  # noqa: PLR0913 - the release, what it is compared with, and how
    model: BasketModel,
    original: Baskets,
    readings: Readings,
    *,
    baskets: int,
    run: Run,
    holdout: Baskets | None = None,
) -> tuple[DialPoint, ...]:
    """A point for each order up to that of the model, whose own `readings` are known already."""
    if model.margins is None:
        return ()
    points = []
    for order in range(model.margins.order):
        lower = model.limited(order)
        release = lower.sample(baskets, randomness=run.randomness)
        asked = counted_comparison(
            original,
            release.data,
            holdout=holdout,
            min_support=model.min_support,
            randomness=run.randomness,
            threads=run.threads,
        )
        found = compare(asked, READ_OF_BASKETS, yardsticks=False)
        found = beside_people(found, asked, "pair_frequencies")
        points.append(_basket_point(lower, order, found, baskets=baskets, here=False))
    highest = model.margins.order
    return (*points, _basket_point(model, highest, readings, baskets=baskets, here=True))


def _basket_point(
    model: BasketModel, order: int, readings: Readings, *, baskets: int, here: bool
) -> DialPoint:
    used = used_counts(model)
    shown = Readings(tuple(item for item in readings if item.name in READ_OF_BASKETS))
    return DialPoint(
        min_support=model.min_support,
        order=order,
        rows=baskets,
        tables=len(used),
        cells=sum(counts.cells for counts in used),
        smallest_count=min((counts.smallest for counts in used), default=None),
        here=here,
        readings=_told(shown, "pair_frequencies"),
        second_sample=_second_sample(shown, "pair_frequencies"),
    )
