"""What a steward says about a column; everything that is not said is guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from halfmask.data.coding.calendar import day_order
from halfmask.data.coding.cutting import Cut
from halfmask.errors import BadInput, UnknownName

Kind = Literal["number", "date", "category", "key", "text"]
Role = Literal["identifier", "sensitive", "quasi-identifier", "ignore"]
RarePolicy = Literal["group", "suppress", "keep"]

KINDS: tuple[str, ...] = get_args(Kind)
ROLES: tuple[str, ...] = get_args(Role)


@dataclass(frozen=True)
class ColumnSpec:
    """What is said about one column.

    >>> ColumnSpec(kind="number", bins=5).cut
    'quantile'
    >>> ColumnSpec(kind="numbr")
    Traceback (most recent call last):
    halfmask.errors.UnknownName: There is no kind 'numbr'; did you mean 'number'?
    """

    kind: Kind | None = None
    role: Role | None = None
    bins: int | tuple[str, ...] | None = None
    """How many bins, or the first value of every bin but the first."""
    cut: Cut = "quantile"
    target: str | None = None
    """The column whose values `cut = "entropy"` tells apart."""
    rare: RarePolicy | None = None
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """A new value for each list of old ones."""
    order: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """Values that mean: there is none."""
    format: str | None = None
    """How dates are written, such as %d/%m/%Y, where their values leave it open."""
    laplace: float | None = None
    laplace_for: Mapping[str, float] = field(default_factory=dict)
    values: tuple[str, ...] = ()
    """All values that a category can have, known without looking; private releases need it."""
    range: tuple[str, str] | None = None
    """The least and the largest value that can be; private releases need it."""
    step: str | None = None
    """The distance of neighbouring numbers, such as 1 or 0.01."""

    def __post_init__(self) -> None:
        for what, given, known in (
            ("kind", self.kind, KINDS),
            ("role", self.role, ROLES),
            ("cut", self.cut, get_args(Cut)),
            ("policy for rare values", self.rare, get_args(RarePolicy)),
        ):
            if given is not None and given not in known:
                raise UnknownName(what, str(given), known)
        if self.format is not None:
            day_order(self.format)
            if self.kind not in (None, "date"):
                raise BadInput(f"A format is for dates, and the kind is {self.kind}.")
        if self.values and self.kind not in (None, "category"):
            raise BadInput(f"values are for a category, and the kind is {self.kind}.")
        if self.range is not None and self.kind not in (None, "number", "date"):
            raise BadInput(f"A range is for numbers and dates, and the kind is {self.kind}.")
        if isinstance(self.bins, int) and self.bins < 1:
            raise BadInput(f"A column is cut into at least 1 bin, not into {self.bins}.")
        if self.cut == "entropy" and self.target is None:
            raise BadInput(
                'cut = "entropy" needs a target: the column whose classes the bins separate.'
            )


@dataclass(frozen=True)
class TableSpec:
    """What is said about a table: its columns by name, and what holds for all of them."""

    columns: Mapping[str, ColumnSpec] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    hide_together: tuple[tuple[str, str], ...] = ()

    def of(self, name: str) -> ColumnSpec:
        """What is said about a column."""
        return self.columns.get(name, NOTHING_SAID)

    def check_names(self, names: tuple[str, ...]) -> None:
        """Refuse a column that the table does not have, with the nearest that it has."""
        for name, spec in self.columns.items():
            for wanted in (name, *([spec.target] if spec.target else [])):
                if wanted not in names:
                    raise UnknownName("column", wanted, names)

    @property
    def laplace_for(self) -> dict[str, float]:
        """The corrections of columns and of `column=value`."""
        found = {name: s.laplace for name, s in self.columns.items() if s.laplace is not None}
        for name, spec in self.columns.items():
            found |= {f"{name}={value}": given for value, given in spec.laplace_for.items()}
        return found

    def with_role(self, role: Role) -> tuple[str, ...]:
        """The columns that have this role."""
        return tuple(name for name, spec in self.columns.items() if spec.role == role)


NOTHING_SAID = ColumnSpec()
"""Of a column about which nothing is said."""
