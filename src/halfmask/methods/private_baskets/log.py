"""The noisy log of baskets: everything that a private release of them depends on."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import BadInput
from halfmask.methods.baskets.margins import Lengths
from halfmask.methods.private.accounting import BudgetLedger
from halfmask.methods.private.sizes import FIRSTS, SIZES, believed


@dataclass(frozen=True, slots=True, eq=False)
class NoisyCounts:
    """Counts with discrete Gaussian noise of one variance."""

    counts: NDArray[np.int64]
    variance: Fraction

    @property
    def sigma(self) -> float:
        """The standard deviation of the noise."""
        return float(float(self.variance) ** 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class BasketLog:
    """Noisy counts of lengths, items and pairs, and what they cost."""

    epsilon: float
    delta: float
    ledger: BudgetLedger
    names: tuple[str, ...]
    """Of the items that are known, declared or learnt."""
    most: int
    """So many items of a basket were learnt from, at most."""
    lengths: NoisyCounts
    """Baskets of each class of lengths, known items only."""
    items: NoisyCounts
    pairs: NDArray[np.int32]
    """Two items a line: all pairs, or of many those that stand out from independent items."""
    together: NoisyCounts
    """Baskets that hold both items of these pairs."""
    key: int
    """Of the draws that need no secret."""
    seeded: bool = False
    """Whether the noise came from a seed: then nothing is promised."""

    def __post_init__(self) -> None:
        sound = (
            self.most >= 1
            and len(self.lengths.counts) == len(FIRSTS)
            and len(self.items.counts) == len(self.names) >= 1
            and self.pairs.shape == (len(self.together.counts), 2)
            and (self.pairs[:, 0] < self.pairs[:, 1]).all()
            and (not len(self.pairs) or int(self.pairs.max()) < len(self.names))
            and (not len(self.pairs) or int(self.pairs.min()) >= 0)
        )
        if not sound:
            raise BadInput("The noisy counts of these baskets do not fit their items.")

    @property
    def rows(self) -> int:
        """The number of baskets, as noisy lengths say it."""
        return max(1, int(self.lengths.counts.sum()))

    @property
    def length_shares(self) -> Lengths:
        """The lengths that show beyond the noise, and how many baskets have them."""
        sure = np.flatnonzero(believed(self.lengths.counts, self.lengths.sigma))
        if not SIZES[sure].any():
            raise BadInput("The lengths of the baskets cannot be told from noise; raise epsilon.")
        return Lengths(SIZES[sure], self.lengths.counts[sure])

    @property
    def lost(self) -> float:
        """By how much the bound makes items rarer, as a factor to undo it.

        Which items of a long basket are left out is chance, so all of them lose about as much.
        """
        lengths = self.length_shares
        cut = np.minimum(lengths.values, self.most)
        return float((lengths.counts * lengths.values).sum() / (lengths.counts * cut).sum())
