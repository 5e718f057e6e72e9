"""A distorted table: every cell keeps its value with a known probability, or has another one.

With k values in a column, a value stays with probability p and becomes each of the others with
q = (1 − p)/(k − 1), so that rows stay rows. Of two values this is the flip of a bit. As columns are
distorted independently and an itemset holds one value of each, the pair (p, q) of an item is its
channel, and supports are estimated as those of distorted baskets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halfmask.data.baskets import Assortment, Baskets
from halfmask.data.countable import Itemset
from halfmask.data.published.distorted import Channel, DistortedBaskets
from halfmask.data.schema import Schema
from halfmask.data.table import Table
from halfmask.errors import BadInput


def table_channel(schema: Schema, keep: float) -> Channel:
    """The pair of each item; a column of one value has nothing to become.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("town", ("a", "b", "c"))))
    >>> table_channel(schema, 0.8).insert.round(3).tolist()
    [0.2, 0.2, 0.1, 0.1, 0.1]
    """
    sizes = np.array([schema.attributes[int(column)].size for column in schema.domains])
    stays = np.where(sizes > 1, keep, 1.0)
    return Channel(stays, np.round((1 - stays) / np.maximum(sizes - 1, 1), 12))


@dataclass(frozen=True, eq=False)
class DistortedTable:
    """Rows after the noise, which answer for the rows before.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("sex", ("f", "m")),))
    >>> observed = Table(schema, np.array([[0]] * 7 + [[1]] * 3))
    >>> DistortedTable(observed, table_channel(schema, 0.9)).marginal(["sex"]).round(6).tolist()
    [7.5, 2.5]
    """

    observed: Table
    channel: Channel

    def __post_init__(self) -> None:
        if len(self.channel) != self.observed.schema.n_items:
            raise BadInput("The channel of a distorted table must name every item.")

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.observed.schema

    @property
    def size(self) -> float:
        """The number of rows, which distortion does not change."""
        return self.observed.size

    @cached_property
    def as_baskets(self) -> DistortedBaskets:
        """The same rows as items."""
        labels = tuple(self.schema.label(item) for item in range(self.schema.n_items))
        return DistortedBaskets(
            Baskets(Assortment(labels), self.observed.transactions), self.channel
        )

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.float64]:
        """The estimated number of original rows that contain each itemset."""
        return self.as_baskets.support(itemsets)

    def marginal(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """Estimated joint counts of these attributes: the noise undone along each axis."""
        counts = self.observed.marginal(attributes)
        for axis, name in enumerate(attributes):
            first = self.schema.items_of(name).start
            keep, insert = self.channel.keep[first], self.channel.insert[first]
            every = counts.sum(axis=axis, keepdims=True)
            counts = (counts - insert * every) / (keep - insert)
        return counts
