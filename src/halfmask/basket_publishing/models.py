"""The neighbouring models as settings: coherence, k^m-anonymity, anatomy of a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from halfmask.basket_publishing.made import Lines, Made
from halfmask.basket_publishing.methods import rows_of
from halfmask.data import Attribute, Baskets, GeneralisedBaskets, Schema, SeparatedTable, Table
from halfmask.data.coding.spec import RarePolicy
from halfmask.judging.tradeoff import Run
from halfmask.judging.verdict import Check
from halfmask.methods.anatomy.table import anatomise_table
from halfmask.methods.suppression import Coherence, generalise, parse_hierarchy, suppress_moles


@dataclass(frozen=True, slots=True)
class Coherent:
    """(h, k, p)-coherence: items go until `known` public items fit k baskets and tell little.

    `certainty` is h, the share of such baskets that may hold one private item.
    """

    k: int
    known: int = 2
    certainty: float = 1.0
    private: tuple[str, ...] = ()
    min_support: float = 10
    writes = ()

    def make(self, baskets: Baskets, run: Run) -> Made:  # noqa: ARG002 - nothing is random here
        """The baskets without the items that betray their owners."""
        model = Coherence(self.k, self.known, self.certainty, tuple(self.private))
        release = suppress_moles(baskets, model)
        gone = release.record["items_suppressed"]
        check = Check(
            "No mole is left",
            "passed",
            f"Counted again in the release, every set of up to {self.known} public items that "
            f"occurs is held by at least {self.k} baskets; {gone} items were suppressed for it.",
        )
        risk = max(1 / self.k, self.certainty if self.private else 0.0)
        return Made(
            release,
            rows_of(release),
            release.data,
            (check,),
            risk=risk,
            own_measures=("cells_changed",),
        )


@dataclass(frozen=True, slots=True)
class KmAnonymous:
    """k^m-anonymity: items become more general until any `known` items fit k baskets.

    `hierarchy` is the text of the hierarchy, one group a line: `apple, pear -> fruit`.
    """

    k: int
    hierarchy: str = field(repr=False)
    known: int = 2
    min_support: float = 10
    writes = ()

    def make(self, baskets: Baskets, run: Run) -> Made:  # noqa: ARG002 - nothing is random here
        """The baskets in more general items."""
        hierarchy = parse_hierarchy(self.hierarchy, baskets.schema)
        generalised = generalise(baskets, hierarchy, k=self.k, m=self.known)
        check = Check(
            "k^m-anonymity",
            "passed",
            f"Counted again in the release, every set of up to {self.known} items that occurs is "
            f"held by at least {self.k} baskets.",
        )
        return Made(
            generalised,
            generalised.data,
            GeneralisedBaskets(baskets.schema, generalised.data, generalised.became),
            (check,),
            risk=1 / self.k,
            own_measures=("generalisation",),
        )


@dataclass(frozen=True, slots=True)
class TableAnatomy:
    """Anatomy of a table: the sensitive column apart from the others, tied by group numbers."""

    l: int  # noqa: E741 - the literature's name
    sensitive: str
    on_ineligible: Literal["error", "suppress"] = "error"
    min_support: float = 10
    rare_values: RarePolicy = "group"
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    writes = ("sensitive",)

    def make(self, table: Table, run: Run) -> Made:
        """The other columns with the group of each row, and the values of each group."""
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
            f"Counted again, the most frequent sensitive value has {share:.1%} of its group.",
        )
        return Made(
            release,
            _with_groups(data),
            data,
            (check,),
            risk=share,
            own_measures=("group_attack",),
            tables={"sensitive": lambda: _sensitive_lines(data)},
        )


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
