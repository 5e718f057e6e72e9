"""BasketModel: what was learnt from baskets, and how baskets are drawn from it.

What a basket generator says of its release: the claim, the record of the making, the doubts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Assortment, BasketMargins, Baskets, Claim, Itemset, Release, Transactions
from halfmask.errors import BadInput
from halfmask.methods.baskets.margins import Lengths, Links
from halfmask.methods.baskets.pool import BasketFit, DrawnBaskets, Wanted, calibrated_baskets
from halfmask.patterns.code_table import CodeTable
from halfmask.randomness import Randomness
from halfmask.run import Progress

FEW_PATTERNS = 2.0
"""Below this mean number of patterns a basket, many baskets are one single pattern."""
MOST_NAMED = 5
"""Sets named in a sentence."""


def release_of(drawn: Baskets, steps: int, fit: BasketFit | None, *, model: BasketModel) -> Release:
    """The release of baskets that took so many steps in all to fill."""
    mean = steps / max(len(drawn), 1)
    met = (
        ""
        if fit is None
        else ", and every count that the release was made to match is at least as large"
    )
    rounded = f", rounded to multiples of {model.base}" if met and model.base > 1 else ""
    return Release(
        data=drawn,
        kind="synthetic",
        method="basket generator",
        iso_class="synthetic data",
        claim=Claim(
            promise=f"Every basket is composed of patterns that at least {model.min_support:,} "
            f"baskets of the original hold{met}{rounded}",
            assumption="disclosing such patterns is acceptable",
            terms={"min_support": model.min_support, "patterns": len(model.patterns)},
        ),
        record={
            "min_support": model.min_support,
            "patterns_per_basket": mean,
            **({"round_margins": model.base} if model.base > 1 else {}),
            **({"calibrate": 0} if fit is None else fit.facts()),
        },
        notes=tuple(_notes(mean, fit, model)),
    )


def _notes(mean: float, fit: BasketFit | None, model: BasketModel) -> list[str]:
    notes = []
    if mean < FEW_PATTERNS:
        notes.append(
            f"A basket takes {mean:.2f} patterns on average, so many baskets are one single "
            f"pattern, which at least {model.min_support:,} baskets of the original hold."
        )
    if fit is not None and fit.missed.any():
        named = fit.named(model.schema, MOST_NAMED)
        worst = f", the worst {', '.join(named)}" if named else ""
        notes.append(
            f"{fit.missed.sum():,} of {len(fit.missed):,} counts could not be matched to "
            f"within chance, {fit.unreachable.sum():,} of them because no basket of the pool "
            f"contains them{worst}."
        )
    if not model.complete:
        notes.append("The search for patterns was stopped before its end.")
    return notes


CALIBRATION_ROUNDS = 8
CALIBRATION_BASKETS = 100_000


@dataclass(frozen=True, eq=False)
class BasketModel:
    """All that drawing baskets needs: a code table, lengths, and the support they respect."""

    code_table: CodeTable
    lengths: Lengths
    min_support: int
    complete: bool = True
    """False when the search was stopped before its end."""
    margins: BasketMargins | None = None
    """The counts that a release is made to meet; without any it is drawn as it comes."""
    fresh: float = 1.0
    """With margins, the share of steps in which no link between items is followed."""
    base: int = 1
    """What all counts were rounded to, up or down by chance; 1 is not at all."""

    def __post_init__(self) -> None:
        if not isinstance(self.code_table.schema, Assortment):
            raise BadInput("A basket generator needs baskets, not a table.")
        if self.base < 1:
            raise BadInput(f"Counts are multiples of 1 or more, not of {self.base}.")
        if not 0 < self.fresh <= 1:
            raise BadInput(f"The share of fresh steps lies above 0 and up to 1, not {self.fresh}.")

    @property
    def schema(self) -> Assortment:
        """The items of the baskets it draws; rare ones are listed and never drawn."""
        schema = self.code_table.schema
        assert isinstance(schema, Assortment)  # noqa: S101 - the constructor refused others
        return schema

    @cached_property
    def _pool(self) -> tuple[list[Itemset], NDArray[np.float64]]:
        """Used elements, shortest first, with their usages; one told as 0 weighs half a basket."""
        table = self.code_table
        singles = [(item,) for item in range(table.schema.n_items)]
        usages = np.concatenate([table.item_usages, table.usages[::-1]]).astype(np.float64)
        held = np.concatenate([table.item_supports, table.supports[::-1]]) > 0
        if self.base > 1:
            usages[held & (usages == 0)] = 0.5
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

    @cached_property
    def links(self) -> Links:
        """The ties between items that the counts of pairs show."""
        return Links.of(self.margins, self.schema.n_items)

    @cached_property
    def wanted(self) -> Wanted:
        """All that a calibrated release is to meet.

        The supports of long patterns stand in the code table anyway, so where sets are counted at
        all they are met too.
        """
        margins, table = self.margins, self.code_table
        assert margins is not None  # noqa: S101 - asked for only with margins
        long = [n for n, s in enumerate(table.sets) if len(s) > margins.order > 1]
        sets = [*margins.sets, *(tuple(sorted(table.sets[n])) for n in long)]
        return Wanted(
            Transactions.of(sets, self.schema.n_items),
            np.concatenate([margins.counts, table.supports[long]]),
            self.lengths,
            margins.rows,
        )

    def counts_met(self) -> Iterator[dict[str, str | int]]:
        """Every count that a release is to meet on a line, like those of tables.

        Sets come under the number of their items, shortest first, then the lengths.
        """
        if self.margins is None:
            return
        label = self.schema.label
        for items, count in zip(self.wanted.sets, self.wanted.counts.tolist(), strict=True):
            kind = "1 item" if len(items) == 1 else f"{len(items)} items"
            yield {"table": kind, "cell": ", ".join(map(label, items)), "count": count}
        lengths = self.lengths
        for length, count in zip(lengths.values.tolist(), lengths.counts.tolist(), strict=True):
            yield {"table": "length", "cell": str(length), "count": count}

    def limited(self, order: int | None) -> BasketModel:
        """The model that meets counts of at most so many items together."""
        highest = 0 if self.margins is None else self.margins.order
        if order is not None and order > highest:
            held = f"counts of up to {highest} items together" if highest else "no counts"
            raise BadInput(
                f"A release cannot match counts of {order} items; the model holds {held}."
            )
        if order is None or self.margins is None:
            return self
        margins = self.margins.limited(order) if order else None
        return self.meeting(margins, fresh=self.fresh if order > 1 else 1.0)

    def meeting(self, margins: BasketMargins | None, *, fresh: float = 1.0) -> BasketModel:
        """The same model with other counts to meet."""
        other = replace(self, margins=margins, fresh=fresh)
        # They follow from the code table and the lengths, and take a second on a large table.
        other.__dict__["weights"] = self.weights
        return other

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

    def draw(
        self,
        sizes: NDArray[np.int64],
        first: int = 0,
        *,
        key: int,
        progress: Progress | None = None,
    ) -> DrawnBaskets:
        """One basket for each size, filled with patterns and along links, from place `first` on."""
        rows, links = self.patterns, self.links
        offsets, items, steps = _native.sample_linked_baskets(
            rows.offsets,
            rows.items,
            self.weights,
            rows.n_items,
            links.offsets,
            links.items,
            links.weights,
            self.fresh,
            sizes,
            key,
            first,
            progress,
        )
        ones = np.ones(len(offsets) - 1, np.int64)
        return DrawnBaskets(Transactions(offsets, items, ones, rows.n_items), int(steps.sum()))

    def sample(
        self, baskets: int, *, randomness: Randomness, progress: Progress | None = None
    ) -> Release:
        """Draw baskets; fewer come back when `progress` says stop."""
        if isinstance(baskets, bool) or int(baskets) != baskets or baskets < 0:
            raise BadInput(f"A number of baskets is a whole number of at least 0, not {baskets!r}.")
        if self.margins is None:
            drawn, fit = self._as_they_come(baskets, randomness, progress), None
        else:
            key = randomness.key("calibrated basket patterns")
            drawn, fit = calibrated_baskets(
                partial(self.draw, key=key, progress=progress),
                self.wanted,
                self.margins,
                baskets,
                randomness=randomness,
            )
        return release_of(Baskets(self.schema, drawn.rows), drawn.steps, fit, model=self)

    def _as_they_come(
        self, baskets: int, randomness: Randomness, progress: Progress | None
    ) -> DrawnBaskets:
        sizes = self.lengths.draw(baskets, randomness.child("basket lengths"))
        offsets, items, usages = self.fill(
            self.weights, sizes, randomness.key("basket patterns"), progress
        )
        ones = np.ones(len(offsets) - 1, np.int64)
        rows = Transactions(offsets, items, ones, self.schema.n_items)
        return DrawnBaskets(rows, int(usages.sum()))
