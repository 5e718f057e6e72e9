"""Asset: what the steward cares about, checked and ready to be held against a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from halfmask.assets.constraints import Expression
from halfmask.assets.document import AssetDocument, AttributeForm
from halfmask.errors import BadInput, UnknownName

Path = tuple[str | int, ...]
"""Where in the file something stands: names and places, outermost first."""


class BadAsset(BadInput):
    """Something in an asset cannot be meant as it stands; `path` says where.

    >>> raise BadAsset(("asset", 0, "weight"), "A weight is at least 0, not -1.")
    Traceback (most recent call last):
    halfmask.assets.asset.BadAsset: asset[0].weight: A weight is at least 0, not -1.
    """

    def __init__(self, path: Path, sentence: str) -> None:
        self.path = path
        self.sentence = sentence
        super().__init__(f"{dotted(path)}: {sentence}" if path else sentence)

    @classmethod
    def unknown(cls, path: Path, kind: str, name: str, known: Sequence[str]) -> BadAsset:
        """A name that does not exist, with the nearest that does."""
        return cls(path, str(UnknownName(kind, name, known)))


def dotted(path: Path) -> str:
    """The place as a person writes it.

    >>> dotted(("asset", 0, "simple", "s_days"))
    'asset[0].simple.s_days'
    """
    return "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path).removeprefix(".")


@dataclass(frozen=True, slots=True)
class Relation:
    """The table: what identifies a row, its attributes, and the labels that stand for no value."""

    key: tuple[str, ...]
    attributes: Mapping[str, AttributeForm]
    nulls: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Weights:
    """What it costs when values of an attribute change or go missing (AW and CW)."""

    attribute: str
    accuracy: float
    completeness: float


@dataclass(frozen=True, slots=True)
class Constraint:
    """What must hold in every row; `weight` says how much a violation matters."""

    name: str
    kind: Literal["simple", "complex"]
    expression: Expression
    weight: float
    tested: bool = True
    """False for a building block of complex constraints, which is not tested by itself."""
    parts: tuple[str, ...] = ()
    """The constraints that a complex one is made of."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes it reads."""
        return self.expression.attributes


@dataclass(frozen=True, slots=True)
class Information:
    """One aggregate information (AIS): its attributes, and what must hold between them."""

    name: str
    weight: float
    attributes: tuple[Weights, ...]
    constraints: tuple[Constraint, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its attributes."""
        return tuple(weights.attribute for weights in self.attributes)

    @property
    def tested(self) -> tuple[Constraint, ...]:
        """The constraints that count by themselves."""
        return tuple(constraint for constraint in self.constraints if constraint.tested)


@dataclass(frozen=True, slots=True)
class Asset:
    """All the aggregate information that matters in a database (the paper's ASSET).

    Made by `halfmask.assets.resolving.resolve` from what stands in an asset file.
    """

    relation: Relation
    informations: tuple[Information, ...]
    document: AssetDocument

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that some information is made of, each once."""
        return tuple(dict.fromkeys(name for one in self.informations for name in one.names))

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints that count by themselves, of all informations."""
        return tuple(constraint for one in self.informations for constraint in one.tested)

    @property
    def counted(self) -> str:
        """How much it says, in words."""
        parts = (
            (len(self.informations), "information", "informations"),
            (len(self.attributes), "attribute", "attributes"),
            (len(self.constraints), "constraint", "constraints"),
        )
        return ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in parts)
