"""Slim beside Krimp, and beside scikit-mine's SLIM when that is installed; one core.

python benchmarks/slim.py [--quick]

scikit-mine 1.0.0 calls a method that scikit-learn 1.6 took away; in an environment of its own:
pip install scikit-mine "scikit-learn<1.6".
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import harness
import numpy as np

from halfmask.data import Assortment, Transactions
from halfmask.patterns.krimp import krimp
from halfmask.patterns.search import Search, choose_search
from halfmask.patterns.slim import slim

SMALL = ("iris", "pima", "led7", "page-blocks", "breast", "heart", "wine", "tic-tac-toe")
LARGE = ("nursery", "kr-k", "mushroom", "adult", "pendigits", "letter", "connect")
BESIDE = ("estimate trials", "estimate sets", "unpaid trials", "unpaid sets")
"""Kept, and not in the table that is printed."""
PATIENCE = 60
"""Seconds that scikit-mine gets for one data set."""


def load(name: str) -> tuple[Transactions, Assortment]:
    """A public data set without the item numbers that nobody has."""
    rows = harness.load_rows(f"{name}.dat.gz" if name == "connect" else f"{name}.csv.gz")
    held = np.flatnonzero(rows.item_counts)
    item = np.zeros(rows.n_items, np.int32)
    item[held] = np.arange(len(held), dtype=np.int32)
    return rows.relabelled(item, len(held)), Assortment(tuple(map(str, held.tolist())))


def cpu(job: Callable[[], Search]) -> tuple[Search, float]:
    """What the job finds and the processor seconds it takes: fair on a busy machine too."""
    start = time.process_time()
    return job(), time.process_time() - start


def scikit_mine(rows: Transactions) -> dict[str, object]:
    """Seconds and total of the other SLIM, in the same definition of size."""
    try:
        from skmine.itemsets import SLIM
    except ImportError:
        return {"scikit-mine s": "-", "scikit-mine bits": "-"}
    start, wall = time.process_time(), time.perf_counter()
    baskets = [list(row) for row in rows]
    other = SLIM(pruning=False, max_time=PATIENCE).fit(baskets)
    late = time.perf_counter() - wall >= PATIENCE
    return {
        "scikit-mine s": f"{'over ' if late else ''}{time.process_time() - start:.2f}",
        "scikit-mine bits": round(float(other.data_size_ + other.model_size_)),
    }


def compare(name: str, min_support: int, *, compete: bool) -> dict[str, object]:
    """One line of the table."""
    rows, schema = load(name)
    row: dict[str, object] = {"data": name, "min_support": min_support}
    for gain in ("estimate", "unpaid"):
        found, seconds = cpu(lambda g=gain: slim(rows, schema, min_support=min_support, gain=g))
        row |= {f"{gain} s": f"{seconds:.3f}", f"{gain} bits": round(found.code_table.bits.total)}
        row |= {f"{gain} trials": found.candidates, f"{gain} sets": len(found.code_table)}
    row |= {"krimp s": "-", "krimp bits": "-"}
    if choose_search(rows, min_support=min_support) == "krimp":
        found, seconds = cpu(lambda: krimp(rows, schema, min_support=min_support))
        row |= {"krimp s": f"{seconds:.3f}", "krimp bits": round(found.code_table.bits.total)}
    blank = {"scikit-mine s": "-", "scikit-mine bits": "-"}
    return row | (scikit_mine(rows) if compete else blank)


def main() -> None:
    harness.pin(1)
    quick = "--quick" in sys.argv[1:]
    table = []
    for name in (*SMALL, LARGE[0]) if quick else (*SMALL, *LARGE):
        for min_support in (1,) if quick else (1, 10):
            table.append(compare(name, min_support, compete=min_support == 1 and name in SMALL))
            harness.tell(name, f"min_support {min_support}")
    harness.show(table, without=BESIDE)
    print(harness.keep("slim", table, packages=["scikit-mine", "scikit-learn"]))


if __name__ == "__main__":
    main()
