"""Secrets: patterns that must not be found, and from when on they count as found.

One definition for every place that speaks of hiding: an itemset is found where at least
`min_support` rows hold it, a rule where its itemset is, and where at least a share
`min_confidence` of the rows with its left side hold the right side too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data.countable import Itemset
from halfmask.errors import BadInput

Supports = Callable[[Sequence[Itemset]], NDArray[np.float64]]
"""The supports of some itemsets."""
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class SecretPatterns:
    """Rules as (left, right), itemsets, and the thresholds of a miner.

    >>> from halfmask.data import Baskets
    >>> rows = Baskets.of(["ab", "ab", "a", "a", "a"])
    >>> rule = SecretPatterns(rules=(((0,), (1,)),), min_support=2)
    >>> rule.found(rows.support, rows.size).tolist()
    [True]
    >>> SecretPatterns(rule.rules, (), 2, 0.5).found(rows.support, 5).tolist()
    [False]
    """

    rules: tuple[tuple[Itemset, Itemset], ...] = ()
    itemsets: tuple[Itemset, ...] = ()
    min_support: float | None = None
    """A whole number of rows, or a share of them; None: any row."""
    min_confidence: float | None = None

    def __post_init__(self) -> None:
        for name, share in (("support", self.min_support), ("confidence", self.min_confidence)):
            whole = isinstance(share, int) and name == "support"
            if share is not None and not (share >= 1 if whole else 0 < share <= 1):
                raise BadInput(
                    f"The minimum {name} of a sensitive pattern is a share above 0 and up to 1, "
                    f"not {share:g}."
                )

    def __len__(self) -> int:
        return len(self.rules) + len(self.itemsets)

    @property
    def wholes(self) -> list[Itemset]:
        """All items of each pattern, rules first."""
        return [*(tuple(sorted((*a, *b))) for a, b in self.rules), *self.itemsets]

    @property
    def lefts(self) -> list[Itemset]:
        """The left side of each rule; an itemset stands for itself."""
        return [*(left for left, _ in self.rules), *self.itemsets]

    def floor(self, size: float) -> float:
        """The rows from which on a pattern is frequent in a database of this size."""
        if self.min_support is None:
            return 1.0
        share = not isinstance(self.min_support, int)
        return max(math.ceil(self.min_support * size - _SLACK) if share else self.min_support, 1)

    def found(
        self, support: Supports, size: float, *, floor: float | None = None
    ) -> NDArray[np.bool_]:
        """Which of the patterns a miner finds among these rows."""
        wholes, lefts = support(self.wholes), support(self.lefts)
        shown = wholes >= (self.floor(size) if floor is None else floor) - _SLACK
        if self.min_confidence is not None:
            rules = np.arange(len(wholes)) < len(self.rules)
            sure = wholes >= (self.min_confidence - _SLACK) * np.maximum(lefts, _SLACK)
            shown &= ~rules | sure
        return np.asarray(shown, np.bool_)
