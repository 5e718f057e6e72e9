"""What is read off a family: each table by itself, and how parents and children belong together.

Remarks: what a steward should know about a family before publishing it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from halfmask.data import Table
from halfmask.data.families import Family, Link
from halfmask.data.family_tables import ChildTable, FamilyTables
from halfmask.data.release import Fact
from halfmask.measures import MEASURES, Comparison, Readings, compare
from halfmask.measures.comparison import SAMPLE
from halfmask.measures.families import compare_families
from halfmask.methods.families.draw import DrawnFamily
from halfmask.methods.families.learn import LearntFamily
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.publishing.white_box import told_counts
from halfmask.run import Run


def remarks_on_family(
    originals: FamilyTables, learnt: LearntFamily, families: Mapping[str, Readings]
) -> tuple[str, ...]:
    """The unit that is protected, what was left out, and what children do not keep."""
    parent = originals.parent.name
    if isinstance(learnt.parent.model, NoisyModel):
        return tuple(_remarks_on_private(originals, learnt, families))
    unit = (
        f"The protected unit is one row of {parent!r} with all rows that belong to it: nothing "
        f"that fewer than {learnt.parent.model.min_support:,} of them hold was learnt."
    )
    found = [unit]
    for child, each in zip(originals.children, learnt.children, strict=True):
        name = child.table.name
        found.append(
            f"At most {each.most:,} rows of {name!r} per row of {parent!r} were learnt from "
            f"({len(each.table):,} of {len(child.link):,} rows); what was learnt is held by at "
            f"least {each.model.min_support:,} of these rows, and so by {each.parents:,} of "
            f"{parent!r}."
        )
        found += _left_out(child, each.numbering)
        found += _same_for_all(name, families[name])
    return tuple(found)


def _remarks_on_private(
    originals: FamilyTables, learnt: LearntFamily, families: Mapping[str, Readings]
) -> Iterator[str]:
    parent = originals.parent.name
    yield f"The protected unit is one row of {parent!r} with all rows that belong to it."
    for child, each in zip(originals.children, learnt.children, strict=True):
        name = child.table.name
        yield (
            f"At most {each.most:,} rows of {name!r} per row of {parent!r} were learnt from; "
            "siblings are drawn as if they knew nothing of each other but their parent."
        )
        yield from _left_out(child, each.numbering)
        yield from _same_for_all(name, families[name])


def _left_out(child: ChildTable, numbering: Mapping[str, int]) -> Iterator[str]:
    if child.dropped:
        yield (
            f"Left out because they have no parent: {child.dropped:,} row(s) of "
            f"{child.table.name!r}."
        )
    for name in numbering:
        yield f"Column {name!r} numbers the rows of each parent; they are numbered anew."


def _same_for_all(name: str, readings: Readings) -> Iterator[str]:
    """Columns that say the same in all rows of a parent belong to the parent."""
    alike = readings.get("siblings_alike")
    if alike is None:
        return
    released = alike.details["release"]
    for column, agreement in alike.details["original"].items():
        if agreement == 1 and released[column] < 1:
            yield (
                f"Column {column!r} of {name!r} is the same in all rows of a parent, but is "
                "drawn for each row independently; move it to the parent's table to keep it "
                "constant."
            )


OF_ALL_ROWS = ("marginals_1", "marginals_2", "marginals_3")
"""Measures that name columns only, and may so be read off all rows of all children."""


@dataclass(frozen=True, slots=True)
class AskedOfFamily:
    """What an attacker would like to learn, and what he knows; columns of any table."""

    sensitive: str | None = None
    keys: tuple[str, ...] = ()
    of_models: bool = False
    """Whether the counts in the model files are attacked too."""

    def told(self, model: Any) -> dict[str, Any]:
        """What the attacker of a model reads of it."""
        return {"model_counts": told_counts(model)} if self.of_models else {}

    @property
    def attacks(self) -> list[str]:
        """The measures of privacy, that of the model files where it was asked for."""
        return [*_defaults("privacy"), *(["tracing_model"] if self.of_models else [])]

    def within(self, table: Table, parent: str) -> AskedOfFamily:
        """As far as a table has the columns, its own or those of its parent."""
        names = table.schema.names
        keys = (key if key in names else f"{parent}.{key}" for key in self.keys)
        sensitive = self.sensitive if self.sensitive in names else None
        return AskedOfFamily(sensitive, tuple(k for k in keys if k in names and k != sensitive))


@dataclass(frozen=True, eq=False)
class FamilySide:
    """A family in the codes that were learnt: the original, those held back, or the release."""

    parents: Table
    children: tuple[Table, ...]
    """For each child table its rows beside their context."""
    links: tuple[Link, ...]

    @classmethod
    def of(cls, originals: FamilyTables, learnt: LearntFamily) -> FamilySide:
        """Encode all rows of all tables."""
        parents = learnt.parent.coded(originals)
        children = tuple(
            each.coded(child, learnt.context(n, parents))
            for n, (each, child) in enumerate(zip(learnt.children, originals.children, strict=True))
        )
        return cls(parents, children, tuple(child.link for child in originals.children))

    @classmethod
    def drawn(cls, family: DrawnFamily) -> FamilySide:
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
class FamilyComparison:
    """What is compared, and under which questions."""

    learnt: LearntFamily
    original: FamilySide
    release: FamilySide
    held_back: FamilySide | None
    asked: AskedOfFamily
    run: Run
    sample_rows: int = SAMPLE
    """Rows that measures read which do not read all."""
    reference: FamilySide | None = None
    """Other families whom an attacker may know, where they were given."""

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
                reference=None if self.reference is None else self.reference.parents,
                **self.asked.told(learnt.model),
            ),
            [m.name for m in MEASURES if m.default]
            + (["tracing_model"] if self.asked.of_models else []),
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
        released, others = self.release.children[n], self.reference
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
        of_all = self._own(plain, n, self.original.children[n], released, every)
        parts = (
            compare(replace(of_all, min_support=learnt.model.min_support), OF_ALL_ROWS),
            compare(self._own(plain, n, one, some, back), _defaults("quality")),
            compare(
                replace(
                    plain,
                    sensitive=asked.sensitive,
                    keys=asked.keys,
                    reference=None if others is None else others.one_of_each(n, rng),
                    **self.asked.told(learnt.model),
                ),
                self.asked.attacks,
            ),
        )
        return Readings(tuple(item for part in parts for item in part))

    def _own(
        self, plain: Comparison, n: int, original: Table, release: Table, back: Table | None
    ) -> Comparison:
        """The same questions of the children's own columns alone."""
        own = self.learnt.children[n].own_part
        held_back = None if back is None else own(back)
        return replace(
            plain, original=own(original), release=own(release), holdout=held_back, sides={}
        )

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
