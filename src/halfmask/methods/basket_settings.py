"""Methods for baskets: what becomes of items that few baskets hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from halfmask.data import Baskets, Encoding, Table
from halfmask.methods.method import Method
from halfmask.methods.names import as_baskets, plain_table
from halfmask.methods.settings import setting
from halfmask.patterns.mining import absolute_support


@dataclass(kw_only=True, eq=False)
class BasketMethod(Method):
    """What every method for baskets lets a steward say about rare items."""

    min_support: float = setting(
        10,
        "Name nothing in the report that fewer baskets than this contain (a decimal such as "
        "0.01 is a share of the baskets).",
        form="support",
        group="privacy",
    )
    rare_values: Literal["keep", "suppress"] = setting(
        "keep",
        "What happens to items held by fewer baskets than --min-support: kept, or suppressed "
        "before anything else is done.",
        group="privacy",
        choices=("keep", "suppress"),
    )

    def admitted(self, baskets: Baskets) -> Baskets:
        """The baskets that the method works on: without rare items where these are suppressed."""
        if self.rare_values == "keep":
            return baskets
        rows = baskets.transactions
        floor = absolute_support(self.min_support, round(baskets.size))
        return Baskets(baskets.schema, rows.with_items(rows.item_counts >= floor))

    def as_items(self, data: Any) -> tuple[Baskets, Table | None, Encoding | None]:
        """Baskets as they are, or the rows of a table as items `column=value`, and the table."""
        if isinstance(data, Baskets):
            return self.admitted(data), None, None
        table, encoding = plain_table(data)
        return as_baskets(table), table, encoding
