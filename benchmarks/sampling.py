"""Rows drawn and covered per second, and the time of exact probabilities.

python benchmarks/sampling.py [--quick]

Processor seconds of one thread. What covering is measured against is one look at every cell of the
table: the count of each item.
"""

from __future__ import annotations

import csv
import gzip
import sys
import time
from dataclasses import replace

import harness
import numpy as np

from halfmask.data import Column, Encoding, Table
from halfmask.methods.generator.learn import learn
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.randomness import Randomness

# The supports of the published experiments, but for adult, whose own is 20: a longer search.
SETTINGS = {
    "nursery": GeneratorSettings(min_support=1),
    "kr-k": GeneratorSettings(min_support=1),
    "adult": GeneratorSettings(min_support=500),
    "mushroom": GeneratorSettings(min_support=20, candidates="closed"),
}
QUICK_CHANCES = ("nursery", "kr-k")
"""Where the chances of all rows are known in a second."""


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

    timing = harness.timed(draw, repeats=repeats, clock=time.process_time)
    return {
        "data": name,
        "columns": len(model.schema),
        "patterns": len(model.code_table),
        "order": order,
        "patterns per row": round(patterns[0], 3),
        "time": timing,
        "rows per second": round(rows / timing.median),
    }


def covering(name: str, model: GeneratorModel, rows: int, repeats: int):
    """One line of the table: how fast rows are written in the codes of the table."""
    table = model.sample(rows, randomness=Randomness(7)).data
    database = table.transactions
    timing = harness.timed(
        lambda: model.code_table.encode(database), repeats=repeats, clock=time.process_time
    )
    scan = harness.timed(
        lambda: np.bincount(database.items, minlength=database.n_items),
        repeats=repeats,
        clock=time.process_time,
    )
    return {
        "data": name,
        "columns": len(model.schema),
        "patterns": len(model.code_table),
        "time": timing,
        "rows per second": round(rows / timing.median),
        "scan": scan,
        "times a scan": round(timing.median / scan.median, 1),
    }


def probabilities(name: str, model: GeneratorModel, order: str, table: Table):
    """One line of the table: how long the chances of all original rows take."""
    found = []

    def expect() -> None:
        found.append(model.expected_hits(table, len(table), randomness=Randomness(7)))

    timing = harness.timed(expect, repeats=3, warm_up=0, clock=time.process_time)
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
    drawn, covered, expected = [], [], []
    repeats = 2 if quick else 5
    for name, settings in SETTINGS.items():
        table = load_table(name)
        learnt = learn(table, settings)
        covered.append(covering(name, learnt, 1_000_000, repeats))
        for order in ("random", "columns"):
            model = GeneratorModel(learnt.code_table, replace(settings, order=order))
            drawn.append(sampling(name, model, order, 1_000_000, repeats))
            if not quick or name in QUICK_CHANCES:
                expected.append(probabilities(name, model, order, table))
    harness.show(drawn)
    harness.show(covered)
    harness.show(expected)
    harness.keep("sampling", drawn)
    harness.keep("covering", covered)
    harness.keep("expectation", expected)


if __name__ == "__main__":
    main()
