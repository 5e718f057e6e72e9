"""Distortion: flip bits at random so that no row can be trusted and all rows can be counted."""

from __future__ import annotations

import numpy as np

from halfmask import _native
from halfmask.data import Baskets, Transactions
from halfmask.data.published.distorted import DistortedBaskets
from halfmask.errors import BadInput
from halfmask.methods.distortion.mechanisms import Mechanism
from halfmask.methods.distortion.release import DistortedRelease, claim_of, notes_of
from halfmask.randomness import Randomness


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

    >>> from halfmask.methods.distortion import Mask
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
        rows.offsets,
        rows.items,
        rows.weights,
        rows.n_items,
        channel.keep,
        channel.insert,
        randomness.long_key("distortion"),
        threads,
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


def _check(baskets: Baskets, max_items: int | None, threads: int) -> None:
    if not baskets.size or not baskets.schema.n_items:
        raise BadInput("There is nothing to distort: the baskets have no rows or no items.")
    if threads < 1:
        raise BadInput(f"The number of threads is at least 1, not {threads}.")
    if max_items is not None:
        longest = int(np.diff(baskets.transactions.offsets).max())
        if max_items < max(longest, 1):
            raise BadInput(
                f"A basket holds {longest} items, more than the {max_items} that max_items allows."
            )
