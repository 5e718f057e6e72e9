"""The methods that make baskets anew as settings: anatomy, distortion, synthetic baskets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from halfmask.basket_publishing.made import Lines, Made, listed
from halfmask.data import Baskets, Release
from halfmask.errors import BadInput
from halfmask.judging.tradeoff import Run
from halfmask.judging.verdict import Check
from halfmask.measures.privacy.bit_privacy import bit_privacy
from halfmask.methods.anatomy import anatomise
from halfmask.methods.anatomy.cells import EmptyPolicy
from halfmask.methods.anatomy.eligibility import OnIneligible
from halfmask.methods.baskets.learn import learn_baskets
from halfmask.methods.distortion import Emask, Frequent, Mask, Mechanism, Selective, distort


@dataclass(frozen=True, slots=True)
class Anatomy:
    """Multi-dimension anatomy: columns of items, buckets of rows, l-diverse in every column."""

    l: float | Fraction  # noqa: E741 - the literature's name
    columns: int | Sequence[Sequence[str]] = 10
    empty: EmptyPolicy = "count"
    on_ineligible: OnIneligible = "error"
    min_support: float = 10
    writes = ("anatomy",)

    def make(self, baskets: Baskets, run: Run) -> Made:
        """The rows joined at random within their bucket, and the tables they were joined from."""
        anatomised = anatomise(
            baskets,
            l=self.l,
            columns=self.columns,
            randomness=run.randomness,
            empty=self.empty,
            on_ineligible=self.on_ineligible,
        )
        joined = anatomised.as_baskets(randomness=run.randomness)
        tables = anatomised.data

        def lines() -> Lines:
            found = [("column", "bucket", "value", "count")]
            for column in range(tables.n_columns):
                found += [
                    (str(column + 1), str(line.bucket + 1), listed(line.items), str(line.count))
                    for line in tables.lines(column)
                ]
            return found

        share = tables.diversity(count_empty=self.empty == "count").min() ** -1
        return Made(
            joined,
            rows_of(joined),
            tables,
            (_bucket_check(share, float(self.l)),),
            risk=float(share),
            own_measures=("fake_records", "column_attack", "item_disclosure"),
            tables={"anatomy": lines},
        )


def _bucket_check(share: float, level: float) -> Check:
    """Whether the tables, counted again, keep the bound that was asked for."""
    what = "No value above 1 in l"
    sentence = f"Counted again in the tables, the most frequent value has {share:.1%} of its bucket"
    if share <= 1 / level + 1e-9:
        return Check(what, "passed", f"{sentence}; {1 / level:.1%} was asked for.")
    return Check(what, "look here", f"{sentence}, more than the {1 / level:.1%} asked for.")


@dataclass(frozen=True, slots=True)
class Distortion:
    """Known noise: each bit is kept with probability `keep` and flipped otherwise.

    With `keep_absent` an item that is not in a basket stays out with that probability; with
    `keep_rare` items below the minimum support have a keep probability of their own.
    """

    keep: float
    keep_absent: float | None = None
    keep_rare: float | None = None
    min_support: float = 10
    writes = ("channel",)

    def make(self, baskets: Baskets, run: Run) -> Made:
        """The noisy rows, and the probabilities that let a reader count through the noise."""
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
            made.baskets,
            made.data,
            (_noise_check(float(channel.epsilons.max())),),
            risk=1 - restored / 100,
            own_measures=("bit_privacy",),
            tables={"channel": lines},
        )

    def _mechanism(self) -> Mechanism:
        if self.keep_absent is not None and self.keep_rare is not None:
            raise BadInput(
                "A keep probability of their own have absent items or rare items, not both."
            )
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
        "Some item can be read from a basket with certainty: no differential privacy holds for it."
    )
    return Check(what, "look here", sentence)


@dataclass(frozen=True, slots=True)
class BasketGenerator:
    """Synthetic baskets: a length is drawn, then filled with patterns; counts are met by choice."""

    min_support: float = 10
    baskets: int | None = None
    """How many to draw; as many as the original has by default."""
    max_pattern_length: int | None = None
    calibrate: int = 2
    """Counts of up to so many items together are met; 0 draws from the patterns alone."""
    round_margins: int = 1
    """Every count of the model is rounded to a multiple of this: 3, 5 or 10, as offices do."""
    writes = ()

    def make(self, baskets: Baskets, run: Run) -> Made:
        """Learn, then draw; the original's rare items are never drawn."""
        model = learn_baskets(
            baskets,
            min_support=self.min_support,
            max_pattern_length=self.max_pattern_length,
            calibrate=self.calibrate,
            base=self.round_margins,
            threads=run.threads,
            progress=run.progress,
        )
        count = round(baskets.size) if self.baskets is None else self.baskets
        release = model.sample(count, randomness=run.randomness)
        rows = rows_of(release)
        check = _rarest_check(baskets, rows, model.min_support)
        return Made(release, rows, release.data, (check,), model=model)


def _rarest_check(original: Baskets, drawn: Baskets, floor: int) -> Check:
    """Whether all that was drawn is held by enough baskets of the original."""
    rarest = original.transactions.item_counts[drawn.transactions.item_counts > 0]
    least = int(rarest.min()) if len(rarest) else floor
    sentence = f"Every item drawn is held by at least {floor:,} baskets of the original."
    assert least >= floor  # noqa: S101 - the model holds no other items
    return Check("No rare item", "passed", sentence)


def rows_of(release: Release) -> Baskets:
    """The rows of a release that is plain baskets."""
    assert isinstance(release.data, Baskets)  # noqa: S101 - these methods publish plain baskets
    return release.data
