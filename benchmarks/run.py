"""Every benchmark after the other: the tables as they come, one for all, and one JSON.

python benchmarks/run.py [--full] [--only krimp sampling] [--out build/bench/bench.json]

Quick mode takes a few minutes: each benchmark leaves its longest runs to `--full`, and the table at
the end says which. Its results go to build/bench; those of full runs stay in benchmarks/results. A
benchmark that cannot run, or is still at work when the time of quick mode is over, is named with
the reason, and the others go on.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import harness

QUICK_SECONDS = 900.0
"""When quick mode stops whatever is at work; on two free cores it is done in a quarter of it."""
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Benchmark:
    """A script, what makes it quick, and the results that it keeps."""

    script: str
    about: str
    keeps: tuple[str, ...]
    quick: tuple[str, ...] | None
    """None: it has no quick mode and runs in full only."""
    left: str = ""
    """What quick mode leaves to full."""


BENCHMARKS = (
    Benchmark(
        "krimp",
        "Krimp beside its authors' program",
        ("krimp",),
        ("--quick", "--repeats", "1"),
        "adult, letter; repeats",
    ),
    Benchmark(
        "mining", "mining beside PyFIM", ("mining",), ("--quick",), "the lower supports; repeats"
    ),
    Benchmark("slim", "Slim beside Krimp", ("slim",), ("--quick",), "data over 13,000 rows"),
    Benchmark(
        "frontier",
        "what releases tell about persons beside how near they are to people",
        ("frontier",),
        ("--quick", "--draws", "1"),
        "all data but tic-tac-toe; draws; raw tables",
    ),
    Benchmark(
        "calibration",
        "releases beside those of others",
        ("calibration",),
        ("--quick",),
        "all data but nursery; --draws",
    ),
    Benchmark(
        "sampling",
        "rows drawn, rows covered, chances of rows",
        ("sampling", "covering", "expectation"),
        ("--quick",),
        "chances on adult and mushroom; repeats",
    ),
    Benchmark(
        "measures",
        "what measuring costs",
        ("measures",),
        ("--quick", "--rows", "100000"),
        "a million rows; each measure alone",
    ),
    Benchmark(
        "growth",
        "time and memory against size",
        ("growth",),
        ("--rows", "1000", "10000", "--columns", "5", "15", "20"),
        "up to ten million rows, 40 columns",
    ),
    Benchmark(
        "size",
        "a table from file to release",
        ("size",),
        ("--rows", "20000"),
        "ten million rows",
    ),
    Benchmark(
        "spark",
        "a table published here and by Spark",
        ("spark",),
        ("--rows", "20000"),
        "a million rows and more",
    ),
    Benchmark(
        "grouping_sets",
        "counts asked of a database beside counts of its rows",
        ("grouping_sets",),
        ("--rows", "20000"),
        "a million rows",
    ),
    Benchmark(
        "main_job",
        "publishing with its report beside its parts",
        ("main_job",),
        (),
        "--rows, --tables and --beside: long tables, real ones, other programs",
    ),
    Benchmark("baskets", "methods for baskets", ("baskets",), None),
    Benchmark(
        "basket_quality",
        "calibrated baskets",
        ("basket_quality",),
        ("--quick",),
        "all data but groceries",
    ),
    Benchmark("merging", "models of two sites", ("merging",), None),
)


def run(benchmark: Benchmark, *, full: bool, seconds: float) -> dict[str, object]:
    """The rows that a benchmark kept, by result, or why there are none."""
    options = () if full else benchmark.quick
    if options is None:
        return {"skipped": "it has no quick mode; make bench FULL=1 runs it"}
    start = time.time()
    results = harness.FULL_RESULTS if full else harness.QUICK_RESULTS
    try:
        done = subprocess.run(
            [sys.executable, HERE / f"{benchmark.script}.py", *options],
            check=False,
            cwd=HERE.parent,
            env=os.environ | {harness.VARIABLE: str(results)},
            timeout=None if full else max(seconds, 1.0),
        )
    except subprocess.TimeoutExpired:
        return {"skipped": "the time of quick mode was over; make bench FULL=1 gives it more"}
    fresh = [results / f"{name}.json" for name in benchmark.keeps]
    missing = [path.name for path in fresh if not path.exists() or path.stat().st_mtime < start]
    if done.returncode or missing:
        return {"skipped": f"it ended with status {done.returncode}; its own words stand above"}
    return {path.stem: json.loads(path.read_text(encoding="utf-8"))["rows"] for path in fresh}


def line(
    benchmark: Benchmark, found: dict[str, object], seconds: float, *, full: bool
) -> dict[str, object]:
    """A benchmark in the table of all."""
    skipped = "skipped" in found
    return {
        "benchmark": benchmark.script,
        "measures": benchmark.about,
        "lines": "-" if skipped else sum(len(rows) for rows in found.values()),
        "seconds": round(seconds),
        "left out": found["skipped"] if skipped else "" if full else benchmark.left,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="everything, up to hours")
    parser.add_argument("--only", nargs="*", choices=[b.script for b in BENCHMARKS])
    parser.add_argument("--out", type=Path, help="of the JSON")
    options = parser.parse_args()
    kept = harness.FULL_RESULTS if options.full else harness.QUICK_RESULTS
    out = options.out or kept / "bench.json"
    results, lines = {}, []
    start = time.monotonic()
    for benchmark in BENCHMARKS:
        if options.only and benchmark.script not in options.only:
            continue
        print(f"\n== {benchmark.script}: {benchmark.about}", flush=True)
        begun = time.monotonic()
        found = run(benchmark, full=options.full, seconds=QUICK_SECONDS - (begun - start))
        lines.append(line(benchmark, found, time.monotonic() - begun, full=options.full))
        if "skipped" not in found:
            results |= found
    document = {
        "environment": harness.environment(["pyfim", "scikit-learn", "scikit-mine"]),
        "full": options.full,
        "seconds": round(time.monotonic() - start, 1),
        "results": results,
        "skipped": {one["benchmark"]: one["left out"] for one in lines if one["lines"] == "-"},
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"\n== all, in {document['seconds']:.0f} seconds; {out} holds every figure")
    harness.show(lines)
    if not options.full:
        print("make bench FULL=1 runs what was left out.")


if __name__ == "__main__":
    main()
