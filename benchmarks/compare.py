"""Two results of `make bench` side by side: what became faster, slower, smaller or larger.

python benchmarks/compare.py before.json after.json [--threshold 1.1]

A row is known by its words and sizes; its figures are seconds, megabytes and rows per second.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import harness

NAMES = (
    "data", "job", "kind", "against", "rows", "columns", "min_support", "pruning", "order",
    "mechanism", "release",
)  # fmt: skip
"""Fields that say which row it is."""
UNITS = ("[s]", "[MB]", " s", "megabytes", "rows per second")


def figures(document: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """Every figure of a result, with a name that is the same in every run."""
    for benchmark, rows in document["results"].items():
        for row in rows:
            name = ", ".join(str(row[field]) for field in NAMES if field in row)
            for field, value in row.items():
                if isinstance(value, dict) and "median" in value:
                    yield f"{benchmark}: {name}: {field} [s]", float(value["median"])
                elif field.endswith(UNITS) and _is_number(value):
                    yield f"{benchmark}: {name}: {field}", float(value)


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def compare(before: dict[str, Any], after: dict[str, Any], threshold: float) -> list[dict]:
    """The figures of both that differ by more than the threshold, the largest change first."""
    old, new = dict(figures(before)), dict(figures(after))
    both = [name for name in old if name in new and old[name] > 0 and new[name] > 0]
    ratios = {name: new[name] / old[name] for name in both}
    changed = [name for name in both if not 1 / threshold <= ratios[name] <= threshold]
    changed.sort(key=lambda name: -max(ratios[name], 1 / ratios[name]))
    print(f"{len(both)} figures in both, {len(changed)} differ by more than {threshold} times.")
    return [
        {"figure": n, "before": old[n], "after": new[n], "after / before": f"{ratios[n]:.2f}"}
        for n in changed
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--threshold", type=float, default=1.1)
    options = parser.parse_args()
    before, after = (
        json.loads(path.read_text(encoding="utf-8")) for path in (options.before, options.after)
    )
    if before["environment"] != after["environment"]:
        print("The two were not made in the same environment; read the ratios with care.")
    harness.show(compare(before, after, options.threshold))


if __name__ == "__main__":
    main()
