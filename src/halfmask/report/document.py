"""Document: what a report says, as plain values; nothing is computed here or later.

Frequencies: how often each value stands in the original and in the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.assets.lacks import Evaluation
from halfmask.data import Countable, Release, Schema
from halfmask.data.coding.fitting import RareValues
from halfmask.errors import NotCountable
from halfmask.judging.dials import DialPoint
from halfmask.judging.epsilons import EpsilonPoint
from halfmask.judging.tradeoff import Point
from halfmask.judging.used import UsedTable
from halfmask.judging.verdict import Verdict
from halfmask.measures import Readings
from halfmask.patterns.code_table import Pattern
from halfmask.report.promise import PromisePart

MOST_VALUES = 12
"""Values shown of one attribute; the others are added up."""


@dataclass(frozen=True, slots=True)
class ValueCount:
    """One value and how many rows hold it; a count is None where it may not be told."""

    label: str
    original: int | None
    release: int | None
    told: int | None = None
    """What the model tells in place of the count of the original, where there is a model."""


@dataclass(frozen=True, slots=True)
class Frequencies:
    """The values of one attribute that enough original rows hold, most frequent first."""

    name: str
    values: tuple[ValueCount, ...]
    rest: str | None = None
    """A sentence about the values not shown."""


def frequencies(
    original: Countable,
    release: Countable,
    min_support: int,
    told: NDArray[np.int64] | None = None,
) -> tuple[Frequencies, ...]:
    """The frequencies of every attribute, or of the items of baskets; rare values are not named.

    A model tells other counts, `told`, which stand in what leaves the house.

    >>> import numpy as np
    >>> from halfmask.data import Attribute, Table
    >>> schema = Schema((Attribute("ill", ("no", "yes", "odd")),))
    >>> original = Table(schema, np.array([[0]] * 5 + [[1]] * 3 + [[2]]))
    >>> found = frequencies(original, original, min_support=3)[0]
    >>> [(v.label, v.original) for v in found.values]
    [('no', 5), ('yes', 3)]
    """
    schema = original.schema
    if isinstance(schema, Schema):
        groups = [(a.name, list(schema.items_of(a.name))) for a in schema]
    else:
        groups = [("items", list(range(schema.n_items)))]
    every = [(item,) for _, items in groups for item in items]
    try:
        both = zip(original.support(every), release.support(every), strict=True)
    except NotCountable:
        return ()
    counts = dict(zip(every, both, strict=True))
    found = []
    for name, items in groups:
        # In baskets the label is the item; in tables the name stands above the values already.
        cut = len(name) + 1 if isinstance(schema, Schema) else 0
        values = [
            ValueCount(
                schema.label(item)[cut:],
                round(float(counts[item,][0])),
                round(float(counts[item,][1])),
                None if told is None else int(told[item]),
            )
            for item in items
            if counts[item,][0] >= min_support
        ]
        found.append(_most_frequent(name, values))
    return tuple(found)


def _most_frequent(name: str, values: list[ValueCount]) -> Frequencies:
    ordered = sorted(values, key=lambda value: -(value.original or 0))
    if len(values) <= MOST_VALUES:
        return Frequencies(name, tuple(ordered))
    hidden = len(values) - MOST_VALUES
    rest = f"{hidden:,} less frequent {'value is' if hidden == 1 else 'values are'} not shown."
    return Frequencies(name, tuple(ordered[:MOST_VALUES]), rest)


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
    epsilons: tuple[EpsilonPoint, ...] = ()
    """What other ε would give, read off the original; for the house."""
    promise: PromisePart | None = None
    """What a private release promises; none for other methods."""

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
