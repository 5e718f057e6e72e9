"""A generalised table: values under more general names, answering about the values before.

A published name that stands for g values of a column says that the row holds one of them, not
which: each is taken to be there with probability 1/g, and those of two columns independently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halfmask.data.countable import Itemset
from halfmask.data.schema import Schema
from halfmask.data.table import Table
from halfmask.errors import BadInput


@dataclass(frozen=True, eq=False)
class GeneralisedTable:
    """Published rows, and for every value of the original the published one that stands for it.

    >>> from halfmask.data import Attribute
    >>> towns = Schema((Attribute("town", ("Bari", "Lodi", "Rome")),))
    >>> shown = Table(Schema((Attribute("town", ("north", "south")),)), np.array([[1], [1], [0]]))
    >>> found = GeneralisedTable(towns, shown, (np.array([1, 0, 1]),))
    >>> found.marginal(["town"]).tolist(), found.support([(1,), (0, 2)]).tolist()
    ([1.0, 1.0, 1.0], [1.0, 0.0])
    """

    schema: Schema
    """The original columns."""
    published: Table
    became: tuple[NDArray[np.int64], ...]
    """For each column the published code of every original one."""

    def __post_init__(self) -> None:
        if [len(codes) for codes in self.became] != [a.size for a in self.schema]:
            raise BadInput("Every value of a generalised table needs a published name.")

    @property
    def size(self) -> float:
        """The number of rows."""
        return self.published.size

    @cached_property
    def group_sizes(self) -> tuple[NDArray[np.int64], ...]:
        """For how many values of its column the published name of each value stands."""
        return tuple(np.bincount(codes)[codes].astype(np.int64) for codes in self.became)

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.float64]:
        """The expected number of original rows that contain each itemset."""
        place = np.concatenate(self.became) + self.published.schema.offsets[self.schema.domains]
        chance = 1 / np.concatenate(self.group_sizes)
        domains = self.schema.domains
        # A row holds one value of a column, so two of them are never there together.
        possible = [len(set(domains[list(z)].tolist())) == len(z) for z in itemsets]
        asked = [tuple(sorted(set(place[list(z)].tolist()))) for z in itemsets]
        chances = [float(np.prod(chance[list(z)])) for z in itemsets]
        found = self.published.support(asked) * np.array(chances, np.float64)
        return np.where(possible, found, 0.0)

    def marginal(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """Expected joint counts of these attributes: each name is shared out among its values."""
        counts = self.published.marginal(attributes)
        for axis, name in enumerate(attributes):
            column = self.schema.position(name)
            counts = counts.take(self.became[column], axis=axis)
            shape = [-1 if n == axis else 1 for n in range(counts.ndim)]
            counts = counts / self.group_sizes[column].reshape(shape)
        return counts
