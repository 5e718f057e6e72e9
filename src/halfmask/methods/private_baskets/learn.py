"""Ask baskets within a budget: how long they are, which items there are, and which go together.

One basket stands in many counts, so its length is bounded first: of a longer one so many items are
learnt from, chosen by chance. A basket of b items then changes b counts of items by one each, and
b(b - 1)/2 counts of pairs: as lengths √b and √(b(b - 1)/2), to which the noise is cut. The bound is
declared, or put together from noisy counts of lengths; the items are declared, or those that so
many baskets hold that a noisy count shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log as log_
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Assortment, Baskets, Transactions
from halfmask.data.column import sorted_labels
from halfmask.errors import BadInput
from halfmask.methods.private import accounting
from halfmask.methods.private.accounting import BudgetLedger
from halfmask.methods.private.domains import DOMAIN_DELTA, threshold
from halfmask.methods.private.mechanisms import RandomBits, discrete_gaussian, usable_variance
from halfmask.methods.private.select import check_enough
from halfmask.methods.private.sizes import bound_of, classes_of
from halfmask.methods.private_baskets.log import BasketLog, NoisyCounts

BOUND, FINDING = "the bound on lengths", "finding items"
LENGTHS, ITEMS, PAIRS = "lengths", "single items", "pairs of items"
SHARES = {BOUND: 0.05, FINDING: 0.2, LENGTHS: 0.05, ITEMS: 0.2, PAIRS: 0.5}
"""Of the budget; what a part that is declared does not need goes to the others."""
KEPT = 0.85
"""So many items of a basket are learnt from that this share of all items is."""
MOST_PAIRED = 600
"""Pairs are counted of so many of the most frequent items."""
ALL_PAIRS = 2_000
"""Of so few pairs all are told; of more those that differ from independent items beyond noise."""
CHUNK = 1 << 22


@dataclass
class BasketAsker:
    """The only way to the baskets: counts with noise, paid for."""

    ledger: BudgetLedger
    bits: RandomBits
    parts: Sequence[str]
    """All that will be asked for."""

    def counts(
        self, part: str, truth: NDArray[np.int64], square: float, delta: float = 0.0
    ) -> NoisyCounts:
        """Noisy counts of which a basket changes so many (as the square of a length)."""
        share = SHARES[part] / sum(SHARES[each] for each in self.parts)
        rho = self.ledger.rho * share * (1 - 1e-9)
        variance = usable_variance(accounting.gaussian_sigma(rho, sqrt(square)))
        spent = accounting.gaussian_rho(float(variance) ** 0.5, sqrt(square))
        self.ledger = self.ledger.spend(part, spent, delta)
        return NoisyCounts(truth + discrete_gaussian(variance, len(truth), self.bits), variance)


@dataclass(frozen=True, slots=True)
class BasketPromise:
    """What is to be kept, and what is known beforehand."""

    epsilon: float
    delta: float = 1e-9
    rows_per_person: int = 1
    most: int | None = None
    """The items of a basket that are learnt from; learnt where it is not said."""
    items: tuple[str, ...] = ()
    """All that can be in a basket; learnt where nothing is said."""


def learn_noisy_baskets(baskets: Baskets, asked: BasketPromise, bits: RandomBits) -> BasketLog:
    """Ask baskets within (ε, δ) and return the noisy log.

    >>> baskets = Baskets.of([["beer", "crisps"], ["tea"]] * 2000)
    >>> log = learn_noisy_baskets(baskets, BasketPromise(2.0), RandomBits(1))
    >>> log.names, log.most
    (('beer', 'crisps', 'tea'), 2)
    """
    rng = np.random.default_rng(bits.word())  # which items of a long basket are taken: no secret
    apart = 0.0 if asked.items else DOMAIN_DELTA * asked.delta
    parts = [part for part in SHARES if not _declared(part, asked)]
    ledger = accounting.budget_of(asked.epsilon, asked.delta - apart, asked.rows_per_person)
    asker = BasketAsker(ledger, bits, parts)
    rows = baskets.transactions.expanded()
    held, names = _known_items(baskets, rows, asked, asker, rng)
    lengths = asker.counts(LENGTHS, classes_of(held.lengths), 1)
    most = asked.most or _bound(lengths)
    if most == 1 or len(names) == 1:
        asker.parts = [part for part in parts if part != PAIRS]
    within = bounded(held, most, rng)
    total = float(lengths.counts.sum())
    accounting.check_delta_for(asked.delta, total)
    items = asker.counts(ITEMS, within.item_counts, most)
    check_enough(total, items.sigma, asked.epsilon)
    log = BasketLog(
        asked.epsilon, asked.delta, asker.ledger, names, most, lengths, items,
        np.empty((0, 2), np.int32), NoisyCounts(np.empty(0, np.int64), items.variance),
        bits.word(), bits.seeded,
    )  # fmt: skip
    return _with_pairs(log, within, asker) if PAIRS in asker.parts else log


def _declared(part: str, asked: BasketPromise) -> bool:
    known = bool(asked.items)
    return (part == FINDING and known) or (part == BOUND and (known or asked.most is not None))


def _bound(noisy: NoisyCounts) -> int:
    """The shortest bound that keeps most items, as noisy counts of lengths say."""
    return bound_of(noisy.counts, noisy.sigma, KEPT)


def _known_items(
    baskets: Baskets,
    rows: Transactions,
    asked: BasketPromise,
    asker: BasketAsker,
    rng: np.random.Generator,
) -> tuple[Transactions, tuple[str, ...]]:
    """The baskets with no items but those that are known, and the names of these."""
    names = baskets.schema.names
    kept = asked.items
    if not kept:
        most = asked.most or _bound(asker.counts(BOUND, classes_of(rows.lengths), 1))
        counts = bounded(rows, most, rng).item_counts
        there = np.flatnonzero(counts)
        new = most * asked.rows_per_person  # items that only one person may hold
        each = DOMAIN_DELTA * asked.delta / new
        noisy = asker.counts(FINDING, counts[there], most, each * new / asked.rows_per_person)
        least = threshold(noisy.sigma, each) + asked.rows_per_person - 1
        found = [names[item] for item in there[noisy.counts >= least].tolist()]
        kept = tuple(sorted_labels(found, "string"))
    if not kept:
        raise BadInput(
            "No item is held by so many baskets that it could be learnt at an epsilon of "
            f"{asked.epsilon:g}; declare the items (--items), or raise epsilon."
        )
    return Baskets(baskets.schema, rows).over(Assortment(kept)).transactions, kept


def bounded(rows: Transactions, most: int, rng: np.random.Generator) -> Transactions:
    """The same baskets with `most` items at most, chosen by chance basket by basket.

    >>> rows = Transactions.of([(0, 1, 2), (1,)], n_items=3)
    >>> bounded(rows, 2, np.random.default_rng(1)).lengths.tolist()
    [2, 1]
    """
    order = np.lexsort((rng.random(len(rows.items)), rows.row_of))
    rank = np.arange(len(order)) - np.repeat(rows.offsets[:-1], rows.lengths)
    stay = np.zeros(len(order), bool)
    stay[order[rank < most]] = True
    kept = np.concatenate([[0], np.cumsum(stay)])
    return replace(rows, offsets=kept[rows.offsets].astype(np.int64), items=rows.items[stay])


def _with_pairs(log: BasketLog, rows: Transactions, asker: BasketAsker) -> BasketLog:
    """The pairs of the most frequent items that stand out, with their noisy counts."""
    frequent = np.sort(np.argsort(-log.items.counts, kind="stable")[:MOST_PAIRED])
    chosen = np.zeros(rows.n_items, bool)
    chosen[frequent] = True
    truth = pair_counts(rows.with_items(chosen))
    one, other = np.triu_indices(len(frequent), 1)
    first, second = frequent[one], frequent[other]
    counts = truth[first * rows.n_items + second]
    noisy = asker.counts(PAIRS, counts, log.most * (log.most - 1) / 2)
    expected = expected_pairs(log, first, second)
    # Of so many, noise alone hardly passes any.
    sure = 0.0 if len(counts) <= ALL_PAIRS else sqrt(2 * log_(len(counts)))
    told = np.flatnonzero(np.abs(noisy.counts - expected) >= sure * noisy.sigma)
    return replace(
        log,
        ledger=asker.ledger,
        pairs=np.stack([first[told], second[told]], axis=1).astype(np.int32),
        together=NoisyCounts(noisy.counts[told], noisy.variance),
    )


def pair_counts(rows: Transactions) -> NDArray[np.int64]:
    """How many baskets hold items a < b, at place a · n_items + b.

    >>> pair_counts(Transactions.of([(0, 1), (0, 1), (1,)], n_items=2)).tolist()
    [0, 2, 0, 0]
    """
    counts = np.zeros(rows.n_items**2, np.int64)
    lengths = rows.lengths
    for length in np.unique(lengths[lengths > 1]).tolist():
        one, other = np.triu_indices(length, 1)
        starts = rows.offsets[:-1][lengths == length]
        for part in np.array_split(starts, 1 + len(starts) * len(one) // CHUNK):
            items = rows.items[part[:, None] + np.arange(length)].astype(np.int64)
            keys = items[:, one] * rows.n_items + items[:, other]
            counts += np.bincount(keys.ravel(), minlength=len(counts))
    return counts


def expected_pairs(
    log: BasketLog, first: NDArray[np.intp], second: NDArray[np.intp], most: int | None = None
) -> NDArray[np.float64]:
    """How many baskets, of so many items at most, would hold two unrelated items.

    Long baskets hold more pairs than their share of the items.
    """
    items = np.maximum(log.items.counts, 0).astype(float)
    lengths = log.length_shares
    cut = np.minimum(lengths.values, log.most if most is None else most)
    held, pairs = (float((lengths.counts * part).sum()) for part in (cut, cut * (cut - 1)))
    expected: NDArray[np.float64] = items[first] * items[second] * pairs / max(held, 1.0) ** 2
    return expected
