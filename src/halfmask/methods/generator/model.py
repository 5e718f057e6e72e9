"""A learnt generator: the code table, the settings and the margins that drawing rows needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Margins, Release, Schema, Table
from halfmask.errors import BadInput
from halfmask.methods.calibration.target_trees import Allowed
from halfmask.methods.generator.constraints import Fence, FencedProcess
from halfmask.methods.generator.draw import Drawing
from halfmask.methods.generator.probability import (
    ExpectedHits,
    LogProbability,
    distinct_rows,
    expected_hits,
    log_probability,
)
from halfmask.methods.generator.process import Process
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.patterns.code_table import CodeTable
from halfmask.patterns.mining import absolute_support
from halfmask.randomness import Randomness
from halfmask.run import Progress

HALF_A_ROW = 0.5


@dataclass(frozen=True, eq=False)
class GeneratorModel:
    """A code table with the settings it was learnt with: all that drawing rows needs."""

    code_table: CodeTable
    settings: GeneratorSettings
    complete: bool = True
    """False when the search was stopped before its end."""
    margins: Margins | None = None
    """Counts of the original that a release is made to meet; none for the papers' generator."""
    fence: Fence | None = None
    """Rules that the rows drawn must keep."""
    base: int = 1
    """What every count was rounded to; 1 where they are exact."""

    def __post_init__(self) -> None:
        if not isinstance(self.code_table.schema, Schema):
            raise BadInput("A generator needs a table with columns; baskets have none.")
        self.settings.check_names(self.schema)

    @property
    def schema(self) -> Schema:
        """The columns and values of the rows it draws."""
        schema = self.code_table.schema
        assert isinstance(schema, Schema)  # noqa: S101 - the constructor refused others
        return schema

    @property
    def of_sites(self) -> bool:
        """Whether it was made of the models of several sites."""
        estimated = self.margins is not None and self.margins.estimated
        return estimated or self.code_table.off_by > self.base

    @property
    def min_support(self) -> int:
        """The minimum support as a number of rows."""
        return absolute_support(self.settings.min_support, self.code_table.rows)

    @property
    def value_support(self) -> int:
        """The rows that hold each single value, at least."""
        return self.settings.value_support or self.min_support

    @cached_property
    def process(self) -> Process:
        """The random process: every pattern X has the weight usage(X) + max λ(item) over X.

        A usage that was rounded to 0 may be one of a few rows, and weighs half a row.
        """
        table, corrections = self.code_table, self.settings.item_corrections(self.schema)
        singles = [(item,) for item in range(self.schema.n_items)]
        raised = [corrections[list(pattern)].max() for pattern in table.sets]
        usages = np.concatenate([table.usages, table.item_usages]).astype(np.float64)
        if self.base > 1:
            held = np.concatenate([table.supports, table.item_supports]) > 0
            usages = np.where(held & (usages == 0), HALF_A_ROW, usages)
        weights = usages + np.concatenate([np.array(raised, np.float64), corrections])
        return Process.of(self.schema, [*table.sets, *singles], weights, self.settings.order)

    def fenced(self, fence: Fence | None) -> GeneratorModel:
        """The same with rules that the rows drawn must keep; itself where there are none."""
        return self if fence is None else replace(self, fence=fence)

    @property
    def source(self) -> Process | FencedProcess:
        """What rows are drawn from: the process, with the rules in its way if there are any."""
        return self.process if self.fence is None else self.fence.around(self.process)

    def sample(  # noqa: PLR0913 - how many rows, and how to go about it
        self,
        rows: int,
        *,
        randomness: Randomness,
        threads: int = 1,
        progress: Progress | None = None,
        first_row: int = 0,
        calibrate: bool = True,
    ) -> Release:
        """Draw rows; the same randomness gives the same rows whatever the number of threads.

        `first_row` skips rows, so that a long release can be drawn piece by piece. A model with
        margins meets them unless `calibrate` is False; each piece then meets them by itself.
        """
        drawing = Drawing(
            self,
            rows,
            randomness,
            threads=threads,
            progress=progress,
            first_row=first_row,
            calibrate=calibrate,
        )
        return drawing.released(drawing.at_once())

    @property
    def allowed(self) -> Allowed | None:
        """Which values of the target the rules leave in a row; none where there are no rules."""
        target = self.settings.calibration.target
        if self.fence is None or target is None:
            return None
        return partial(self.fence.allows, self.schema, target)

    def probability(
        self,
        table: Table,
        *,
        tolerance: float = 0.0,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> NDArray[np.float64]:
        """The logarithm (base 2) of the probability that a drawn row equals each row of a table.

        Exact when `tolerance` is 0; the cost then doubles with each column of a random order, and
        20 columns are the most. Otherwise a lower bound, too low by at most `tolerance`.
        """
        self._check_schema(table)
        distinct = distinct_rows(table)
        found = self.process.log2_probabilities(
            distinct.codes, tolerance=tolerance, threads=threads, progress=progress
        )
        return found[distinct.row_of]

    def log_probability(
        self, table: Table, *, randomness: Randomness, threads: int = 1
    ) -> LogProbability:
        """The same for any width, with the word for how it was found; rules and margins aside."""
        self._check_schema(table)
        return log_probability(self.process, table, randomness=randomness, threads=threads)

    def expected_patterns_per_row(self, *, tolerance: float = 0.0) -> float:
        """The mean number of patterns that make a row, without drawing one."""
        return self.process.steps(tolerance=tolerance).patterns

    def expected_hits(
        self,
        table: Table,
        rows: int,
        *,
        randomness: Randomness,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> ExpectedHits:
        """How probable each distinct row of a table is, good enough for its NAS among `rows` rows.

        Exact where that is quick, within certified bounds up to 16 columns, estimated beyond.
        """
        self._check_schema(table)
        return expected_hits(
            self.process, table, rows, randomness=randomness, threads=threads, progress=progress
        )

    def _check_schema(self, table: Table) -> None:
        if table.schema != self.schema:
            raise BadInput("The table does not have the columns and values that the model learnt.")
