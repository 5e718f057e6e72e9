"""The one idea that keeps the rooms simple: whatever can be counted answers two questions.

An original in memory, a synthetic table, an anatomised one (expectation over its buckets) and a
distorted one (estimate by the inverse of its noise) are all `Countable`. A measure is a function
of two Countables and needs no case per method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Itemset = tuple[int, ...]
"""Item numbers in increasing order."""


class Alphabet(Protocol):
    """The items that exist, by number and by name."""

    @property
    def n_items(self) -> int:
        """How many items there are; they are numbered from 0."""
        ...

    def label(self, item: int) -> str:
        """The item as a person writes it: `sex=female`, or `milk`."""
        ...


class Countable(Protocol):
    """Answers how often; exactly, in expectation, or as an estimate."""

    @property
    def schema(self) -> Alphabet:
        """What the items and attributes are."""
        ...

    @property
    def size(self) -> float:
        """The number of rows."""
        ...

    def marginal(self, attributes: Sequence[str]) -> NDArray[np.float64]:
        """Joint counts over the values of these attributes, one axis each."""
        ...

    def support(self, itemsets: Sequence[Itemset]) -> NDArray[np.float64]:
        """The number of rows that contain each itemset."""
        ...
