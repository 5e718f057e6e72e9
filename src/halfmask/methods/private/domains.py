"""Domains: which values and bins the columns of a private release have, learnt within the budget.

Values of a category that was not declared are those that so many rows hold that a count with noise
shows it; a value of one person passes with a probability of δ at most [Korolova, Kenthapadi, Mishra
& Ntoulas 2009]. Of numbers and dates first a coarse table over all that could be is asked, then a
finer one where rows are; bins are put together from its noisy counts, and what lies within a bin is
drawn as these say. One row is in one cell of each table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.bins import Bins, Part
from halfmask.data.coding.fitting import regrouped
from halfmask.data.column import Labelled, kind_of, sorted_labels
from halfmask.data.schema import Attribute
from halfmask.errors import BadInput
from halfmask.methods.private import accounting
from halfmask.methods.private.accounting import BudgetLedger
from halfmask.methods.private.forms import ColumnForm, storage_of_values
from halfmask.methods.private.grids import SURE, Grid, coarse_grid, merged, refined
from halfmask.methods.private.mechanisms import RandomBits, discrete_gaussian, usable_variance

VALUES, RANGES, BINS = "values of categories", "ranges", "bins"
TIMES, MISSING = "times of day", "missing cells"
OTHER = "other"
"""What stands for values that too few rows hold to be learnt."""
MOST_BINS = 12
SURE_MISSING = 3.0
"""So many times the noise must missing cells, or rare values, show to be a value of a column."""
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
        declared = sum(bool(form.values) or form.edges is not None for form in forms)
        bins = len(forms) - open_ones - declared
        clocks = sum(form.has_clock for form in forms)
        return cls(open_ones + bins + QUARTER * (declared + clocks), open_ones)


HALF, QUARTER = 0.5, 0.25
"""The prices of a table of ranges or of bins, and of one of times or of missing cells."""


@dataclass(frozen=True, eq=False)
class _Learnt:
    """What was told of a column before it is known how many rows there are."""

    values: tuple[str, ...]
    """Values or names of bins."""
    rows: NDArray[np.float64]
    """That each seems to have; empty where that is not known."""
    missing: float
    """Rows without a value, with noise."""
    sigma: float
    cells: int
    """That were added up for all rows."""
    words: str = ""
    bins: Bins | None = None

    @property
    def total(self) -> float:
        return float(self.rows.sum()) + self.missing


def learn_domains(
    forms: Sequence[ColumnForm], columns: Mapping[str, Labelled], asker: Asker
) -> dict[str, Domain | None]:
    """The domain of each column that takes part; None where nothing could be learnt."""
    found = {form.name: _ask(form, columns[form.name], asker) for form in forms}
    whole = [one for one, form in zip(found.values(), forms, strict=True) if _counts_all(form)]
    total = 0.0
    if whole:
        precision = [1 / (one.sigma**2 * one.cells) for one in whole]
        total = float(np.average([one.total for one in whole], weights=precision))
    return {form.name: _domain(form, columns[form.name], found[form.name], total) for form in forms}


def threshold(sigma: float, delta: float) -> int:
    """The noisy count that a value of a single row reaches with a probability of δ at most.

    A discrete Gaussian exceeds m no oftener than a continuous one m - 1 [Canonne, Kamath & Steinke
    2020, proposition 25].

    >>> threshold(10.0, 1e-10)
    66
    """
    return 2 + ceil(-sigma * NormalDist().inv_cdf(delta))


def _counts_all(form: ColumnForm) -> bool:
    """Whether every row was counted in one cell or another, values that are rare included."""
    return form.fate == "ordered" or bool(form.values)


def _ask(form: ColumnForm, column: Labelled, asker: Asker) -> _Learnt:
    if form.fate == "ordered":
        return _ask_ordered(form, column, asker)
    grouped = regrouped(column, form.groups)
    gone = np.array([label is None or label in form.missing for label in grouped.labels], bool)
    counts = grouped.counts
    if form.values and OTHER not in form.values:
        gone |= np.array([label not in form.values for label in grouped.labels], bool)
    lacking = int(counts[gone].sum())
    if form.values:
        return _ask_missing(form.values, int(counts.sum()), lacking, asker)
    held = [label for label, no in zip(grouped.labels, gone, strict=True) if not no]
    noisy, sigma = asker.counts(
        VALUES, np.append(counts[~gone], lacking), 1.0, asker.rows * asker.delta
    )
    least = threshold(sigma, asker.delta) + asker.rows - 1
    rows = dict(zip(map(str, held), noisy[:-1].tolist(), strict=True))
    kept = [value for value, n in rows.items() if n >= least]
    kept = sorted_labels(kept, storage_of_values(kept, column.storage))
    told = np.array([rows[value] for value in kept], float)
    return _Learnt(
        tuple(kept), told, float(noisy[-1]), sigma, len(kept) + 1, f"{len(kept):,} values"
    )


def _ask_missing(values: tuple[str, ...], rows: int, lacking: int, asker: Asker) -> _Learnt:
    """Of a column that is declared only whether cells are missing."""
    noisy, sigma = asker.counts(MISSING, np.array([rows - lacking, lacking]), QUARTER)
    return _Learnt(values, noisy[:1].astype(float), float(noisy[1]), sigma, 2)


def _domain(form: ColumnForm, column: Labelled, found: _Learnt, total: float) -> Domain | None:
    """The values that are kept, "other" and missing among them where they show beyond the noise."""
    values: tuple[str | None, ...] = found.values
    if not values:
        return None
    storage = form.storage if found.bins else storage_of_values(found.values, form.storage)
    common = int(found.rows.argmax()) if len(found.rows) == len(values) else 0
    missing = rest = common
    if found.missing >= SURE_MISSING * found.sigma:
        missing = rest = len(values)
        values = (*values, None)
    if OTHER in found.values:
        rest = found.values.index(OTHER)
    elif not (form.values or found.bins) and kind_of(storage) == "text" and _others(found, total):
        at = len(found.values)
        rest, missing = at, missing + (missing == at)
        values = (*found.values, OTHER, *values[at:])
    attribute = Attribute(form.name, values, storage, found.bins)
    return Domain(attribute, _codes(form, column, found, missing, rest), found.words)


def _others(found: _Learnt, total: float) -> bool:
    """Whether rows seem to be left over, of all there seem to be; always where that is unknown."""
    return not total or total - found.total >= SURE_MISSING * found.sigma * found.cells**0.5


def _codes(
    form: ColumnForm, column: Labelled, found: _Learnt, missing: int, rest: int
) -> dict[str | None, int]:
    """The code of each label: of its value or bin, of the rest, or of what is missing."""
    if found.bins is not None:
        ticks, readable = form.ticks(column)
        assert form.scale is not None  # noqa: S101 - of ordered columns
        places = found.bins.find(ticks // form.scale.per_day)
        codes = np.where(readable, places, missing).tolist()
        return dict(zip(column.labels, codes, strict=True)) | {None: missing}
    number = {value: code for code, value in enumerate(found.values)}
    new = {old: label for label, olds in form.groups.items() for old in olds}
    coded: dict[str | None, int] = {
        label: missing if label in form.missing else number.get(new.get(label, label), rest)
        for label in column.labels
        if label is not None
    }
    return coded | {None: missing}


def _ask_ordered(form: ColumnForm, column: Labelled, asker: Asker) -> _Learnt:
    ticks, readable = form.ticks(column)
    rows = column.counts
    lacking = int(rows[~readable].sum())
    assert form.scale is not None  # noqa: S101 - of ordered columns
    days, times = (ticks // form.scale.per_day)[readable], (ticks % form.scale.per_day)[readable]
    held = rows[readable]
    if form.edges is not None and form.range is not None:
        grid = Grid.of([form.range[0], *form.edges], form.range[1])
        parts: tuple[tuple[Part, ...], ...] = tuple((Part(*cell, 1),) for cell in grid.cells)
        told = _ask_missing((), int(rows.sum()), lacking, asker)
        words = ""
    else:
        parts, told = _ask_bins(form, days, held, lacking, asker)
        words = f"{len(parts):,} bins" if form.range else f"the range and {len(parts):,} bins"
    clock = _ask_clock(form, times, held, asker) if form.has_clock else None
    words += "" if clock is None else f"{' and ' if words else ''}times of day"
    bins = Bins(form.scale, parts, clock=clock)
    return replace(told, values=bins.labels, words=words, bins=bins)


def _ask_bins(
    form: ColumnForm,
    ticks: NDArray[np.int64],
    rows: NDArray[np.int64],
    lacking: int,
    asker: Asker,
) -> tuple[tuple[tuple[Part, ...], ...], _Learnt]:
    """Where the rows are, coarsely; then finer, and put together."""
    coarse = coarse_grid(form.day_scale, form.range)
    noisy, sigma = asker.counts(RANGES, np.append(coarse.count(ticks, rows), lacking), HALF)
    counts, missing, before = noisy[:-1], float(noisy[-1]), sigma
    if form.range is None:
        sure = np.flatnonzero(counts >= SURE * sigma)
        if not len(sure):
            raise BadInput(_unknown_range(form))
        coarse, counts = coarse.within(sure[0], sure[-1]), counts[sure[0] : sure[-1] + 1]
    fine = refined(coarse, np.maximum(counts - sigma, 0))
    counts, sigma = asker.counts(BINS, fine.count(ticks, rows), HALF)
    parts = merged(fine, counts, sigma, form.bins or MOST_BINS)
    told = np.array([sum(part.rows for part in bin_) for bin_ in parts], float)
    if len(fine.cells) * len(told):
        told = told * max(float(counts.sum()), 1.0) / max(float(told.sum()), 1.0)
    return parts, _Learnt((), told, missing, max(sigma, before), len(fine.cells) + 1)


def _unknown_range(form: ColumnForm) -> str:
    example = "[1900-01-01, 2030-12-31]" if form.day_scale.is_moment else "[0, 120]"
    return (
        f"The range of column {form.name!r} cannot be learnt at this epsilon: too few rows hold a "
        f"value. Declare it in a schema (range = {example}; `halfmask schema init --public` "
        "writes one to fill in), raise epsilon, or leave the column out (--drop)."
    )


def _ask_clock(
    form: ColumnForm, times: NDArray[np.int64], rows: NDArray[np.int64], asker: Asker
) -> Bins:
    """The hours of the day, as noisy counts say, as one bin."""
    assert form.scale is not None  # noqa: S101 - of ordered columns
    hour = form.scale.per_day // 24
    grid = Grid.of([hour * h for h in range(24)], form.scale.per_day - 1)
    counts, sigma = asker.counts(TIMES, grid.count(times, rows), QUARTER)
    step = max(1, form.scale.per_day // 86_400)  # nobody needs fractions of a second
    [parts] = merged(grid, counts, sigma, 1)
    return Bins(form.scale.clock, (tuple(replace(part, step=step) for part in parts),))
