"""What each measure costs at 1,000,000 rows × 15 columns, alone and as part of the default set.

python benchmarks/measures.py [--quick] [--rows 1000000]

The original is adult drawn to any length from a model of it, the hold-out a fifth as many rows of
another drawing, and the release is drawn from a model fitted to the original. "Alone" is a fresh
copy of the process in which nothing was counted before, without yardsticks; "in the set" is what a
measure adds to the default set, yardsticks included, in which every count is shared. Seconds are
processor time of both threads; the clock is kept beside them, and says little on a busy machine.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import harness
from growth import drawn, model_of_adult

from halfmask.data import Table
from halfmask.measures import MEASURES, Comparison, compare
from halfmask.methods.generator.learn import learn
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.randomness import Randomness

COLUMNS = 15
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


def together(found: Sides) -> dict[str, float]:
    """The default set in one comparison: what each measure adds, in processor seconds."""
    comparison, seconds = found.comparison(), {}
    for measure in MEASURES:
        if measure.default:
            start = time.process_time()
            compare(comparison, [measure.name])
            seconds[measure.name] = round(time.process_time() - start, 2)
    return seconds


def alone(found: Sides, name: str) -> str:
    """One measure by itself; why it has no value, if it has none."""
    readings = compare(found.comparison(), [name], yardsticks=False)
    return " ".join(blank.reason for blank in readings.unmeasured)


def line(
    name: str, added: float | None, cost: harness.Cost | None = None, blank: str = ""
) -> dict[str, object]:
    """One line of the table; without a cost the measure was not taken alone."""
    return {
        "measure": name,
        "alone [s]": None if cost is None else round(cost.processor, 2),
        "in the set [s]": added,
        "clock [s]": None if cost is None else round(cost.wall, 2),
        "grown [MB]": None if cost is None else round(cost.grown / 1e6),
        "blank": blank,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no measure alone")
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    harness.pin(THREADS)
    found = sides(options.rows)
    whole, added = harness.cost(lambda: together(found))
    lines = [line(TOGETHER, round(sum(added.values()), 2), whole)]
    harness.tell(TOGETHER)
    if options.quick:
        lines += [line(name, seconds) for name, seconds in added.items()]
    for measure in () if options.quick else MEASURES:
        cost, blank = harness.cost(lambda name=measure.name: alone(found, name))
        lines.append(line(measure.name, added.get(measure.name), cost, blank))
        harness.tell(measure.name)
    harness.show(lines)
    print(harness.keep("measures", lines))


if __name__ == "__main__":
    main()
