"""Comparison: an original, its release and a hold-out, counted once for all measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Baskets, Countable, Schema, Table
from halfmask.data.release import Release
from halfmask.data.rows import SpreadRows
from halfmask.data.secrets import SecretPatterns
from halfmask.errors import BadInput, NotMeasurable
from halfmask.measures.kept import Kept
from halfmask.measures.side import Side
from halfmask.measures.yardsticks import independent_columns
from halfmask.patterns.mining import Kind
from halfmask.randomness import Randomness
from halfmask.run import Progress

T = TypeVar("T")

SAMPLE = 100_000
"""Rows of each side that a measure reads which would take too long, or too much memory, on all."""


@dataclass(frozen=True, slots=True)
class AskedRules:
    """Which association rules are compared."""

    min_confidence: float = 0.7
    most_items: int = 4

    def __post_init__(self) -> None:
        if not 0 < self.min_confidence <= 1 or self.most_items < 2:
            raise BadInput(
                "Rules need a confidence above 0 and up to 1 and at least 2 items, not "
                f"{self.min_confidence:g} and {self.most_items}."
            )


@dataclass(frozen=True, eq=False)
class Comparison:
    """What a measure sees; all sides share one schema.

    >>> from halfmask.data import Attribute
    >>> import numpy as np
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> original = Table(schema, np.array([[0, 1], [0, 0], [1, 0]]))
    >>> release = Table(schema, np.array([[0, 1], [1, 1]]))
    >>> comparison = Comparison(original, release, randomness=Randomness(1), sensitive="ill")
    >>> comparison.names, len(comparison.original_side.tally)
    (('sex', 'ill'), 3)
    """

    original: Countable
    release: Countable
    holdout: Countable | None = None
    """Original rows that no method ever saw; without them some privacy questions have no answer."""
    randomness: Randomness = field(kw_only=True)
    sensitive: str | None = field(default=None, kw_only=True)
    """The attribute that an attacker would like to learn."""
    keys: tuple[str, ...] = field(default=(), kw_only=True)
    """The attributes an attacker knows of a person; empty: all but the sensitive one."""
    secrets: SecretPatterns = field(default_factory=SecretPatterns, kw_only=True)
    """The patterns that a method was to hide, and when they count as found."""
    min_support: int = field(default=10, kw_only=True)
    """Nothing held by fewer original rows is named in a reading; also the k of k-anonymity."""
    evaluation_support: int | None = field(default=None, kw_only=True)
    """The minimum support at which both sides are mined, and no other; None: the smallest from
    `min_support` upwards at which there are not too many itemsets."""
    candidates: Kind = field(default="all", kw_only=True)
    """The frequent itemsets that code tables are searched among."""
    delta: float = field(default=0.01, kw_only=True)
    """The share of rows by which the support of a pattern may move, in requirement (3)."""
    rules: AskedRules = field(default_factory=AskedRules, kw_only=True)
    """The association rules whose survival is measured."""
    progress: Progress | None = field(default=None, kw_only=True, repr=False)
    """Told how far a search is; where it answers False, what needs the search has no value."""
    reference: Countable | None = field(default=None, kw_only=True)
    """Other people of the same population, known to an attacker; neither original nor held out."""
    model_counts: Mapping[tuple[str, ...], NDArray[np.float64]] | None = field(
        default=None, kw_only=True, repr=False
    )
    """The counts that a model file tells: attributes, and how many rows hold each combination; no
    number where it does not tell."""
    drawn_per_row: float | None = field(default=None, kw_only=True)
    """Patterns per row that the generator itself counted, when it made the release."""
    threads: int = field(default=1, kw_only=True)
    sample_rows: int = field(default=SAMPLE, kw_only=True)
    """Rows of each side that measures read which do not read all."""
    sides: dict[int, Side] = field(default_factory=dict, kw_only=True, repr=False)
    """Every database with its counts, by identity; shared with the comparisons made from this."""
    _kept: Kept = field(default_factory=Kept, init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.release, Release):  # its data is what can be counted
            object.__setattr__(self, "release", self.release.data)
        for what, side in self._named():
            if side.size < 2:
                count = "no rows" if side.size == 0 else f"{side.size:g} row"
                raise BadInput(f"{what.capitalize()} has {count}; a comparison needs at least 2.")
            if what != "the original":
                _check_same(self.original, side, what)
            self._side(side, what)  # whoever asks first, it is called the same
        if self.min_support < 1:
            raise BadInput(f"The minimum support is at least 1, not {self.min_support}.")
        schema = self.original.schema
        if isinstance(schema, Schema):
            for name in (*self.keys, *([self.sensitive] if self.sensitive else [])):
                schema.position(name)
            if self.sensitive in self.keys:
                raise BadInput(f"Column {self.sensitive!r} cannot be both sensitive and known.")

    def _named(self) -> list[tuple[str, Countable]]:
        sides = [("the original", self.original), ("the release", self.release)]
        others = (("the hold-out", self.holdout), ("the reference", self.reference))
        return sides + [(what, side) for what, side in others if side is not None]

    def _side(self, data: Countable, what: str) -> Side:
        return self.sides.setdefault(id(data), Side(data, what))

    @property
    def original_side(self) -> Side:
        """The original with its counts."""
        return self._side(self.original, "the original")

    @property
    def release_side(self) -> Side:
        """The release with its counts."""
        return self._side(self.release, "the release")

    @property
    def holdout_side(self) -> Side:
        """The hold-out with its counts."""
        if self.holdout is None:
            raise NotMeasurable("This measure compares with held-out rows, and there are none.")
        return self._side(self.holdout, "the hold-out")

    @property
    def reference_side(self) -> Side:
        """The reference rows with their counts."""
        if self.reference is None:
            raise NotMeasurable("This measure compares with reference rows, and none were given.")
        return self._side(self.reference, "the reference")

    @property
    def people(self) -> tuple[Side, Side]:
        """Those who were in the original, and those who were held out."""
        return self.original_side, self.holdout_side

    @property
    def sampled(self) -> Comparison:
        """The same questions to some rows of each side, drawn at random; itself if all are few."""
        return self.once("sampled", Comparison._sampled)

    def _sampled(self) -> Comparison:
        parts = {what: self._some(side, what) for what, side in self._named()}
        if all(parts[what] is side for what, side in self._named()):
            return self
        return replace(
            self,
            original=parts["the original"],
            release=parts["the release"],
            holdout=parts.get("the hold-out"),
            reference=parts.get("the reference"),
            sides={},
        )

    @property
    def is_spread(self) -> bool:
        """Whether rows of a side lie elsewhere, so that not all can be read."""
        return any(isinstance(side, SpreadRows) for _, side in self._named())

    def _some(self, side: Countable, what: str) -> Countable:
        if isinstance(side, SpreadRows):
            return side.part(self.sample_rows)
        if not isinstance(side, Table) or len(side) <= self.sample_rows:
            return side
        rng = self.randomness.child(f"rows of {what} that are read")
        rows = rng.choice(len(side), self.sample_rows, replace=False, shuffle=False)
        return side.take(np.sort(rows))

    def once(self, name: str, make: Callable[[Comparison], T]) -> T:
        """What several measures need of this comparison, made by the first that asks."""
        return self._kept.once(name, lambda: make(self))

    @property
    def schema(self) -> Schema:
        """The schema of a table."""
        schema = self.original.schema
        return schema if isinstance(schema, Schema) else self.original_side.table.schema

    @property
    def is_table(self) -> bool:
        """Whether the sides have attributes, not just items."""
        return isinstance(self.original.schema, Schema)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes by name: the columns of a table or the items of baskets."""
        schema = self.original.schema
        if isinstance(schema, Schema):
            return schema.names
        return tuple(schema.label(item) for item in range(schema.n_items))

    @property
    def mining_support(self) -> int:
        """The minimum support at which both sides are mined."""
        return self.min_support if self.evaluation_support is None else self.evaluation_support

    @property
    def against_people(self) -> tuple[Comparison, Comparison]:
        """The release, and original rows as a second sample, each against the held-out rows.

        Both have as many rows: the larger one is cut at random, since more rows alone come nearer.
        """
        return self.once("against people", Comparison._against_people)

    def _against_people(self) -> tuple[Comparison, Comparison]:
        if self.holdout is None:
            raise NotMeasurable("There are no held-out rows to compare the release with.")
        size = min(self.release.size, self.original.size)
        release = self._cut(self.release, size, "release as large as the original")
        sample = self._cut(self.original, size, "second sample")
        if release.size != sample.size:
            raise NotMeasurable("The release and the original differ in size and cannot be cut.")
        people = replace(
            self, original=self.holdout, holdout=None, reference=None, drawn_per_row=None
        )
        return people.with_release(release), people.with_release(sample)

    def _cut(self, side: Countable, size: float, use: str) -> Countable:
        """Some rows of this side, drawn at random; all where there are no more."""
        if side.size <= size or not isinstance(side, Table | Baskets):
            return side
        rows = np.sort(self.randomness.child(use).choice(len(side), round(size), replace=False))
        if isinstance(side, Baskets):
            return Baskets(side.schema, side.transactions.take(rows))
        return side.take(rows)

    def with_release(self, release: Countable, *, keep: bool = True) -> Comparison:
        """The same questions to another release; the original is not counted again.

        Unless told to `keep` it, the release and its counts go when the comparison goes.
        """
        sides = self.sides if keep else {id(self.original): self.original_side}
        return replace(self, release=release, drawn_per_row=None, model_counts=None, sides=sides)

    @property
    def yardsticks(self) -> dict[str, Comparison]:
        """What a hold-out, independent columns and a copy would get in place of the release.

        A hold-out larger than the release is cut to its size.
        """
        return self.once("yardsticks", Comparison._yardsticks)

    def _yardsticks(self) -> dict[str, Comparison]:
        others: dict[str, Countable] = {}
        if self.holdout is not None:
            others["holdout"] = self._cut(self.holdout, self.release.size, "yardstick hold-out")
        if isinstance(self.original, Table | Baskets):
            rng = self.randomness.child("independent columns")
            others["independent"] = independent_columns(
                self.original, round(self.release.size), rng
            )
            others["copy"] = self.original
        return {name: self.with_release(other) for name, other in others.items()}


def _check_same(original: Countable, other: Countable, what: str) -> None:
    """Two sides can be compared when their items are the same, in the same order."""
    mine, theirs = original.schema, other.schema
    if mine is theirs or mine == theirs:
        return
    if isinstance(mine, Schema) and isinstance(theirs, Schema):
        if mine.names != theirs.names:
            lacking = [name for name in mine.names if name not in theirs.names]
            extra = [name for name in theirs.names if name not in mine.names]
            found = (
                f"it lacks column {lacking[0]!r}"
                if lacking
                else f"it also has a column {extra[0]!r}"
                if extra
                else "its columns are in another order"
            )
            raise BadInput(f"{what.capitalize()} does not have the original's columns: {found}.")
        if mine.attributes == theirs.attributes:  # keys are nothing to compare
            return
        differing = next(a.name for a, b in zip(mine, theirs, strict=True) if a != b)
        raise BadInput(
            f"Column {differing!r} of {what} is coded differently from the original's; "
            "encode both with the encoding of the original."
        )
    raise BadInput(f"{what.capitalize()} and the original do not have the same items.")
