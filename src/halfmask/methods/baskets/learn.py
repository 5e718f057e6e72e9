"""Synthetic baskets from a code table, for thousands of items where a row holds only a few.

A table's generator fills every column; with one column for each product nearly all of its work
would be to say what is not in the basket. Here a length is drawn instead, and the basket is filled
with patterns that share no item, by usage.
"""

from __future__ import annotations

import numpy as np

from halfmask.data import BasketMargins, Baskets
from halfmask.data.rounding import check_base
from halfmask.errors import BadInput
from halfmask.methods.baskets.margins import Lengths, check_order, count_sets
from halfmask.methods.baskets.model import BasketModel
from halfmask.methods.baskets.telling import told_baskets
from halfmask.patterns.krimp import krimp
from halfmask.patterns.mining import Kind, absolute_support
from halfmask.run import Progress

TRIAL_BASKETS = 50_000
FRESH = (0.95, 0.7, 0.5, 0.35, 0.25)
"""The shares of fresh steps that are tried; with some links followed, every pair told is drawn."""


def learn_baskets(  # noqa: PLR0913 - the settings of a search, each with its default
    baskets: Baskets,
    *,
    min_support: float,
    candidates: Kind = "closed",
    max_pattern_length: int | None = None,
    calibrate: int = 0,
    base: int = 1,
    exact: bool = False,
    threads: int = 1,
    progress: Progress | None = None,
) -> BasketModel:
    """Learn the patterns and the lengths of baskets, and counts of up to `calibrate` items.

    Items held by fewer than `min_support` baskets are left out first, of the baskets and of their
    lengths; when `progress` says stop, the best model so far comes back. Every count of the model
    is told as a multiple of `base`, or of a larger one that the minimum support asks for; not so
    where `exact` is said, for use in the house.

    >>> baskets = Baskets.of([["beer", "crisps"]] * 30 + [["tea"]] * 20 + [["gin", "tea"]])
    >>> model = learn_baskets(baskets, min_support=5, exact=True)
    >>> [(p.labels, p.usage) for p in model.code_table.patterns()]
    [(('beer', 'crisps'), 30), (('tea',), 21)]
    >>> from halfmask.randomness import Randomness
    >>> release = model.sample(1000, randomness=Randomness(1))
    >>> bool(550 < release.support([(0, 1)])[0] < 650)
    True
    """
    check_order(calibrate)
    check_base(base)
    floor = absolute_support(min_support, len(baskets))
    rows = baskets.transactions.with_items(baskets.transactions.item_counts >= floor)
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
    lengths = Lengths.of(rows.lengths, min_support=floor)
    margins = count_sets(rows, min_support=floor, order=calibrate) if calibrate else None
    model = BasketModel(found.code_table, lengths, floor, complete=found.complete, margins=margins)
    model = model if exact else told_baskets(model, rows, base)
    return model if model.margins is None else calibrated_model(model, model.margins)


def calibrated_model(model: BasketModel, margins: BasketMargins) -> BasketModel:
    """The model with the counts that a release is to meet, and the links that suit them best.

    How often links are followed is learnt from the counts alone: a few baskets are drawn with each
    share of fresh steps, by a fixed key, and the share whose pairs come nearest is kept.
    """
    counted = model.meeting(margins)
    if not len(counted.links):
        return counted
    return min((model.meeting(margins, fresh=fresh) for fresh in FRESH), key=_error_of_pairs)


def _error_of_pairs(model: BasketModel) -> float:
    """The mean relative error of the pairs told, in baskets drawn without weights."""
    margins = model.margins
    assert margins is not None  # noqa: S101 - only models with margins are tried
    drawn = model.draw(model.lengths.spread(TRIAL_BASKETS), key=0)
    pairs = np.flatnonzero(margins.held == 2)
    wanted = margins.counts[pairs] / margins.rows
    found = drawn.rows.support(list(margins.sets.take(pairs))) / len(drawn.rows)
    return float(np.abs(found / wanted - 1).mean())
