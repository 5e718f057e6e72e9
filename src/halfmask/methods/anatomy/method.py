"""Anatomy as a method: baskets joined at random within buckets, and the tables of the buckets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from halfmask.data import Baskets
from halfmask.data.release import Check
from halfmask.methods.anatomy.anatomise import anatomise
from halfmask.methods.anatomy.eligibility import OnIneligible
from halfmask.methods.anatomy.partition import EmptyPolicy
from halfmask.methods.basket_settings import BasketMethod
from halfmask.methods.method import (
    OF_BASKETS,
    DataKind,
    Lines,
    Made,
    Variant,
    listed,
    plain_baskets,
)
from halfmask.methods.settings import setting
from halfmask.run import Run

COLUMNS_OF_ITEMS = 10
"""Into so many columns the items are split unless said, as the authors did."""


@dataclass(kw_only=True, eq=False)
class Anatomy(BasketMethod):
    """Multi-dimension anatomy: columns of items, buckets of rows, l-diverse in every column."""

    name: ClassVar[str] = "anatomy"
    summary: ClassVar[str] = (
        "Baskets joined at random within buckets, and the tables of the buckets; nobody names "
        "what a person holds in one column of items with a probability above 1 in -l."
    )
    kinds: ClassVar[tuple[DataKind, ...]] = ("baskets",)
    measures: ClassVar = {
        "baskets": (*OF_BASKETS, "fake_records", "column_attack", "item_disclosure")
    }
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant(
            "anatomy",
            "anatomy",
            "publishes columns of items separately, linked by buckets",
            dials=("l", "columns"),
            fixed={"on_ineligible": "merge_columns"},
            tried=({"l": 2}, {"l": 3}),
        ),
    )

    l: float | Fraction = setting(  # noqa: E741 - the literature's name
        help="Spread every guess over at least this many values, so that it is right with a "
             "probability of at most 1 in L; raise it for more privacy.",
        form="number", least=1, group="privacy", option="-l", metavar="L",
    )  # fmt: skip
    columns: int | Sequence[Sequence[str]] | None = setting(
        None,
        "How many columns the items are split into, or a file that lists the items of one "
        "column per line; by default 10, or one per item where there are fewer.",
        form="item columns", group="privacy", metavar="N|FILE",
    )  # fmt: skip
    empty: EmptyPolicy = setting(
        "count",
        "Whether a basket without any item of a column counts as a value that must be hidden too.",
        group="privacy",
        choices=("count", "exempt"),
    )
    on_ineligible: OnIneligible = setting(
        "error",
        "What to do when L is impossible in a column: refuse (error), suppress rows, merge "
        "columns, bound frequent values by their overall share (relative), or lower L there "
        "(effective_l).",
        group="privacy",
        choices=("error", "suppress", "merge_columns", "relative", "effective_l"),
    )

    @property
    def writes(self) -> tuple[str, ...]:
        """The tables of the buckets."""
        return ("anatomy",)

    def make(self, data: Any, run: Run) -> Made:
        """The rows joined at random within their bucket, and the tables they were joined from."""
        baskets = self.admitted(data)
        anatomised = anatomise(
            baskets,
            l=self.l,
            columns=min(COLUMNS_OF_ITEMS, baskets.schema.n_items)
            if self.columns is None
            else self.columns,
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
                    (str(column + 1), str(line.bucket + 1), listed(line.items), str(line.count))
                    for line in tables.lines(column)
                ]
            return found

        share = tables.diversity(count_empty=self.empty == "count").min() ** -1
        rows: Baskets = plain_baskets(joined)
        return Made(
            joined,
            data,
            rows,
            tables,
            (_bucket_check(share, float(self.l)),),
            risk=float(share),
            tables={"anatomy": lines},
        )


def _bucket_check(share: float, level: float) -> Check:
    """Whether the tables, counted again, keep the bound that was asked for."""
    what = "No value above 1 in l"
    sentence = (
        f"Recounted in the tables, the most frequent value makes up {share:.1%} of its bucket"
    )
    if share <= 1 / level + 1e-9:
        return Check(what, "passed", f"{sentence}; {1 / level:.1%} was asked for.")
    return Check(what, "review", f"{sentence}, more than the {1 / level:.1%} asked for.")
