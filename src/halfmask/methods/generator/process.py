"""The random process of the generator: weighted patterns that fill the columns of a row.

`reference.py` is the same in plain Python; here the work is done by the native kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Itemset, Schema, Transactions
from halfmask.errors import BadInput, NotMeasurable
from halfmask.run import Progress

Order = Literal["random", "columns"] | tuple[str, ...]
"""Which open column is set next: any, the first in the table, or the first in a list of names."""

"""Called with (done, total); answers whether to go on."""

MAX_STATES = 1 << 20
"""Sets of open columns that one exact computation may meet: every one of twenty columns."""

CACHE_BYTES = 64 << 20
"""Memory of each sampling thread for the pools it has met; beyond, pools are added up anew."""


class TooManyWays(NotMeasurable):
    """An exact probability that would have to follow too many ways to make a row."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Rows that were drawn: their codes and how many patterns made each."""

    codes: NDArray[np.int32]
    patterns_used: NDArray[np.uint16]
    attempts: int
    """Rows that were begun; more than were drawn where some had to be given up."""


@dataclass(frozen=True, eq=False)
class RowChances:
    """Lower and upper bounds of the probability of each row; equal where it is exact."""

    at_least: NDArray[np.float64]
    at_most: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ProbabilityEstimate:
    """The probability of each row as estimated from random ways to make it."""

    probability: NDArray[np.float64]
    standard_error: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Steps:
    """What the process does on average."""

    completes: float
    """The probability that no column meets an empty pool; 1 unless weights are 0."""
    patterns: float
    """The expected number of patterns of a row."""
    uncertain: float
    """Probability of the ways that were too unlikely to follow."""


@dataclass(frozen=True, eq=False)
class Process:
    """Patterns over a schema with a weight each, and the order in which columns are set.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("x", ("A", "B")), Attribute("y", ("C", "D"))))
    >>> patterns = [(0, 2), (1, 3), (0,), (1,), (2,), (3,)]
    >>> process = Process.of(schema, patterns, [2, 2, 1, 1, 1, 1])
    >>> rows = np.array([[0, 0], [0, 1]])
    >>> (12 * process.chances(rows).at_least).round(9).tolist()
    [5.0, 1.0]
    >>> round(process.steps().patterns, 6)
    1.333333
    >>> process.draw(3, key=7).codes.shape
    (3, 2)
    """

    schema: Schema
    patterns: Transactions
    weights: NDArray[np.float64]
    order: NDArray[np.int32]
    """Column numbers, or nothing for a random order."""
    forbidden: Transactions | None = None
    """Combinations that drawing never completes: a pattern that would is not chosen, and a row that
    finds no other is begun anew. Probabilities are those of the process without them."""

    @classmethod
    def of(
        cls,
        schema: Schema,
        patterns: Sequence[Itemset],
        weights: Sequence[float] | NDArray[np.float64],
        order: Order = "random",
    ) -> Process:
        """A process with patterns given as itemsets and the order given by name."""
        return cls(
            schema,
            Transactions.of(patterns, schema.n_items),
            np.ascontiguousarray(weights, np.float64),
            column_order(schema, order),
        )

    def draw(
        self,
        rows: int,
        *,
        key: int,
        first_row: int = 0,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Drawn:
        """Rows `first_row` and following of the endless table of this key.

        The rows are the same whatever the number of threads and however the table is cut.
        Fewer rows come back when `progress` says stop.
        """
        if isinstance(rows, bool) or int(rows) != rows or rows < 0:
            raise BadInput(f"A number of rows is a whole number of at least 0, not {rows!r}.")
        never = self.forbidden or Transactions.of([], self.schema.n_items)
        drawn = _native.sample_rows(
            self._kernel,
            rows,
            key,
            first_row,
            threads,
            CACHE_BYTES,
            progress,
            never.offsets,
            never.items,
        )
        if drawn.stuck and len(never):
            raise BadInput(
                "A row could not be completed in a thousand attempts: the constraints leave "
                "no value for some column, whatever the others hold."
            )
        if drawn.stuck:
            raise NotMeasurable(
                "A row could not be completed in a thousand attempts: the patterns used leave "
                "columns that no pattern fills; raise laplace above 0."
            )
        table = drawn.codes.reshape((rows, len(self.schema)), order="F")
        return Drawn(table[: drawn.done], drawn.patterns_used[: drawn.done], drawn.attempts)

    def chances(
        self,
        codes: NDArray[np.int32],
        *,
        tolerance: float = 0.0,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> RowChances:
        """The probability that one attempt makes each row.

        Exact when `tolerance` is 0; then the cost doubles with every column of a random order.
        Otherwise ways too unlikely to matter are left out, and the bounds differ by at most
        `tolerance`. A row without a value in some column is never made.
        """
        if not 0 <= tolerance < 1:
            raise BadInput(f"A tolerance lies between 0 and 1, not at {tolerance!r}.")
        try:
            arrived, dropped, done = _native.row_probabilities(
                self._kernel, _flat(codes), tolerance, MAX_STATES, threads, progress
            )
        except OverflowError:
            raise self._too_wide() from None
        if done < len(codes):
            raise NotMeasurable(f"Stopped after {done:,} of {len(codes):,} rows.")
        return RowChances(arrived, np.minimum(arrived + dropped, 1.0))

    def log2_probabilities(
        self,
        codes: NDArray[np.int32],
        *,
        tolerance: float = 0.0,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> NDArray[np.float64]:
        """The logarithm (base 2) of the probability that a drawn row is each of these."""
        found = self.chances(codes, tolerance=tolerance, threads=threads, progress=progress)
        with np.errstate(divide="ignore"):
            log2: NDArray[np.float64] = np.log2(found.at_least) - np.log2(self.completes)
        return np.minimum(log2, 0.0)

    def estimate(
        self,
        codes: NDArray[np.int32],
        *,
        paths: int,
        key: int,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> ProbabilityEstimate:
        """The probability of each row from `paths` random ways to make it; for wide tables.

        Without bias, but the error of a row made in many unlike ways can be large; the same key
        gives the same estimates.
        """
        mean, error, done = _native.estimate_probabilities(
            self._kernel, _flat(codes), paths, key, threads, progress
        )
        if done < len(codes):
            raise NotMeasurable(f"Stopped after {done:,} of {len(codes):,} rows.")
        return ProbabilityEstimate(mean / self.completes, error / self.completes)

    @cached_property
    def completes(self) -> float:
        """The probability that an attempt meets no empty pool.

        It is 1 when every column has a single value with a weight, since that fits at any time.
        """
        single = (np.diff(self.patterns.offsets) == 1) & (self.weights > 0)
        values = self.patterns.items[self.patterns.offsets[:-1][single]]
        every_column = len(np.unique(self.schema.domains[values])) == len(self.schema)
        return 1.0 if every_column else self.steps().completes

    def steps(self, *, tolerance: float = 0.0, progress: Progress | None = None) -> Steps:
        """The expected number of patterns per attempt, and the probability to complete."""
        try:
            return Steps(*_native.walk_process(self._kernel, tolerance, MAX_STATES, progress))
        except OverflowError:
            raise self._too_wide() from None

    @property
    def _kernel(self) -> _native.Process:
        """The process as the kernels take it, checked."""
        return _native.Process(
            self.schema.offsets,
            self.patterns.offsets,
            self.patterns.items,
            self.weights,
            self.order,
        )

    def _too_wide(self) -> TooManyWays:
        return TooManyWays(
            f"An exact probability over {len(self.schema)} columns in this order needs more than "
            f"{MAX_STATES:,} sets of open columns; allow a tolerance, fix the order of the "
            "columns, or estimate it from drawn rows."
        )


def _flat(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Column after column, as the kernels read them."""
    return np.asarray(codes, np.int32).ravel(order="F")


def column_order(schema: Schema, order: Order) -> NDArray[np.int32]:
    """Column numbers in the order asked for; none for a random one.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("x", ("A",)), Attribute("y", ("B",))))
    >>> [column_order(schema, order).tolist() for order in ("random", "columns", ("y", "x"))]
    [[], [0, 1], [1, 0]]
    """
    if order == "random":
        return np.empty(0, np.int32)
    if order == "columns":
        return np.arange(len(schema), dtype=np.int32)
    if isinstance(order, str):
        raise BadInput(f"An order is 'random', 'columns' or a list of columns, not {order!r}.")
    numbers = [schema.position(name) for name in order]
    if len(set(numbers)) != len(numbers) or len(numbers) != len(schema):
        raise BadInput(
            f"An order lists each of the {len(schema)} columns once; this one lists "
            f"{len(set(numbers))} of them in {len(numbers)} names."
        )
    return np.array(numbers, np.int32)
