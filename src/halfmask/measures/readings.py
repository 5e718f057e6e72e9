"""Readings: the answers of several measures, as rows a person or a machine can read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from halfmask.errors import NotMeasurable, UnknownName
from halfmask.measures.measure import YARDSTICKS, Reading, Unmeasured
from halfmask.shown import folded, grid, number, sentences


@dataclass(frozen=True)
class Readings:
    """Readings and blanks in the order of the measures.

    >>> readings = Readings((Unmeasured("ds", "The release has only counts."),))
    >>> readings.names, readings.get("ds"), readings.to_rows()[0]["reason"]
    (('ds',), None, 'The release has only counts.')
    >>> readings.taken("nas") is None
    True
    """

    items: tuple[Reading | Unmeasured, ...]

    def __iter__(self) -> Iterator[Reading | Unmeasured]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, name: str) -> Reading:
        item = self._find(name)
        if isinstance(item, Unmeasured):
            raise NotMeasurable(item.reason)
        return item

    def get(self, name: str) -> Reading | None:
        """The reading of this name, or None where the measure has no value."""
        item = self._find(name)
        return item if isinstance(item, Reading) else None

    def taken(self, name: str) -> Reading | None:
        """The reading of this name, or None where it was not asked for or has no value."""
        return next((reading for reading in self.measured if reading.name == name), None)

    def _find(self, name: str) -> Reading | Unmeasured:
        for item in self.items:
            if item.name == name:
                return item
        raise UnknownName("reading", name, self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all, measured or not."""
        return tuple(item.name for item in self.items)

    @property
    def measured(self) -> tuple[Reading, ...]:
        """Those with a value."""
        return tuple(item for item in self.items if isinstance(item, Reading))

    @property
    def unmeasured(self) -> tuple[Unmeasured, ...]:
        """Those without, each with its reason."""
        return tuple(item for item in self.items if isinstance(item, Unmeasured))

    def to_rows(self) -> list[dict[str, Any]]:
        """One flat row for each measure, blanks included; the same keys in every row."""
        return [_flat(item) for item in self.items]

    def _repr_html_(self) -> str:
        """What a notebook shows: a line for each reading, its meaning and blanks behind clicks."""
        columns = ("measure", "value", "better", "to other people", "a second sample", *YARDSTICKS)
        lines = [cells_of(r, r.against_holdout, r.second_sample) for r in self.measured]
        meanings = sentences(f"{one.name}: {one.meaning}" for one in self.measured)
        blanks = sentences(f"{one.name}: {one.reason}" for one in self.unmeasured)
        return (
            f"{grid(columns, lines)}{folded('What each means', meanings)}"
            f"{folded(f'{len(self.unmeasured)} not measured', blanks)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything, particulars included, in plain types."""
        return {"readings": [item.to_dict() for item in self.items]}


def cells_of(reading: Reading, *beside: float | None) -> tuple[str, ...]:
    """A reading as a line of a table: name, value, direction, what stands beside, yardsticks."""
    value = number(reading.value)
    if not reading.exact:
        value += f" ({number(reading.low)} to {number(reading.high)})"
    yardsticks = (reading.yardsticks.get(name) for name in YARDSTICKS)
    others = ("–" if one is None else number(one) for one in (*beside, *yardsticks))
    return (reading.name, value, reading.better, *others)


def _flat(item: Reading | Unmeasured) -> dict[str, Any]:
    keys = ("name", "room", "value", "low", "high", "unit", "better")
    full = item.to_dict()
    row = {key: full.get(key) for key in keys}
    row |= {name: full.get("yardsticks", {}).get(name) for name in YARDSTICKS}
    row |= {name: full.get(name) for name in ("against_holdout", "second_sample")}
    return row | {key: full.get(key) for key in ("meaning", "how", "reason")}


def side_by_side(releases: Mapping[str, Readings]) -> list[dict[str, Any]]:
    """One row for each measure, with the value that each release got (None where it got none).

    >>> blank = Readings((Unmeasured("ds", "The release has only counts."),))
    >>> side_by_side({"first": blank, "second": blank})
    [{'name': 'ds', 'unit': None, 'better': None, 'first': None, 'second': None}]
    """
    names = list(dict.fromkeys(name for readings in releases.values() for name in readings.names))
    return [_across(name, releases) for name in names]


def _across(name: str, releases: Mapping[str, Readings]) -> dict[str, Any]:
    found = {release: readings.taken(name) for release, readings in releases.items()}
    known = next((reading for reading in found.values() if reading is not None), None)
    row: dict[str, Any] = {
        "name": name,
        "unit": known.unit if known else None,
        "better": known.better if known else None,
    }
    return row | {release: r.value if r else None for release, r in found.items()}
