"""Anatomy of a table as a method: the sensitive column apart from the others, tied by groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from halfmask.data import Attribute, Schema, SeparatedTable, Table
from halfmask.data.release import Check
from halfmask.methods.anatomy.table import anatomise_table
from halfmask.methods.method import OF_TABLES, DataKind, Lines, Made, Variant
from halfmask.methods.settings import setting
from halfmask.methods.tables import TableMethod
from halfmask.randomness import Randomness
from halfmask.run import Run


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
