"""Measure: a question about (original, release), what its answer means and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from halfmask.errors import NotCountable, NotMeasurable
from halfmask.measures.base import Better, Estimate, Reading, Room
from halfmask.measures.comparison import Comparison

__all__ = ["Estimate", "Measure"]


@dataclass(frozen=True, slots=True)
class Measure:
    """The declaration of a measure beside the function that computes it."""

    name: str
    room: Room
    better: Better
    unit: str
    meaning: str
    """One sentence for the steward."""
    how: str
    """One sentence for the statistician."""
    cost: str
    """Measured at 1,000,000 rows × 15 columns, without yardsticks."""
    compute: Callable[[Comparison], Estimate]
    default: bool = True
    """Whether it is read when nobody names the measures wanted."""
    of_all_rows: bool = True
    """Whether it reads all rows of a long table; otherwise some drawn at random, and says so."""
    control: bool = False
    """Whether the hold-out already is its control; as a release it would be its own control."""

    def read(self, comparison: Comparison, *, yardsticks: bool = True) -> Reading:
        """The reading; raises NotMeasurable when these data give none."""
        seen = comparison if self.of_all_rows else comparison.sampled
        estimate = self.compute(seen)
        low, high = estimate.interval
        some = {} if seen is comparison else _rows_read(seen)
        return Reading(
            name=self.name,
            room=self.room,
            value=estimate.value,
            low=low,
            high=high,
            unit=self.unit,
            better=self.better,
            meaning=self.meaning,
            how=self.how if seen is comparison else f"{self.how} {_some_of(seen, comparison)}",
            yardsticks=self._yardsticks(seen) if yardsticks else {},
            details={**estimate.details, **some},
        )

    def _yardsticks(self, comparison: Comparison) -> dict[str, float]:
        found = {}
        for name, other in comparison.yardsticks.items():
            if name == "holdout" and self.control:
                continue
            try:
                found[name] = self.compute(other).value
            except (NotMeasurable, NotCountable):
                continue  # a yardstick without a value stands beside nothing
        return found


def _rows_read(seen: Comparison) -> dict[str, int]:
    return {
        "rows_read_of_original": round(seen.original.size),
        "rows_read_of_release": round(seen.release.size),
    }


def _some_of(seen: Comparison, whole: Comparison) -> str:
    sides = (
        (seen.original, whole.original, "the original"),
        (seen.release, whole.release, "the release"),
    )
    told = (f"{some.size:,.0f} of {every.size:,.0f} rows of {what}" for some, every, what in sides)
    return f"Read off {' and '.join(told)}, drawn at random."
