"""Measure: a question about (original, release), what its answer means and what it costs.

Reading: a number about a release that carries its own explanation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

from halfmask.errors import BadInput, NotCountable, NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.run import together

Better = Literal["higher", "lower", "neither"]
Room = Literal["quality", "privacy"]

YARDSTICKS = ("holdout", "independent", "copy")
"""What a real hold-out gets, what independent columns get, what a copy of the original gets."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a measure computes: a value, its 95 % interval when it has one, and particulars.

    >>> Estimate(0.4).interval
    (0.4, 0.4)
    """

    value: float
    low: float | None = None
    high: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def interval(self) -> tuple[float, float]:
        """The interval; an exact value is its own."""
        low = self.value if self.low is None else self.low
        high = self.value if self.high is None else self.high
        return low, high


@dataclass(frozen=True, slots=True)
class Reading:
    """A measured value with its interval, unit, direction, meaning and yardsticks.

    `low` and `high` bound a 95 % interval; both equal the value when it is a plain count about
    these very rows and nothing was estimated.

    >>> reading = Reading(
    ...     name="nas", room="privacy", value=0.25, low=0.25, high=0.25, unit="share",
    ...     better="lower", meaning="How much came back.", how="By counting.",
    ...     yardsticks={"copy": 1.0},
    ... )
    >>> reading.exact, reading.to_dict()["yardsticks"]
    (True, {'copy': 1.0})
    """

    name: str
    room: Room
    value: float
    low: float
    high: float
    unit: str
    better: Better
    meaning: str
    how: str
    yardsticks: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    against_holdout: float | None = None
    """The same question about the release and the held-out rows: people, not the sample."""
    second_sample: float | None = None
    """What as many original rows get there; no release of that size is expected to be nearer."""

    def __post_init__(self) -> None:
        people = [v for v in (self.against_holdout, self.second_sample) if v is not None]
        numbers = (self.value, self.low, self.high, *self.yardsticks.values(), *people)
        if not all(math.isfinite(number) for number in numbers):
            raise BadInput(f"The reading {self.name!r} holds a number that is not finite.")
        if not self.low <= self.value <= self.high:
            raise BadInput(
                f"The reading {self.name!r} lies outside its own interval: "
                f"{self.value} is not between {self.low} and {self.high}."
            )
        if self.better not in ("higher", "lower", "neither"):
            raise BadInput(f"Better is 'higher', 'lower' or 'neither', not {self.better!r}.")
        unknown = sorted(set(self.yardsticks) - set(YARDSTICKS))
        if unknown:
            raise BadInput(f"The reading {self.name!r} has an unknown yardstick {unknown[0]!r}.")
        if not (self.name and self.unit and self.meaning.endswith(".") and self.how.endswith(".")):
            raise BadInput(f"The reading {self.name!r} does not say in a sentence what it means.")
        object.__setattr__(self, "yardsticks", MappingProxyType(dict(self.yardsticks)))
        object.__setattr__(self, "details", MappingProxyType(plain(self.details)))

    @property
    def exact(self) -> bool:
        """Whether the value is a plain count, not an estimate."""
        return self.low == self.high

    def to_dict(self) -> dict[str, Any]:
        """The reading in plain types, ready for JSON."""
        return {
            "name": self.name,
            "room": self.room,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "unit": self.unit,
            "better": self.better,
            "meaning": self.meaning,
            "how": self.how,
            "yardsticks": dict(self.yardsticks),
            "details": plain(self.details),
            "against_holdout": self.against_holdout,
            "second_sample": self.second_sample,
        }


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """A measure without a value for these data, and the reason in a sentence.

    >>> Unmeasured("ds", "The release has no rows.").to_dict()["reason"]
    'The release has no rows.'
    """

    name: str
    reason: str
    room: Room | None = None

    def __post_init__(self) -> None:
        if not self.reason:
            raise BadInput(f"The measure {self.name!r} has no value and no reason why.")

    def to_dict(self) -> dict[str, Any]:
        """The blank in plain types, ready for JSON."""
        return {"name": self.name, "room": self.room, "value": None, "reason": self.reason}


def plain(value: Any) -> Any:
    """The same particulars in types that JSON knows; anything else is refused.

    >>> import numpy as np
    >>> plain({"pairs": (np.int64(3), [np.float64(0.5)])})
    {'pairs': [3, [0.5]]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if hasattr(value, "tolist"):  # numpy's numbers first: some of them pass for float
        return plain(value.tolist())
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    if isinstance(value, Sequence):
        return [plain(part) for part in value]
    raise BadInput(f"A reading cannot carry a {type(value).__name__}.")


@dataclass(frozen=True, slots=True)
class Measure:
    """The declaration of a measure beside the function that computes it."""

    name: str
    room: Room
    better: Better
    unit: str
    meaning: str
    """One sentence for the steward."""
    how: str
    """One sentence for the statistician."""
    cost: str
    """Measured at 1,000,000 rows × 15 columns, without yardsticks."""
    compute: Callable[[Comparison], Estimate]
    default: bool = True
    """Whether it is read when nobody names the measures wanted."""
    of_all_rows: bool = True
    """Whether it reads all rows of a long table; otherwise some drawn at random, and says so."""
    reads: Literal["rows", "counts"] = "rows"
    """What it asks of a release that is more than rows: its rows, or what answers for supports."""
    spread: bool = False
    """Whether it is counted in all rows also where these lie elsewhere; otherwise in some."""
    by_matching: bool = False
    """Whether it counts who is alike, so that a part of the rows would give another answer."""
    of_one_method: bool = False
    """Whether only one method's releases have it; a copy or chance has no such thing."""
    yardsticked: bool = True
    """Whether it is read off the yardsticks too; an attack that has a scale of its own is not."""
    control: bool = False
    """Whether the hold-out already is its control; as a release it would be its own control."""
    by_row: bool = False
    """Whether it is a mean over release rows: a hold-out smaller than the release reads alike."""
    of_holdout: Callable[[Comparison], float] | None = None
    """What held-out persons get of the same release, where the hold-out's size would decide."""

    def read(self, comparison: Comparison, *, yardsticks: bool = True) -> Reading:
        """The reading; raises NotMeasurable when these data give none."""
        if self.by_matching and comparison.is_spread:
            raise NotMeasurable(
                "This measure looks for rows among all others, and they are not in one place."
            )
        whole = self.of_all_rows and (self.spread or not comparison.is_spread)
        seen = comparison if whole else comparison.sampled
        parts: list[Callable[[], Any]] = [partial(self.compute, seen)]
        if yardsticks:
            parts += [partial(self.people, seen), partial(self._yardsticks, seen)]
        estimate, *beside = together(parts, _at_once(comparison))
        (against_holdout, second_sample), yards = beside or ((None, None), {})
        low, high = estimate.interval
        some = {} if seen is comparison else _rows_read(seen)
        return Reading(
            name=self.name,
            room=self.room,
            value=estimate.value,
            low=low,
            high=high,
            unit=self.unit,
            better=self.better,
            meaning=self.meaning,
            how=" ".join((self.how, *_mined_at(estimate), *_some_of(seen, comparison))),
            yardsticks=yards,
            details={**estimate.details, **some},
            against_holdout=against_holdout,
            second_sample=second_sample,
        )

    def people(self, comparison: Comparison) -> tuple[float | None, float | None]:
        """What the release, and a second sample as large, get against the held-out rows."""
        if self.room != "quality" or self.control or comparison.holdout is None:
            return None, None
        try:
            release, sample = together(
                [partial(self._value_of, each) for each in comparison.against_people],
                _at_once(comparison),
            )
        except (NotMeasurable, NotCountable):
            return None, None  # one without the other says nothing
        return release, sample

    def _yardsticks(self, comparison: Comparison) -> dict[str, float]:
        if not self.yardsticked:
            return {}
        computed = {
            name: compute
            for name, other in comparison.yardsticks.items()
            if (compute := self._compute_of(name, comparison, other)) is not None
        }
        values = together(
            [partial(_value, each) for each in computed.values()], _at_once(comparison)
        )
        found = zip(computed, values, strict=True)
        return {name: value for name, value in found if value is not None}

    def _value_of(self, comparison: Comparison) -> float:
        return self.compute(comparison).value

    def _compute_of(
        self, name: str, comparison: Comparison, other: Comparison
    ) -> Callable[[], float] | None:
        """How a yardstick is read; None where it would not compare like with like."""
        if name == "holdout":
            if self.control:
                return None
            if self.of_holdout is not None:
                return partial(self.of_holdout, comparison)
            if other.release.size < comparison.release.size and not self.by_row:
                return None
        return partial(self._value_of, other)


def _at_once(comparison: Comparison) -> int:
    """Parts of one measure: others are read at the same time, and what is searched takes memory."""
    return max(1, comparison.threads // 2)


def _value(compute: Callable[[], float]) -> float | None:
    """Nothing where these data give no value: a yardstick without one stands beside nothing."""
    try:
        return compute()
    except (NotMeasurable, NotCountable):
        return None


def _rows_read(seen: Comparison) -> dict[str, int]:
    return {
        "rows_read_of_original": round(seen.original.size),
        "rows_read_of_release": round(seen.release.size),
    }


def _mined_at(estimate: Estimate) -> tuple[str, ...]:
    """At which support patterns were mined, where they were."""
    support = estimate.details.get("min_support")
    return () if support is None else (f"Minimum support: {support:,} rows of the original.",)


def _some_of(seen: Comparison, whole: Comparison) -> tuple[str, ...]:
    """How many rows were read, where these are not all."""
    if seen is whole:
        return ()
    sides = (
        (seen.original, whole.original, "the original"),
        (seen.release, whole.release, "the release"),
    )
    told = (f"{some.size:,.0f} of {every.size:,.0f} rows of {what}" for some, every, what in sides)
    return (f"Read off {' and '.join(told)}, drawn at random.",)
