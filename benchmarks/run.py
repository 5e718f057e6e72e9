"""Every benchmark after the other: one JSON with all results, and the tables as they come.

python benchmarks/run.py [--full] [--only krimp sampling] [--out benchmarks/results/bench.json]

Quick mode leaves out the longest runs of each benchmark and spends less than five minutes in all:
a benchmark that is still at work then is stopped. One that was stopped, or whose competitor is not
installed, is named with the reason, and the others go on.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import harness

QUICK_SECONDS = 285.0
"""What all benchmarks together may take in quick mode."""
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Benchmark:
    """A script, what makes it quick, and the results that it keeps."""

    script: str
    keeps: tuple[str, ...]
    quick: tuple[str, ...] | None = ("--quick",)
    """None: it has no quick mode and runs in full only."""
    full: tuple[str, ...] = ()


BENCHMARKS = (
    Benchmark("krimp", ("krimp",), quick=("--quick", "--repeats", "1")),
    Benchmark("sampling", ("sampling", "covering", "expectation")),
    Benchmark("growth", ("growth",), quick=("--rows", "1000", "10000", "100000", "--quick")),
    Benchmark("mining", ("mining",)),
    Benchmark("slim", ("slim",)),
    Benchmark("measures", ("measures",)),
    Benchmark("baskets", ("baskets",), quick=None),
    Benchmark("calibration", ("calibration",)),
    Benchmark("basket_quality", ("basket_quality",), quick=None),
    Benchmark("size", ("size",), quick=("--rows", "20000")),
)


def run(benchmark: Benchmark, *, full: bool, seconds: float) -> dict[str, object]:
    """The rows that a benchmark kept, by result, or why there are none."""
    options = benchmark.full if full else benchmark.quick
    if options is None:
        return {"skipped": "no quick mode; make bench FULL=1 runs it"}
    script = HERE / f"{benchmark.script}.py"
    if not script.exists():
        return {"skipped": "this checkout has no such script"}
    start = time.time()
    command = [sys.executable, script, *options]
    try:
        limit = None if full else max(seconds, 1.0)
        done = subprocess.run(command, check=False, cwd=HERE, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"skipped": "the time of quick mode was over; make bench FULL=1 gives it more"}
    fresh = [harness.RESULTS / f"{name}.json" for name in benchmark.keeps]
    missing = [path.name for path in fresh if not path.exists() or path.stat().st_mtime < start]
    if done.returncode or missing:
        return {"skipped": f"it ended with status {done.returncode}; its own words stand above"}
    return {path.stem: json.loads(path.read_text(encoding="utf-8"))["rows"] for path in fresh}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="everything, up to hours")
    parser.add_argument("--only", nargs="*", choices=[b.script for b in BENCHMARKS])
    parser.add_argument("--out", type=Path, default=harness.RESULTS / "bench.json")
    options = parser.parse_args()
    results, skipped = {}, {}
    start = time.monotonic()
    for benchmark in BENCHMARKS:
        if options.only and benchmark.script not in options.only:
            continue
        print(f"\n== {benchmark.script}", flush=True)
        left = QUICK_SECONDS - (time.monotonic() - start)
        found = run(benchmark, full=options.full, seconds=left)
        if "skipped" in found:
            skipped[benchmark.script] = found["skipped"]
        else:
            results |= found
    document = {
        "environment": harness.environment(["pyfim", "scikit-mine"]),
        "full": options.full,
        "seconds": round(time.monotonic() - start, 1),
        "results": results,
        "skipped": skipped,
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for name, reason in skipped.items():
        print(f"{name} was left out: {reason}.")
    print(f"{options.out} holds {', '.join(results) or 'nothing'}.")


if __name__ == "__main__":
    main()
