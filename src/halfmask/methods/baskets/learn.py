"""Synthetic baskets from a code table, for thousands of items where a row holds only a few.

A table's generator fills every column; with one column for each product nearly all of its work
would be to say what is not in the basket. Here a length is drawn instead, and the basket is filled
with patterns that share no item, by usage.

Rounding of every count that a model of baskets tells, as statistics offices round tables.

A count stands in several places of a model: an item's also as the sum of the usages that cover it.
Rounding one of them alone would tell the others' exact value, so all are multiples of the base.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from halfmask.data import BasketMargins, Baskets
from halfmask.data.rounding import check_base, least_disclosed, to_base
from halfmask.errors import BadInput
from halfmask.methods.baskets.margins import Lengths, check_order, count_sets
from halfmask.methods.baskets.model import BasketModel
from halfmask.patterns.code_table import CodeTable
from halfmask.patterns.krimp import krimp
from halfmask.patterns.mining import Kind, absolute_support
from halfmask.run import Progress


def round_model(model: BasketModel, base: int) -> BasketModel:
    """The model with lengths, supports and usages as multiples of a base; patterns stay.

    >>> from halfmask.data import Assortment
    >>> from halfmask.methods.baskets.margins import Lengths
    >>> table = CodeTable(Assortment(("a", "b")), [(0, 1)], [17], [17], [4, 0], [21, 17], 21)
    >>> lengths = Lengths(np.array([1, 2]), np.array([4, 17]))
    >>> rounded = round_model(BasketModel(table, lengths, 4), 5)
    >>> rounded.lengths.counts.tolist(), rounded.code_table.rows
    ([5, 15], 20)
    >>> rounded.code_table.usages.tolist(), rounded.code_table.item_usages.tolist()
    ([15], [5, 0])
    """
    lengths = model.lengths.rounded(base)
    table = _rounded_table(model.code_table, base, rows=int(lengths.counts.sum()))
    return replace(model, code_table=table, lengths=lengths, base=base)


def _rounded_table(table: CodeTable, base: int, *, rows: int) -> CodeTable:
    """Usages of sets go down: then they never add up to more than the items they cover.

    What that takes from an item in sets is added to its usage alone.
    """
    usages = table.usages // base * base
    item_supports = to_base(table.item_supports, base)
    covered = np.bincount(
        table.elements.items, usages[table.elements.row_of], minlength=table.schema.n_items
    )
    return CodeTable(
        table.schema,
        table.sets,
        usages,
        to_base(table.supports, base),
        item_supports - covered.astype(np.int64),
        item_supports,
        rows,
    )


def round_margins(margins: BasketMargins, base: int) -> BasketMargins:
    """Checked margins as multiples of a base, and the number of baskets with them."""
    return replace(
        margins,
        counts=to_base(margins.counts, base),
        rows=least_disclosed(margins.rows, base),
        min_support=least_disclosed(margins.min_support, base),
    )


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
    threads: int = 1,
    progress: Progress | None = None,
) -> BasketModel:
    """Learn the patterns and the lengths of baskets, and counts of up to `calibrate` items.

    Items held by fewer than `min_support` baskets are left out first, of the baskets and of their
    lengths; when `progress` says stop, the best model so far comes back. Every count of the model
    is rounded to a multiple of `base`.

    >>> baskets = Baskets.of([["beer", "crisps"]] * 30 + [["tea"]] * 20 + [["gin", "tea"]])
    >>> model = learn_baskets(baskets, min_support=5)
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
    exact = BasketModel(found.code_table, lengths, floor, complete=found.complete)
    model = round_model(exact, base)
    if not calibrate:
        return model
    margins = count_sets(rows, min_support=floor, order=calibrate)
    return calibrated_model(model, round_margins(margins, base))


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
