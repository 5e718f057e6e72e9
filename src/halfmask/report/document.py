"""Document: what a report says, as plain values; nothing is computed here or later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from halfmask.assets.lacks import Evaluation
from halfmask.data import Release
from halfmask.data.coding.fitting import RareValues
from halfmask.judging.dials import DialPoint
from halfmask.judging.tradeoff import Point
from halfmask.judging.used import UsedTable
from halfmask.judging.verdict import Verdict
from halfmask.measures import Readings
from halfmask.patterns.code_table import Pattern
from halfmask.report.frequencies import Frequencies


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """The file that a report speaks of; its checksum tells it from every other."""

    name: str
    sha256: str | None
    """None for the table of a database, which has no bytes of its own."""


@dataclass(frozen=True, eq=False)
class Document:
    """Everything that stands in the report of one release.

    The internal form holds counts and is for the house; `external_form` makes the one that may
    go out with the release.
    """

    title: str
    version: str
    """Of the program that made the release."""
    verdict: Verdict
    release: Release
    release_file: ReleaseFile | None
    """None when the release was handed over as a dataframe."""
    original_rows: int
    """Rows that the method learnt from."""
    held_back: int
    """Rows that the method never saw."""
    min_support: int
    """Nothing that fewer original rows hold is named."""
    readings: Readings
    trade_off: tuple[Point, ...]
    patterns: tuple[Pattern, ...]
    """Those that carry the release, most used first."""
    frequencies: tuple[Frequencies, ...]
    remarks: tuple[str, ...]
    """Sentences to read before publishing: the price of a target, doubts."""
    rare_values: tuple[RareValues, ...]
    machine: Mapping[str, Any]
    """The same for machines, embedded as JSON."""
    dials: tuple[DialPoint, ...] = ()
    """What other supports and orders of calibration give; none for methods without these dials."""
    margins: tuple[UsedTable, ...] = ()
    lacks: Evaluation | None = None
    """What the release lacks of the steward's asset, if there is one."""
    written: frozenset[str] | None = None
    """The columns of the release, where the model has others beside them."""
    external: bool = False

    @property
    def orders(self) -> tuple[DialPoint, ...]:
        """What meeting counts of fewer or more columns gives at the support of the release."""
        return tuple(point for point in self.dials if point.min_support == self.min_support)

    @property
    def here(self) -> DialPoint | None:
        """The settings of the release itself."""
        return next((point for point in self.dials if point.here), None)

    @property
    def widest(self) -> int:
        """The columns of the widest table whose counts are met."""
        return max((1 + table.name.count(" × ") for table in self.margins), default=0)
