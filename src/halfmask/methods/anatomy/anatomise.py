"""Multi-dimension anatomy: publish which values occur together with whom, not in whom."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction
from typing import get_args

import numpy as np

from halfmask.data import Baskets
from halfmask.errors import BadInput
from halfmask.methods.anatomy.columns import Clusterer, ItemColumns
from halfmask.methods.anatomy.eligibility import (
    OnIneligible,
    join_columns,
    refuse_ineligible,
    suppress_rows,
)
from halfmask.methods.anatomy.partition import (
    Bounds,
    Cells,
    EmptyPolicy,
    diversity_level,
    partition_rows,
)
from halfmask.methods.anatomy.release import (
    AnatomisedRelease,
    HouseRecord,
    Settings,
    claim_of,
    notes_of,
    record_of,
    tabulate,
)
from halfmask.randomness import Randomness


def anatomise(  # noqa: PLR0913 - each option is a decision of the steward
    baskets: Baskets,
    *,
    l: float | Fraction,  # noqa: E741 - the literature's name
    columns: int | Sequence[Sequence[str]] = 10,
    randomness: Randomness,
    clusterer: Clusterer | None = None,
    empty: EmptyPolicy = "count",
    on_ineligible: OnIneligible = "error",
    relative_slack: float = 0.0,
    min_bucket: int = 1,
    shuffle: bool = True,
) -> AnatomisedRelease:
    """Split items into columns and rows into buckets where every column is l-diverse.

    The attacker knows what a person holds in the other columns; he names what the person holds in
    one column with a probability of at most 1/l.

    >>> rows = [["beer", "crisps"], ["wine", "cheese"], ["beer", "cheese"], ["wine", "crisps"]]
    >>> release = anatomise(
    ...     Baskets.of(rows), l=2, columns=[["beer", "wine"], ["crisps", "cheese"]],
    ...     randomness=Randomness(1),
    ... )
    >>> for line in release.data.lines(0):
    ...     print(line.bucket, *line.items, line.count)
    0 beer 2
    0 wine 2
    >>> release.as_baskets(randomness=Randomness(2)).support([(0,), (3,)]).tolist()
    [2.0, 2.0]
    """
    settings = Settings(diversity_level(l), empty, on_ineligible)
    slack = _checked(baskets, settings, relative_slack, min_bucket)
    clock = _Clock()
    rows = baskets.transactions.expanded()
    found = _item_columns(baskets, columns, clusterer or Clusterer(), randomness)
    clock.mark("columns")
    cells = Cells.of(rows, found, empty)
    clock.mark("values")
    if on_ineligible == "suppress":
        cells = suppress_rows(cells, settings.level)
    elif on_ineligible == "merge_columns":
        cells = join_columns(cells, settings.level, rows)
    bounds = _bounds(cells, settings, slack)
    clock.mark("eligibility")
    partition = partition_rows(
        cells,
        bounds,
        min_bucket=max(min_bucket, -(-settings.level.numerator // settings.level.denominator)),
        randomness=randomness if shuffle else None,
    )
    clock.mark("partition")
    tables = tabulate(baskets.schema, cells, partition)
    clock.mark("tables")
    asked = columns if isinstance(columns, int) else len(columns)
    return AnatomisedRelease(
        data=tables,
        kind="anatomised",
        method="anatomy",
        iso_class="anatomization",
        claim=claim_of(settings, tables, bounds),
        record=record_of(settings, tables, cells, partition),
        notes=notes_of(settings, tables, cells, asked),
        house=HouseRecord(
            bucket_of=partition.bucket_of,
            suppressed=np.setdiff1d(np.arange(len(rows)), cells.kept),
            partition=partition,
            seconds=clock.seconds,
        ),
    )


def _item_columns(
    baskets: Baskets,
    columns: int | Sequence[Sequence[str]],
    clusterer: Clusterer,
    randomness: Randomness,
) -> ItemColumns:
    """The columns that were given, or as many as were asked for."""
    if not isinstance(columns, int):
        return ItemColumns.given(columns, baskets.schema)
    if columns < 1:
        raise BadInput(f"The number of columns is at least 1, not {columns}.")
    return clusterer.columns(baskets, columns, randomness=randomness)


class _Clock:
    """The time of each phase, for the steward."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.process_time()

    def mark(self, phase: str) -> None:
        now = time.process_time()
        self.seconds[phase] = now - self._last
        self._last = now


def _checked(
    baskets: Baskets, settings: Settings, relative_slack: float, min_bucket: int
) -> Fraction:
    if not baskets.size or not baskets.schema.n_items:
        raise BadInput("The baskets have no rows or no items, so there is nothing to anatomise.")
    if settings.empty not in get_args(EmptyPolicy):
        raise BadInput(f"empty is 'count' or 'exempt', not {settings.empty!r}.")
    if settings.on_ineligible not in get_args(OnIneligible):
        known = ", ".join(map(repr, get_args(OnIneligible)))
        raise BadInput(f"on_ineligible is one of {known}, not {settings.on_ineligible!r}.")
    if min_bucket < 1:
        raise BadInput(f"A bucket has at least 1 row, not {min_bucket}.")
    slack = Fraction(str(relative_slack))
    if slack < 0 or slack.denominator > 1000 or slack > 1000:
        raise BadInput(
            f"The relative slack is from 0 to 1000 with three decimals at most, "
            f"not {relative_slack}."
        )
    return slack


def _bounds(cells: Cells, settings: Settings, slack: Fraction) -> Bounds:
    if settings.on_ineligible == "relative":
        return Bounds.relative(cells, settings.level, slack)
    if settings.on_ineligible == "effective_l":
        return Bounds.per_column(cells, settings.level)
    refuse_ineligible(cells, settings.level)
    return Bounds.equal(cells, settings.level)
