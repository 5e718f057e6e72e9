"""Private baskets as a method: differential privacy, the list of items and lengths included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from halfmask.data import Baskets
from halfmask.methods.basket_settings import BasketMethod
from halfmask.methods.method import OF_BASKETS, ON_BASKETS, DataKind, Made, plain_baskets
from halfmask.methods.private.mechanisms import RandomBits
from halfmask.methods.private.settings import PrivateSettings
from halfmask.methods.private_baskets.learn import BasketPromise, learn_noisy_baskets
from halfmask.methods.private_baskets.model import NoisyBaskets
from halfmask.methods.settings import setting
from halfmask.patterns.mining import absolute_support
from halfmask.run import Run


@dataclass(kw_only=True, eq=False)
class PrivateBaskets(PrivateSettings, BasketMethod):
    """New baskets drawn from noisy counts, with differential privacy for every person."""

    name: ClassVar[str] = "private-baskets"
    summary: ClassVar[str] = (
        "Synthetic baskets drawn from counts with noise; promises differential privacy (--method "
        "baskets --epsilon chooses it)."
    )
    kinds: ClassVar[tuple[DataKind, ...]] = ("baskets",)
    listens: ClassVar[frozenset[str]] = frozenset({"rows", "holdout", "leak_at_most"})
    measures: ClassVar = {"baskets": (*OF_BASKETS, *ON_BASKETS)}
    hides_size: ClassVar[bool] = True

    items: str | None = setting(
        None,
        "All items that can be in a basket, one a line; without it, items that many baskets hold "
        "are learnt within the budget.",
        form="lines", group="columns", metavar="FILE",
    )  # fmt: skip
    items_per_basket: int | None = setting(
        None,
        "Learn from so many items of a basket at most: fewer need less noise, and what longer "
        "baskets lack is made up for. Learnt within the budget by default.",
        form="whole", least=1, most=100, group="privacy",
    )  # fmt: skip

    def fit(self, baskets: Baskets, run: Run) -> NoisyBaskets:
        """Ask baskets within the budget; what comes back holds none of them."""
        lines = (self.items or "").splitlines()
        items = tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
        asked = BasketPromise(
            self.epsilon, self.delta, self.rows_per_person, self.items_per_basket, items
        )
        seed = run.randomness.key("private noise") if run.randomness.seeded else None
        log = learn_noisy_baskets(baskets, asked, RandomBits(seed))
        floor = absolute_support(self.min_support, log.rows)
        return NoisyBaskets(log, floor, self.rows_per_person)

    def make(self, data: Any, run: Run) -> Made:
        """Learn within the budget, then draw."""
        run.stages.begin("searching patterns")
        model = self.fit(data, run)
        run.stages.begin("drawing")
        release = model.sample(run.rows, randomness=run.randomness, progress=run.progress)
        rows = plain_baskets(release)
        return Made(release, data, rows, rows.over(data.schema), model=model)
