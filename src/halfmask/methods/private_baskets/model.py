"""The model of private baskets: noisy counts to draw from, and patterns to read.

It is a function of the noisy log, so all that is drawn from it has the log's guarantee.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Assortment, BasketMargins, Baskets, Claim, Release, Transactions
from halfmask.errors import BadInput
from halfmask.methods.baskets.learn import calibrated_model
from halfmask.methods.baskets.model import BasketModel
from halfmask.methods.private.promise import PromisedModel, claim_of
from halfmask.methods.private.sizes import SIZES
from halfmask.methods.private_baskets.learn import expected_pairs
from halfmask.methods.private_baskets.log import BasketLog
from halfmask.patterns.code_table import CodeTable
from halfmask.patterns.krimp import krimp
from halfmask.randomness import Randomness
from halfmask.run import Progress

SURE_ITEM = 2.0
"""An item is drawn when its count shows so many times the noise."""


@dataclass(frozen=True, eq=False)
class NoisyBaskets(PromisedModel):
    """A noisy log of baskets; baskets and patterns are drawn from it when asked."""

    advice: ClassVar[str] = "raise epsilon, or declare the items (--items)"
    log: BasketLog
    min_support: int
    """Patterns are held by so many drawn baskets."""
    rows_per_person: int = 1
    told: CodeTable | None = None
    """The patterns, where a file tells them."""
    guessed: tuple[str, ...] = ()
    """Nothing is read off the data but what was paid for."""
    margins: None = None
    """No count of the original is met: none is known."""

    @property
    def account(self) -> BasketLog:
        """What was asked, and what it cost."""
        return self.log

    @property
    def rows(self) -> int:
        """The number of baskets of the original, as noisy counts say it."""
        return self.log.rows

    @property
    def noise(self) -> float:
        """The standard deviation of the noise of the count of an item."""
        return self.log.items.sigma

    @property
    def schema(self) -> Assortment:
        """The items that are known."""
        return Assortment(self.log.names)

    @property
    def claim(self) -> Claim:
        """What is promised to every person, and on which assumption."""
        return claim_of(self.log, self.rows_per_person, unit=("basket", "data"))

    @cached_property
    def generator(self) -> BasketModel:
        """What fills baskets: lengths, items and pairs as the noisy counts say."""
        lengths, supports = self.log.length_shares, self._supports
        if not supports.any():
            raise BadInput("No item shows more than the noise; raise epsilon.")
        rows = int(lengths.counts.sum())
        supports = np.minimum(supports, rows)
        table = CodeTable(self.schema, [], [], [], supports, supports, rows)
        model = BasketModel(table, lengths, 1)
        return calibrated_model(model, self._counts(supports, rows))

    @property
    def _supports(self) -> NDArray[np.int64]:
        items = self.log.items
        sure = np.where(items.counts >= SURE_ITEM * items.sigma, items.counts, 0)
        return np.rint(sure * self.log.lost).astype(np.int64)

    def _counts(self, supports: NDArray[np.int64], rows: int) -> BasketMargins:
        """The items, and the pairs as far as they differ by more than noise.

        What a pair is beyond independent items is shrunk by the share that noise has in its square,
        and both are raised by what the bound took.
        """
        log = self.log
        one, other = log.pairs.T.astype(np.intp)
        expected = expected_pairs(log, one, other)
        beyond = log.together.counts - expected
        believed = np.maximum(0, 1 - float(log.together.variance) / np.maximum(beyond**2, 1))
        whole = expected_pairs(log, one, other, most=int(SIZES[-1]))
        found = (whole + believed * beyond) * log.lost**2
        if len(found) == len(supports) * (len(supports) - 1) // 2:  # then lengths say their sum
            lengths = log.length_shares
            pairs = (lengths.counts * lengths.values * (lengths.values - 1)).sum() / 2
            found *= pairs / max(float(found.sum()), 1.0)
        counts = np.rint(found).astype(np.int64)
        highest = np.minimum(supports[one], supports[other])
        kept = np.flatnonzero(highest > 0)
        singles = np.flatnonzero(supports)
        sets = [*((item,) for item in singles.tolist()), *map(tuple, log.pairs[kept].tolist())]
        together = np.clip(counts, 1, np.maximum(highest, 1))[kept]
        return BasketMargins(
            Transactions.of(sets, len(supports)),
            np.concatenate([supports[singles], together]),
            rows,
            1,
            2,
        )

    @cached_property
    def drawn(self) -> Baskets:
        """As many baskets as the original seems to have, drawn with the log's own key."""
        return self._drawn(self.rows, Randomness(self.log.key), None)

    @cached_property
    def code_table(self) -> CodeTable:
        """Patterns of the baskets drawn."""
        if self.told is not None:
            return self.told
        floor = max(1, min(self.min_support, len(self.drawn)))
        rows = self.drawn.transactions
        rows = rows.with_items(rows.item_counts >= floor)
        return krimp(rows, self.schema, min_support=floor, candidates="closed").code_table

    def cells(self) -> list[dict[str, Any]]:
        """Every noisy count: what it is of, and the noise."""
        log, names = self.log, self.log.names
        found = [
            {"table": "length", "cell": str(length), "count": count, "sigma": log.lengths.sigma}
            for length, count in enumerate(log.lengths.counts.tolist())
        ]
        found += [
            {"table": "1 item", "cell": name, "count": count, "sigma": log.items.sigma}
            for name, count in zip(names, log.items.counts.tolist(), strict=True)
        ]
        pairs = zip(log.pairs.tolist(), log.together.counts.tolist(), strict=True)
        return found + [
            {
                "table": "2 items",
                "cell": f"{names[one]}, {names[other]}",
                "count": count,
                "sigma": log.together.sigma,
            }
            for (one, other), count in pairs
        ]

    def sample(
        self, baskets: int | None, *, randomness: Randomness, progress: Progress | None = None
    ) -> Release:
        """Draw baskets, as many as the original seems to have unless told."""
        count = self.rows if baskets is None else baskets
        return self.released(
            self._drawn(count, randomness, progress), seeded=randomness.seeded or self.log.seeded
        )

    def _drawn(self, baskets: int, randomness: Randomness, progress: Progress | None) -> Baskets:
        release = self.generator.sample(baskets, randomness=randomness, progress=progress)
        assert isinstance(release.data, Baskets)  # noqa: S101 - what it draws
        return release.data

    def released(self, drawn: Baskets, *, seeded: bool) -> Release:
        """A release of these baskets, with what it promises and how it was made."""
        log = self.log
        return Release(
            data=drawn,
            kind="synthetic",
            method="private baskets",
            iso_class="synthetic data",
            claim=self.claim,
            record={
                "rows": len(drawn),
                "epsilon": log.epsilon,
                "delta": log.delta,
                "epsilon_spent": round(self.epsilon_spent, 6),
                "rows_per_person": self.rows_per_person,
                "items_per_basket_at_most": log.most,
                "items_known": len(log.names),
                "pairs_told": len(log.pairs),
                "noise_of_counts": round(self.noise, 2),
                "seeded": seeded,
            },
            notes=self._notes,
        )

    @property
    def _notes(self) -> tuple[str, ...]:
        log = self.log
        lost = len(log.names) - int((self._supports > 0).sum())
        first = (
            f"At most {log.most:,} items of a basket were learnt from, chosen by chance; what "
            "longer baskets lack is made up for by their lengths."
        )
        rest = f"{lost:,} items do not show beyond the noise and are never drawn."
        return (first, rest) if lost else (first,)
