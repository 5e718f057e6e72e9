"""What a method hands over: the release, its rows, and what speaks for and against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol, TypeAlias

from halfmask.data import Baskets, Countable, Itemset, Release, Table
from halfmask.judging.tradeoff import Run
from halfmask.judging.verdict import Check
from halfmask.methods.baskets.model import BasketModel

Lines: TypeAlias = Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Made:
    """What a method made: the release, its rows, and the tables a reader needs beside them."""

    release: Release
    rows: Baskets | Table
    """What is written as the release."""
    counted: Countable
    """What answers for the supports: expectations and estimates instead of noisy rows."""
    checks: tuple[Check, ...]
    """What became of the method's own promise, counted again in what is published."""
    risk: float | None = None
    """The probability with which the attack that the method stands against succeeds at most."""
    own_measures: tuple[str, ...] = ()
    """Measures that only this method has."""
    tables: Mapping[str, Callable[[], Lines]] = field(default_factory=dict)
    """Name of a table to be written beside the release → its lines, the first names the columns."""
    secrets: tuple[Itemset, ...] = ()
    """Patterns that were to be hidden; they are counted, and never written."""
    model: BasketModel | None = None
    """What the release was drawn from, where it was; it may be published with it."""
    log: Callable[[], Lines] | None = None
    """The edits that turn the release back into the original; never part of a release."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", MappingProxyType(dict(self.tables)))


class Method(Protocol):
    """Settings that can make a release."""

    @property
    def min_support(self) -> float:
        """Nothing that fewer rows hold is named in the report."""
        ...

    @property
    def writes(self) -> tuple[str, ...]:
        """The tables that belong beside the release."""
        ...


class BasketMethod(Method, Protocol):
    """Settings that can make a release of baskets."""

    def make(self, baskets: Baskets, run: Run) -> Made:
        """Make the release."""
        ...


class TableMethod(Method, Protocol):
    """Settings that can make a release of a table."""

    def make(self, table: Table, run: Run) -> Made:
        """Make the release."""
        ...


def listed(names: Sequence[str]) -> str:
    """Names in one cell, as a list of names is read again.

    >>> listed(["beer", "salt, coarse"])
    'beer, "salt, coarse"'
    """
    return ", ".join(f'"{name}"' if "," in name else name for name in names)
