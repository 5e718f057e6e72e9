"""The other side of the trade-off: what a release of each minimum support keeps of the original.

One release is drawn for every support, measured and thrown away. The original is mined only once.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from halfmask.choose.tradeoff import Point, Run, TradeOff
from halfmask.errors import NotMeasurable
from halfmask.measures import Comparison, compare
from halfmask.measures.frequent import frequent_sets
from halfmask.methods.generator import GeneratorModel

__all__ = ["affordable", "beside_quality"]

WORK = 1e10
"""Itemsets × distinct rows, summed over the supports that are read: about ten seconds."""
FEWEST = 4
"""Supports that are read however long it takes."""


def beside_quality(
    found: TradeOff, comparison: Comparison, *, support: int, rows: int, run: Run
) -> tuple[Point, ...]:
    """The points of a curve with the dissimilarity, the shift of values and the patterns per row.

    Both sides are mined at the one `support` for all points, so that these can be compared. Where
    that is long work, a few points stand for all.
    """
    judged = replace(comparison, evaluation_support=support)
    read = set(_spread(len(found.points), affordable(comparison)))
    return tuple(
        _read(point, found.models[point.min_support], judged, rows, run) if i in read else point
        for i, point in enumerate(found.points)
    )


def affordable(comparison: Comparison) -> int:
    """How many releases can be mined beside the original in about ten seconds, a few at least."""
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
        ds=None if ds is None else ds.value,
        single_values=None if single is None else single.value,
        patterns_per_row=float(used) if isinstance(used, int | float) else None,
    )
