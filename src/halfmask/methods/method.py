"""Method: what every method declares about itself, and what it hands over when it has worked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeAlias

from halfmask.data import Baskets, Countable, Encoding, Release, Table
from halfmask.data.coding.filling import Filling
from halfmask.data.release import Check
from halfmask.data.secrets import SecretPatterns
from halfmask.methods.settings import Setting, check_settings, settings_of
from halfmask.run import Run

DataKind = Literal["table", "baskets", "family"]
Need = Literal["patterns", "rules", "column", "hierarchy"]
"""What a steward has to name before a method has anything to protect."""
Lines: TypeAlias = Sequence[Sequence[str]]

OF_BASKETS = (
    "item_frequencies",
    "pair_frequencies",
    "patterns_kept",
    "support_difference",
    "rules_kept",
    "basket_lengths",
    "nas",
    "copied_rows",
)
"""What is read off every release of baskets."""
ON_BASKETS = ("nas_excess", "unique_found", "unique_excess", "tracing", "tracing_tree")
"""The attacks on released baskets, which compare with baskets that were held back."""
OF_TABLES = ("marginals_1", "marginals_2", "item_frequencies", "patterns_kept", "rules_kept")
"""What is read off a release of a table that was not drawn."""


@dataclass(frozen=True, eq=False)
class Made:
    """What a method made of a table or of baskets, and what speaks for and against it."""

    release: Release
    original: Table | Baskets
    """What the method worked on, in the codes of the release."""
    rows: Table | Baskets | Filling
    """What is written as the release."""
    counted: Countable
    """What answers for the supports: expectations and estimates instead of noisy rows."""
    checks: tuple[Check, ...] = ()
    """What became of the method's own promise, counted again in what is published."""
    risk: float | None = None
    """The probability with which the attack that the method stands against succeeds at most."""
    tables: Mapping[str, Callable[[], Lines]] = field(default_factory=dict)
    """Name of a table to be written beside the release → its lines, the first names the columns."""
    secrets: SecretPatterns | None = None
    """Patterns that were to be hidden; they are counted, and never written."""
    model: Any = None
    """What the release was drawn from, where it was."""
    models: Mapping[int, Any] = field(default_factory=dict)
    """Models of other supports, where they were asked for."""
    log: Callable[[], Lines] | None = None
    """The edits that turn the release back into the original; never part of a release."""
    encoding: Encoding | None = None
    """How the columns of a table became codes."""
    again: Callable[[Run], Made] | None = None
    """Another release of the same model, where rows are not drawn here."""
    evaluated: Any = None
    """The rows as an asset is held against them, where these are not those that are written."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", MappingProxyType(dict(self.tables)))

    @property
    def is_drawn(self) -> bool:
        """Whether the rows of a table were drawn anew from a model."""
        return isinstance(self.rows, Filling)

    @property
    def coded(self) -> Table | Baskets:
        """The rows of the release in its codes."""
        return self.rows.coded if isinstance(self.rows, Filling) else self.rows


@dataclass(frozen=True, slots=True)
class Variant:
    """One way in which `choose` tries a method: under which name, and with which settings."""

    name: str
    family: str
    words: str
    """What it does, as the end of a sentence that starts with its name."""
    dials: tuple[str, ...] = ()
    """The settings that a candidate may name, the main one first."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """The settings that make this variant."""
    tried: tuple[Mapping[str, Any], ...] = (MappingProxyType({}),)
    """The settings that a bare name stands for."""
    need: Need | None = None
    column: str | None = None
    """The setting that takes the sensitive column, where one was named."""


class Method(ABC):
    """Settings that can make a release; a subclass is a dataclass of `setting` fields."""

    name: ClassVar[str]
    """By which the command line and `halfmask.publish` know it."""
    summary: ClassVar[str]
    """What the reader gets and what it protects, in one sentence."""
    kinds: ClassVar[tuple[DataKind, ...]]
    """The data that it publishes."""
    listens: ClassVar[frozenset[str]] = frozenset()
    """Options of a publication that only some methods use, such as the rows to draw."""
    measures: ClassVar[Mapping[DataKind, tuple[str, ...]]] = MappingProxyType({})
    """The measures that are read off a release of each kind; all default ones where none stand."""
    aligned: ClassVar[bool] = False
    """Whether row i of the release is row i of the original."""
    variants: ClassVar[tuple[Variant, ...]] = ()
    """How `choose` tries it."""
    hides_size: ClassVar[bool] = False
    """Whether even the number of rows of the original may not be told."""
    min_support: float
    """Nothing that fewer rows hold is named in a report."""

    def __post_init__(self) -> None:
        check_settings(self)

    @classmethod
    def declared(cls) -> dict[str, Setting]:
        """What may be said, by name."""
        return {one.name: one for one in settings_of(cls)}

    @property
    def writes(self) -> tuple[str, ...]:
        """The tables that belong beside the release."""
        return ()

    @property
    def tables_needed(self) -> bool:
        """Whether the release cannot be read without the tables beside it."""
        return False

    @property
    def has_model(self) -> bool:
        """Whether there is a model to be written beside the release."""
        return False

    @abstractmethod
    def make(self, data: Any, run: Run) -> Made:
        """Make the release of the columns of a table, of baskets, or of the tables of a family."""

    @classmethod
    def for_trial(
        cls,
        settings: Mapping[str, Any],
        secrets: Any,  # noqa: ARG003 - for those who hide
        database: Table | Baskets,  # noqa: ARG003 - idem
    ) -> Method:
        """The method that `choose` tries with these settings, told what must not show."""
        return cls(**settings)


def listed(names: Sequence[str]) -> str:
    """Names in one cell, as a list of names is read again.

    >>> listed(["beer", "salt, coarse"])
    'beer, "salt, coarse"'
    """
    return ", ".join(f'"{name}"' if "," in name else name for name in names)


def plain_baskets(release: Release) -> Baskets:
    """The rows of a release that is plain baskets."""
    assert isinstance(release.data, Baskets)  # noqa: S101 - the caller's method publishes these
    return release.data
