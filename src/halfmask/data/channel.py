"""Channel: with which probabilities each item stays and appears; what distortion is made of.

    keep = P(item in the release | in the original)        α
    insert = P(item in the release | not in the original)  β

Bits are independent, so everything about a distorted release follows from these two numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import BadInput

__all__ = ["Channel"]

INDISTINCT = 1e-3
"""Below this difference of keep and insert nothing can be told about the original."""


@dataclass(frozen=True, eq=False)
class Channel:
    """One pair of probabilities for each item.

    >>> channel = Channel.equal(0.9, 0.1, n_items=2)
    >>> channel.epsilons.round(4).tolist()
    [2.1972, 2.1972]
    """

    keep: NDArray[np.float64]
    insert: NDArray[np.float64]

    def __post_init__(self) -> None:
        keep, insert = (np.array(p, np.float64) for p in (self.keep, self.insert))
        if keep.ndim != 1 or keep.shape != insert.shape:
            raise BadInput("A channel needs one probability to stay and one to appear per item.")
        for probabilities in (keep, insert):
            outside = probabilities[~((probabilities >= 0) & (probabilities <= 1))]
            if len(outside):
                raise BadInput(f"A probability lies between 0 and 1, not at {outside[0]:g}.")
            probabilities.setflags(write=False)
        indistinct = np.flatnonzero(abs(keep - insert) < INDISTINCT)
        if len(indistinct):
            where = indistinct[0]
            raise BadInput(
                f"An item that is in the release with probability {keep[where]:g} when it is in "
                f"the original and {insert[where]:g} when it is not tells nothing, and no support "
                "can be reconstructed; choose a keep probability away from 0.5."
            )
        object.__setattr__(self, "keep", keep)
        object.__setattr__(self, "insert", insert)

    @classmethod
    def equal(cls, keep: float, insert: float, *, n_items: int) -> Channel:
        """The same pair for every item."""
        return cls(np.full(n_items, float(keep)), np.full(n_items, float(insert)))

    def __len__(self) -> int:
        return len(self.keep)

    @property
    def epsilons(self) -> NDArray[np.float64]:
        """The ε of local differential privacy of each item alone; infinite where there is none.

        ε_i = max(|ln(α/β)|, |ln((1 − α)/(1 − β))|)
        """
        with np.errstate(divide="ignore"):
            present = abs(np.log(self.keep) - np.log(self.insert))
            absent = abs(np.log1p(-self.keep) - np.log1p(-self.insert))
        return np.asarray(np.maximum(present, absent), np.float64)

    def row_epsilon(self, max_items: int | None = None) -> float:
        """The ε of a whole row: two rows may differ in any bits, or in 2w when rows hold w items.

        `max_items` must be known without looking at the data, otherwise it is itself a disclosure.
        """
        epsilons = np.sort(self.epsilons)[::-1]
        if max_items is not None:
            epsilons = epsilons[: 2 * max_items]
        return float(epsilons.sum())

    def then(self, other: Channel) -> Channel:
        """One channel after another is a channel again."""
        return Channel(
            self.keep * other.keep + (1 - self.keep) * other.insert,
            self.insert * other.keep + (1 - self.insert) * other.insert,
        )
