"""The second dial: what meeting counts of more columns together keeps, and what it gives away.

Margins are chosen order by order, so the release that a lower order would have given needs no new
model: its margins are those of the model that are not wider. One release is drawn for each order,
measured and thrown away; order 0 is the papers' generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from halfmask.choose.tradeoff import Run
from halfmask.measures import Comparison, Readings, compare
from halfmask.methods.generator import GeneratorModel, limited

__all__ = ["OrderPoint", "over_orders"]

READ = ("marginals_1", "marginals_2", "nas", "nas_excess", "unique_found", "unique_excess")
"""What is read off each release; the attacks among them need a hold-out."""


@dataclass(frozen=True, slots=True)
class OrderPoint:
    """One order of calibration and what its release keeps and gives away."""

    order: int
    tables: int
    cells: int
    smallest_count: int | None
    """The smallest count of the original that it was made to meet."""
    readings: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The point in plain types."""
        return asdict(self) | {"readings": dict(self.readings)}


def over_orders(
    model: GeneratorModel, comparison: Comparison, readings: Readings, *, rows: int, run: Run
) -> tuple[OrderPoint, ...]:
    """A point for each order up to that of the model, whose own `readings` are known already."""
    if model.margins is None:
        return ()
    highest = model.settings.calibration.order
    lower = [limited(model, order) for order in range(highest)]
    drawn = [
        _point(each, order, _readings(each, comparison, rows, run))
        for order, each in enumerate(lower)
    ]
    return (*drawn, _point(model, highest, readings))


def _readings(model: GeneratorModel, comparison: Comparison, rows: int, run: Run) -> Readings:
    # Rows that come after those of the release: nobody sees these.
    release = model.sample(rows, randomness=run.randomness, threads=run.threads, first_row=rows)
    asked = comparison.with_release(release, keep=False)
    return compare(asked, READ, yardsticks=False)


def _point(model: GeneratorModel, order: int, readings: Readings) -> OrderPoint:
    told = model.margins
    found = {item.name: item.value for item in readings.measured if item.name in READ}
    return OrderPoint(
        order,
        0 if told is None else len(told),
        0 if told is None else told.cells,
        None if told is None else told.smallest,
        found,
    )
