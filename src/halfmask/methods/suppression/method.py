"""Suppression and generalisation as methods: coherence, k^m-anonymity and k-anonymity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from halfmask.data import GeneralisedBaskets, GeneralisedTable, Schema, Table
from halfmask.data.release import Check
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput, UnknownName
from halfmask.methods.basket_settings import BasketMethod
from halfmask.methods.method import (
    OF_BASKETS,
    OF_TABLES,
    DataKind,
    Made,
    Variant,
    plain_baskets,
)
from halfmask.methods.names import as_table, read_names
from halfmask.methods.settings import setting
from halfmask.methods.suppression.coherence import Coherence, suppress_moles
from halfmask.methods.suppression.hierarchy import parse_hierarchy
from halfmask.methods.suppression.k_anonymity import anonymise
from halfmask.methods.suppression.km_anonymity import generalise
from halfmask.methods.suppression.ladders import Ladders, column_hierarchies
from halfmask.methods.tables import TableMethod
from halfmask.run import Run


@dataclass(kw_only=True, eq=False)
class Coherent(BasketMethod):
    """(h, k, p)-coherence: items go until `known` public items fit k baskets and tell little."""

    name: ClassVar[str] = "coherence"
    summary: ClassVar[str] = (
        "The rows without the items that single people out: any --known public items match -k "
        "rows or more."
    )
    kinds: ClassVar[tuple[DataKind, ...]] = ("baskets", "table")
    measures: ClassVar = {
        "baskets": (*OF_BASKETS, "cells_changed", "misclassification"),
        "table": (*OF_TABLES, "cells_changed", "misclassification"),
    }
    aligned: ClassVar[bool] = True
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant(
            "coherence",
            "suppression",
            "suppresses values until every pair of them is held by k rows or by none",
            dials=("k", "known"),
            tried=({"k": 2}, {"k": 5}),
        ),
    )

    k: int = setting(
        help="How many rows must agree on the items that an attacker knows.",
        form="whole", least=1, group="privacy", option="-k", metavar="K",
    )  # fmt: skip
    known: int = setting(
        2, "How many public items of a person an attacker may know.", form="whole", least=1,
        group="privacy", metavar="N",
    )  # fmt: skip
    certainty: float = setting(
        1.0,
        "Upper bound on the attacker's certainty (h): the share of agreeing rows that may hold one "
        "private item.",
        form="number", least=0, most=1, group="privacy", metavar="SHARE",
    )  # fmt: skip
    private: str | tuple[str, ...] = setting(
        (),
        "Items that an attacker wants to learn, separated by commas; all others are public.",
        group="privacy",
        metavar="NAMES",
    )

    def make(self, data: Any, run: Run) -> Made:  # noqa: ARG002 - nothing is random here
        """The rows without the items that betray their owners."""
        baskets, table, encoding = self.as_items(data)
        model = Coherence(self.k, self.known, self.certainty, self._private())
        release = suppress_moles(baskets, model)
        gone = release.record["items_suppressed"]
        check = Check(
            "No mole remains",
            "passed",
            f"Recounted in the release, every set of up to {self.known} public items that "
            f"occurs is held by at least {self.k} rows; {gone} items were suppressed to "
            "achieve this.",
        )
        published = plain_baskets(release)
        rows = published if table is None else as_table(table, published)
        return Made(
            release,
            data if table is None else table,
            rows,
            rows,
            (check,),
            risk=max(1 / self.k, self.certainty if self.private else 0.0),
            encoding=encoding,
        )

    def _private(self) -> tuple[str, ...]:
        return _listed(self.private)


def _listed(names: str | tuple[str, ...]) -> tuple[str, ...]:
    """Names, or a text that lists them."""
    if not isinstance(names, str):
        return tuple(names)
    return tuple(name for side in read_names(names) for name in side)


@dataclass(kw_only=True, eq=False)
class KmAnonymous(BasketMethod):
    """k^m-anonymity: items become more general until any `known` items fit k baskets."""

    name: ClassVar[str] = "km"
    summary: ClassVar[str] = (
        "Items generalised by a --hierarchy: any --known items match -k baskets or more."
    )
    kinds: ClassVar[tuple[DataKind, ...]] = ("baskets",)
    measures: ClassVar = {"baskets": (*OF_BASKETS[:5], "generalisation")}
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant(
            "km",
            "suppression",
            "generalises items by a hierarchy until any two of them are held by k baskets",
            dials=("k", "known"),
            tried=({"k": 5},),
            need="hierarchy",
        ),
    )

    k: int = setting(
        help="How many baskets must agree on the items that an attacker knows.",
        form="whole", least=1, group="privacy", option="-k", metavar="K",
    )  # fmt: skip
    hierarchy: str = setting(
        help="A file with lines such as 'apple, pear -> fruit' that says how items may be "
             "generalised.",
        form="lines", group="privacy", metavar="FILE",
    )  # fmt: skip
    known: int = setting(
        2, "How many items of a person an attacker may know.", form="whole", least=1,
        group="privacy", metavar="N",
    )  # fmt: skip

    @classmethod
    def for_trial(cls, settings: Any, secrets: Any, database: Any) -> Self:  # noqa: ARG003
        """With the hierarchy that the steward gave."""
        return cls(hierarchy=secrets.hierarchy, **settings)

    def make(self, data: Any, run: Run) -> Made:  # noqa: ARG002 - nothing is random here
        """The baskets in more general items."""
        baskets = self.admitted(data)
        hierarchy = parse_hierarchy(self.hierarchy, baskets.schema)
        generalised = generalise(baskets, hierarchy, k=self.k, m=self.known)
        check = Check(
            "k^m-anonymity",
            "passed",
            f"Recounted in the release, every set of up to {self.known} items that occurs is "
            f"held by at least {self.k} baskets.",
        )
        return Made(
            generalised,
            data,
            generalised.data,
            GeneralisedBaskets(baskets.schema, generalised.data, generalised.became),
            (check,),
            risk=1 / self.k,
        )


@dataclass(kw_only=True, eq=False)
class KAnonymous(TableMethod):
    """k-anonymity: columns become more general until every row agrees with k − 1 others."""

    name: ClassVar[str] = "k-anonymity"
    summary: ClassVar[str] = (
        "The rows with more general values: in the columns that an attacker may know every row "
        "agrees with -k - 1 others."
    )
    kinds: ClassVar[tuple[DataKind, ...]] = ("table",)
    measures: ClassVar = {"table": (*OF_TABLES, "generalisation")}
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant(
            "k-anonymity",
            "suppression",
            "generalises columns until every row agrees with k - 1 others",
            dials=("k", "suppress_at_most"),
            tried=({"k": 2}, {"k": 5}),
            column="private",
        ),
    )

    k: int = setting(
        help="How many rows must agree in all columns that an attacker may know.",
        form="whole", least=1, group="privacy", option="-k", metavar="K",
    )  # fmt: skip
    private: str | tuple[str, ...] = setting(
        (),
        "Columns that an attacker wants to learn and does not know, separated by commas; all "
        "others may be known, unless a --schema says which are quasi-identifiers.",
        group="privacy",
        metavar="NAMES",
    )
    hierarchy: str | None = setting(
        None,
        "A file with lines such as 'town=Rome, town=Bari -> south' that says how values may be "
        "generalised; without it a cell is left empty. Numbers and dates need none.",
        form="lines", group="privacy", metavar="FILE",
    )  # fmt: skip
    suppress_at_most: float = setting(
        0.05,
        "The largest share of rows that may be left out because they agree with too few others.",
        form="number", least=0, most=1, group="privacy", metavar="SHARE",
    )  # fmt: skip

    @classmethod
    def for_trial(cls, settings: Any, secrets: Any, database: Any) -> Self:  # noqa: ARG003
        """With the column and the hierarchy that the steward named."""
        private = () if secrets.column is None else (secrets.column,)
        return cls(private=private, hierarchy=secrets.hierarchy or None, **settings)

    def make(self, data: Any, run: Run) -> Made:
        """The rows in more general values, without those that agree with too few others."""
        kept = self.kept(data)
        table, encoding = self.encode(kept, keep=[column.name for column in kept])
        trees = column_hierarchies(self.hierarchy or "", table.schema)
        ladders = [Ladders(encoding, trees).of(name) for name in table.schema.names]
        release = anonymise(
            table,
            ladders,
            self.known(table.schema),
            k=self.k,
            suppress=self.suppress_at_most,
            randomness=run.randomness,
        )
        rows = release.data
        assert isinstance(rows, GeneralisedTable)  # noqa: S101 - that is what it makes
        return Made(
            release,
            table,
            rows.published,
            rows,
            (_class_check(rows.published, self.known(table.schema), self.k),),
            risk=1 / self.k,
            encoding=encoding,
            evaluated=_values_left(rows),
        )

    def known(self, schema: Schema) -> tuple[str, ...]:
        """The columns that an attacker may know."""
        private = {*_listed(self.private), *self.spec.with_role("sensitive")}
        for name in _listed(self.private):
            if name not in schema.names:
                raise UnknownName("column", name, schema.names)
        said = self.spec.with_role("quasi-identifier") or schema.names
        known = tuple(name for name in schema.names if name in said and name not in private)
        if not known:
            raise BadInput("All columns are private, so that there is nothing to recognise by.")
        return known


def _class_check(published: Table, known: tuple[str, ...], k: int) -> Check:
    """Whether every row agrees with enough others, counted again in what is published."""
    codes = published.codes[:, [published.schema.position(name) for name in known]]
    sizes = np.unique(codes, axis=0, return_counts=True)[1]
    what = "k-anonymity"
    if not len(sizes):
        return Check(what, "review", "No row is left to publish; lower k, or raise the share.")
    sentence = (
        f"Recounted in the release, the smallest group of rows that agree in the known columns "
        f"has {sizes.min():,} rows"
    )
    if sizes.min() >= k:
        return Check(what, "passed", f"{sentence}; {k:,} were asked for.")
    return Check(what, "missed", f"{sentence}, fewer than the {k:,} asked for.")


def _values_left(rows: GeneralisedTable) -> Table:
    """The rows over the original's values; a cell that shows a more general one tells none."""
    codes = np.full(rows.published.codes.shape, ABSENT, np.int32)
    for column, (became, several) in enumerate(zip(rows.became, rows.group_sizes, strict=True)):
        alone = np.full(int(became.max(initial=-1)) + 2, ABSENT, np.int32)
        alone[became[several == 1]] = np.flatnonzero(several == 1)
        codes[:, column] = alone[rows.published.codes[:, column]]
    return Table(rows.schema, codes)
