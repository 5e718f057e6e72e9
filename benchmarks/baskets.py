"""How long the methods for baskets take, and how much memory they need.

One core. The targets: T40I10D100K in 20 columns in under two seconds and below 1 GB, distortion of
BMS-WebView-1 at keep 0.95 in under 50 ms, 100,000 Quest baskets in under two seconds, and a million
baskets of ten items in bounded memory by every method.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from harness import cost, data_folder, keep, peak_memory, pin, show, timed

from halfmask.data import Baskets
from halfmask.io.given import Given
from halfmask.methods.anatomy.anatomise import anatomise
from halfmask.methods.baskets.learn import learn_baskets
from halfmask.methods.distortion.distort import distort
from halfmask.methods.distortion.mechanisms import DeleteOnly, Mask
from halfmask.methods.hiding.hide import ALGORITHMS, hide
from halfmask.methods.hiding.sensitive import Sensitive
from halfmask.methods.quest import Quest, quest
from halfmask.methods.suppression.coherence import Coherence, suppress_moles
from halfmask.methods.suppression.hierarchy import Hierarchy
from halfmask.methods.suppression.km_anonymity import generalise
from halfmask.randomness import Randomness

ANATOMY = (("t40i10d100k", 20, 6, 7), ("connect", 10, 2, 5), ("bms-webview-1", 10, 2, 5))
DISTORTION = ("bms-webview-1", "bms-webview-2", "t10i4d100k")
SEED = Randomness(1)


def public(name: str) -> Baskets:
    return Given(data_folder() / f"{name}.dat.gz").read().content


def processor(job: Callable[[], object], repeats: int = 3) -> str:
    """Processor seconds, which other work on the machine does not stretch."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        job()
        seconds.append(time.process_time() - start)
    return f"{statistics.median(seconds):.3f}"


def anatomy(name: str, baskets: Baskets, columns: int, l: int, repeats: int) -> dict[str, object]:  # noqa: E741
    def tables():
        return anatomise(
            baskets, l=l, columns=columns, empty="exempt", on_ineligible="merge_columns",
            randomness=SEED,
        )  # fmt: skip

    more = peak_memory(tables) // 2**20  # before anything else has raised the peak
    release = tables()
    runs = [tables().house.seconds for _ in range(repeats)]
    phases = {phase: float(np.median([run[phase] for run in runs])) for phase in runs[0]}
    return {
        "job": f"anatomy of {name}, {columns} columns, l = {l}",
        "whole": timed(tables, repeats=repeats),
        "processor": processor(tables),
        **{phase: f"{seconds:.3f}" for phase, seconds in phases.items()},
        "permuted rows": timed(lambda: release.as_baskets(randomness=SEED), repeats=repeats),
        "more megabytes": more,
    }


def distortion(name: str, baskets: Baskets) -> list[dict[str, object]]:
    rows = []
    pairs = [(item, item + 1) for item in range(min(100, baskets.schema.n_items - 1))]
    for mechanism in (Mask(0.95), Mask(0.999), DeleteOnly(0.95)):

        def noisy(mechanism=mechanism):
            return distort(baskets, mechanism, randomness=SEED)

        more = peak_memory(noisy) // 2**20
        release = noisy()
        rows.append({
            "job": f"{mechanism.name} {mechanism.keep} of {name}",
            "whole": timed(noisy),
            "processor": processor(noisy),
            "items out": len(release.baskets.transactions.items),
            "100 estimates": timed(lambda data=release.data: data.estimate(pairs), repeats=3),
            "more megabytes": more,
        })  # fmt: skip
    return rows


def groups_of_twenty(baskets: Baskets) -> Hierarchy:
    """Twenty items to a group, twenty groups to a larger one, and one for all."""
    parents, level, names = {}, 0, list(baskets.schema.names)
    while len(names) > 1:
        above = [f"level {level}, group {n}" for n in range((len(names) + 19) // 20)]
        parents |= {name: above[n // 20] for n, name in enumerate(names)}
        names, level = above, level + 1
    return Hierarchy.of(parents, baskets.schema)


def most_frequent_pairs(baskets: Baskets, count: int = 5) -> Sensitive:
    common = np.argsort(-baskets.transactions.item_counts, kind="stable")[: 2 * count].tolist()
    return Sensitive(tuple(tuple(sorted(common[n : n + 2])) for n in range(0, 2 * count, 2)))


def whole(job: str, work: Callable[[], object]) -> dict[str, object]:
    """One run in a fresh copy of the process."""
    found, _ = cost(lambda: (work(), None)[1])
    return {
        "job": job,
        "processor": f"{found.processor:.2f}",
        "wall": f"{found.wall:.2f}",
        "more megabytes": found.grown // 2**20,
        "peak megabytes": found.peak // 2**20,
    }


def every_method(name: str, baskets: Baskets) -> list[dict[str, object]]:
    secrets, tree = most_frequent_pairs(baskets), groups_of_twenty(baskets)
    floor = max(10, len(baskets) // 1000)
    jobs: dict[str, Callable[[], object]] = {
        "hiding by iga": lambda: hide(baskets, secrets, ALGORITHMS["iga"](), randomness=SEED),
        "hiding by swa": lambda: hide(baskets, secrets, ALGORITHMS["swa"](), randomness=SEED),
        "coherence, k = 5, p = 2": lambda: suppress_moles(baskets, Coherence(k=5, p=2)),
        "km, k = 5, m = 2": lambda: generalise(baskets, tree, k=5, m=2),
        f"synthetic, min_support {floor}": lambda: learn_baskets(baskets, min_support=floor).sample(
            len(baskets), randomness=SEED
        ),
    }
    return [whole(f"{job}: {name}", work) for job, work in jobs.items()]


def main() -> None:
    pin(1)
    drawn = {
        "job": "100,000 Quest baskets",
        "whole": timed(lambda: quest(100_000, Quest(), randomness=SEED)),
        "processor": processor(lambda: quest(100_000, Quest(), randomness=SEED)),
    }
    show([drawn])
    split = [anatomy(name, public(name), *settings) for name, *settings in ANATOMY]
    million = quest(1_000_000, Quest(), randomness=SEED)
    split.append(anatomy("a million Quest baskets", million, 20, 5, 1))
    show(split)
    noise = [row for name in DISTORTION for row in distortion(name, public(name))]
    noise += distortion("a million Quest baskets", million)
    show(noise)
    others = [
        row for name in ("retail", "bms-webview-1") for row in every_method(name, public(name))
    ]
    others += every_method("a million Quest baskets", million)
    show(others)
    keep("baskets", [drawn, *split, *noise, *others])


if __name__ == "__main__":
    main()
