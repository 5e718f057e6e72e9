"""What each measure costs at 1,000,000 rows × 15 columns, alone and together, with yardsticks.

python benchmarks/measures.py [--quick] [--rows 1000000]

The original is adult drawn to any length from a model of it, the hold-out a fifth as many rows of
another drawing, and the release is drawn from a model fitted to the original. Every measure runs in
a fresh copy of the process, so that nothing is counted beforehand; "default set" is all of them in
one comparison, which shares the counts.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import harness
from growth import drawn, model_of_adult

from halfmask.data import Table
from halfmask.measures import MEASURES, Comparison, compare
from halfmask.methods.generator import GeneratorSettings, learn
from halfmask.randomness import Randomness

COLUMNS = 15
SENSITIVE = "class 1"
THREADS = 2
TOGETHER = "default set"


@dataclass(frozen=True)
class Sides:
    """What is compared."""

    original: Table
    release: Table
    holdout: Table

    def comparison(self) -> Comparison:
        """A comparison in which nothing was counted yet."""
        return Comparison(
            self.original,
            self.release,
            self.holdout,
            randomness=Randomness(1),
            sensitive=self.original.schema.names[-1],
            threads=THREADS,
        )


def sides(rows: int) -> Sides:
    """An original, its release and rows that the release never saw."""
    people = drawn(model_of_adult(), rows + rows // 5, COLUMNS)
    original = Table(people.schema, people.codes[:rows])
    holdout = Table(people.schema, people.codes[rows:])
    support = max(10, rows // 1000)
    learnt = learn(original, GeneratorSettings(min_support=support), threads=THREADS)
    release = learnt.sample(rows, randomness=Randomness(7), threads=THREADS).data
    return Sides(original, release, holdout)


def line(found: Sides, names: list[str] | None, *, repeats: int) -> dict[str, object]:
    """The cheapest of a few runs, without yardsticks and with them."""
    figures: dict[str, object] = {"measure": TOGETHER if names is None else names[0]}
    blank = None
    for label, yardsticks in (("alone", False), ("with yardsticks", True)):
        costs = []
        for _ in range(repeats):
            cost, blank = harness.cost(lambda: read(found, names, yardsticks=yardsticks))  # noqa: B023
            costs.append(cost)
        best = min(costs, key=lambda cost: cost.wall)
        figures[f"{label}, processor [s]"] = round(best.processor, 2)
        figures[f"{label}, clock [s]"] = round(best.wall, 2)
        figures[f"{label}, grown [MB]"] = round(best.grown / 1e6)
    return figures | {"blank": blank}


def read(found: Sides, names: list[str] | None, *, yardsticks: bool) -> str:
    """Take the measures; the reasons of those that have no value."""
    readings = compare(found.comparison(), names, yardsticks=yardsticks)
    return " ".join(f"{blank.name}: {blank.reason}" for blank in readings.unmeasured)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the default set together only")
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    harness.pin(THREADS)
    found = sides(options.rows)
    asked = [None] if options.quick else [None, *([m.name] for m in MEASURES)]
    lines = []
    for names in asked:
        lines.append(line(found, names, repeats=1))
        print(lines[-1], flush=True)
    harness.show([{k: v for k, v in one.items() if k != "blank"} for one in lines])
    for one in lines:
        if one["blank"]:
            print(f"{one['measure']}: {one['blank']}")
    print(harness.keep("measures", lines))


if __name__ == "__main__":
    main()
