"""Random databases through the native kernels and the plain Python references, compared.

python benchmarks/fuzz.py --seconds 60
python benchmarks/fuzz.py --seed 1234    (one database again, as a failure names it)

Case n depends on its seed alone. What is compared: supports, all and closed itemsets in candidate
order, Krimp with every kind of pruning and Slim with every estimate, down to the last usage.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))  # where the references stand

from halfmask.data import Assortment, Transactions
from halfmask.patterns.krimp import krimp
from halfmask.patterns.mining import item_ranks, mine
from halfmask.patterns.search import Search
from halfmask.patterns.slim import slim
from reference import krimp as reference
from reference import mining as reference_mining
from reference import slim as reference_slim

PRUNING = ("none", "repaired", "authors")
GAINS = ("estimate", "unpaid", "authors")


class Different(Exception):
    """Native and reference do not say the same."""


def table_rows(rng: np.random.Generator) -> Transactions:
    """A small table whose later columns mostly copy earlier ones, with some empty cells."""
    rows, columns, values = rng.integers(1, 30), rng.integers(1, 7), rng.integers(1, 4)
    codes = rng.integers(values, size=(rows, columns))
    for c in range(1, columns):
        copied = rng.random(rows) < 0.6
        codes[copied, c] = codes[copied, rng.integers(c)]
    empty = rng.random(codes.shape) < rng.choice([0.0, 0.1])
    cells = codes + values * np.arange(columns)
    lists = [row[~out].tolist() for row, out in zip(cells, empty, strict=True)]
    return Transactions.of(lists, int(values * columns))


def basket_rows(rng: np.random.Generator) -> Transactions:
    """Baskets with empty ones, repeated ones, weights and items that nobody bought."""
    rows, items = int(rng.integers(1, 20)), int(rng.integers(1, 10))
    held = rng.random((rows, items)) < rng.uniform(0.1, 0.7)
    held = held[rng.integers(rows, size=rows)]
    plain = Transactions.of([np.flatnonzero(row).tolist() for row in held], items)
    weights = plain.weights * rng.integers(1, rng.choice([2, 6]), size=rows)
    return Transactions(plain.offsets, plain.items, weights, items)


def same(what: str, one: object, other: object) -> None:
    if one != other:
        raise Different(what)


def compare_mining(rows: Transactions, min_support: int) -> None:
    frequent = reference_mining.frequent_itemsets(rows, min_support)
    for kind, sets in (("all", frequent), ("closed", reference_mining.closed_itemsets(frequent))):
        expected = reference_mining.candidate_order(sets, rows)
        found = list(mine(rows, min_support=min_support, kind=kind))
        same(f"{kind} itemsets", found, expected)
        asked = [itemset for itemset, _ in found]
        same("supports", rows.support(asked).tolist(), [n for _, n in found])


def same_table(what: str, rows: Transactions, found: Search, expected) -> None:
    """The same sets in the same order, with the same usages, and the same total."""
    ranks, table = item_ranks(rows), found.code_table
    sets = [frozenset(ranks[list(s)].tolist()) for s in table.sets]
    same(f"sets of {what}", sets, list(expected.sets))
    usages = [expected.usages.get(x, 0) for x in expected.sets]
    same(f"usages of {what}", table.usages.tolist(), usages)
    singles = [expected.usages.get(frozenset({int(rank)}), 0) for rank in ranks]
    same(f"usages of items of {what}", table.item_usages.tolist(), singles)
    same(f"acceptances of {what}", found.accepted, expected.accepted)
    if abs(table.bits.total - expected.size.total) > 1e-6:
        raise Different(f"total of {what}")


def compare_searches(rows: Transactions, min_support: int, rng: np.random.Generator) -> None:
    ranked = rows.relabelled(item_ranks(rows))
    weighted = [(frozenset(row), int(w)) for row, w in zip(ranked, ranked.weights, strict=True)]
    schema = Assortment(tuple(f"i{i}" for i in range(rows.n_items)))
    threads = int(rng.integers(1, 3))
    prune, kind = str(rng.choice(PRUNING)), str(rng.choice(["all", "closed"]))
    candidates = reference.frequent(weighted, min_support, closed=kind == "closed")
    found = krimp(
        rows, schema, min_support=min_support, candidates=kind, prune=prune, threads=threads
    )
    same_table(f"krimp ({prune})", rows, found, reference.krimp(weighted, candidates, prune))
    gain = str(rng.choice(GAINS))
    grown = slim(rows, schema, min_support=min_support, gain=gain, prune=prune, threads=threads)
    expected = reference_slim.slim(
        weighted, rows.n_items, min_support=min_support, gain=gain, prune=prune
    )
    same_table(f"slim ({gain}, {prune})", rows, grown, expected)


def check(seed: int) -> None:
    """One case: a database and everything that is compared on it."""
    rng = np.random.default_rng(seed)
    make: Callable[[np.random.Generator], Transactions] = (table_rows, basket_rows)[seed % 2]
    rows = make(rng)
    min_support = int(rng.integers(1, 1 + min(4, rows.size)))
    compare_mining(rows, min_support)
    compare_searches(rows, min_support, rng)


def failures(seeds: Iterator[int], until: float) -> tuple[int, int]:
    passed = failed = 0
    for seed in seeds:
        try:
            check(seed)
            passed += 1
        except Different as difference:
            failed += 1
            print(f"seed {seed}: native and reference differ in the {difference}", file=sys.stderr)
        if time.monotonic() > until:
            break
    return passed, failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--seed", type=int, help="this case only")
    options = parser.parse_args()
    seeds = count(options.first) if options.seed is None else iter([options.seed])
    passed, failed = failures(seeds, time.monotonic() + options.seconds)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
