"""Krimp against the published program of its authors: the same tables, seconds and memory.

No package for Krimp as published is to be had, so the yardstick is a list of fixed figures: user
seconds and peak memory of the authors' C++ program (one thread, mining included) on a machine of
two virtual AMD EPYC cores. Read the ratios with the tens of per cent in mind that machines differ
by. Ours are the median of fresh processes, one search each, mining included.
"""

from __future__ import annotations

import argparse
import statistics
from dataclasses import dataclass

from harness import cost, keep, load_rows, pin, show, tell

from halfmask.data import Assortment
from halfmask.patterns.krimp import krimp

MEGABYTE = 2**20
BESIDE = ("ours, wall clock [s]", "ours, search alone [MB]", "2 threads, wall clock [s]")
"""Kept, and not in the table that is printed."""


@dataclass(frozen=True)
class Yardstick:
    """One search and what the authors' program needs for it."""

    data: str
    min_support: int
    seconds: float
    megabytes: int
    sets: int
    """Sets in the authors' table, or in ours where theirs is not on record: a check of the run."""
    candidates: str = "all"
    prune: str = "none"
    quick: bool = True


YARDSTICKS = (
    Yardstick("nursery", 1, 4.7, 67, sets=492),
    Yardstick("nursery", 1, 4.3, 67, sets=260, prune="authors"),
    Yardstick("kr-k", 1, 7.2, 83, sets=2529),
    Yardstick("kr-k", 1, 14.8, 83, sets=1684, prune="authors"),
    Yardstick("mushroom", 20, 2.2, 34, sets=718, candidates="closed"),
    Yardstick("pendigits", 50, 60, 472, sets=4088),
    Yardstick("adult", 20, 75, 1229, sets=2619, quick=False),
    Yardstick("letter", 50, 297, 1024, sets=6138, quick=False),
)


def measure(yardstick: Yardstick, *, repeats: int, threads: int) -> dict[str, object]:
    """One row of the table."""
    rows = load_rows(f"{yardstick.data}.csv.gz")
    schema = Assortment(tuple(str(i) for i in range(rows.n_items)))

    def search(workers: int) -> tuple[int, int]:
        found = krimp(
            rows,
            schema,
            min_support=yardstick.min_support,
            candidates=yardstick.candidates,
            prune=yardstick.prune,
            threads=workers,
        )
        return found.candidates, len(found.code_table)

    costs = []
    for _ in range(repeats):
        price, (candidates, sets) = cost(lambda: search(1))
        costs.append(price)
        if sets != yardstick.sets:
            raise SystemExit(f"{yardstick.data}: {sets} sets, not {yardstick.sets}.")
    seconds = statistics.median(price.processor for price in costs)
    row = {
        "data": yardstick.data,
        "min_support": yardstick.min_support,
        "candidates": f"{candidates:,} {yardstick.candidates}",
        "pruning": yardstick.prune,
        "authors [s]": yardstick.seconds,
        "ours, processor [s]": round(seconds, 3),
        "times faster": round(yardstick.seconds / seconds, 1),
        "ours, wall clock [s]": round(statistics.median(price.wall for price in costs), 3),
        "authors [MB]": yardstick.megabytes,
        "ours, whole process [MB]": round(max(price.peak for price in costs) / MEGABYTE),
        "ours, search alone [MB]": round(max(price.grown for price in costs) / MEGABYTE),
    }
    if threads > 1:
        walls = [cost(lambda: search(threads))[0].wall for _ in range(repeats)]
        row[f"{threads} threads, wall clock [s]"] = round(statistics.median(walls), 3)
    return row


def main() -> None:
    """Measure, print the table and keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out adult and letter")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2, help="1: no runs with several threads")
    options = parser.parse_args()
    pin(options.threads)
    chosen = [y for y in YARDSTICKS if y.quick or not options.quick]
    rows = []
    for yardstick in chosen:
        rows.append(measure(yardstick, repeats=options.repeats, threads=options.threads))
        tell(yardstick.data, f"pruning {yardstick.prune}")
    show(rows, without=BESIDE)
    print(keep("krimp", rows))


if __name__ == "__main__":
    main()
