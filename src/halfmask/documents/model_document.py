"""The model document: what a model file says, line by line, and what a reader may rely on.

A model file is JSON that a person can read: the columns with their values, one pattern a line, one
checked margin a line, the settings it was learnt with. It holds counts and no rows, and never the
seed. A file from a stranger is read with bounds on everything and believed only where its numbers
agree with one another.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from halfmask.documents.form import Count, Form, Name, Value, Weight
from halfmask.io.columns import MAX_COLUMNS

VERSION = 4
"""Version 2 added bins, keys and margins, version 3 target trees and estimated counts, version 4
rounded counts, tails and rank correlations; a file without rounded counts is written as one of
version 3, and all versions are read."""


Mark = Annotated[str, Meta(max_length=12)]


class CalibrationDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """Which tables of the original were counted, and what counts were rounded to."""

    order: Annotated[int, Meta(ge=0, le=10)] = 0
    order_for: Annotated[dict[Name, int], Meta(max_length=MAX_COLUMNS)] = {}
    base: Annotated[int, Meta(ge=1, le=1000)] = 1
    shrink: Weight = 0.0
    target: Name | None = None


class SettingsDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """How the model was learnt and how rows are drawn from it."""

    min_support: Annotated[int, Meta(ge=1, le=2**53)]
    laplace: Weight
    rare_values: Literal["group", "suppress", "keep"]
    prune: bool
    candidates: Literal["all", "closed"]
    search: Annotated[str, Meta(max_length=40)]
    max_pattern_length: Annotated[int, Meta(ge=1, le=MAX_COLUMNS)] | None
    hide_together: Annotated[list[tuple[Name, Name]], Meta(max_length=100_000)]
    laplace_for: Annotated[dict[Name, Weight], Meta(max_length=100_000)]
    order: Name | Annotated[list[Name], Meta(max_length=MAX_COLUMNS)]
    value_support: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    calibration: CalibrationDocument | UnsetType = UNSET
    max_candidates: Annotated[int, Meta(ge=1, le=2**53)] | UnsetType = UNSET
    effort: Annotated[float, Meta(gt=0, le=1e12)] | UnsetType = UNSET
    search_rows: Annotated[int, Meta(ge=1, le=2**53)] | UnsetType = UNSET
    pattern_support: Annotated[int, Meta(ge=1, le=2**53)] | UnsetType = UNSET


class BinsDocument(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the values of a column with bins are written, and how they lie in each bin.

    A part is [low, high, rows, step] in ticks: of 10 to the power of minus `decimals`, or of the
    `unit` since 1970 or midnight.
    """

    parts: Annotated[list[list[tuple[int, int, Count, int]]], Meta(min_length=1, max_length=10_000)]
    codes: Annotated[list[Name], Meta(max_length=1_000)] = []
    decimals: Annotated[int, Meta(ge=-400, le=400)] = 0
    fixed: bool = False
    layout: tuple[str, str, str, bool] | None = None
    """Of dates and times: order of the day's parts, what follows the day, the end, zeros."""
    spelling: tuple[str, bool, str] | None = None
    """Of some of them: AM as it is written, zeros before hours, capitals of months."""
    clock: Annotated[list[tuple[int, int, Count, int]], Meta(max_length=10_000)] = []
    """Of moments the parts of the day; `parts` are then in days."""
    unit: Literal["D", "m", "s", "ms", "us", "ns"] = "D"
    comma: bool = False
    """Whether a comma stands before the decimals."""
    least: Annotated[int, Meta(ge=0, le=400)] = 0
    """So many decimals are written in any case."""
    around: tuple[Mark, Mark, Mark] | None = None
    """What stands before and after each number, and between thousands."""
    plus: bool = False
    """Whether numbers above 0 have their sign."""
    tails: tuple[int, int] = (0, 0)
    """How fast values thin out in the first and in the last part, in tenths."""


class ColumnDocument(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A column: its values (null is missing), and in how many rows and covers each stands."""

    name: Name
    storage: Annotated[str, Meta(max_length=200)]
    values: Annotated[list[Value], Meta(min_length=1, max_length=1_000_000)]
    supports: Annotated[list[Count], Meta(max_length=1_000_000)]
    usages: Annotated[list[Count], Meta(max_length=1_000_000)]
    bins: BinsDocument | None = None
    keeps_rare: bool = False


class KeyDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A column that numbers the rows: a release makes its values anew."""

    name: Name
    position: Annotated[int, Meta(ge=0, le=MAX_COLUMNS)]
    storage: Annotated[str, Meta(max_length=200)]
    style: Literal["number", "text", "uuid"]


class DerivedDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A column that follows from another: its value for each value of that one."""

    name: Name
    position: Annotated[int, Meta(ge=0, le=MAX_COLUMNS)]
    source: Name
    values: Annotated[list[Value], Meta(max_length=1_000_000)]
    storage: Annotated[str, Meta(max_length=200)]


class PatternDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern: a value for each of its columns, and its counts."""

    usage: Count
    support: Count
    items: Annotated[dict[Name, Value], Meta(min_length=2, max_length=MAX_COLUMNS)]


class MarginDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A checked margin: the values and the count of each cell that is told, and of the rest."""

    attributes: Annotated[list[Name], Meta(min_length=1, max_length=10)]
    remainder: Count
    cells: Annotated[
        list[tuple[Annotated[list[Value], Meta(min_length=1, max_length=10)], Count]],
        Meta(max_length=1_000_000),
    ]


class LeafDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A path of splits, the counts of the target's values at its end, and of the others."""

    where: Annotated[list[tuple[Name, Literal["=", "≠"], Value]], Meta(max_length=1_000)]
    counts: Annotated[list[tuple[Value, Count]], Meta(min_length=1, max_length=1_000_000)]
    others: Count | None
    """None where they are few."""


class TreeDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """Leaves that share no row, and the rows of all suppressed remainders together."""

    suppressed: Count = field(name="few")
    leaves: Annotated[list[LeafDocument], Meta(min_length=1, max_length=10_000)] = field(
        name="branches"
    )


class RankDocument(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The rank correlation of a column with another one, or with one of its values (by number)."""

    columns: tuple[Name, Name]
    correlation: Annotated[float, Meta(ge=-1, le=1)]
    value: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None


class RoundedDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """Counts are 0 or multiples of `base` above the minimum support, and `off_by` at most."""

    base: Annotated[int, Meta(ge=1, le=2**53)]
    off_by: Annotated[int, Meta(ge=1, le=2**53)]


class ModelDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """All that a model file says.

    What a later version added is left out where there is none, so that the checksum of an older
    file still fits.
    """

    rows: Annotated[int, Meta(ge=1, le=2**53)]
    settings: SettingsDocument
    columns: Annotated[list[ColumnDocument], Meta(min_length=1, max_length=MAX_COLUMNS)]
    patterns: Annotated[list[PatternDocument], Meta(max_length=10_000_000)]
    complete: bool = True
    """False when the search was stopped before its end."""
    keys: Annotated[list[KeyDocument], Meta(max_length=MAX_COLUMNS)] | UnsetType = UNSET
    margins: Annotated[list[MarginDocument], Meta(max_length=10_000)] | UnsetType = UNSET
    """What a release is made to meet."""
    trees: Annotated[list[TreeDocument], Meta(max_length=1_000)] | UnsetType = UNSET
    """What is told of the target along trees."""
    estimated: bool | UnsetType = UNSET
    """Whether these counts are estimates from models of several sites."""
    derived: Annotated[list[DerivedDocument], Meta(max_length=MAX_COLUMNS)] | UnsetType = UNSET
    ranks: Annotated[list[RankDocument], Meta(max_length=10_000)] | UnsetType = UNSET
    """How the ranks of columns go together."""
    rounded: RoundedDocument | UnsetType = UNSET
    """How far counts are from those of the original; without it they are exact."""

    @property
    def off_by(self) -> int:
        """No count is further than this from that of the original."""
        return 0 if self.rounded is UNSET else self.rounded.off_by

    @property
    def base(self) -> int:
        """What counts were rounded to; 1 is not at all."""
        if self.rounded is not UNSET:
            return self.rounded.base
        calibration = self.settings.calibration
        return 1 if calibration is UNSET else calibration.base


FORM = Form(
    "halfmask model",
    VERSION,
    "Patterns and counts of a table, to draw new rows from; it holds no row of the original.",
    ModelDocument,
    (
        "rows",
        "rounded",
        "settings",
        "columns",
        "patterns",
        "keys",
        "derived",
        "ranks",
        "margins",
        "trees",
        "estimated",
        "complete",
    ),
    newest=("rounded",),
)
to_json, from_json = FORM.to_json, FORM.from_json
