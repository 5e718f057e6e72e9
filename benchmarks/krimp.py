"""Krimp against the published program of its authors: the same tables, seconds and memory.

No package for Krimp as published is to be had, so the yardstick is a list of fixed figures: user
seconds and peak memory of the authors' C++ program (one thread, mining included) on a machine of
two virtual AMD EPYC cores. Read the ratios with the tens of per cent in mind that machines differ
by. Ours are seconds of processor time, mining included, then wall-clock seconds with two threads.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

from harness import keep, load_rows, peak_memory, pin, show, timed

from halfmask.data import Assortment
from halfmask.patterns.krimp import Search, krimp

MEGABYTE = 2**20


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


def search_of(yardstick: Yardstick) -> Callable[..., Search]:
    """The search on its data, ready to run."""
    rows = load_rows(f"{yardstick.data}.csv.gz")
    schema = Assortment(tuple(str(i) for i in range(rows.n_items)))

    def search(threads: int = 1) -> Search:
        return krimp(
            rows,
            schema,
            min_support=yardstick.min_support,
            candidates=yardstick.candidates,
            prune=yardstick.prune,
            threads=threads,
        )

    return search


def measure(yardstick: Yardstick, grown: int, repeats: int) -> dict[str, object]:
    """One row of the table."""
    search = search_of(yardstick)
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        found = search()
        seconds.append(time.process_time() - start)
    if len(found.code_table) != yardstick.sets:
        raise SystemExit(f"{yardstick.data}: {len(found.code_table)} sets, not {yardstick.sets}.")
    one = timed(search, repeats=repeats, warm_up=0)
    two = timed(lambda: search(2), repeats=repeats, warm_up=0)
    return {
        "data": yardstick.data,
        "candidates": f"{found.candidates:,} {yardstick.candidates}",
        "pruning": yardstick.prune,
        "authors [s]": yardstick.seconds,
        "ours, processor [s]": round(min(seconds), 3),
        "times faster": round(yardstick.seconds / min(seconds), 1),
        "one thread": one,
        "two threads": two,
        "authors [MB]": yardstick.megabytes,
        "ours [MB]": round(grown / MEGABYTE),
    }


def main() -> None:
    """Measure, print the table and keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out adult and letter")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    pin(2)
    chosen = [y for y in YARDSTICKS if y.quick or not options.quick]
    # Memory first: a process that has searched before keeps what it once had.
    grown = [peak_memory(search_of(yardstick)) for yardstick in chosen]
    rows = [measure(y, bytes_, options.repeats) for y, bytes_ in zip(chosen, grown, strict=True)]
    show(rows)
    print(keep("krimp", rows))


if __name__ == "__main__":
    main()
