"""One verdict on a family: what each table comes to, and how the children fit their parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from halfmask.data.release import Check
from halfmask.judging.verdict import WEAK_RELATIONS, Targets, Verdict, decide, judge
from halfmask.measures import Reading, Readings

NEGLIGIBLE = 0.01
"""Relations between parent and child that are weaker than this, chance aside, are none to keep."""
MOVED_COUNTS = 0.1
"""Numbers of children that moved by more than this, chance aside, are worth a look."""


def judge_family(
    tables: Mapping[str, Readings],
    families: Mapping[str, Readings],
    targets: Targets,
    *,
    min_support: int | None = None,
) -> Verdict:
    """One verdict: what each table comes to, and how the children fit their parents.

    `min_support` is the fewest rows of the parent table behind anything that was learnt.
    """
    checks = [
        replace(check, what=f"{name}: {check.what}", sentence=f"{name}: {check.sentence}")
        for name, readings in tables.items()
        for check in judge(readings, targets, min_support=min_support).checks
    ]
    for name, readings in families.items():
        checks += _checks(name, readings)
    return decide(tuple(checks), targets)


def _checks(name: str, readings: Readings) -> Iterator[Check]:
    counts = readings["child_counts"]
    told = counts.details
    sentence = (
        f"{name}: {told['mean_release']:.2f} rows for each parent instead of "
        f"{told['mean_original']:.2f}; the frequencies of 0, 1, 2… rows differ by "
        f"{counts.value:.3f}"
    )
    moved = counts.value - told["chance"] > MOVED_COUNTS
    more = ": too few parents, or too many with a unique number of children." if moved else "."
    yield Check(f"{name}: Numbers of children", "review" if moved else "passed", sentence + more)
    for relation in RELATIONS:
        reading = readings.get(relation.measure)
        if reading is not None:
            yield relation.check(name, reading)


@dataclass(frozen=True, slots=True)
class FamilyRelation:
    """One relation within families: what is asked of it, and how the answer is told."""

    what: str
    measure: str
    told: str
    """With a place for what the release gets, and one for children given to anybody."""
    lost: str
    """What to know where less than half of it was kept."""

    def check(self, name: str, reading: Reading) -> Check:
        """Whether the children of a table keep it, beyond what chance would move."""
        anybody, chance = reading.yardsticks["independent"], reading.details["chance"]
        there, lost = anybody - chance, reading.value - chance
        sentence = f"{name}: {self.told.format(reading.value, anybody)}"
        if there <= NEGLIGIBLE or lost <= WEAK_RELATIONS * there:
            return Check(f"{name}: {self.what}", "passed", f"{sentence}.")
        return Check(f"{name}: {self.what}", "review", f"{sentence}: {self.lost}.")


RELATIONS = (
    FamilyRelation(
        "Children and their parents",
        "parent_child",
        told="tables of a parent's and a child's column are off by {:.3f}, those of children "
        "assigned at random by {:.3f}",
        lost="few relations were preserved",
    ),
    FamilyRelation(
        "Children of one parent",
        "siblings_alike",
        told="how often two children of one parent agree in a column has moved by {:.3f}, "
        "with children assigned at random by {:.3f}",
        lost="most of what makes siblings alike was lost; do not study sequences within one parent",
    ),
)
