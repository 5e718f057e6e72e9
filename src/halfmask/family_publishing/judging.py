"""Judging: the readings of each table and of the families, and one verdict on all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from halfmask.data import Table
from halfmask.data.families import Family, Link
from halfmask.data.release import Fact
from halfmask.family_publishing.drawing import DrawnFamily
from halfmask.family_publishing.learning import LearntFamily
from halfmask.family_publishing.originals import Originals
from halfmask.judging.tradeoff import Run
from halfmask.judging.verdict import WEAK_RELATIONS, Check, Targets, Verdict, decide, judge
from halfmask.measures import MEASURES, Comparison, Reading, Readings, compare
from halfmask.measures.comparison import SAMPLE
from halfmask.measures.families import compare_families

OF_ALL_ROWS = ("marginals_1", "marginals_2", "marginals_3")
"""Measures that name columns only, and may so be read off all rows of all children."""
NEGLIGIBLE = 0.01
"""Relations between parent and child that are weaker than this, chance aside, are none to keep."""
MOVED_COUNTS = 0.1
"""Numbers of children that moved by more than this, chance aside, are worth a look."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What an attacker would like to learn, and what he knows; columns of any table."""

    sensitive: str | None = None
    keys: tuple[str, ...] = ()

    def within(self, table: Table, parent: str) -> Asked:
        """As far as a table has the columns, its own or those of its parent."""
        names = table.schema.names
        keys = (key if key in names else f"{parent}.{key}" for key in self.keys)
        sensitive = self.sensitive if self.sensitive in names else None
        return Asked(sensitive, tuple(k for k in keys if k in names and k != sensitive))


@dataclass(frozen=True, eq=False)
class Side:
    """A family in the codes that were learnt: the original, those held back, or the release."""

    parents: Table
    children: tuple[Table, ...]
    """For each child table its rows beside their context."""
    links: tuple[Link, ...]

    @classmethod
    def of(cls, originals: Originals, learnt: LearntFamily) -> Side:
        """Encode all rows of all tables."""
        parents = learnt.parent.coded(originals)
        children = tuple(
            each.coded(child, learnt.context(n, parents))
            for n, (each, child) in enumerate(zip(learnt.children, originals.children, strict=True))
        )
        return cls(parents, children, tuple(child.link for child in originals.children))

    @classmethod
    def drawn(cls, family: DrawnFamily) -> Side:
        """The rows of a release."""
        children = family.children
        return cls(
            family.parents.coded,
            tuple(child.coded for child in children),
            tuple(child.link for child in children),
        )

    def one_of_each(self, n: int, rng: np.random.Generator) -> Table:
        """One child of each parent that has any, so that every person counts once."""
        return self.children[n].take(self.links[n].at_most(1, rng))


@dataclass(frozen=True, eq=False)
class Sides:
    """What is compared, and under which questions."""

    learnt: LearntFamily
    original: Side
    release: Side
    held_back: Side | None
    asked: Asked
    run: Run
    sample_rows: int = SAMPLE
    """Rows that measures read which do not read all."""

    def of_parents(self, record: Mapping[str, Fact]) -> Readings:
        """What the released parents kept and gave away."""
        learnt = self.learnt.parent
        run = self.run.apart(self.learnt.name)
        asked = self.asked.within(learnt.table, self.learnt.name)
        back = None if self.held_back is None else self.held_back.parents
        return compare(
            Comparison(
                self.original.parents,
                self.release.parents,
                back,
                randomness=run.randomness,
                sensitive=asked.sensitive,
                keys=asked.keys,
                min_support=learnt.model.value_support,
                drawn_per_row=_patterns_per_row(record),
                threads=run.threads,
                sample_rows=self.sample_rows,
            )
        )

    def of_children(self, n: int, name: str, record: Mapping[str, Fact]) -> Readings:
        """What the released children kept and gave away.

        Tables of up to three columns are compared over all rows. Everything else looks at one row
        of each parent: siblings are alike, and a parent of many rows would pass for many people.
        For privacy these rows are held against all of the release, beside what parents tell.
        """
        learnt, run = self.learnt.children[n], self.run.apart(name)
        rng = run.randomness.child("one child of each parent")
        one, some = (side.one_of_each(n, rng) for side in (self.original, self.release))
        back = None if self.held_back is None else self.held_back.one_of_each(n, rng)
        every = None if self.held_back is None else self.held_back.children[n]
        released = self.release.children[n]
        asked = self.asked.within(one, self.learnt.name)
        plain = Comparison(
            one,
            released,
            back,
            randomness=run.randomness,
            min_support=learnt.parents,
            drawn_per_row=_patterns_per_row(record),
            threads=run.threads,
            sample_rows=self.sample_rows,
        )
        own = learnt.own_part
        parts = (
            compare(
                replace(
                    plain,
                    original=own(self.original.children[n]),
                    release=own(released),
                    holdout=None if every is None else own(every),
                    min_support=learnt.model.min_support,
                    sides={},
                ),
                OF_ALL_ROWS,
            ),
            compare(
                replace(
                    plain,
                    original=own(one),
                    release=own(some),
                    holdout=None if back is None else own(back),
                    sides={},
                ),
                _defaults("quality"),
            ),
            compare(
                replace(plain, sensitive=asked.sensitive, keys=asked.keys), _defaults("privacy")
            ),
        )
        return Readings(tuple(item for part in parts for item in part))

    def of_families(self, n: int, name: str) -> Readings:
        """What was kept of how parents and the children of one table belong together."""
        sides = (self.original, self.release, self.held_back)
        original, release, back = (
            None
            if side is None
            else Family(
                side.parents, self.learnt.children[n].own_part(side.children[n]), side.links[n]
            )
            for side in sides
        )
        assert original is not None  # noqa: S101 - only the hold-out may be none
        assert release is not None  # noqa: S101 - idem
        randomness = self.run.apart(name).randomness
        return compare_families(original, release, back, randomness=randomness)


def _defaults(room: str) -> list[str]:
    """The measures of a room that are read by default, but for those of all rows."""
    return [m.name for m in MEASURES if m.default and m.room == room and m.name not in OF_ALL_ROWS]


def _patterns_per_row(record: Mapping[str, Fact]) -> float | None:
    drawn = record.get("patterns_per_row")
    return float(drawn) if isinstance(drawn, int | float) else None


def judge_family(
    tables: Mapping[str, Readings], families: Mapping[str, Readings], targets: Targets
) -> Verdict:
    """One verdict: what each table comes to, and how the children fit their parents."""
    checks = [
        replace(check, what=f"{name}: {check.what}", sentence=f"{name}: {check.sentence}")
        for name, readings in tables.items()
        for check in judge(readings, targets).checks
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
    more = ": too few parents, or too many with numbers of their own." if moved else "."
    yield Check(f"{name}: Numbers of children", "look here" if moved else "passed", sentence + more)
    for relation in RELATIONS:
        reading = readings.get(relation.measure)
        if reading is not None:
            yield relation.check(name, reading)


@dataclass(frozen=True, slots=True)
class Relation:
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
        return Check(f"{name}: {self.what}", "look here", f"{sentence}: {self.lost}.")


RELATIONS = (
    Relation(
        "Children and their parents",
        "parent_child",
        told="tables of a parent's and a child's column are off by {:.3f}, those of children given "
        "to anybody by {:.3f}",
        lost="few relations were kept",
    ),
    Relation(
        "Children of one parent",
        "siblings_alike",
        told="how often two children of one parent agree in a column has moved by {:.3f}, that of "
        "children given to anybody by {:.3f}",
        lost="most of what makes them alike was lost; do not study courses of single parents",
    ),
)
