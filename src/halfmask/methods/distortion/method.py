"""Distortion as a method: noisy baskets, and the probabilities that count through the noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from halfmask.data import Assortment, Baskets, Column, Transactions
from halfmask.data.coding.kinds import plan_each
from halfmask.data.coding.spec import TableSpec
from halfmask.data.column import kind_of
from halfmask.data.published.distorted import Channel
from halfmask.data.published.distorted_table import DistortedTable
from halfmask.data.published.restored import bit_privacy
from halfmask.data.release import Check
from halfmask.errors import BadInput
from halfmask.methods.basket_settings import BasketMethod
from halfmask.methods.distortion.distort import distort, distort_table
from halfmask.methods.distortion.mechanisms import (
    Alg2Literal,
    Emask,
    Frequent,
    Mask,
    Mechanism,
    Selective,
)
from halfmask.methods.method import OF_BASKETS, OF_TABLES, DataKind, Lines, Made, Variant
from halfmask.methods.names import plain_table
from halfmask.methods.settings import setting
from halfmask.methods.tables import without
from halfmask.run import Run

OF_THE_NOISE = ("bit_privacy", "amplification", "value_intervals", "privacy_loss")


@dataclass(kw_only=True, eq=False)
class Distortion(BasketMethod):
    """Known noise: each bit is kept with probability `keep` and flipped otherwise."""

    name: ClassVar[str] = "distortion"
    summary: ClassVar[str] = (
        "Noisy baskets, and the probabilities that let readers estimate supports through the "
        "noise; protects whether a given item was in a basket."
    )
    kinds: ClassVar[tuple[DataKind, ...]] = ("baskets", "table")
    measures: ClassVar = {
        "baskets": (*OF_BASKETS, "misclassification", *OF_THE_NOISE),
        "table": (*OF_TABLES, "misclassification", *OF_THE_NOISE),
    }
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

    as_printed: bool = setting(
        default=False,
        help="With --keep-rare: Algorithm 2 of the article as printed, which only drops frequent "
        "items and only inserts rare ones; an item seen in the release may then be there for "
        "certain.",
        form="flag", group="privacy",
    )  # fmt: skip

    @property
    def writes(self) -> tuple[str, ...]:
        """The probabilities."""
        return ("channel",)

    def make(self, data: Any, run: Run) -> Made:
        """The noisy rows, and the probabilities that let a reader count through the noise."""
        if not isinstance(data, Baskets):
            return self._of_table(data, run)
        baskets = self.admitted(data)
        made = distort(baskets, self._mechanism(), randomness=run.randomness, threads=run.threads)
        channel = made.channel
        return Made(
            made,
            data,
            made.baskets,
            made.data,
            (_noise_check(float(channel.epsilons.max())),),
            risk=_risk(baskets.transactions, channel),
            tables={"channel": lambda: _lines(baskets.schema, channel)},
        )

    def _of_table(self, columns: Any, run: Run) -> Made:
        """The rows with some cells exchanged for other values of their column."""
        if self.keep_rare is not None or self.keep_absent is not None or self.as_printed:
            raise BadInput(
                "A cell of a table keeps its value or has another one, so there is only keep; "
                "keep_rare, keep_absent and as_printed are for baskets."
            )
        keys = _identifying(columns)
        table, encoding = plain_table(without(columns, keys))
        release = distort_table(table, self.keep, randomness=run.randomness)
        if keys:
            left = f"Left out, because they identify rows: {', '.join(map(repr, keys))}."
            release = replace(release, notes=(*release.notes, left))
        data = release.data
        assert isinstance(data, DistortedTable)  # noqa: S101 - that is what it makes
        noisy = data.channel.insert > 0
        epsilon = float(data.channel.epsilons[noisy].max(initial=0.0))
        return Made(
            release,
            table,
            data.observed,
            data,
            (_noise_check(epsilon),),
            risk=_risk(table.transactions, data.channel),
            tables={"channel": lambda: _lines(data.as_baskets.schema, data.channel)},
            encoding=encoding,
        )

    def _mechanism(self) -> Mechanism:
        if self.keep_absent is not None and self.keep_rare is not None:
            raise BadInput("Give keep_absent or keep_rare, not both.")
        if self.keep_absent is not None:
            return Emask(self.keep, self.keep_absent)
        if self.as_printed and self.keep_rare is None:
            raise BadInput("Algorithm 2 as printed has two probabilities; give keep_rare too.")
        if self.keep_rare is not None:
            frequent = Frequent(self.min_support)
            mechanism = Alg2Literal if self.as_printed else Selective
            return mechanism(self.keep, self.keep_rare, frequent)
        return Mask(self.keep)


def _identifying(columns: Sequence[Column]) -> list[str]:
    """Keys, and texts that are different in every row; of few rows a plan cannot tell."""
    plans = plan_each(columns, TableSpec(), floor=1)
    return [
        c.name
        for c in columns
        if plans[c.name].fate == "key"
        or (kind_of(c.storage) == "text" and len(c.labels) == len(c) > 1)
    ]


def _lines(schema: Assortment, channel: Channel) -> Lines:
    parts = zip(schema.names, channel.keep.tolist(), channel.insert.tolist(), strict=True)
    return [("item", "keep", "insert"), *((n, f"{k:g}", f"{i:g}") for n, k, i in parts)]


def _risk(rows: Transactions, channel: Channel) -> float:
    """How often an item is restored, on average over all items that are there."""
    shares = rows.item_counts / max(rows.size, 1.0)
    return 1 - bit_privacy(shares, channel).overall / 100 if shares.any() else 0.0


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
