"""Drawing from the pool of a private model: a release at once, or the same rows in blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Release
from halfmask.data.table import PIECE
from halfmask.methods.generator.process import Drawn
from halfmask.methods.loglinear import FittedPool, chosen_rows
from halfmask.methods.private.domains import OTHER

if TYPE_CHECKING:
    from halfmask.methods.private.noisy_model import NoisyModel

DOUBTFUL = 3.0
"""Missing cells, and the group "other", are drawn when they show so many times the noise."""


@dataclass(frozen=True, eq=False)
class PoolDrawing:
    """Rows of a pool in the order of a release: which each is, and the cells drawn anew."""

    model: NoisyModel
    pool: NDArray[np.signedinteger]
    """In as few bytes as hold its codes."""
    chosen: NDArray[np.int32]
    redrawn: Mapping[int, tuple[NDArray[np.intp], NDArray[np.int64]]]
    """By column: the rows of the release whose cells were drawn anew, in order, and their codes."""
    places: Sequence[tuple[int, int]]
    """The first row of each block, and how many it has."""
    seeded: bool
    fitting: ClassVar[None] = None
    """No count of the original is met: none is known."""

    @classmethod
    def of(
        cls, model: NoisyModel, pool: FittedPool, rows: int, key: int, *, seeded: bool
    ) -> PoolDrawing:
        """A function of the log, the key and the number of rows."""
        rng = np.random.default_rng(key)
        chosen = chosen_rows(pool, rows, float(rng.random()), key)
        chosen = chosen[rng.permutation(rows)]
        redrawn = {}
        for column, attribute in enumerate(model.schema):
            single = model.log.steps[0][column]
            least = DOUBTFUL * float(single.variance) ** 0.5
            special = [c for c, value in enumerate(attribute.values) if value in (None, OTHER)]
            doubtful = [c for c in special if single.counts[c] < least]
            weights = np.maximum(single.counts, 0).astype(float)
            weights[doubtful] = 0
            cells = np.flatnonzero(np.isin(pool.codes[:, column], doubtful)[chosen])
            if len(cells) and weights.sum() > 0:
                shares = weights / weights.sum()
                redrawn[column] = cells, rng.choice(len(weights), len(cells), p=shares)
        small = np.min_scalar_type(-max(model.log.sizes))
        codes = pool.codes.astype(small, order="F")
        places = [(first, min(PIECE, rows - first)) for first in range(0, rows, PIECE)]
        return cls(model, codes, chosen, redrawn, places, seeded)

    @property
    def rows(self) -> int:
        """How many are drawn."""
        return len(self.chosen)

    def codes(self, first: int, size: int) -> NDArray[np.int32]:
        """Some rows that follow each other."""
        chosen = self.chosen[first : first + size]
        found = np.empty((len(chosen), self.pool.shape[1]), np.int32, order="F")
        for column in range(self.pool.shape[1]):
            found[:, column] = self.pool[:, column][chosen]
            if column in self.redrawn:
                cells, codes = self.redrawn[column]
                here = slice(*np.searchsorted(cells, [first, first + size]))
                found[cells[here] - first, column] = codes[here]
        return found

    def block(self, number: int) -> tuple[Drawn, None]:
        """One block, the same wherever it is made; no pattern makes its rows."""
        codes = self.codes(*self.places[number])
        return Drawn(codes, np.empty(0, np.uint16), len(codes)), None

    def released(self, drawn: Drawn, *, done: int | None = None) -> Release:  # noqa: ARG002 - as others
        """The release of these rows."""
        return self.model.released(drawn.codes, seeded=self.seeded)
