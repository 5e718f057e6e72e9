"""Distortion as a method: noisy baskets, and the probabilities that count through the noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from halfmask.data.published.restored import bit_privacy
from halfmask.data.release import Check
from halfmask.errors import BadInput
from halfmask.methods.basket_settings import BasketMethod
from halfmask.methods.distortion.distort import distort
from halfmask.methods.distortion.mechanisms import Emask, Frequent, Mask, Mechanism, Selective
from halfmask.methods.method import OF_BASKETS, DataKind, Lines, Made, Variant
from halfmask.methods.settings import setting
from halfmask.run import Run


@dataclass(kw_only=True, eq=False)
class Distortion(BasketMethod):
    """Known noise: each bit is kept with probability `keep` and flipped otherwise."""

    name: ClassVar[str] = "distortion"
    summary: ClassVar[str] = (
        "Noisy baskets, and the probabilities that let readers estimate supports through the "
        "noise; protects whether a given item was in a basket."
    )
    kinds: ClassVar[tuple[DataKind, ...]] = ("baskets",)
    measures: ClassVar = {"baskets": (*OF_BASKETS, "bit_privacy")}
    aligned: ClassVar[bool] = True
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant(
            "distortion",
            "distortion",
            "flips every bit with a known probability",
            dials=("keep", "keep_rare", "keep_absent"),
            tried=({"keep": 0.99}, {"keep": 0.9}),
        ),
    )

    keep: float = setting(
        help="The probability that a cell is left unchanged; 0.5 keeps nothing, 1 changes nothing.",
        form="number", least=0, most=1, group="privacy", metavar="P",
    )  # fmt: skip
    keep_rare: float | None = setting(
        None,
        "Another probability for items below --min-support (the selective mechanism); give it "
        "when rare items need more noise.",
        form="number", least=0, most=1, group="privacy", metavar="P",
    )  # fmt: skip
    keep_absent: float | None = setting(
        None,
        "Another probability for items that are not in a basket; a high one inserts few false "
        "items.",
        form="number", least=0, most=1, group="privacy", metavar="P",
    )  # fmt: skip

    @property
    def writes(self) -> tuple[str, ...]:
        """The probabilities."""
        return ("channel",)

    def make(self, data: Any, run: Run) -> Made:
        """The noisy rows, and the probabilities that let a reader count through the noise."""
        baskets = self.admitted(data)
        made = distort(baskets, self._mechanism(), randomness=run.randomness, threads=run.threads)
        channel = made.channel

        def lines() -> Lines:
            names = baskets.schema.names
            parts = zip(names, channel.keep.tolist(), channel.insert.tolist(), strict=True)
            return [("item", "keep", "insert"), *((n, f"{k:g}", f"{i:g}") for n, k, i in parts)]

        shares = baskets.transactions.item_counts / max(baskets.size, 1.0)
        restored = bit_privacy(shares, channel).overall if shares.any() else 100.0
        return Made(
            made,
            data,
            made.baskets,
            made.data,
            (_noise_check(float(channel.epsilons.max())),),
            risk=1 - restored / 100,
            tables={"channel": lines},
        )

    def _mechanism(self) -> Mechanism:
        if self.keep_absent is not None and self.keep_rare is not None:
            raise BadInput("Give keep_absent or keep_rare, not both.")
        if self.keep_absent is not None:
            return Emask(self.keep, self.keep_absent)
        if self.keep_rare is not None:
            return Selective(self.keep, self.keep_rare, Frequent(self.min_support))
        return Mask(self.keep)


def _noise_check(epsilon: float) -> Check:
    what = "Bound on a single item"
    if math.isfinite(epsilon):
        sentence = f"Local differential privacy with ε = {epsilon:.3g} holds for each single item."
        return Check(what, "passed", sentence)
    sentence = (
        "Some item of a basket can be inferred with certainty: no differential privacy holds "
        "for it."
    )
    return Check(what, "review", sentence)
