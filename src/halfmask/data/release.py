"""Release: what may be published, what it promises, and how it was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from halfmask.data.countable import Alphabet, Countable, Itemset
from halfmask.errors import BadInput

Kind = Literal["synthetic", "anatomised", "distorted", "sanitised"]
"""What a release is labelled as, in file names, metadata and reports."""

IsoClass = Literal[
    "statistical tools",
    "cryptographic tools",
    "suppression",
    "pseudonymization",
    "anatomization",
    "generalization",
    "randomization",
    "synthetic data",
]
"""The classes of de-identification techniques of ISO/IEC 20889:2018."""

Fact: TypeAlias = str | int | float | bool | tuple["Fact", ...] | None
"""A value that can stand in a report: plain, and never a row of the original."""


@dataclass(frozen=True)
class Claim:
    """What a method promises, and what must be true for the promise to hold.

    `terms` says the same for machines, so that a measure can check it.

    >>> claim = Claim(
    ...     promise="No sensitive item is linked to a person with a probability above 1/5",
    ...     assumption="the attacker knows nothing of the rows but their items",
    ...     terms={"l": 5},
    ... )
    >>> print(claim)
    No sensitive item is linked to a person with a probability above 1/5, provided that the
    attacker knows nothing of the rows but their items.
    """

    promise: str
    assumption: str
    terms: Mapping[str, Fact] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.promise or not self.assumption:
            raise BadInput("A claim needs a promise and the assumption under which it holds.")
        object.__setattr__(self, "terms", _facts(self.terms))

    def __str__(self) -> str:
        return f"{self.promise}, provided that {self.assumption}."


Outcome = Literal["passed", "review", "missed", "not measured", "not attacked"]


@dataclass(frozen=True, slots=True)
class Check:
    """One question that a verdict rests on, and its answer in a sentence."""

    what: str
    outcome: Outcome
    sentence: str


@dataclass(frozen=True, eq=False)
class Release:
    """Data that may leave the house, labelled with its kind, method, class and claim.

    It is countable like an original, by asking its data; it holds neither rows of the original
    nor the seed, because a reader who knows the seed can replay or undo the method.

    >>> from halfmask.data import Attribute, Schema, Table
    >>> schema = Schema((Attribute("ill", ("no", "yes")),))
    >>> release = Release(
    ...     data=Table(schema, np.array([[0], [1], [1]])),
    ...     kind="synthetic",
    ...     method="generator",
    ...     iso_class="synthetic data",
    ...     claim=Claim("Every row is drawn from a model", "the model holds no row of its own"),
    ... )
    >>> release.size, release.marginal(["ill"]).tolist()
    (3.0, [1.0, 2.0])
    """

    data: Countable
    kind: Kind
    method: str
    iso_class: IsoClass
    claim: Claim
    record: Mapping[str, Fact] = field(default_factory=dict)
    """Settings and figures of the making: what a reader may know about how it was done."""
    notes: tuple[str, ...] = ()
    """Sentences the steward should read before publishing."""

    def __post_init__(self) -> None:
        _one_of("kind of a release", self.kind, get_args(Kind))
        _one_of("class of ISO/IEC 20889", self.iso_class, get_args(IsoClass))
        object.__setattr__(self, "record", _facts(self.record))
        object.__setattr__(self, "notes", tuple(self.notes))

    @property
    def schema(self) -> Alphabet:
        """What the items and attributes are."""
        return self.data.schema

    @property
    def size(self) -> float:
        """The number of rows."""
        return self.data.size

    def marginal(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """Joint counts over the values of these attributes, as its data answers."""
        return self.data.marginal(attributes)

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.float64]:
        """The number of rows that contain each itemset, as its data answers."""
        return self.data.support(itemsets)


def _one_of(what: str, given: str, known: Sequence[str]) -> None:
    if given not in known:
        raise BadInput(f"{given!r} is not a {what}; possible are {', '.join(known)}.")


def _facts(given: Mapping[str, Fact]) -> Mapping[str, Fact]:
    """A read-only copy that holds plain values only and no seed."""
    for name, value in given.items():
        if "seed" in name.lower().split("_"):
            raise BadInput(
                "A seed must not be written into a release: a reader could repeat the draws."
            )
        if not _is_fact(value):
            raise BadInput(
                f"{name!r} of a release must be text, a number, a truth value or a tuple of these, "
                f"not {type(value).__name__}."
            )
    return MappingProxyType(dict(given))


def _is_fact(value: object) -> bool:
    if isinstance(value, tuple):
        return all(_is_fact(part) for part in value)
    return value is None or isinstance(value, str | int | float | bool)
