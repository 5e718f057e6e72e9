"""A separated table: who, and apart from it what, tied by group numbers only.

Within a group the sensitive values are not linked to the rows: that is the protection. What can
be counted is the expectation over all ways of linking them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halfmask.data.countable import Itemset
from halfmask.data.schema import Attribute, Schema
from halfmask.data.table import ABSENT, Table


@dataclass(frozen=True, eq=False)
class SeparatedTable:
    """The two published tables; counts over both are expectations within the groups.

    >>> known = Schema((Attribute("sex", ("f", "m")),))
    >>> both = SeparatedTable(Table(known, np.array([[0], [1]])), np.array([0, 0]),
    ...     Attribute("ill", ("flu", "hiv")), np.array([[1, 1]]), 1)
    >>> both.marginal(["sex", "ill"]).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """

    known: Table
    """The columns without the sensitive one: published with the group of each row."""
    groups: NDArray[np.int64]
    sensitive: Attribute
    counts: NDArray[np.int64]
    """counts[g, v]: how many rows of group g hold value v of the sensitive column."""
    position: int
    """The place of the sensitive column in the original."""

    @cached_property
    def schema(self) -> Schema:
        """The columns of the original in their order."""
        names = list(self.known.schema.attributes)
        names.insert(self.position, self.sensitive)
        return Schema(tuple(names))

    @property
    def size(self) -> float:
        """The number of rows."""
        return float(len(self.groups))

    @cached_property
    def _chances(self) -> NDArray[np.float64]:
        """For each row the probability of each sensitive value."""
        shares = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        chances: NDArray[np.float64] = shares[self.groups]
        return chances

    def marginal(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """Expected joint counts of these attributes."""
        for name in attributes:
            self.schema.position(name)
        others = [name for name in attributes if name != self.sensitive.name]
        if len(others) == len(attributes):
            return self.known.marginal(attributes)
        shape = tuple(self.known.schema[name].size for name in others)
        key = np.zeros(len(self.groups), np.int64)
        complete = np.ones(len(self.groups), bool)
        for name, size in zip(others, shape, strict=True):
            codes = self.known.codes[:, self.known.schema.position(name)]
            complete &= codes != ABSENT
            key = key * size + codes
        cells = int(np.prod(shape))
        columns = [
            np.bincount(key[complete], chance[complete], minlength=cells)
            for chance in self._chances.T
        ]
        joint: NDArray[np.float64] = np.stack(columns, axis=-1, dtype=np.float64)
        axes = [*others, self.sensitive.name]
        return joint.reshape((*shape, -1)).transpose([axes.index(name) for name in attributes])

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.float64]:
        """The expected number of rows that contain each itemset."""
        return np.array([self._expected(itemset) for itemset in itemsets], np.float64)

    @property
    def largest_share(self) -> float:
        """The largest share of a group that one sensitive value has."""
        return float((self.counts / self.counts.sum(axis=1, keepdims=True)).max())

    def _expected(self, itemset: Itemset) -> float:
        chance = np.ones(len(self.groups))
        for item in itemset:
            column = int(self.schema.domains[item])
            code = item - int(self.schema.offsets[column])
            if column == self.position:
                chance = chance * self._chances[:, code]
            else:
                codes = self.known.codes[:, column - (column > self.position)]
                chance = chance * (codes == code)
        several = sum(int(self.schema.domains[item]) == self.position for item in itemset) > 1
        return 0.0 if several else float(chance.sum())
