"""What the article says of sanitising algorithms, and of how many items are frequent."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from halfmask.data import Baskets, Itemset
from halfmask.data.published.restored import bit_privacy
from halfmask.measures.hiding import item_dissimilarity, itemset_side_effects
from halfmask.methods.distortion.mechanisms import DeleteOnly, Frequent, Mask, Selective
from halfmask.methods.hiding.hide import ALGORITHMS, hide
from halfmask.methods.hiding.sensitive import Sensitive
from halfmask.patterns.mining import absolute_support, mine
from halfmask_reproduction.distortion.mined_errors import mined_errors
from halfmask_reproduction.distortion.printed import BMS_1, BMS_2, Source
from halfmask_reproduction.distortion.published import published_release
from halfmask_reproduction.files import FILES
from halfmask_reproduction.lab import Lab
from halfmask_reproduction.result import Found, Grid, mean_of

GROCERIES = Source("groceries", FILES["groceries"], 0.01)
COMPARED = ("naive", "minfia", "maxfia", "iga")
"""The algorithms of the framework that the article takes over."""
THRESHOLDS = (0.0, 0.25)
PATTERNS = 6
"""Restrictive patterns that are hidden together."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run cost."""

    dissimilarity: float
    misses: float
    failure: float
    seconds: float


def restrictive(baskets: Baskets, share: float, rng: np.random.Generator) -> Sensitive:
    """Frequent itemsets of two and three items, drawn at random as a steward's list."""
    rows = baskets.transactions
    found = mine(rows, min_support=absolute_support(share, rows.size), max_length=3)
    longer: list[Itemset] = [tuple(sorted(items)) for items, _ in found if len(items) > 1]
    chosen = rng.choice(len(longer), min(PATTERNS, len(longer)), replace=False)
    return Sensitive(itemsets=tuple(longer[n] for n in chosen))


def _baskets(lab: Lab, source: Source) -> Baskets:
    return lab.once(("baskets", source.name), lambda: lab.shelf.baskets(source.file))


def _cost(lab: Lab, source: Source, name: str, psi: float, number: int) -> Cost:
    baskets = _baskets(lab, source)
    secrets = restrictive(
        baskets, source.support, lab.randomness(source.name, number).child("list")
    )
    randomness = lab.randomness("sanitised", source.name, name, psi, number)
    start = time.process_time()
    hidden = hide(baskets, secrets, ALGORITHMS[name](psi=psi), randomness=randomness)
    seconds = time.process_time() - start
    release = hidden.release.data
    assert isinstance(release, Baskets)  # noqa: S101 - sanitising keeps baskets
    least = absolute_support(source.support, round(baskets.size))
    effects = itemset_side_effects(
        baskets.transactions, release.transactions, secrets.all_itemsets, min_support=least
    )
    return Cost(
        item_dissimilarity(baskets, release),
        effects.misses_cost or 0.0,
        effects.hiding_failure or 0.0,
        seconds,
    )


def sanitising(lab: Lab) -> Found:
    """Dissimilarity, misses cost, hiding failure and time of each algorithm."""
    rows, seconds = [], {}
    for source in (GROCERIES, BMS_1):
        for psi in THRESHOLDS:
            for name in COMPARED:
                lab.tell(f"{source.name}: {name}, threshold {psi:g}")
                every = range(lab.repeats(5, quick=1))
                costs = [_cost(lab, source, name, psi, number) for number in every]
                cells = [
                    mean_of("", [getattr(one, what) for one in costs]).text(4)
                    for what in ("dissimilarity", "misses", "failure")
                ]
                rows.append((source.name, f"{psi:g}", name, *cells))
                mean = float(np.mean([one.seconds for one in costs]))
                seconds[f"{source.name}, threshold {psi:g}, {name}"] = mean
    header = (
        "data set",
        "threshold",
        "algorithm",
        "dissimilarity",
        "misses cost",
        "hiding failure",
    )
    return Found(grids=(Grid("Six patterns hidden", header, tuple(rows)),), seconds=seconds)


def few_frequent(lab: Lab) -> Found:
    """Improved distortion over the share of the items that are frequent."""
    rows = []
    for source in (BMS_1, BMS_2):
        baskets = _baskets(lab, source)
        shares = baskets.transactions.item_counts / baskets.size
        for support in (0.01, 0.003, 0.001, 0.0003):
            lab.tell(f"{source.name}: frequent from {support:g} on")
            frequent = Frequent(min_support=support)
            chosen = frequent.mask(baskets).mean()
            improved = bit_privacy(shares, Selective(0.95, 0.75, frequent).channel(baskets)).overall
            normal = [bit_privacy(shares, Mask(p).channel(baskets)).overall for p in (0.95, 0.75)]
            rows.append(
                (
                    source.name,
                    f"{support:g}",
                    f"{chosen:.0%}",
                    f"{improved:.2f}",
                    *(f"{one:.2f}" for one in normal),
                    *_recall(lab, source, support),
                )
            )
    header = (
        "data set",
        "minimum support",
        "items that are frequent",
        "privacy, improved",
        "normal at 0.95",
        "normal at 0.75",
        "accuracy, improved",
        "normal at 0.75",
    )
    return Found(grids=(Grid("fp = 0.95, nfp = 0.75", header, tuple(rows)),))


def _recall(lab: Lab, source: Source, support: float) -> tuple[str, str]:
    """Recall in the reading that fits the printed accuracies: items are only dropped."""
    baskets = _baskets(lab, source)
    least = absolute_support(support, round(baskets.size))
    before = {
        tuple(sorted(i)): float(s)
        for i, s in mine(baskets.transactions, min_support=least, max_length=3)
    }
    found = []
    for keep in (0.95, 0.75):
        randomness = lab.randomness("few", source.name, support, keep)
        release = published_release(baskets, DeleteOnly(keep), randomness=randomness).data
        assert isinstance(release, Baskets)  # noqa: S101 - it is what was counted
        own = absolute_support(support, round(release.size))
        after = {
            tuple(sorted(i)): float(s)
            for i, s in mine(release.transactions, min_support=own, max_length=3)
        }
        found.append(f"{mined_errors(before, after).accuracy():.1f}")
    return found[0], found[1]
