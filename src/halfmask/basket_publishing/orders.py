"""What meeting counts of more items together keeps, gives away, and uses of the original."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from halfmask.basket_publishing.measuring import Sides, comparison_of
from halfmask.data import Baskets
from halfmask.judging.dials import DialPoint
from halfmask.judging.tradeoff import Run
from halfmask.measures import Readings, compare
from halfmask.methods.baskets.model import BasketModel
from halfmask.report.document import UsedTable

READ = ("item_frequencies", "pair_frequencies", "basket_lengths", "nas", "copied_rows")
"""What is read off each release: three on what it keeps, two on what it gives away."""
SIZES = ("Items", "Pairs of items", "Triples of items")


def over_basket_orders(
    model: BasketModel, original: Baskets, readings: Readings, *, baskets: int, run: Run
) -> tuple[DialPoint, ...]:
    """A point for each order up to that of the model, whose own `readings` are known already."""
    if model.margins is None:
        return ()
    points = []
    for order in range(model.margins.order):
        lower = model.limited(order)
        release = lower.sample(baskets, randomness=run.randomness)
        asked = comparison_of(
            Sides(original, original, release.data),
            min_support=model.min_support,
            randomness=run.randomness,
            threads=run.threads,
        )
        found = compare(asked, READ, yardsticks=False)
        points.append(_point(lower, order, found, baskets=baskets, here=False))
    highest = model.margins.order
    return (*points, _point(model, highest, readings, baskets=baskets, here=True))


def _point(
    model: BasketModel, order: int, readings: Readings, *, baskets: int, here: bool
) -> DialPoint:
    used = used_counts(model)
    return DialPoint(
        min_support=model.min_support,
        order=order,
        rows=baskets,
        tables=len(used),
        cells=sum(counts.cells for counts in used),
        smallest_count=min((counts.smallest for counts in used), default=None),
        here=here,
        readings={item.name: item.value for item in readings.measured if item.name in READ},
    )


def used_counts(model: BasketModel) -> tuple[UsedTable, ...]:
    """How many counts of each kind a release of this model meets, and the smallest of each."""
    return () if model.margins is None else tuple(_used(model))


def _used(model: BasketModel) -> Iterator[UsedTable]:
    wanted = model.wanted
    sizes = np.diff(wanted.sets.offsets)
    named = [(name, sizes == size + 1) for size, name in enumerate(SIZES)]
    for name, chosen in (*named, ("Longer patterns of the code table", sizes > len(SIZES))):
        if chosen.any():
            yield UsedTable(name, int(chosen.sum()), int(wanted.counts[chosen].min()))
    lengths = wanted.lengths.counts
    yield UsedTable("Lengths", len(lengths), int(lengths.min()))
