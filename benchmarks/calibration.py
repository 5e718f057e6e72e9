"""What calibration brings and costs, beside what others do: the table of docs/calibration.md.

80 % of the rows are the original, the rest is held out. For each release: the mean total variation
of two- and three-way tables from the original, the accuracy of a random forest that is trained on
it and tested on held-out rows, and how much more often the row of a one-of-a-kind person stands in
it than that of a like person who was held out. Sequential CART is written as synthpop describes it
[Nowok, Raab & Dibben, 2016]: a tree for each column on those before it, values drawn from the leaf.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
from harness import data_folder, keep, show
from sklearn.ensemble import RandomForestClassifier

from halfmask.api import Generator, columns_of
from halfmask.data import Table
from halfmask.data.table import ABSENT
from halfmask.experiments.rivals.competitors import bootstrap, sequential_cart
from halfmask.measures import Comparison, compare
from halfmask.measures.classifier import one_hot
from halfmask.methods.calibration import CalibrationSettings, candidate_tables, count_margins
from halfmask.methods.generator import GeneratorModel, calibrated, learn
from halfmask.randomness import Randomness

DATA = ("nursery", "kr-k", "mushroom", "pendigits", "letter", "adult")
MIN_SUPPORT = 20

Making = Callable[[], Table]


def halves(name: str) -> tuple[Table, Table]:
    """The original and the rows held out, in the codes of the original."""
    columns = columns_of(data_folder() / f"{name}.csv.gz")
    rows = len(columns[0])
    order = Randomness(1).child("split").permutation(rows)
    seen, back = np.sort(order[: int(0.8 * rows)]), np.sort(order[int(0.8 * rows) :])
    generator = Generator(min_support=MIN_SUPPORT)
    table, encoding = generator.encode([column.take(seen) for column in columns])
    held = encoding.encode([column.take(back) for column in columns], unknown="leave out")
    return table, held


def drawn(model: GeneratorModel) -> Table:
    release = model.sample(model.code_table.rows, randomness=Randomness(1), threads=2)
    assert isinstance(release.data, Table)  # noqa: S101 - the generator draws tables
    return release.data


def ours(papers: GeneratorModel, table: Table) -> dict[str, Making]:
    """The papers' generator, margins chosen, and all margins of an order."""
    target = table.schema.names[-1]

    def chosen(order: int, around: str | None = None) -> Making:
        settings = CalibrationSettings(order=order, target=around)
        asked = replace(papers, settings=replace(papers.settings, calibration=settings))
        return lambda: drawn(calibrated(asked, table, threads=2))

    def every(order: int) -> Making:
        names = candidate_tables(table.schema, CalibrationSettings(order=order), order=order)
        return lambda: drawn(
            replace(papers, margins=count_margins(table, names, min_support=MIN_SUPPORT))
        )

    return {
        "papers' generator": lambda: drawn(papers),
        "calibrated, two-way": chosen(2),
        "calibrated, two-way, target": chosen(2, target),
        "calibrated, three-way": chosen(3),
        "calibrated, three-way, target": chosen(3, target),
        "all two-way tables": every(2),
        "all three-way tables": every(3),
    }


def competitors(table: Table) -> dict[str, Making]:
    rng = np.random.default_rng(1)

    def independent() -> Table:
        columns = [rng.permutation(table.codes[:, c]) for c in range(len(table.schema))]
        return Table(table.schema, np.column_stack(columns))

    return {
        "sequential CART": lambda: sequential_cart(table, rng),
        "bootstrap of the rows": lambda: bootstrap(table, rng),
        "independent columns": independent,
    }


def accuracy(release: Table, held: Table) -> float:
    """Of a random forest for the last column."""
    known, target = list(range(len(held.schema) - 1)), len(held.schema) - 1
    train = release.take(np.flatnonzero(release.codes[:, target] != ABSENT))
    test = held.take(np.flatnonzero(held.codes[:, target] != ABSENT))
    forest = RandomForestClassifier(100, random_state=0, n_jobs=2)
    forest.fit(one_hot(train, known), train.codes[:, target])
    right = forest.predict(one_hot(test, known)) == test.codes[:, target]
    return float(right.mean())


def distance(one: Table, other: Table, ways: int) -> float:
    found = []
    for names in combinations(one.schema.names, ways):
        p, q = (table.marginal(names) / len(table) for table in (one, other))
        found.append(np.abs(p - q).sum() / 2)
    return float(np.mean(found))


def line(name: str, release: Table, table: Table, held: Table, seconds: float) -> dict[str, object]:
    comparison = Comparison(table, release, held, randomness=Randomness(1), threads=2)
    found = compare(comparison, ["unique_excess", "membership_unique"], yardsticks=False)
    return {
        "release": name,
        "TV2": round(distance(table, release, 2), 4),
        "TV3": round(distance(table, release, 3), 4),
        "accuracy": round(accuracy(release, held), 3),
        "excess of unique rows": round(found["unique_excess"].value, 3),
        "membership of unique rows": round(found["membership_unique"].value, 3),
        "seconds": round(seconds, 2),
    }


def run(name: str) -> list[dict[str, object]]:
    table, held = halves(name)
    settings = Generator(min_support=MIN_SUPPORT, calibrate=0).settings(len(table))
    papers = learn(table, settings, threads=2)
    lines = [{"data": name, **line("the original itself", table, table, held, 0.0)}]
    for what, make in {**ours(papers, table), **competitors(table)}.items():
        start = time.perf_counter()
        release = make()
        seconds = time.perf_counter() - start
        lines.append({"data": name, **line(what, release, table, held, seconds)})
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=DATA)
    parser.add_argument("--quick", action="store_true", help="nursery only")
    typed = parser.parse_args()
    lines = [found for name in (["nursery"] if typed.quick else typed.data) for found in run(name)]
    show(lines)
    if not typed.quick:
        keep("calibration", lines)


if __name__ == "__main__":
    main()
