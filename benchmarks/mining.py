"""Mining against PyFIM (eclat and fpgrowth) on ten public data sets; one core, same run.

python benchmarks/mining.py [--quick]

CPU seconds of one thread. Both sides start from rows in memory and end with every itemset and its
support. PyFIM is timed twice: with its list of itemsets, which is the same work, and `counting
only`, where it keeps no itemset at all; ours always orders its itemsets too. Before any timing the
answers are compared: the number of sets of each length, and a hash of all sets and supports that
does not see their order.
"""

from __future__ import annotations

import sys
import time
from collections import Counter

import harness
import numpy as np

from halfmask.data import Transactions
from halfmask.patterns.mining import Itemsets, mine

# (file, kind, min_support): two supports each, from easy to demanding.
CASES = (
    ("nursery.csv.gz", "all", 50),
    ("nursery.csv.gz", "all", 1),
    ("kr-k.csv.gz", "all", 10),
    ("kr-k.csv.gz", "all", 1),
    ("mushroom.csv.gz", "closed", 200),
    ("mushroom.csv.gz", "closed", 20),
    ("adult.csv.gz", "all", 500),
    ("adult.csv.gz", "all", 100),
    ("adult.csv.gz", "closed", 20),
    ("connect.dat.gz", "all", 60_000),
    ("connect.dat.gz", "closed", 40_000),
    ("retail.dat.gz", "all", 88),
    ("retail.dat.gz", "all", 20),
    ("retail.dat.gz", "closed", 20),
    ("bms-webview-1.dat.gz", "all", 60),
    ("bms-webview-1.dat.gz", "all", 48),
    ("bms-webview-2.dat.gz", "all", 40),
    ("bms-webview-2.dat.gz", "closed", 20),
    ("t10i4d100k.dat.gz", "all", 100),
    ("t10i4d100k.dat.gz", "all", 20),
    ("t40i10d100k.dat.gz", "all", 1_000),
    ("t40i10d100k.dat.gz", "all", 500),
)

QUICK = tuple({case[0]: case for case in reversed(CASES)}.values())
"""The easier one of each data set."""

# PyFIM's fpgrowth takes three times as long as its eclat on these wide baskets (5.7 s, not 2.1).
TOO_SLOW = {("t40i10d100k.dat.gz", "fpgrowth")}


def fingerprint(sets) -> dict[str, object]:
    """Counts by length and an order-free hash of (itemset, support) pairs."""
    lengths: Counter[int] = Counter()
    total = 0
    for itemset, support in sets:
        lengths[len(itemset)] += 1
        total += hash((tuple(sorted(itemset)), int(support)))
    return {"lengths": dict(sorted(lengths.items())), "hash": f"{total % 2**64:016x}"}


def competitor(name: str, rows: list[tuple[int, ...]], kind: str, min_support: int, report: str):
    import fim

    target = "c" if kind == "closed" else "s"
    return getattr(fim, name)(rows, target=target, supp=-min_support, report=report)


def same_answer(found: Itemsets, theirs: list, rows: int) -> dict[str, object]:
    """Our fingerprint, once it is theirs; PyFIM leaves out what every row holds when closed."""
    mine_, other = fingerprint(found), fingerprint((s, n) for s, n in theirs)
    if mine_ != other:
        shared = [(s, n) for s, n in found if n < rows]
        other = fingerprint((s, n) for s, n in theirs if n < rows)
        if fingerprint(shared) != other:
            raise SystemExit("The two miners disagree.")
    return mine_


def compare(file: str, kind: str, min_support: int, repeats: int) -> dict[str, object]:
    rows: Transactions = harness.load_rows(file)
    lists = list(rows)

    def ours() -> Itemsets:
        return mine(rows, min_support=min_support, kind=kind)

    found = ours()
    line: dict[str, object] = {
        "data": file.split(".", maxsplit=1)[0],
        "kind": kind,
        "min_support": min_support,
        "itemsets": len(found),
        **same_answer(found, competitor("eclat", lists, kind, min_support, "a"), len(rows)),
        "halfmask": harness.timed(ours, repeats=repeats, clock=time.process_time),
        "halfmask_peak_bytes": harness.peak_memory(ours),
    }
    for name in ("eclat", "fpgrowth"):
        if (file, name) in TOO_SLOW:
            line[name] = line[f"{name} counting only"] = None
            continue
        for title, report in ((name, "a"), (f"{name} counting only", "#")):
            line[title] = harness.timed(
                lambda n=name, r=report: competitor(n, lists, kind, min_support, r),
                repeats=repeats,
                warm_up=0,
                clock=time.process_time,
            )
    return line


def shown(line: dict[str, object]) -> dict[str, object]:
    """What a person reads of one comparison."""
    rivals = [line["eclat"], line["fpgrowth"]]
    best = min(t.median for t in rivals if t is not None)
    counting = [line["eclat counting only"], line["fpgrowth counting only"]]
    least = min(t.median for t in counting if t is not None)
    ours = line["halfmask"]
    return {
        "data": f"{line['data']} {line['kind']} {line['min_support']}",
        "itemsets": f"{line['itemsets']:,}",
        "halfmask": ours,
        "PyFIM best": f"{best:.3f} s",
        "ratio": f"{best / ours.median:.1f}",
        "counting only": f"{least:.3f} s",
        "peak MB": round(line["halfmask_peak_bytes"] / 1e6),
    }


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    harness.pin(1)
    try:
        import fim  # noqa: F401
    except ImportError:
        raise SystemExit("This benchmark compares with PyFIM: pip install pyfim.") from None
    lines = []
    for case in (one for one in CASES if not quick or one in QUICK):
        lines.append(compare(*case, repeats=3 if quick else 7))
        harness.tell(*case)
    harness.show([shown(line) for line in lines])
    ratios = [float(shown(line)["ratio"]) for line in lines]
    print(f"geometric mean of the ratios: {np.exp(np.log(ratios).mean()):.1f}")
    print(harness.keep("mining", lines, packages=["pyfim"]))


if __name__ == "__main__":
    main()
