"""The methods for baskets as settings: each turns baskets into what is to be published."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Protocol, TypeAlias

from halfmask.data import Baskets, Countable, Itemset, Release
from halfmask.errors import BadInput, TargetNotMet, UnknownName
from halfmask.methods.anatomy import anatomise
from halfmask.methods.anatomy.cells import EmptyPolicy
from halfmask.methods.anatomy.eligibility import OnIneligible
from halfmask.methods.basket_generator import learn_baskets
from halfmask.methods.distortion import Emask, Frequent, Mask, Mechanism, Selective, distort
from halfmask.methods.hiding import (
    ALGORITHMS,
    Algorithm,
    BlockedBaskets,
    hide,
    parse_sensitive,
)
from halfmask.randomness import Randomness

__all__ = [
    "Anatomy",
    "BasketGenerator",
    "BasketMethod",
    "Distortion",
    "Hiding",
    "Lines",
    "Made",
    "Progress",
    "Run",
]

Progress: TypeAlias = Callable[[int, int], bool]
Lines: TypeAlias = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Run:
    """How the work is run."""

    randomness: Randomness
    threads: int = 1
    progress: Progress | None = None


@dataclass(frozen=True, eq=False)
class Made:
    """What a method made: the release, its rows, and the tables a reader needs beside them."""

    release: Release
    rows: Baskets
    """What is written as the release."""
    counted: Countable
    """What answers for the supports: expectations and estimates instead of noisy rows."""
    own_measures: tuple[str, ...] = ()
    """Measures that only this method has."""
    tables: Mapping[str, Callable[[], Lines]] = field(default_factory=dict)
    """Name of a table to be written beside the release → its lines, the first names the columns."""
    secrets: tuple[Itemset, ...] = ()
    """Patterns that were to be hidden; they are counted, and never written."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", MappingProxyType(dict(self.tables)))


class BasketMethod(Protocol):
    """Settings that can make a release of baskets."""

    @property
    def min_support(self) -> float:
        """Nothing that fewer baskets hold is named in the report."""
        ...

    @property
    def writes(self) -> tuple[str, ...]:
        """The tables that belong beside the release."""
        ...

    def make(self, baskets: Baskets, run: Run) -> Made:
        """Make the release."""
        ...


@dataclass(frozen=True, slots=True)
class Anatomy:
    """Multi-dimension anatomy: columns of items, buckets of rows, l-diverse in every column."""

    l: float | Fraction  # noqa: E741 - the literature's name
    columns: int | Sequence[Sequence[str]] = 10
    empty: EmptyPolicy = "count"
    on_ineligible: OnIneligible = "error"
    min_support: float = 10
    writes = ("anatomy",)

    def make(self, baskets: Baskets, run: Run) -> Made:
        """The rows joined at random within their bucket, and the tables they were joined from."""
        anatomised = anatomise(
            baskets,
            l=self.l,
            columns=self.columns,
            randomness=run.randomness,
            empty=self.empty,
            on_ineligible=self.on_ineligible,
        )
        joined = anatomised.as_baskets(randomness=run.randomness)
        tables = anatomised.data

        def lines() -> Lines:
            found = [("column", "bucket", "value", "count")]
            for column in range(tables.n_columns):
                found += [
                    (str(column + 1), str(line.bucket + 1), _listed(line.items), str(line.count))
                    for line in tables.lines(column)
                ]
            return found

        return Made(
            joined,
            _rows(joined),
            tables,
            ("fake_records", "column_attack", "item_disclosure"),
            {"anatomy": lines},
        )


@dataclass(frozen=True, slots=True)
class Distortion:
    """Known noise: each bit is kept with probability `keep` and flipped otherwise.

    With `keep_absent` an item that is not in a basket stays out with that probability; with
    `keep_rare` items below the minimum support have a keep probability of their own.
    """

    keep: float
    keep_absent: float | None = None
    keep_rare: float | None = None
    min_support: float = 10
    writes = ("channel",)

    def make(self, baskets: Baskets, run: Run) -> Made:
        """The noisy rows, and the probabilities that let a reader count through the noise."""
        made = distort(baskets, self._mechanism(), randomness=run.randomness, threads=run.threads)
        channel = made.channel

        def lines() -> Lines:
            names = baskets.schema.names
            parts = zip(names, channel.keep.tolist(), channel.insert.tolist(), strict=True)
            return [("item", "keep", "insert"), *((n, f"{k:g}", f"{i:g}") for n, k, i in parts)]

        return Made(made, made.baskets, made.data, ("bit_privacy",), {"channel": lines})

    def _mechanism(self) -> Mechanism:
        if self.keep_absent is not None and self.keep_rare is not None:
            raise BadInput(
                "A keep probability of their own have absent items or rare items, not both."
            )
        if self.keep_absent is not None:
            return Emask(self.keep, self.keep_absent)
        if self.keep_rare is not None:
            return Selective(self.keep, self.keep_rare, Frequent(self.min_support))
        return Mask(self.keep)


@dataclass(frozen=True, slots=True)
class Hiding:
    """Take given patterns out of reach; everything else stays as it is.

    `sensitive` is the text of the list, one pattern a line. Sanitising algorithms leave a share
    `disclosure` of its rows with each pattern; the others push patterns below a miner's thresholds.
    """

    sensitive: str = field(repr=False)
    algorithm: str = "iga"
    disclosure: float | None = None
    min_support: float = 10
    min_confidence: float | None = None

    @property
    def writes(self) -> tuple[str, ...]:
        """The unknown cells of a blocking algorithm."""
        return ("unknown",) if self.algorithm in _BLOCKING else ()

    def make(self, baskets: Baskets, run: Run) -> Made:
        """The edited rows; what could not be hidden is not published."""
        algorithm = self._algorithm()
        secrets = parse_sensitive(self.sensitive, baskets.schema)
        hidden = hide(baskets, secrets, algorithm, randomness=run.randomness)
        release = hidden.release
        if not hidden.succeeded:
            raise TargetNotMet(f"{release.notes[0]} Nothing was written.")
        if isinstance(release.data, BlockedBaskets):
            return _blocked(release, release.data, secrets.all_itemsets)
        return Made(release, _rows(release), release.data, secrets=secrets.all_itemsets)

    def _algorithm(self) -> Algorithm:
        if self.algorithm not in ALGORITHMS:
            raise UnknownName("hiding algorithm", self.algorithm, ALGORITHMS)
        make = ALGORITHMS[self.algorithm]
        if self.algorithm in _SANITISING:
            if self.min_confidence is not None:
                raise BadInput(
                    f"The algorithm {self.algorithm} hides itemsets by a disclosure threshold; "
                    f"a minimum confidence is for {', '.join(_BY_THRESHOLD)}."
                )
            return make(psi=self.disclosure or 0.0)
        if self.disclosure is not None:
            raise BadInput(
                f"The algorithm {self.algorithm} hides below a minimum support and confidence; "
                f"a disclosure threshold is for {', '.join(_SANITISING)}."
            )
        return make(min_support=self.min_support, min_confidence=self.min_confidence)


_SANITISING = ("naive", "minfia", "maxfia", "iga", "iga-greedy", "rra", "ra", "swa")
_BLOCKING = ("gih", "cr", "cr2")
_BY_THRESHOLD = tuple(name for name in ALGORITHMS if name not in _SANITISING)


def _blocked(release: Release, data: BlockedBaskets, secrets: tuple[Itemset, ...]) -> Made:
    """The certain items as rows, and the unknown cells in a table of their own."""

    def lines() -> Lines:
        names = data.schema.names
        cells = ((n, item) for n, row in enumerate(data.unknown, 1) for item in row)
        return [("basket", "item"), *((str(n), names[item]) for n, item in cells)]

    rows = Baskets(data.schema, data.certain)
    return Made(release, rows, data, tables={"unknown": lines}, secrets=secrets)


@dataclass(frozen=True, slots=True)
class BasketGenerator:
    """Synthetic baskets: a length is drawn, then filled with patterns by usage."""

    min_support: float = 10
    baskets: int | None = None
    """How many to draw; as many as the original has by default."""
    max_pattern_length: int | None = None
    writes = ()

    def make(self, baskets: Baskets, run: Run) -> Made:
        """Learn, then draw; the original's rare items are never drawn."""
        model = learn_baskets(
            baskets,
            min_support=self.min_support,
            max_pattern_length=self.max_pattern_length,
            threads=run.threads,
            progress=run.progress,
        )
        count = round(baskets.size) if self.baskets is None else self.baskets
        release = model.sample(count, randomness=run.randomness)
        return Made(release, _rows(release), release.data)


def _rows(release: Release) -> Baskets:
    assert isinstance(release.data, Baskets)  # noqa: S101 - these methods publish plain baskets
    return release.data


def _listed(names: Sequence[str]) -> str:
    """Names in one cell: `beer, "salt, coarse"`."""
    return ", ".join(f'"{name}"' if "," in name else name for name in names)
