"""Anatomy as methods: baskets joined at random within buckets, and the tables of the buckets.

Of a table: the sensitive column apart from the others, tied by groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

import numpy as np

from halfmask.data import Attribute, Baskets, Schema, SeparatedTable, Table
from halfmask.data.release import Check
from halfmask.methods.anatomy.anatomise import anatomise
from halfmask.methods.anatomy.eligibility import OnIneligible
from halfmask.methods.anatomy.partition import EmptyPolicy
from halfmask.methods.anatomy.table import anatomise_table
from halfmask.methods.basket_settings import BasketMethod
from halfmask.methods.method import (
    OF_BASKETS,
    OF_TABLES,
    DataKind,
    Lines,
    Made,
    Variant,
    listed,
    plain_baskets,
)
from halfmask.methods.settings import setting
from halfmask.methods.tables import TableMethod
from halfmask.randomness import Randomness
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
        "baskets": (
            *OF_BASKETS,
            "fake_records",
            "column_attack",
            "matching_buckets",
            "item_disclosure",
        )
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


@dataclass(kw_only=True, eq=False)
class TableAnatomy(TableMethod):
    """Anatomy of a table: the sensitive column apart from the others, tied by group numbers."""

    name: ClassVar[str] = "table-anatomy"
    summary: ClassVar[str] = (
        "A table without its sensitive column, and that column's values group by group; a "
        "guess of a person's value is right with a probability of at most 1 in -l."
    )
    kinds: ClassVar[tuple[DataKind, ...]] = ("table",)
    measures: ClassVar = {"table": (*OF_TABLES, "group_attack")}
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant(
            "table-anatomy",
            "anatomy",
            "publishes the sensitive column separately, linked by groups",
            dials=("l",),
            fixed={"on_ineligible": "suppress"},
            tried=({"l": 2}, {"l": 3}),
            need="column",
            column="sensitive",
        ),
    )

    l: int = setting(  # noqa: E741 - the literature's name
        help="Spread every guess over at least this many values, so that it is right with a "
             "probability of at most 1 in L; raise it for more privacy.",
        form="whole", least=1, group="privacy", option="-l", metavar="L",
    )  # fmt: skip
    sensitive: str = setting(
        help="The sensitive column, which is published separately from the others.",
        group="privacy",
        metavar="COLUMN",
    )
    on_ineligible: Literal["error", "suppress"] = setting(
        "error",
        "What happens when L is impossible: refuse (error), or suppress rows of the most frequent "
        "values.",
        group="privacy",
        choices=("error", "suppress"),
    )

    @property
    def writes(self) -> tuple[str, ...]:
        """The values of the sensitive column, group by group."""
        return ("sensitive",)

    def make(self, data: Any, run: Run) -> Made:
        """The other columns with the group of each row, and the values of each group."""
        kept = self.kept(data)
        table, encoding = self.encode(kept, keep=[column.name for column in kept])
        release = anatomise_table(
            table,
            sensitive=self.sensitive,
            l=self.l,
            randomness=run.randomness,
            ineligible="suppress" if self.on_ineligible == "suppress" else "refuse",
        )
        data = release.data
        assert isinstance(data, SeparatedTable)  # noqa: S101 - that is what it makes
        share = data.largest_share
        check = Check(
            "No value above 1 in l",
            "passed",
            f"Recounted, the most frequent sensitive value makes up {share:.1%} of its group.",
        )
        return Made(
            release,
            table,
            _with_groups(data),
            data,
            (check,),
            risk=share,
            tables={"sensitive": lambda: _sensitive_lines(data)},
            encoding=encoding,
            evaluated=rejoined(data, run.randomness),
        )

    @classmethod
    def for_trial(cls, settings: Any, secrets: Any, database: Any) -> Self:  # noqa: ARG003
        """With the column that the steward named."""
        return cls(sensitive=secrets.column, **settings)


def rejoined(data: SeparatedTable, randomness: Randomness) -> Table:
    """One table that agrees with the two published ones: values dealt out within each group."""
    values = np.repeat(
        np.tile(np.arange(data.counts.shape[1], dtype=np.int32), len(data.counts)),
        data.counts.ravel(),
    )
    group_of = np.repeat(np.arange(len(data.counts)), data.counts.sum(axis=1))
    chance = randomness.child("values dealt out in groups").random(len(values))
    dealt = values[np.lexsort((chance, group_of))]
    rows = np.argsort(data.groups, kind="stable")
    column = np.empty(len(values), np.int32)
    column[rows] = dealt
    return Table(data.schema, np.insert(data.known.codes, data.position, column, axis=1))


def _with_groups(data: SeparatedTable) -> Table:
    """The known columns, and in a last one the group of each row."""
    taken = data.schema.names
    name = next(
        n for n in ("group", "group of row", *map(str, range(len(taken) + 1))) if n not in taken
    )
    numbers = tuple(str(group + 1) for group in range(len(data.counts)))
    schema = Schema((*data.known.schema, Attribute(name, numbers, storage="int64")))
    return Table(schema, np.column_stack([data.known.codes, data.groups.astype(np.int32)]))


def _sensitive_lines(data: SeparatedTable) -> Lines:
    groups, values = np.nonzero(data.counts)
    names = ["" if value is None else value for value in data.sensitive.values]
    return [
        ("group", data.sensitive.name, "count"),
        *(
            (str(g + 1), names[v], str(data.counts[g, v]))
            for g, v in zip(groups.tolist(), values.tolist(), strict=True)
        ),
    ]
