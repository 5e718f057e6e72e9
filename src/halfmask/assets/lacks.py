"""Lacks: what a release took from the information that matters; lower is better, 0 is nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from halfmask.errors import BadInput

Form = Literal["aligned", "free"]
"""Cell by cell in rows that correspond, or by distributions where no row corresponds to any."""


@dataclass(frozen=True, slots=True)
class Lack:
    """A weighted lack as the paper adds it up, and divided by the weights so that 1 is the most."""

    raw: float
    normalised: float


@dataclass(frozen=True, slots=True)
class AttributeLack:
    """One attribute of an information.

    In the aligned form `accuracy` is the share of rows whose value was changed (AV) and
    `completeness` the share whose value went missing (CV). In the free form the latter is by how
    much the share of missing values grew (it may have shrunk: then below 0), and the former the
    rest of the total variation distance of the two distributions, which no alignment of the rows
    can go below. A value that went missing counts once.
    """

    attribute: str
    accuracy: float
    completeness: float
    consistency: float
    """Violations of constraints that read the attribute: induced ones, or the excess expected."""
    accuracy_weight: float
    completeness_weight: float
    missing_before: float
    """The share of missing values in the original."""
    missing_after: float
    unreadable: int = 0
    """Labels of the release that cannot be read as the attribute's type; tests of them are
    unknown."""


@dataclass(frozen=True, slots=True)
class Violations:
    """How often one constraint is broken."""

    constraint: str
    kind: Literal["simple", "complex"]
    weight: float
    before: float
    """The share of the original's rows that break it."""
    after: float
    """The share of the release's rows that break it."""
    absolute: float
    """The rows of the release that break it; an expectation where the release has no rows."""
    induced: int | None
    """Rows that break it now and did not before; needs rows that correspond."""
    repaired: int | None
    """Rows that broke it before and do not now."""
    counted: float
    """What enters the consistency lack: the induced ones, or the excess rate (not below 0) times
    the rows of the original."""

    @property
    def excess(self) -> float:
        """By how much the share of violations grew; below 0 where it shrank."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class InformationLack:
    """One aggregate information: its attributes, its constraints and the three lacks."""

    information: str
    weight: float
    attributes: tuple[AttributeLack, ...]
    constraints: tuple[Violations, ...]
    accuracy: Lack
    completeness: Lack
    consistency: Lack
    consistency_per_row: float
    """The raw consistency lack divided by the number of rows: the raw one grows with them."""
    tuples: float | None = None
    """Share of the rows changed in any attribute of the information; in the free form the total
    variation distance of whole tuples, which that share cannot go below."""


@dataclass(frozen=True, slots=True)
class RowCounts:
    """The search phase: how many rows there are and how many of them changed."""

    original: int
    release: int
    compared: int
    """Distinct keys of both sides; the original's rows in the free form."""
    changed: int | None = None
    missing: int | None = None
    """Rows of the original that the release lacks: every value of theirs went missing."""
    ghosts: int | None = None
    """Rows of the release that the original does not have."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The three lacks of an asset, formulas (4) to (6) of the paper, and what they are made of."""

    form: Form
    rows: RowCounts
    informations: tuple[InformationLack, ...]
    accuracy: Lack
    completeness: Lack
    consistency: Lack
    consistency_per_row: float
    notes: tuple[str, ...] = ()
    evalset: tuple[tuple[str, ...], ...] | None = None
    """The keys of the rows that were changed or are gone, where they were asked for and rows
    correspond by a key; it names people."""

    @property
    def absolute_violations(self) -> float:
        """Violations of constraints in the release, whoever is to blame."""
        return sum(c.absolute for one in self.informations for c in one.constraints)

    def summary(self) -> dict[str, Any]:
        """The form and the three lacks of the asset, in plain types."""
        three = ("accuracy", "completeness", "consistency")
        return {"form": self.form, **{name: asdict(getattr(self, name)) for name in three}}

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain types, ready for JSON."""
        found = asdict(self)
        if self.evalset is None:
            del found["evalset"]
        return found

    def __str__(self) -> str:
        """The three lacks as a sentence."""
        shown = ", ".join(
            f"{name} {getattr(self, name).raw:.3g} ({getattr(self, name).normalised:.2%})"
            for name in ("accuracy", "completeness", "consistency")
        )
        return f"Lacks of the asset: {shown}; 0 is none, and 100% is the most."


def one_form(evaluations: Iterable[Evaluation]) -> Form:
    """The form that all of these have; refused where they differ.

    A share of changed cells and a distance of distributions are different numbers: a ranking that
    mixed them would favour whatever was measured by the smaller.
    """
    forms = {evaluation.form for evaluation in evaluations}
    if len(forms) != 1:
        raise BadInput(
            "Aligned and free evaluations cannot be ranked together; evaluate all in the free form."
            if forms
            else "There are no evaluations to rank."
        )
    return forms.pop()
