"""Synthetic baskets as a method: a length is drawn, then filled with patterns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from halfmask.data import Baskets
from halfmask.data.release import Check
from halfmask.methods.basket_settings import BasketMethod
from halfmask.methods.baskets.learn import learn_baskets
from halfmask.methods.method import OF_BASKETS, ON_BASKETS, DataKind, Made, Variant, plain_baskets
from halfmask.methods.settings import setting
from halfmask.run import Run


@dataclass(kw_only=True, eq=False)
class BasketGenerator(BasketMethod):
    """Synthetic baskets: a length is drawn, then filled with patterns; counts are matched."""

    name: ClassVar[str] = "baskets"
    summary: ClassVar[str] = (
        "Synthetic baskets drawn from patterns; protects what fewer than --min-support baskets "
        "hold."
    )
    kinds: ClassVar[tuple[DataKind, ...]] = ("baskets",)
    listens: ClassVar[frozenset[str]] = frozenset(
        {"rows", "max_time", "holdout", "leak_at_most", "reference", "audit_model", "no_trade_off"}
    )
    measures: ClassVar = {"baskets": (*OF_BASKETS, *ON_BASKETS)}
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant(
            "baskets",
            "synthetic",
            "draws new baskets from the patterns of the old ones",
            dials=("min_support", "calibrate"),
            tried=(
                {"min_support": 5},
                {"min_support": 20},
                {"min_support": 80},
                {"min_support": 20, "calibrate": 0},
            ),
        ),
    )

    calibrate: int = setting(
        2,
        "Match the original's counts for combinations of up to this many items; 0 switches it off.",
        form="whole", least=0, most=3,
    )  # fmt: skip
    round_margins: int = setting(
        1,
        "Round every disclosed count to multiples of 3, 5 or 10, where that is coarser than "
        "what --min-support asks for anyway (half of it and 1).",
        form="whole", least=1, group="privacy",
    )  # fmt: skip
    max_pattern_length: int | None = setting(
        None,
        "Limit patterns, and the combinations that --calibrate matches, to this many items; with "
        "shorter ones fewer original baskets reappear.",
        form="whole", least=1, group="privacy",
    )  # fmt: skip

    @property
    def has_model(self) -> bool:
        """Its model can draw more baskets anywhere."""
        return True

    def make(self, data: Any, run: Run) -> Made:
        """Learn, then draw; the original's rare items are never drawn."""
        baskets = self.admitted(data)
        model = learn_baskets(
            baskets,
            min_support=self.min_support,
            max_pattern_length=self.max_pattern_length,
            calibrate=min(self.calibrate, self.max_pattern_length or self.calibrate),
            base=self.round_margins,
            threads=run.threads,
            progress=run.progress,
        )
        count = round(baskets.size) if run.rows is None else run.rows
        release = model.sample(count, randomness=run.randomness)
        rows = plain_baskets(release)
        check = _rarest_check(baskets, rows, model.min_support)
        return Made(release, data, rows, release.data, (check,), model=model)


def _rarest_check(original: Baskets, drawn: Baskets, floor: int) -> Check:
    """Whether all that was drawn is held by enough baskets of the original."""
    rarest = original.transactions.item_counts[drawn.transactions.item_counts > 0]
    least = int(rarest.min()) if len(rarest) else floor
    sentence = f"Every item drawn is held by at least {floor:,} baskets of the original."
    assert least >= floor  # noqa: S101 - the model holds no other items
    return Check("No rare item", "passed", sentence)
