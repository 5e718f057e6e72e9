"""Rows drawn per second, and the time of exact probabilities; one core.

python benchmarks/sampling.py [--quick]
"""

from __future__ import annotations

import csv
import gzip
import sys
from dataclasses import replace

import harness

from halfmask.data import Column, Encoding, Table
from halfmask.methods.generator import GeneratorModel, GeneratorSettings, learn
from halfmask.randomness import Randomness

# The supports of the published experiments, but for adult, whose own is 20: a longer search.
SETTINGS = {
    "nursery": GeneratorSettings(min_support=1),
    "kr-k": GeneratorSettings(min_support=1),
    "adult": GeneratorSettings(min_support=500),
    "mushroom": GeneratorSettings(min_support=20, candidates="closed"),
}


def load_table(name: str) -> Table:
    """A public table in which every value, a missing one too, has its own code."""
    with gzip.open(harness.data_folder() / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    columns = [
        Column.of(title, [cell or None for cell in cells], "int64")
        for title, cells in zip(header, zip(*rows, strict=True), strict=True)
    ]
    return Encoding.fit(columns, rare="keep").encode(columns)


def sampling(name: str, model: GeneratorModel, order: str, rows: int, repeats: int):
    """One line of the table: how fast rows come."""
    patterns = []

    def draw() -> None:
        release = model.sample(rows, randomness=Randomness(7))
        patterns.append(release.record["patterns_per_row"])

    timing = harness.timed(draw, repeats=repeats)
    return {
        "data": name,
        "columns": len(model.schema),
        "patterns": len(model.code_table),
        "order": order,
        "patterns per row": round(patterns[0], 3),
        "time": timing,
        "rows per second": round(rows / timing.median),
    }


def probabilities(name: str, model: GeneratorModel, order: str, table: Table):
    """One line of the table: how long the chances of all original rows take."""
    found = []

    def expect() -> None:
        found.append(model.expected_hits(table, len(table), randomness=Randomness(7)))

    timing = harness.timed(expect, repeats=3, warm_up=0)
    return {
        "data": name,
        "order": order,
        "distinct rows": len(found[0].multiplicities),
        "how": found[0].how,
        "uncertainty": found[0].uncertainty,
        "time": timing,
    }


def main() -> None:
    quick = "--quick" in sys.argv
    harness.pin(1)
    drawn, expected = [], []
    for name, settings in SETTINGS.items():
        table = load_table(name)
        learnt = learn(table, settings)
        for order in ("random", "columns"):
            model = GeneratorModel(learnt.code_table, replace(settings, order=order))
            drawn.append(sampling(name, model, order, 1_000_000, 2 if quick else 5))
            if not quick or name != "mushroom":
                expected.append(probabilities(name, model, order, table))
    harness.show(drawn)
    harness.show(expected)
    harness.keep("sampling", drawn)
    harness.keep("expectation", expected)


if __name__ == "__main__":
    main()
