"""What an experiment found, in a form that can be written, read again and laid out as a page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from halfmask.errors import BadInput
from halfmask_reproduction.description import Experiment, Printed, Relation

NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Measured:
    """A number that was measured: the mean of some runs and their standard deviation.

    >>> mean_of("random order", [1.0, 3.0]).text(2)
    '2.00 ± 1.41'
    """

    variant: str
    """In which reading of the paper."""
    mean: float | None
    """None: it could not be measured, see `why`."""
    sd: float | None = None
    runs: int = 1
    why: str = ""

    def text(self, digits: int) -> str:
        """As a page shows it."""
        if self.mean is None:
            return self.why or NOT_MEASURED
        spread = "" if not self.sd else f" ± {self.sd:.{digits}f}"
        return f"{self.mean:.{digits}f}{spread}"

    def noise(self, averaged: int) -> float:
        """Twice the standard error of the difference to a mean of so many runs."""
        return 2 * (self.sd or 0.0) * math.sqrt(1 / max(averaged, 1) + 1 / max(self.runs, 1))


def mean_of(variant: str, values: Sequence[float], *, mean: float | None = None) -> Measured:
    """Some runs as one number; `mean` replaces their plain mean where a paper averages otherwise.

    >>> mean_of("once", [0.25])
    Measured(variant='once', mean=0.25, sd=None, runs=1, why='')
    """
    if not values:
        raise BadInput("There is no mean of no runs.")
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else None
    middle = float(np.mean(values)) if mean is None else mean
    return Measured(variant, rounded(middle), None if sd is None else rounded(sd), len(values))


def rounded(value: float) -> float:
    """Six significant digits, so that the last bits of a machine do not show in a file."""
    return float(f"{value:.6g}")


@dataclass(frozen=True, slots=True)
class Compared:
    """A printed number and what was measured for it, reading by reading."""

    row: str
    column: str
    printed: float
    digits: int
    relation: Relation
    doubt: str
    measured: tuple[Measured, ...]
    cut: bool = False

    def verdict(self, averaged: int) -> str:
        """Whether the number is reached, and by which reading; else by how much it is missed.

        >>> one = Measured("described", 0.12, 0.01, 10)
        >>> Compared("Iris", "DS", 0.13, 2, "=", "", (one,)).verdict(10)
        'reached'
        >>> Compared("Iris", "DS", 0.23, 2, "=", "", (one,)).verdict(10)
        'missed by 0.11'
        """
        usable = [one for one in self.measured if one.mean is not None]
        if not usable:
            return self.measured[0].why or NOT_MEASURED
        rounding = (1.0 if self.cut else 0.5) * 10.0**-self.digits
        for one in usable:
            if self.gap(one) <= rounding * (1 + 1e-9) + one.noise(averaged):
                return "reached" if one is self.measured[0] else f"reached by {one.variant}"
        return f"missed by {min(map(self.gap, usable)):.{self.digits}f}"

    def gap(self, one: Measured) -> float:
        """How far the printed number lies from this one; 0 where "more than" or "less" holds."""
        assert one.mean is not None  # noqa: S101 - the caller chose those that have one
        difference = one.mean - self.printed
        if self.relation == ">":
            return max(0.0, -difference)
        return max(0.0, difference) if self.relation == "<" else abs(difference)


@dataclass(frozen=True, slots=True)
class Grid:
    """Numbers that no paper prints, laid out for reading."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Every cell as it is shown."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing: its file's name, its title, what it shows in words, and the SVG."""

    name: str
    title: str
    words: str
    svg: str = ""
    """Empty once it was written to its own file."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the run of an experiment hands back."""

    measured: Mapping[tuple[str, str], tuple[Measured, ...]] = field(default_factory=dict)
    """By row and column of what is printed."""
    grids: tuple[Grid, ...] = ()
    pictures: tuple[Picture, ...] = ()
    remarks: tuple[str, ...] = ()
    """What was left out or cut short in this run."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Times, which depend on the machine and stay out of the pages."""


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one experiment as it is kept."""

    experiment: str
    effort: str
    """How many runs: full, quick, or so many at most."""
    seed: int
    numbers: tuple[Compared, ...]
    grids: tuple[Grid, ...] = ()
    pictures: tuple[Picture, ...] = ()
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, experiment: Experiment, found: Found, *, effort: str, seed: int) -> Result:
        """Put what was measured beside what is printed; no printed number is left out."""
        numbers = tuple(compared(one, found.measured) for one in experiment.printed)
        known = {(one.row, one.column) for one in experiment.printed}
        strangers = sorted(set(found.measured) - known)
        if strangers:
            row, column = strangers[0]
            raise BadInput(f"{experiment.name} measured {column!r} of {row!r}, which none prints.")
        return cls(
            experiment.name, effort, seed, numbers, found.grids, found.pictures, found.remarks
        )


def compared(
    printed: Printed, measured: Mapping[tuple[str, str], tuple[Measured, ...]]
) -> Compared:
    """A printed number with its measurements, or with the word that there is none."""
    found = measured.get((printed.row, printed.column), (Measured(NOT_MEASURED, None),))
    return Compared(
        printed.row,
        printed.column,
        printed.value,
        printed.digits,
        printed.relation,
        printed.doubt,
        found,
        printed.cut,
    )
