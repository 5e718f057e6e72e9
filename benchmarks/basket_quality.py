"""How near synthetic baskets come to the original: the numbers of decision 30.

For each data set and each way of filling baskets: the mean relative error of the supports of all
frequent itemsets by size, the share of them that stay frequent (kept) and the share of the
release's that the original has (true), total variation of the lengths, and NAS. One half of the
baskets is the original; the other half, as a release, is the yardstick.
"""

from __future__ import annotations

import gzip
import time

import numpy as np
from harness import data_folder, keep, show

from halfmask.data import Baskets, Transactions
from halfmask.measures import Comparison, compare
from halfmask.methods.basket_generator import BasketModel, Lengths, learn_baskets
from halfmask.patterns.mining import mine
from halfmask.randomness import Randomness

DATA = (
    ("groceries.basket.csv.gz", 10),
    ("bms-webview-1.dat.gz", 30),
    ("bms-webview-2.dat.gz", 39),
    ("retail.dat.gz", 44),
)


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


def filled(model: BasketModel, weights: np.ndarray, sizes: np.ndarray) -> Baskets:
    offsets, items, _ = model.fill(weights, sizes, key=1)
    rows = Transactions(offsets, items, np.ones(len(sizes), np.int64), model.schema.n_items)
    return Baskets(model.schema, rows)


def variants(original: Baskets, model: BasketModel) -> dict[str, Baskets]:
    """All lengths and plain usage; lengths of common items only; and with corrected weights."""
    every = np.diff(original.transactions.offsets)
    lengths = Lengths.of(every, min_support=model.min_support)
    rng = np.random.default_rng(1)
    long, common = lengths.draw(len(original), rng), model.lengths.draw(len(original), rng)
    return {
        "all lengths, usages": filled(model, model.usages, long),
        "common lengths, usages": filled(model, model.usages, common),
        "common lengths, weights": filled(model, model.weights, common),
    }


def nearness(original: Baskets, release: Baskets, min_support: int) -> dict[str, object]:
    found = mine(original.transactions, min_support=min_support)
    itemsets = [itemset for itemset, _ in found]
    error = np.abs(release.support(itemsets) - found.supports) / found.supports
    theirs = {itemset for itemset, _ in mine(release.transactions, min_support=min_support)}
    both = len(theirs & set(itemsets))
    lengths = [
        np.bincount(np.diff(side.transactions.offsets), minlength=700)
        for side in (original, release)
    ]
    nas = compare(Comparison(original, release, randomness=Randomness(1)), ["nas"])["nas"]
    return {
        **{f"{n} items": round(error[found.lengths == n].mean(), 2) for n in (1, 2, 3)},
        "kept": round(both / len(itemsets), 2),
        "true": round(both / max(len(theirs), 1), 2),
        "lengths": round(np.abs(lengths[0] - lengths[1]).sum() / 2 / len(original), 3),
        "nas": round(nas.value, 3),
    }


def main() -> None:
    rows: list[dict[str, object]] = []
    for name, min_support in DATA:
        original, other = halves(name)
        start = time.perf_counter()
        model = learn_baskets(original, min_support=min_support)
        learnt = time.perf_counter() - start
        releases = {"the other half": other, **variants(original, model)}
        for filling, release in releases.items():
            facts = {"data": name.split(".")[0], "filling": filling}
            rows.append(facts | nearness(original, release, min_support))
        print(
            f"{name}: min_support {min_support}, {len(model.patterns):,} patterns, {learnt:.1f} s"
        )
    show(rows)
    keep("basket_quality", rows)


if __name__ == "__main__":
    main()
