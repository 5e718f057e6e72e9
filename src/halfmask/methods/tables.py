"""Methods for tables: which columns take part, and how they become codes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from halfmask.data import Column, Encoding, Table
from halfmask.data.coding.dependencies import Coded, CodedRows, fold
from halfmask.data.coding.kinds import plan_columns
from halfmask.data.coding.spec import RarePolicy, TableSpec
from halfmask.data.column import AnyColumn, Labelled
from halfmask.data.rows import Rows
from halfmask.errors import BadInput, UnknownName
from halfmask.methods.method import Method
from halfmask.methods.settings import setting
from halfmask.patterns.mining import absolute_support

MOST_COLUMNS = 1_000
"""A search for patterns over more columns would not end in a day."""
FEWEST = 5
"""With a smaller minimum support, columns seem to follow from one another by chance."""


def without(
    columns: Sequence[AnyColumn], drop: Sequence[str], *, strict: bool = True
) -> list[AnyColumn]:
    """The columns that are not dropped; each name must exist when `strict`."""
    names = [column.name for column in columns]
    for name in drop if strict else ():
        if name not in names:
            raise UnknownName("column", name, names)
    kept = [column for column in columns if column.name not in set(drop)]
    if not kept:
        raise BadInput("No column is left: all of them are dropped.")
    return kept


class UncodedRows(Protocol):
    """Rows as they stand in a table, wherever that lies: their columns, and their codes."""

    @property
    def columns(self) -> Sequence[Labelled]:
        """How many rows hold each value."""
        ...

    def table(self, encoding: Encoding) -> Rows:
        """The rows in these codes, where they are few or in memory anyway, or where they lie."""
        ...


@dataclass(frozen=True, eq=False)
class RowsHere:
    """Those of columns in memory."""

    columns: Sequence[Column]

    def table(self, encoding: Encoding) -> Table:
        """The rows in these codes; a column without any takes no part."""
        return encoding.encode([c for c in self.columns if c.name in encoding.schema.names])


@dataclass(kw_only=True, eq=False)
class TableMethod(Method):
    """What every method for tables lets a steward say about their columns."""

    min_support: float = setting(
        10,
        "Keep out every value and combination held by fewer rows than this (a decimal such as "
        "0.01 is a share of the rows); raise it for more privacy.",
        form="support",
        group="privacy",
    )
    rare_values: RarePolicy = setting(
        "group",
        "What happens to values held by fewer rows than --min-support: grouped as 'other', "
        "suppressed (left empty), or kept.",
        group="columns",
        choices=("group", "suppress", "keep"),
    )
    drop: Sequence[str] = setting(
        (), "Leave this column out of the release; repeat for more.", form="names",
        group="columns", metavar="COLUMN",
    )  # fmt: skip
    categorical: Sequence[str] = setting(
        (), "Treat this column as categorical (do not bin it); repeat for more.", form="names",
        group="columns", metavar="COLUMN",
    )  # fmt: skip
    schema: Any = setting(
        None,
        "Use this description of the columns where the guesses are wrong; `halfmask schema init` "
        "writes a first one to correct.",
        form="file",
        group="columns",
    )

    @property
    def spec(self) -> TableSpec:
        """What the schema says; one that stands in a file must be read before the work."""
        if self.schema is None:
            return TableSpec()
        assert isinstance(self.schema, TableSpec)  # noqa: S101 - resolved before the work
        return self.schema

    def kept(self, columns: Sequence[AnyColumn]) -> list[AnyColumn]:
        """The columns that take part."""
        return without(columns, self.drop)

    def unseen(self, names: Sequence[str]) -> frozenset[str]:
        """Columns whose values nobody needs to know: dropped, or left out by the schema."""
        roles = {name: self.spec.of(name).role for name in names}
        left = (name for name, role in roles.items() if role in {"identifier", "ignore"})
        return frozenset((*left, *self.drop))

    def spoken_of(self, names: Sequence[str]) -> set[str]:
        """Columns that a setting names: they stay even if they follow from others."""
        spec = self.spec
        said = {*spec.with_role("sensitive"), *spec.with_role("quasi-identifier")}
        return {name for name in names if name in said or name in self.categorical}

    def described(self, names: Sequence[str]) -> TableSpec:
        """What is said about the columns of these names, by the schema and the other settings."""
        given = self.spec
        for name in self.categorical:
            if name not in names:
                raise UnknownName("column", name, names)
        said = {name: replace(given.of(name), kind="category") for name in self.categories(names)}
        kept = {name: spec for name, spec in given.columns.items() if name not in self.drop}
        return replace(given, columns={**kept, **said})

    def categories(self, names: Sequence[str]) -> Sequence[str]:  # noqa: ARG002 - for those who add
        """The columns that are taken as they are."""
        return self.categorical

    def encode(
        self, kept: Sequence[Column], *, keep: Collection[str] = ()
    ) -> tuple[Table, Encoding]:
        """The table that is worked on: each column by its kind, rare values by the rule.

        A column that follows from another is left to it, unless it is one to `keep`.
        """
        encoding = self.fitted(kept)
        coded = self.folded(Coded(encoding.encode(kept), encoding), kept, keep)
        return coded.table, coded.encoding

    def fitted(self, kept: Sequence[Labelled]) -> Encoding:
        """The codes of the values of each column, by its kind and the rule for rare values.

        Nothing is asked of rows but how many hold each value.
        """
        if len(kept) > MOST_COLUMNS:
            raise BadInput(
                f"The table has {len(kept):,} columns and a model takes at most "
                f"{MOST_COLUMNS:,}; leave columns out (--drop), or publish it in parts."
            )
        kept = [column.in_order() for column in kept]
        floor = absolute_support(self.min_support, len(kept[0]))
        described = self.described([column.name for column in kept])
        plans = plan_columns(kept, described, floor=self._least(kept))
        return Encoding.fit(kept, min_support=floor, rare=self.rare_values, plans=plans)

    def folded(
        self, coded: Coded[CodedRows], kept: Sequence[Labelled], keep: Collection[str] = ()
    ) -> Coded[CodedRows]:
        """Without the columns that follow from another; not those to `keep` or spoken of."""
        if self._least(kept) < FEWEST:
            return coded
        return fold(coded, keep=self.spoken_of([column.name for column in kept]) | set(keep))

    def _least(self, kept: Sequence[Labelled]) -> int:
        """The rows that hold each value, at least."""
        floor = absolute_support(self.min_support, len(kept[0]))
        return 1 if self.rare_values == "keep" else floor
