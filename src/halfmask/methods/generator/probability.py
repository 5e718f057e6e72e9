"""How probable the rows of an original are under a generator, before a single row is drawn."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.methods.generator.process import ProbabilityEstimate, Process, TooManyWays
from halfmask.randomness import Randomness
from halfmask.run import Progress

How = Literal["exact", "bounded", "estimated"]

EXACT_COLUMNS = 10
"""Up to so many columns of a random order every way to make a row is followed: 0.03 ms a row."""

BOUNDED_COLUMNS = 16
"""Up to so many, unlikely ways are left out (15 columns of adult: 1 ms a row, exact 3 ms); beyond,
the ways are too many even so (23 columns of mushroom: 50 ms a row) and some are drawn instead."""

ACCURACY = 1e-3
"""How far leaving ways out may move the chance of a row to be among those drawn."""

PATHS = 256
"""Ways that are drawn for each row where the probability is estimated."""


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The different rows of a table, how many rows equal each, and which of them each row is."""

    codes: NDArray[np.int32]
    multiplicities: NDArray[np.int64]
    row_of: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ExpectedHits:
    """The probability of each distinct row of an original: what an expected NAS is made of."""

    log2_probabilities: NDArray[np.float64]
    multiplicities: NDArray[np.int64]
    rows: int
    """How many rows are to be drawn."""
    how: How
    uncertainty: float
    """How far the mean chance to be drawn may be off: 0, a certain bound, or a standard error."""

    @property
    def chances(self) -> NDArray[np.float64]:
        """The chance of each distinct row to be among the rows drawn: 1 − (1 − P)^rows."""
        return chance_among(np.exp2(self.log2_probabilities), self.rows)


@dataclass(frozen=True, eq=False)
class LogProbability:
    """How probable rows, and all of them together, are under a generator, in bits (base 2).

    >>> found = LogProbability(np.array([-1.0, -3.0]), "exact")
    >>> found.total, found.bits_per_row
    (-4.0, 2.0)
    """

    rows: NDArray[np.float64]
    """log2 of the probability that a row drawn equals each row; minus infinity if it never does."""
    how: How
    """`estimated` beyond 16 columns of a random order: then below the truth, in expectation."""

    @property
    def total(self) -> float:
        """Of the database: that so many rows, drawn one by one, are exactly these in this order."""
        return float(self.rows.sum())

    @property
    def bits_per_row(self) -> float:
        """The mean surprise of a row: what drift raises."""
        return -float(self.rows.mean())


def log_probability(
    process: Process,
    table: Table,
    *,
    randomness: Randomness,
    threads: int = 1,
) -> LogProbability:
    """The probability of each row: exact where all ways to make it can be followed.

    Else from ways that are drawn: without bias for the probability, so that its logarithm is, in
    expectation, at most the true one.
    """
    distinct = distinct_rows(table)
    if _open_columns(process) <= BOUNDED_COLUMNS:
        with suppress(TooManyWays):
            found = process.log2_probabilities(distinct.codes, threads=threads)
            return LogProbability(found[distinct.row_of], "exact")
    _, log2 = _estimated(process, distinct, randomness=randomness, threads=threads)
    return LogProbability(log2[distinct.row_of], "estimated")


def chance_among(probabilities: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
    """The chance that a row of this probability is among `rows` independent ones.

    >>> chance_among(np.array([0.0, 0.5, 1.0]), 2).tolist()
    [0.0, 0.75, 1.0]
    """
    if not rows:
        return np.zeros_like(probabilities)
    with np.errstate(divide="ignore"):
        chances: NDArray[np.float64] = -np.expm1(rows * np.log1p(-np.minimum(probabilities, 1.0)))
    return chances


def distinct_rows(table: Table) -> DistinctRows:
    """The different rows of a table.

    >>> from halfmask.data import Attribute, Schema
    >>> table = Table(Schema((Attribute("a", ("x", "y")),)), np.array([[1], [0], [1]]))
    >>> distinct_rows(table).multiplicities.tolist(), distinct_rows(table).row_of.tolist()
    ([1, 2], [1, 0, 1])
    """
    codes, row_of, counts = np.unique(table.codes, axis=0, return_inverse=True, return_counts=True)
    return DistinctRows(codes, counts.astype(np.int64), row_of.reshape(-1))


def expected_hits(  # noqa: PLR0913 - what to ask, and how to go about it
    process: Process,
    table: Table,
    rows: int,
    *,
    randomness: Randomness,
    threads: int = 1,
    progress: Progress | None = None,
) -> ExpectedHits:
    """The probabilities of the distinct rows in the cheapest way that is good enough."""
    distinct = distinct_rows(table)
    columns = _open_columns(process)
    if columns <= BOUNDED_COLUMNS:
        tolerance = 0.0 if columns <= EXACT_COLUMNS else ACCURACY / max(rows, 1)
        with suppress(TooManyWays):
            found = process.log2_probabilities(
                distinct.codes, tolerance=tolerance, threads=threads, progress=progress
            )
            how: How = "bounded" if tolerance else "exact"
            return ExpectedHits(
                found, distinct.multiplicities, rows, how, ACCURACY if tolerance else 0.0
            )
    estimate, log2 = _estimated(
        process, distinct, randomness=randomness, threads=threads, progress=progress
    )
    return ExpectedHits(
        log2, distinct.multiplicities, rows, "estimated", _error_of_mean(estimate, rows)
    )


def _open_columns(process: Process) -> int:
    """The columns whose order is left to chance: each doubles the ways to make a row."""
    return 0 if len(process.order) else len(process.schema)


def _estimated(
    process: Process,
    distinct: DistinctRows,
    *,
    randomness: Randomness,
    threads: int,
    progress: Progress | None = None,
) -> tuple[ProbabilityEstimate, NDArray[np.float64]]:
    """The probabilities of rows from some ways to make them, and their logarithms."""
    estimate = process.estimate(
        distinct.codes,
        paths=PATHS,
        key=randomness.key("ways to make a row"),
        threads=threads,
        progress=progress,
    )
    with np.errstate(divide="ignore"):
        return estimate, np.log2(np.minimum(estimate.probability, 1.0))


def _error_of_mean(estimate: ProbabilityEstimate, rows: int) -> float:
    """The standard error of the mean chance, through the slope rows · (1 − P)^(rows − 1)."""
    slope = rows * (1 - chance_among(estimate.probability, max(rows - 1, 0)))
    return float(np.sqrt(((slope * estimate.standard_error) ** 2).sum()) / max(len(slope), 1))
