"""Distortion: flip bits at random so that no row can be trusted and all rows can be counted.

DistortedRelease: the noisy baskets, the noise they passed through, and what that promises.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from halfmask import _native
from halfmask.data import Baskets, Table, Transactions
from halfmask.data.published.distorted import Channel, DistortedBaskets
from halfmask.data.published.distorted_table import DistortedTable, table_channel
from halfmask.data.release import Claim, Fact, Release
from halfmask.errors import BadInput
from halfmask.methods.distortion.mechanisms import Mechanism
from halfmask.randomness import Randomness


@dataclass(frozen=True, eq=False)
class DistortedRelease(Release):
    """Distorted baskets as a release: `baskets` is what is written, `support` is an estimate."""

    data: DistortedBaskets

    @property
    def baskets(self) -> Baskets:
        """The rows as published, noise included."""
        return self.data.observed

    @property
    def channel(self) -> Channel:
        """The probabilities a reader needs to count through the noise."""
        return self.data.channel


def claim_of(channel: Channel, mechanism: Mechanism, max_items: int | None) -> Claim:
    """Local differential privacy where it exists, and the plain statement where it does not."""
    per_item = float(channel.epsilons.max())
    per_row = channel.row_epsilon(max_items)
    terms: dict[str, Fact] = {
        "epsilon_item": per_item if math.isfinite(per_item) else None,
        "epsilon_row": per_row if math.isfinite(per_row) else None,
        "max_items": max_items,
    }
    if not math.isfinite(per_item) or mechanism.looks_at_data:
        return Claim(
            promise=f"An item of a basket is in the release with probability "
            f"{_range(channel.keep)}, an item not in it with probability {_range(channel.insert)}; "
            f"this is not local differential privacy, because {_why_not(channel)}",
            assumption="the randomness stays secret",
            terms={**terms, "epsilon_item": None, "epsilon_row": None},
        )
    limit = "" if max_items is None else f" and holds at most {max_items} items"
    return Claim(
        promise=f"Whether one item is in a basket is protected by local differential privacy with "
        f"ε = {per_item:.4f}, a whole basket with ε = {per_row:.4g}",
        assumption=f"each basket is about one person{limit}, and the randomness stays secret",
        terms=terms,
    )


def _range(probabilities: np.ndarray) -> str:
    low, high = float(probabilities.min()), float(probabilities.max())
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _why_not(channel: Channel) -> str:
    infinite = np.isinf(channel.epsilons)
    if not infinite.any():
        return "the items with less noise were chosen by looking at the data"
    which = "every item" if infinite.all() else f"{int(infinite.sum())} of {len(channel)} items"
    return f"for {which} a reader can be certain what some baskets contain"


def notes_of(channel: Channel, mechanism: Mechanism, *, rows: int, seeded: bool) -> tuple[str, ...]:
    """What the steward should read before publishing."""
    spread = np.maximum(channel.keep * (1 - channel.keep), channel.insert * (1 - channel.insert))
    error = 2 * float((np.sqrt(rows * spread) / abs(channel.keep - channel.insert)).max())
    notes = [f"The support of a single item is known to within {error:,.0f} of {rows:,} baskets."]
    if (channel.insert == 0).any():
        notes.append(
            "Some items are never inserted: where a basket of the release holds one, the original "
            "basket held it for certain."
        )
    if mechanism.looks_at_data:
        notes.append("The probabilities disclose which items are frequent in the original.")
    if channel.row_epsilon() > 20:
        notes.append(
            "The noise protects single items; about whole baskets a reader who knows most of a "
            "basket can be nearly certain."
        )
    if seeded:
        notes.append(_SEEDED)
    return tuple(notes)


def distort(
    baskets: Baskets,
    mechanism: Mechanism,
    *,
    randomness: Randomness,
    max_items: int | None = None,
    threads: int = 1,
) -> DistortedRelease:
    """Pass every basket through the mechanism's channel.

    The number of baskets stays; an empty basket is a basket. `max_items` is the largest number of
    items a basket can hold by its nature, if there is one: it sharpens the ε of a whole basket.

    >>> from halfmask.methods.distortion.mechanisms import Mask
    >>> rows = Baskets.of([["bread", "milk"], ["milk"]] * 500)
    >>> release = distort(rows, Mask(0.9), randomness=Randomness(1))
    >>> estimate = release.data.estimate([(0,), (0, 1)])
    >>> estimate.values.round().tolist(), estimate.errors.round().tolist()
    ([495.0, 497.0], [12.0, 15.0])
    """
    _check(baskets, max_items, threads)
    channel = mechanism.channel(baskets)
    rows = baskets.transactions.expanded()
    offsets, items = _native.distort(
        *rows.arrays, channel.keep, channel.insert, randomness.long_key("distortion"), threads
    )
    noisy = Transactions(offsets, items, np.ones(len(rows), np.int64), rows.n_items)
    return DistortedRelease(
        data=DistortedBaskets(Baskets(baskets.schema, noisy), channel),
        kind="distorted",
        method="distortion",
        iso_class="randomization",
        claim=claim_of(channel, mechanism, max_items),
        record={
            "mechanism": mechanism.name,
            "keep": (float(channel.keep.min()), float(channel.keep.max())),
            "insert": (float(channel.insert.min()), float(channel.insert.max())),
            "items_per_basket": len(items) / len(rows),
        },
        notes=notes_of(channel, mechanism, rows=len(rows), seeded=randomness.seeded),
    )


def distort_table(table: Table, keep: float, *, randomness: Randomness) -> Release:
    """Let every cell keep its value with probability `keep`, or have another one of its column.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("town", ("a", "b", "c"))))
    >>> rows = Table(schema, np.array([[0, 0], [1, 2]] * 500))
    >>> release = distort_table(rows, 0.9, randomness=Randomness(1))
    >>> release.data.marginal(["sex"]).round(-1).tolist()
    [500.0, 500.0]
    """
    if not len(table):
        raise BadInput("The table has no rows, so there is nothing to distort.")
    channel = table_channel(table.schema, keep)
    rng = randomness.child("distortion")
    codes = table.codes.copy(order="F")
    for column, attribute in enumerate(table.schema):
        if attribute.size > 1:
            moved = rng.random(len(codes)) >= keep
            steps = rng.integers(1, attribute.size, len(codes))
            codes[:, column] = np.where(
                moved, (codes[:, column] + steps) % attribute.size, codes[:, column]
            )
    data = DistortedTable(Table(table.schema, codes), channel)
    epsilon = float(channel.epsilons[channel.insert > 0].max(initial=0.0))
    return Release(
        data=data,
        kind="distorted",
        method="distortion",
        iso_class="randomization",
        claim=_claim_of_table(channel, keep, epsilon, len(table.schema)),
        record={"mechanism": "randomised response", "keep": keep},
        notes=(_SEEDED,) if randomness.seeded else (),
    )


_SEEDED = "The randomness was seeded: whoever knows the seed can undo the distortion."


def _claim_of_table(channel: Channel, keep: float, epsilon: float, columns: int) -> Claim:
    if not math.isfinite(epsilon):
        return Claim(
            promise=f"A cell holds its own value with probability {keep:g}",
            assumption="the randomness stays secret",
            terms={"epsilon_cell": None, "epsilon_row": None},
        )
    largest = [float(e) for e, q in zip(channel.epsilons, channel.insert, strict=True) if q > 0]
    return Claim(
        promise="The value of one cell is protected by local differential privacy with "
        f"ε = {epsilon:.4f}, a whole row of {columns} columns with {columns} times as much at most",
        assumption="each row is about one person, and the randomness stays secret",
        terms={"epsilon_cell": max(largest, default=0.0), "epsilon_row": columns * epsilon},
    )


def _check(baskets: Baskets, max_items: int | None, threads: int) -> None:
    if not baskets.size or not baskets.schema.n_items:
        raise BadInput("The baskets have no rows or no items, so there is nothing to distort.")
    if threads < 1:
        raise BadInput(f"The number of threads is at least 1, not {threads}.")
    if max_items is not None:
        longest = int(baskets.transactions.lengths.max())
        if max_items < max(longest, 1):
            raise BadInput(
                f"A basket holds {longest} items, more than the {max_items} that max_items allows."
            )
