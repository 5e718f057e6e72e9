"""Domains: which values and bins the columns of a private release have, learnt within the budget.

Values of a category that was not declared are those that so many rows hold that a count with noise
shows it; a value of one person passes with a probability of δ at most [Korolova, Kenthapadi, Mishra
& Ntoulas 2009]. Of numbers and dates first a coarse table over all that could be is asked, then a
finer one where rows are; bins are put together from its noisy counts, and what lies within a bin is
drawn as these say. One row is in one cell of each table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.bins import Bins, Part
from halfmask.data.coding.fitting import regrouped
from halfmask.data.column import Column, sorted_labels
from halfmask.data.schema import Attribute
from halfmask.errors import BadInput
from halfmask.methods.private import accounting
from halfmask.methods.private.accounting import BudgetLedger
from halfmask.methods.private.forms import ColumnForm
from halfmask.methods.private.grids import Grid, coarse_grid, merged, refined
from halfmask.methods.private.mechanisms import RandomBits, discrete_gaussian, usable_variance

VALUES, RANGES, BINS, TIMES = "values of categories", "ranges", "bins", "times of day"
OTHER = "other"
"""What stands for values that too few rows hold to be learnt."""
MOST_BINS = 12
SURE = 4.0
"""So many times the noise must a cell show before a range reaches to it."""
DOMAIN_DELTA = 0.1
"""The share of δ that values of categories may take where any must be learnt."""


@dataclass
class Asker:
    """The only way to the table while domains are learnt: counts with noise, paid for."""

    ledger: BudgetLedger
    bits: RandomBits
    unit: float
    """The ρ of one table."""
    delta: float = 0.0
    """That each new value of a person may take."""
    rows: int = 1
    """The most of one person."""

    def counts(
        self, part: str, truth: NDArray[np.int64], price: float, delta: float = 0.0
    ) -> tuple[NDArray[np.int64], float]:
        """Noisy counts of cells that do not overlap, and the standard deviation of the noise."""
        variance = usable_variance(accounting.gaussian_sigma(price * self.unit))
        sigma = float(variance) ** 0.5
        self.ledger = self.ledger.spend(part, accounting.gaussian_rho(sigma), delta)
        return truth + discrete_gaussian(variance, len(truth), self.bits), sigma


@dataclass(frozen=True, eq=False)
class Domain:
    """The attribute of a column, and the code of each of its labels."""

    attribute: Attribute
    code_of: Mapping[str | None, int]
    """Of the labels of the table; a label without a value is missing."""
    learnt: str = ""
    """What was learnt, in words; empty where all was declared."""

    def codes(self, column: Column) -> NDArray[np.int32]:
        """The code of each row."""
        of_labels = np.array([self.code_of[label] for label in column.labels], np.int32)
        return of_labels[column.index]


@dataclass(frozen=True, slots=True)
class DomainPrices:
    """What learning the domains of some columns costs, in tables."""

    tables: float = 0.0
    categories: int = 0
    """Those whose values must be learnt."""

    @classmethod
    def of(cls, forms: Sequence[ColumnForm]) -> DomainPrices:
        """The sum over the columns."""
        open_ones = sum(form.fate == "category" and not form.values for form in forms)
        bins = sum(form.fate == "ordered" and form.edges is None for form in forms)
        clocks = sum(form.has_clock for form in forms)
        return cls(open_ones + bins + CLOCK * clocks, open_ones)


HALF, CLOCK = 0.5, 0.25
"""The prices of a table of ranges or of bins, and of one of times of day."""


def learn_domains(
    forms: Sequence[ColumnForm], columns: Mapping[str, Column], asker: Asker
) -> dict[str, Domain | None]:
    """The domain of each column that takes part; None where nothing could be learnt."""
    return {
        form.name: _LEARN[form.fate](form, columns[form.name], asker)
        for form in forms
        if form.fate in _LEARN
    }


def threshold(sigma: float, delta: float) -> int:
    """The noisy count that a value of a single row reaches with a probability of δ at most.

    A discrete Gaussian exceeds m no oftener than a continuous one m - 1 [Canonne, Kamath & Steinke
    2020, proposition 25].

    >>> threshold(10.0, 1e-10)
    66
    """
    return 2 + ceil(-sigma * NormalDist().inv_cdf(delta))


def _learn_category(form: ColumnForm, given: Column, asker: Asker) -> Domain | None:
    column = regrouped(given, form.groups)
    new = {old: label for label, olds in form.groups.items() for old in olds}
    values, learnt = form.values, ""
    if not values:
        values = _common(form, column, asker)
        learnt = f"{len(values):,} values"
        if not values:
            return None
        if column.is_text and OTHER not in values:
            values = (*values, OTHER)
    codes: dict[str | None, int] = {value: code for code, value in enumerate(values)}
    missing = len(values)
    rest = codes.get(OTHER, missing)
    found: dict[str | None, int] = {None: missing}
    for label in given.labels:
        if label is not None:
            gone = label in form.missing
            found[label] = missing if gone else codes.get(new.get(label, label), rest)
    attribute = Attribute(form.name, (*values, None), form.storage)
    return Domain(attribute, found, learnt)


def _common(form: ColumnForm, column: Column, asker: Asker) -> tuple[str, ...]:
    """The values whose noisy count no single row could have brought about."""
    held = [
        (label, rows)
        for label, rows in zip(column.labels, column.counts.tolist(), strict=True)
        if label is not None and label not in form.missing
    ]
    truth = np.array([rows for _, rows in held], np.int64)
    noisy, sigma = asker.counts(VALUES, truth, 1.0, asker.rows * asker.delta)
    least = threshold(sigma, asker.delta) + asker.rows - 1
    kept = [label for (label, _), rows in zip(held, noisy.tolist(), strict=True) if rows >= least]
    return tuple(sorted_labels(kept, column.storage))


def _learn_ordered(form: ColumnForm, column: Column, asker: Asker) -> Domain:
    ticks, readable = form.ticks(column)
    rows = column.counts
    assert form.scale is not None  # noqa: S101 - of ordered columns
    days = ticks // form.scale.per_day
    if form.edges is not None and form.range is not None:
        grid = Grid.of([form.range[0], *form.edges], form.range[1])
        bins, learnt = tuple((Part(*cell, 1),) for cell in grid.cells), ""
    else:
        bins = _learn_bins(form, days[readable], rows[readable], asker)
        learnt = f"{len(bins):,} bins" if form.range else f"the range and {len(bins):,} bins"
    clock = None
    if form.has_clock:
        clock = _learn_clock(form, (ticks % form.scale.per_day)[readable], rows[readable], asker)
        learnt += f"{' and ' if learnt else ''}times of day"
    found = Bins(form.scale, bins, clock=clock)
    codes = np.where(readable, found.find(days), len(bins)).tolist()
    code_of = dict(zip(column.labels, codes, strict=True)) | {None: len(bins)}
    return Domain(Attribute(form.name, (*found.labels, None), form.storage, found), code_of, learnt)


def _learn_bins(
    form: ColumnForm, ticks: NDArray[np.int64], rows: NDArray[np.int64], asker: Asker
) -> tuple[tuple[Part, ...], ...]:
    """Where the rows are, coarsely; then finer, and put together."""
    coarse = coarse_grid(form.day_scale, form.range)
    counts, sigma = asker.counts(RANGES, coarse.count(ticks, rows), HALF)
    if form.range is None:
        sure = np.flatnonzero(counts >= SURE * sigma)
        if not len(sure):
            raise BadInput(_unknown_range(form))
        coarse, counts = coarse.within(sure[0], sure[-1]), counts[sure[0] : sure[-1] + 1]
    fine = refined(coarse, np.maximum(counts - sigma, 0))
    counts, sigma = asker.counts(BINS, fine.count(ticks, rows), HALF)
    return merged(fine, counts, sigma, form.bins or MOST_BINS)


def _unknown_range(form: ColumnForm) -> str:
    example = "[1900-01-01, 2030-12-31]" if form.day_scale.is_moment else "[0, 120]"
    return (
        f"The range of column {form.name!r} cannot be learnt at this epsilon: too few rows hold a "
        f"value. Declare it in a schema (range = {example}; `halfmask schema init --public` "
        "writes one to fill in), raise epsilon, or leave the column out (--drop)."
    )


def _learn_clock(
    form: ColumnForm, times: NDArray[np.int64], rows: NDArray[np.int64], asker: Asker
) -> Bins:
    """The hours of the day, as noisy counts say, as one bin."""
    assert form.scale is not None  # noqa: S101 - of ordered columns
    hour = form.scale.per_day // 24
    grid = Grid.of([hour * h for h in range(24)], form.scale.per_day - 1)
    counts, sigma = asker.counts(TIMES, grid.count(times, rows), CLOCK)
    [parts] = merged(grid, counts, sigma, 1)
    return Bins(form.scale.clock, (parts,))


_LEARN: Mapping[str, Callable[[ColumnForm, Column, Asker], Domain | None]] = {
    "category": _learn_category,
    "ordered": _learn_ordered,
}
