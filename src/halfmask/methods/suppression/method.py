"""Suppression and generalisation as methods: coherence and k^m-anonymity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from halfmask.data import GeneralisedBaskets
from halfmask.data.release import Check
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
from halfmask.methods.suppression.km_anonymity import generalise
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
        if not isinstance(self.private, str):
            return tuple(self.private)
        return tuple(name for side in read_names(self.private) for name in side)


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
