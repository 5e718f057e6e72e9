"""What calibration brings and costs, beside what others do: the table of docs/calibration.md.

python benchmarks/calibration.py [--data nursery adult] [--draws 5] [--releases two-way CART]

80 % of the rows are the original, the rest is held out. For each release: the mean total variation
of two- and three-way tables from the original, the accuracy of a random forest that is trained on
it and tested on held-out rows, and how much more often the row of a one-of-a-kind person stands in
it than that of a like person who was held out. With several draws, each has its own split, model
and seed, and means stand with their standard deviation. Packages of others take part where
`make rivals` put them, once where they take minutes; who is missing is named with the reason.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from itertools import combinations
from typing import Any

import harness
import numpy as np

from halfmask.data import Table
from halfmask.data.table import ABSENT
from halfmask.errors import NotMeasurable
from halfmask.estimators import Generator
from halfmask.io.given import columns_of
from halfmask.measures import Comparison, compare
from halfmask.measures.quality.learning import one_hot
from halfmask.methods.calibration.settings import (
    CalibrationSettings,
    candidate_tables,
    count_margins,
)
from halfmask.methods.generator.learn import calibrated, learn
from halfmask.methods.generator.model import GeneratorModel
from halfmask.randomness import Randomness
from halfmask_reproduction.environments import Environments
from halfmask_reproduction.result import Measured, mean_of
from halfmask_reproduction.rivals.elsewhere import TIME_LIMIT
from halfmask_reproduction.rivals.releases import Method, others

DATA = ("nursery", "kr-k", "mushroom", "pendigits", "letter", "adult")
MIN_SUPPORT = 20
PATTERN_SUPPORTS = (100, 200)
"""Rows that a pattern needs in the lines that say so; counts and values need the minimum."""
QUICK_LIMIT = 60.0
"""Seconds that a package of others has for a release in quick mode."""
ITSELF = "the original itself"
OURS = "generator"
DIGITS = {
    "TV2": 4,
    "TV3": 4,
    "accuracy": 3,
    "excess of unique rows": 3,
    "membership of unique rows": 3,
    "processor [s]": 2,
}
"""The figures of a release, and how many digits of each are shown."""

Figures = dict[str, float]
Line = dict[str, Any]


@dataclass(frozen=True)
class Draw:
    """One split of a data set, with the model that every release of ours starts from."""

    randomness: Randomness
    table: Table
    held: Table
    papers: GeneratorModel
    learning: float
    """Processor seconds that the model took."""


def draw_of(name: str, number: int) -> Draw:
    """A draw of this number; the rows held out are in the codes of the original."""
    randomness = Randomness(number)
    columns = columns_of(harness.data_folder() / f"{name}.csv.gz")
    rows = len(columns[0])
    order = randomness.child("split").permutation(rows)
    seen, back = np.sort(order[: int(0.8 * rows)]), np.sort(order[int(0.8 * rows) :])
    generator = Generator(min_support=MIN_SUPPORT, calibrate=0)
    table, encoding = generator.encode([column.take(seen) for column in columns])
    held = encoding.encode([column.take(back) for column in columns], unknown="leave out")
    start = processor_seconds()
    papers = learn(table, generator.learning(len(table)), threads=2)
    return Draw(randomness, table, held, papers, processor_seconds() - start)


def processor_seconds() -> float:
    """Of this process and of the programs that it ran to their end."""
    return sum(os.times()[:4])


def drawn(model: GeneratorModel, randomness: Randomness) -> Table:
    release = model.sample(model.code_table.rows, randomness=randomness, threads=2)
    assert isinstance(release.data, Table)  # noqa: S101 - the generator draws tables
    return release.data


def ours(draw: Draw) -> Iterator[Method]:
    """The papers' generator, margins chosen, and all margins of an order."""
    papers, table = draw.papers, draw.table
    target = table.schema.names[-1]

    def chosen(order: int, around: str | None, given: Randomness) -> Table:
        settings = CalibrationSettings(order=order, target=around)
        asked = replace(papers, settings=replace(papers.settings, calibration=settings))
        return drawn(calibrated(asked, table, threads=2), given)

    def frequent(support: int, given: Randomness) -> Table:
        calibration = CalibrationSettings(order=2, target=target)
        asked = replace(papers.settings, pattern_support=support, calibration=calibration)
        return drawn(learn(table, asked, threads=2), given)

    def every(order: int, given: Randomness) -> Table:
        names = candidate_tables(table.schema, CalibrationSettings(order=order), order=order)
        margins = count_margins(table, names, min_support=MIN_SUPPORT)
        return drawn(replace(papers, margins=margins), given)

    for name, make in {
        "papers' generator": partial(drawn, papers),
        "calibrated, two-way": partial(chosen, 2, None),
        "calibrated, two-way, target": partial(chosen, 2, target),
        "calibrated, three-way": partial(chosen, 3, None),
        "calibrated, three-way, target": partial(chosen, 3, target),
        **{
            f"calibrated, two-way, target, patterns ≥ {support}": partial(frequent, support)
            for support in PATTERN_SUPPORTS
        },
        "all two-way tables": partial(every, 2),
        "all three-way tables": partial(every, 3),
    }.items():
        yield Method(OURS, name, make)


def accuracy(release: Table, held: Table) -> float:
    """Of a random forest for the last column."""
    from sklearn.ensemble import RandomForestClassifier

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


def figures_of(release: Table, draw: Draw) -> Figures:
    """What a release keeps and gives away; a measure without a value is left out."""
    comparison = Comparison(
        draw.table, release, draw.held, randomness=draw.randomness, min_support=MIN_SUPPORT
    )
    found = compare(comparison, ["unique_excess", "membership_unique"], yardsticks=False)
    leaks = {
        "excess of unique rows": found.get("unique_excess"),
        "membership of unique rows": found.get("membership_unique"),
    }
    return {
        "TV2": distance(draw.table, release, 2),
        "TV3": distance(draw.table, release, 3),
        "accuracy": accuracy(release, draw.held),
        **{name: float(one.value) for name, one in leaks.items() if one is not None},
    }


def measured(draw: Draw, method: Method) -> Figures:
    """The figures of a method's release in this draw, and the time of learning and drawing."""
    start = processor_seconds()
    release = method.make(draw.randomness)
    seconds = processor_seconds() - start + draw.learning * (method.group == OURS)
    return {**figures_of(release, draw), "processor [s]": seconds}


def methods(draw: Draw, typed: argparse.Namespace) -> Iterator[Method]:
    """All that were asked for, ours first."""
    limit = QUICK_LIMIT if typed.quick else TIME_LIMIT
    yield Method("original", ITSELF, lambda _: draw.table)
    for method in (*ours(draw), *others(draw.table, Environments.at(None), seconds=limit)):
        if not typed.releases or any(word in method.name for word in typed.releases):
            yield method


def run(name: str, typed: argparse.Namespace) -> list[Line]:
    """The lines of a data set; a method without a release is left out and named."""
    found: dict[str, list[Figures]] = {}
    missing: dict[str, str] = {}
    for number in range(1, typed.draws + 1):
        draw = draw_of(name, number)
        for method in methods(draw, typed):
            if method.name in missing or (method.once and number > 1):
                continue
            try:
                figures = measured(draw, method)
            except NotMeasurable as reason:
                missing[method.name] = str(reason)
                continue
            found.setdefault(method.name, []).append(figures)
            harness.tell(name, f"draw {number} of {typed.draws}", method.name)
    for method_name, reason in missing.items():
        harness.tell(name, f"{method_name} is left out: {reason}")
    return [line(name, one, found[one]) for one in found if one not in missing]


def line(name: str, release: str, draws: Sequence[Figures]) -> Line:
    """The mean of each figure that every draw has, and its standard deviation."""
    means: Line = {"data": name, "release": release, "draws": len(draws)}
    for figure in DIGITS:
        values = [one[figure] for one in draws if figure in one]
        if len(values) == len(draws):
            found = mean_of("", values)
            means |= {figure: found.mean, f"{figure} ±": found.sd}
    return means


def shown(means: Line) -> dict[str, object]:
    """A line as it is printed."""
    cells = {
        figure: Measured("", means.get(figure), means.get(f"{figure} ±"), why="–").text(digits)
        for figure, digits in DIGITS.items()
    }
    return {"data": means["data"], "release": means["release"], "draws": means["draws"], **cells}


def merged(fresh: Sequence[Line]) -> list[Line]:
    """What was kept before of other data and releases, and the fresh lines."""
    new = {(one["data"], one["release"]) for one in fresh}
    old = [one for one in harness.kept("calibration") if (one["data"], one["release"]) not in new]
    return sorted((*old, *fresh), key=lambda one: DATA.index(one["data"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="+", default=DATA, choices=DATA)
    parser.add_argument("--draws", type=int, default=1, help="splits, models and seeds")
    parser.add_argument("--releases", nargs="+", help="only those with one of these in the name")
    parser.add_argument("--quick", action="store_true", help="nursery only")
    typed = parser.parse_args()
    if find_spec("sklearn") is None:
        raise SystemExit("This benchmark trains forests: pip install scikit-learn.")
    lines: list[Line] = []
    for name in DATA[:1] if typed.quick else typed.data:
        fresh = run(name, typed)
        harness.keep("calibration", merged(fresh))
        lines += fresh
    harness.show([shown(one) for one in lines])


if __name__ == "__main__":
    main()
