"""Synthetic baskets from a code table, for thousands of items where a row holds only a few.

A table's generator fills every column; with one column for each product nearly all of its work
would be to say what is not in the basket. Here a length is drawn instead, and the basket is filled
with patterns that share no item, by usage.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Assortment, Baskets, Claim, Itemset, Release, Transactions
from halfmask.errors import BadInput
from halfmask.patterns.code_table import CodeTable
from halfmask.patterns.krimp import krimp
from halfmask.patterns.mining import Kind, Progress
from halfmask.patterns.support import absolute_support
from halfmask.randomness import Randomness

__all__ = ["BasketModel", "Lengths", "learn_baskets"]

CALIBRATION_ROUNDS = 8
CALIBRATION_BASKETS = 100_000
FEW_PATTERNS = 2.0
"""Below this mean number of patterns a basket, many baskets are one single pattern."""


@dataclass(frozen=True, eq=False)
class Lengths:
    """How long baskets are: length `values[n]` with weight `counts[n]`.

    >>> Lengths.of(np.array([1] * 9 + [2] * 4 + [5, 7]), min_support=4)
    Lengths(values=array([1, 3]), counts=array([9, 6]))
    """

    values: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, lengths: NDArray[np.int64], *, min_support: int) -> Lengths:
        """Lengths from the longest down in groups of `min_support` baskets, each at its mean.

        A length that few baskets have would point at them; a mean over a group does not.
        """
        groups: list[tuple[int, int]] = []  # (baskets, items)
        baskets = items = 0
        counts = np.bincount(lengths)
        for length in np.flatnonzero(counts)[::-1].tolist():
            baskets += int(counts[length])
            items += int(counts[length]) * length
            if baskets >= min_support:
                groups.append((baskets, items))
                baskets = items = 0
        if baskets:
            last = groups.pop() if groups else (0, 0)
            groups.append((last[0] + baskets, last[1] + items))
        values = np.array([round(i / b) for b, i in groups[::-1]], np.int64)
        return cls(values, np.array([b for b, _ in groups[::-1]], np.int64))

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Lengths drawn by weight."""
        return rng.choice(self.values, count, p=self.counts / self.counts.sum())

    def spread(self, count: int) -> NDArray[np.int64]:
        """About so many lengths in the exact proportions, without chance."""
        bounds = np.round(np.cumsum(self.counts) / self.counts.sum() * count)
        return np.repeat(self.values, np.diff(bounds, prepend=0).astype(np.int64))


def learn_baskets(  # noqa: PLR0913 - the settings of a search, each with its default
    baskets: Baskets,
    *,
    min_support: float,
    candidates: Kind = "closed",
    max_pattern_length: int | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> BasketModel:
    """Learn the patterns and the lengths of baskets.

    Items held by fewer than `min_support` baskets are left out first, of the baskets and of their
    lengths; when `progress` says stop, the best model so far comes back.

    >>> baskets = Baskets.of([["beer", "crisps"]] * 30 + [["tea"]] * 20 + [["gin", "tea"]])
    >>> model = learn_baskets(baskets, min_support=5)
    >>> [(p.labels, p.usage) for p in model.code_table.patterns()]
    [(('beer', 'crisps'), 30), (('tea',), 21)]
    >>> release = model.sample(1000, randomness=Randomness(1))
    >>> bool(550 < release.support([(0, 1)])[0] < 650)
    True
    """
    floor = absolute_support(min_support, len(baskets))
    rows = _without_rare(baskets.transactions, floor)
    if not len(rows.items):
        raise BadInput(
            f"No item is held by {floor:,} baskets or more; lower the minimum support to learn "
            "anything from them."
        )
    found = krimp(
        rows,
        baskets.schema,
        min_support=floor,
        candidates=candidates,
        max_length=max_pattern_length,
        threads=threads,
        progress=progress,
    )
    lengths = Lengths.of(np.diff(rows.offsets), min_support=floor)
    return BasketModel(found.code_table, lengths, floor, complete=found.complete)


@dataclass(frozen=True, eq=False)
class BasketModel:
    """All that drawing baskets needs: a code table, lengths, and the support they respect."""

    code_table: CodeTable
    lengths: Lengths
    min_support: int
    complete: bool = True
    """False when the search was stopped before its end."""

    def __post_init__(self) -> None:
        if not isinstance(self.code_table.schema, Assortment):
            raise BadInput("A basket generator needs baskets; a table has columns to fill.")

    @property
    def schema(self) -> Assortment:
        """The items of the baskets it draws; rare ones are listed and never drawn."""
        schema = self.code_table.schema
        assert isinstance(schema, Assortment)  # noqa: S101 - the constructor refused others
        return schema

    @cached_property
    def _pool(self) -> tuple[list[Itemset], NDArray[np.float64]]:
        """Used elements, shortest first, with their usages."""
        table = self.code_table
        singles = [(item,) for item in range(table.schema.n_items)]
        usages = np.concatenate([table.item_usages, table.usages[::-1]]).astype(np.float64)
        elements = [*singles, *table.sets[::-1]]  # cover order is longest first
        used = np.flatnonzero(usages)
        return [elements[n] for n in used.tolist()], usages[used]

    @property
    def usages(self) -> NDArray[np.float64]:
        """How many baskets of the original each pattern helps to cover."""
        return self._pool[1]

    @cached_property
    def patterns(self) -> Transactions:
        """The patterns that fill baskets, shortest first."""
        return Transactions.of(self._pool[0], self.schema.n_items)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """A weight for each pattern with which the drawn baskets use it as the original does.

        Drawn by plain usage, large patterns come too seldom: they often fit no more, or share an
        item with what is there. So weights are corrected by the ratio of the usage wanted to the
        usage drawn, a few times; the draws for it have a fixed key, for they are no secret.
        """
        wanted = self.usages
        weights = wanted.copy()
        sizes = self.lengths.spread(CALIBRATION_BASKETS)
        for key in range(CALIBRATION_ROUNDS):
            _, _, drawn = self.fill(weights, sizes, key)
            share = (drawn + 0.5) / max(float(drawn.sum()), 1.0)
            weights = weights * np.clip(wanted / wanted.sum() / share, 0.5, 2.0)
        return weights

    def fill(
        self,
        weights: NDArray[np.float64],
        sizes: NDArray[np.int64],
        key: int,
        progress: Progress | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Offsets and items of one basket for each size, and how often each pattern was taken."""
        rows = self.patterns
        return _native.sample_baskets(
            rows.offsets, rows.items, weights, rows.n_items, sizes, key, progress
        )

    def sample(
        self, baskets: int, *, randomness: Randomness, progress: Progress | None = None
    ) -> Release:
        """Draw baskets; fewer come back when `progress` says stop."""
        if isinstance(baskets, bool) or int(baskets) != baskets or baskets < 0:
            raise BadInput(f"A number of baskets is a whole number of at least 0, not {baskets!r}.")
        sizes = self.lengths.draw(baskets, randomness.child("basket lengths"))
        offsets, items, usages = self.fill(
            self.weights, sizes, randomness.key("basket patterns"), progress
        )
        rows = Transactions(
            offsets, items, np.ones(len(offsets) - 1, np.int64), self.schema.n_items
        )
        return self._release(Baskets(self.schema, rows), int(usages.sum()))

    def _release(self, drawn: Baskets, patterns_used: int) -> Release:
        mean = patterns_used / max(len(drawn), 1)
        notes = []
        if mean < FEW_PATTERNS:
            notes.append(
                f"A basket takes {mean:.2f} patterns on average, so many baskets are one single "
                f"pattern, which at least {self.min_support:,} baskets of the original hold."
            )
        if not self.complete:
            notes.append("The search for patterns was stopped before its end.")
        return Release(
            data=drawn,
            kind="synthetic",
            method="basket generator",
            iso_class="synthetic data",
            claim=Claim(
                promise=f"Every basket is put together from patterns that at least "
                f"{self.min_support:,} baskets of the original hold",
                assumption="such patterns may be known",
                terms={"min_support": self.min_support, "patterns": len(self.patterns)},
            ),
            record={"min_support": self.min_support, "patterns_per_basket": mean},
            notes=tuple(notes),
        )


def _without_rare(rows: Transactions, floor: int) -> Transactions:
    stay = (rows.item_counts >= floor)[rows.items]
    kept = np.concatenate([[0], np.cumsum(stay)])
    return replace(rows, offsets=kept[rows.offsets].astype(np.int64), items=rows.items[stay])
