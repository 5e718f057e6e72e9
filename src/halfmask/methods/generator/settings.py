"""The dials of the generator, checked when they are set and again against the columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Schema
from halfmask.data.coding.spec import RarePolicy
from halfmask.errors import BadInput
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.generator.process import Order, column_order
from halfmask.methods.names import forbidden_pairs, items_named
from halfmask.patterns.mining import DEFAULT_LIMIT, Kind

SearchName = Literal["krimp", "slim", "auto"]
"""How the code table is searched; "auto" takes Krimp while its candidates are few enough."""
LARGE_LAPLACE = 1.0
"""As much as a row for each pattern: whoever sets this wants rows that no count ties together."""
_COUNTS = (
    "pattern_support",
    "value_support",
    "max_pattern_length",
    "max_candidates",
    "search_rows",
)


@dataclass(frozen=True)
class GeneratorSettings:
    """How a generator is learnt and how it draws.

    >>> GeneratorSettings(min_support=20, hide_together=(("diagnosis", "postcode"),)).laplace
    0.001
    >>> GeneratorSettings(laplace=-1)
    Traceback (most recent call last):
    halfmask.errors.BadInput: laplace is a number of at least 0, not -1.
    """

    min_support: float = 10
    """No pattern of two or more values is held by fewer rows (or by a smaller share of them)."""
    pattern_support: int | None = None
    """The rows that a pattern needs, where that is more than `min_support`: where a release is
    calibrated, counts of a few columns bring back most of what rarer patterns say, and tell less
    about who was there."""
    laplace: float = 0.001
    """Added to the usage of every pattern: above 0 every row over the columns is possible."""
    prune: bool = False
    """Drop patterns that later ones made useless: a smaller table, less diverse rows."""
    candidates: Kind = "all"
    max_pattern_length: int | None = None
    """Shorter patterns need more of them for a row, so fewer rows of the original come back."""
    hide_together: tuple[tuple[str, str], ...] = ()
    """Pairs, each a column or `column=value`, that no pattern may hold together."""
    laplace_for: Mapping[str, float] = field(default_factory=dict)
    """Another correction for a column or a `column=value`: a large one loosens its ties."""
    order: Order = "random"
    """Which open column is set next."""
    search: SearchName = "krimp"
    max_candidates: int = DEFAULT_LIMIT
    """Krimp looks at no more itemsets, which bounds its memory; "auto" then takes Slim."""
    effort: float = 0.1
    """Slim ends after so much work with the best table so far: 1 is about half a minute. Work is
    counted and not timed, so that the same table comes out wherever it is learnt."""
    search_rows: int | None = None
    """Patterns are searched in so many rows, drawn from a longer table, and counted in all."""
    rare_values: RarePolicy = "group"
    """What the encoding did with rare values before; learning takes the table as it is."""
    value_support: int | None = None
    """The rows that a single value needs, where that is less than `min_support`: a privacy target
    may ask more of combinations than of the values they are made of."""
    exact: bool = False
    """Whether counts stay as they were counted; a model of these is drawn from at home only."""
    calibration: CalibrationSettings = field(default_factory=CalibrationSettings)
    """Which tables of the original a release is to meet; none for the papers' generator."""

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "laplace_for", dict(self.laplace_for))
        set_(self, "hide_together", tuple(tuple(pair) for pair in self.hide_together))
        if not isinstance(self.order, str):
            set_(self, "order", tuple(self.order))
        self._check_support()
        _check_correction("laplace", self.laplace)
        for name, value in self.laplace_for.items():
            _check_correction(f"laplace_for {name!r}", value)
        _check_choice("candidates", self.candidates, get_args(Kind))
        _check_choice("search", self.search, get_args(SearchName))
        _check_choice("rare_values", self.rare_values, get_args(RarePolicy))
        if isinstance(self.order, str):
            _check_choice("order", self.order, ("random", "columns"), "a list of columns")
        if not isinstance(self.effort, Real) or not 0 < self.effort < math.inf:
            raise BadInput(f"effort is a number above 0, not {self.effort!r}.")
        for name in _COUNTS:
            _check_count(name, getattr(self, name))
        if any(len(pair) != 2 for pair in self.hide_together):
            raise BadInput("hide_together lists pairs: two names of a column or column=value each.")

    def _check_support(self) -> None:
        support = self.min_support
        whole = isinstance(support, Integral) and not isinstance(support, bool) and support >= 1
        share = not isinstance(support, Integral) and isinstance(support, Real) and 0 < support <= 1
        if not (whole or share):
            raise BadInput(
                "min_support is a whole number of rows of at least 1, or a fraction above 0 and "
                f"up to 1.0, not {support!r}."
            )

    def pattern_floor(self, support: int) -> int:
        """The rows that a pattern needs where the minimum support is so many."""
        return max(support, self.pattern_support or 1)

    def telling_less(self, times: float) -> GeneratorSettings:
        """Counts are believed so many times less, and patterns need so many times the rows."""
        shrink = times * (self.calibration.shrink or 1.0)
        return replace(
            self,
            pattern_support=math.ceil(times * self.pattern_floor(int(self.min_support))),
            calibration=replace(self.calibration, shrink=shrink),
        )

    def check_names(self, schema: Schema) -> None:
        """Refuse a name that is no column (or no value of it), with the nearest that is."""
        self.forbidden(schema)
        self.item_corrections(schema)
        column_order(schema, self.order)
        self.calibration.check_names(schema)

    def forbidden(self, schema: Schema) -> list[tuple[int, int]]:
        """The pairs of items that no pattern may hold."""
        return forbidden_pairs(schema, self.hide_together)

    def item_corrections(self, schema: Schema) -> NDArray[np.float64]:
        """λ of every item: that of its value, else of its column, else `laplace`."""
        corrections = np.full(schema.n_items, float(self.laplace))
        columns_first = sorted(self.laplace_for, key=lambda name: name not in schema.names)
        for name in columns_first:  # so that a value's own correction wins over its column's
            corrections[list(items_named(schema, name))] = self.laplace_for[name]
        return corrections


def _check_correction(name: str, value: float) -> None:
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0:
        raise BadInput(f"{name} is a number of at least 0, not {value!r}.")


def _check_count(name: str, value: int | None) -> None:
    if value is not None and (isinstance(value, bool) or int(value) != value or value < 1):
        raise BadInput(f"{name} is a whole number of at least 1, not {value!r}.")


def _check_choice(name: str, given: str, known: tuple[str, ...], *also: str) -> None:
    if given not in known:
        choices = [repr(choice) for choice in known] + list(also)
        text = " or ".join([", ".join(choices[:-1]), choices[-1]] if choices[1:] else choices)
        raise BadInput(f"{name} is {text}, not {given!r}.")
