"""How near synthetic baskets come to the original: the numbers of decisions 30 and 45.

For each data set and each way of making baskets: the mean relative error of the supports of all
frequent itemsets by size, the share of the frequent itemsets of up to three items, and of more,
that stay frequent (kept), the share of the release's of up to three that the original has (true),
the share of its rules that can still be mined, total variation of the lengths, NAS, and what of it
and of one-of-a-kind baskets goes beyond the hold-out. One half of the baskets is the original; the
other half, as a release, is the yardstick, and the hold-out for all others. A bootstrap of the
original, which gives every basket away, is the other yardstick. What is drawn is drawn three times
and averaged.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Callable

import numpy as np
from harness import data_folder, keep, show, tell

from halfmask.data import Baskets, Transactions
from halfmask.measures import Comparison, compare
from halfmask.methods.baskets.learn import learn_baskets
from halfmask.methods.baskets.margins import Lengths
from halfmask.methods.baskets.model import BasketModel
from halfmask.patterns.mining import mine
from halfmask.randomness import Randomness

DATA = (
    ("groceries.basket.csv.gz", 10),
    ("bms-webview-1.dat.gz", 30),
    ("bms-webview-2.dat.gz", 39),
    ("retail.dat.gz", 44),
)

DRAWS = 3

Making = Callable[[int], Baskets]
"""A release for a seed."""


def halves(name: str) -> tuple[Baskets, Baskets]:
    separator = "," if ".csv" in name else None
    with gzip.open(data_folder() / name, "rt", encoding="utf-8") as lines:
        rows = [line.strip().split(separator) for line in lines]
    names = sorted({item for row in rows for item in row})
    order = np.random.default_rng(1).permutation(len(rows))
    half = len(rows) // 2
    parts = order[:half], order[half : 2 * half]
    first, second = (Baskets.of([rows[r] for r in part.tolist()], names) for part in parts)
    return first, second


def filled(model: BasketModel, weights: np.ndarray, sizes: np.ndarray, seed: int) -> Baskets:
    offsets, items, _ = model.fill(weights, sizes, key=seed)
    rows = Transactions(offsets, items, np.ones(len(sizes), np.int64), model.schema.n_items)
    return Baskets(model.schema, rows)


def variants(original: Baskets, model: BasketModel) -> dict[str, Making]:
    """The ways of decision 30, and baskets that meet counts of up to three items."""
    every = np.diff(original.transactions.offsets)
    lengths = Lengths.of(every, min_support=model.min_support)
    count = len(original)

    def plain(told: Lengths, weights: np.ndarray) -> Making:
        rng = np.random.default_rng(1)
        return lambda seed: filled(model, weights, told.draw(count, rng), seed)

    def meeting(order: int) -> Making:
        limited = model.limited(order)
        return lambda seed: limited.sample(count, randomness=Randomness(seed)).data

    def bootstrap(seed: int) -> Baskets:
        taken = np.random.default_rng(seed).integers(count, size=count)
        return Baskets(original.schema, original.transactions.take(taken))

    return {
        "bootstrap": bootstrap,
        "all lengths, usages": plain(lengths, model.usages),
        "common lengths, usages": plain(model.lengths, model.usages),
        "common lengths, weights": meeting(0),
        "calibrated, items": meeting(1),
        "calibrated, pairs": meeting(2),
        "calibrated, triples": meeting(3),
    }


def nearness(original: Baskets, release: Baskets, min_support: int) -> dict[str, float]:
    """What the release keeps."""
    found, theirs = (
        mine(side.transactions, min_support=min_support) for side in (original, release)
    )
    itemsets, lasting = [itemset for itemset, _ in found], {itemset for itemset, _ in theirs}
    error = np.abs(release.support(itemsets) - found.supports) / found.supports
    short, stays = found.lengths < 4, np.array([itemset in lasting for itemset in itemsets])
    lengths = [
        np.bincount(np.diff(side.transactions.offsets), minlength=700)
        for side in (original, release)
    ]
    asked = Comparison(original, release, randomness=Randomness(1), min_support=min_support)
    return {
        **{f"{n} items": float(error[found.lengths == n].mean()) for n in (1, 2, 3)},
        "4 and more": float(error[~short].mean()),
        "kept": float(stays[short].mean()),
        "4 and more kept": float(stays[~short].mean()),
        "true": float(stays[short].sum() / max((theirs.lengths < 4).sum(), 1)),
        "rules kept": compare(asked, ["rules_kept"], yardsticks=False)["rules_kept"].value,
        "lengths": float(np.abs(lengths[0] - lengths[1]).sum() / 2 / len(original)),
    }


def leak(original: Baskets, release: Baskets, held: Baskets | None, floor: int) -> dict[str, float]:
    """What the release gives away, against baskets that the method never saw."""
    asked = Comparison(original, release, held, randomness=Randomness(1), min_support=floor)
    names = ("nas", "copied_rows", *(() if held is None else ("nas_excess", "unique_excess")))
    return {item.name: item.value for item in compare(asked, names, yardsticks=False).measured}


def mean_of(draws: list[dict[str, float]]) -> dict[str, object]:
    return {name: round(float(np.mean([draw[name] for draw in draws])), 3) for name in draws[0]}


def run(name: str, min_support: int) -> list[dict[str, object]]:
    original, other = halves(name)
    start = time.process_time()
    model = learn_baskets(original, min_support=min_support, calibrate=3)
    learnt = time.process_time() - start
    print(
        f"{name}: min_support {min_support}, {len(model.patterns):,} patterns, {learnt:.1f} s, "
        f"{1 - model.fresh:.0%} of the steps follow links"
    )
    facts = {"data": name.split(".", maxsplit=1)[0], "min_support": min_support}
    seen = nearness(original, other, min_support) | leak(original, other, None, min_support)
    rows = [facts | {"filling": "the other half"} | mean_of([seen])]
    for filling, make in variants(original, model).items():
        draws, start = [], time.process_time()
        releases = [make(seed) for seed in range(1, DRAWS + 1)]
        seconds = (time.process_time() - start) / DRAWS
        for release in releases:
            kept = nearness(original, release, min_support)
            draws.append(kept | leak(original, release, other, min_support))
        rows.append(facts | {"filling": filling} | mean_of(draws) | {"seconds": round(seconds, 2)})
        tell(facts["data"], filling)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="groceries only")
    typed = parser.parse_args()
    rows = [row for name, floor in (DATA[:1] if typed.quick else DATA) for row in run(name, floor)]
    show(rows)
    keep("basket_quality", rows)


if __name__ == "__main__":
    main()
