"""Original: what is to be published, read once, with the rows that are held back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from halfmask.data import Baskets, Column
from halfmask.data.family_tables import FamilyTable, FamilyTables, check_keys, joined_tables
from halfmask.errors import BadInput, UnknownName
from halfmask.io.given import Given, Held
from halfmask.measures.comparison import SAMPLE
from halfmask.memory import MemoryBudget
from halfmask.methods import METHODS
from halfmask.methods.families.settings import check_settings_of_family
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.methods.generator.part import SEARCHED
from halfmask.methods.method import DataKind
from halfmask.methods.tables import TableMethod
from halfmask.publishing.hold_out import cost_of, split_rows, split_table
from halfmask.publishing.job import Job
from halfmask.publishing.reference import read_reference

KINDS: Mapping[DataKind, str] = {
    "table": "a table",
    "baskets": "baskets",
    "family": "a family of tables",
}


@dataclass(frozen=True, eq=False)
class Original:
    """The data that a method sees, those held back, and the form in which they came."""

    held: Mapping[str, Held]
    data: Any
    """Columns of a table, baskets, or the tables of a family."""
    held_back: Any = None
    reference: Any = None
    """Other people whom an attacker may know, as columns or baskets, where they were given."""
    budget: MemoryBudget | None = None
    """What there is memory for, where that is bounded."""
    elsewhere: Any = None
    """Where the rows are, if they are not here: the data are then columns of counts."""

    @property
    def kind(self) -> DataKind:
        """A table, baskets or a family."""
        if isinstance(self.data, FamilyTables):
            return "family"
        return "baskets" if isinstance(self.data, Baskets) else "table"

    @property
    def rows_held_back(self) -> list[int]:
        """How many rows of each table the method never sees."""
        if isinstance(self.held_back, FamilyTables):
            return self.held_back.sizes
        if isinstance(self.held_back, Baskets):
            return [len(self.held_back)]
        return [0 if self.held_back is None else len(self.held_back[0])] * len(self.held)

    @property
    def cost(self) -> tuple[str, ...]:
        """What the rows held back cost, as a sentence; nothing where there are none."""
        back = self.rows_held_back[0]
        if not back:
            return ()
        if isinstance(self.data, FamilyTables):
            name = f"rows of {next(iter(self.held))!r} (with all that belongs to them)"
            return (cost_of(back, back + self.data.parents, name),)
        if isinstance(self.data, Baskets):
            return (cost_of(back, back + len(self.data), "baskets"),)
        return (cost_of(back, back + len(self.data[0])),)

    @property
    def sample_rows(self) -> int:
        """Rows that measures read which do not read all."""
        return SAMPLE if self.budget is None else self.budget.sample_rows


def read_original(job: Job) -> Original:
    """Read what the job names; what the method cannot publish is refused."""
    job.run.stages.begin("reading")
    if job.is_family:
        return _split(job, _family(job))
    name, given = next(iter(job.given.items()))
    expect = partial(_expect, job, ()) if job.attackable else None
    held = given.read(job.request.reading, progress=job.run.stages.within, expect=expect)
    kind: DataKind = "baskets" if isinstance(held.content, Baskets) else "table"
    _check_kind(job, kind, given)
    return _split(job, Original({name: held}, held.content))


FEWEST_ROWS = 30
"""Of fewer rows nothing can be told that would not be told of single people."""
FEW_ROWS = 200
"""A smaller table has a minimum support of a twentieth of its rows."""
LEAST_SUPPORT = 5
"""No verdict says that a release with a smaller one may be published."""


def fitting(job: Job, original: Original) -> tuple[Job, tuple[str, ...]]:
    """The job with a minimum support that fits a small table, and what is said about it.

    It stays what the steward said, where something was.
    """
    job = _described(job, original)
    small = isinstance(job.method, GeneratorMethod) and not job.is_family and not job.says_support
    rows = original.held[next(iter(original.held))].size[0]
    if not small or rows >= FEW_ROWS or job.method.min_support <= LEAST_SUPPORT:
        return job, ()
    if rows < FEWEST_ROWS:
        raise BadInput(
            f"The smallest table that is published has {FEWEST_ROWS} rows, and this one has "
            f"{rows:,}: with fewer, every number would describe single people. Combine it with "
            "others, or set yourself how many rows must share what is disclosed (--min-support)."
        )
    least = max(LEAST_SUPPORT, rows // 20)
    said = (
        f"The table has only {rows:,} rows: what is disclosed is held by at least {least} of them, "
        "instead of 10 (--min-support)."
    )
    return replace(job, method=replace(job.method, min_support=least)), (said,)


def _described(job: Job, original: Original) -> Job:
    """The job with what a file of a statistics package says, where the schema says nothing."""
    said = {n: s for held in original.held.values() for n, s in held.said.items()}
    if not said or job.is_family or not isinstance(job.method, TableMethod):
        return job
    spec = job.method.spec
    kept = {n: s for n, s in said.items() if n not in job.method.drop}
    schema = replace(spec, columns={**kept, **spec.columns})
    return replace(job, method=replace(job.method, schema=schema))


def _check_kind(job: Job, kind: DataKind, given: Given) -> None:
    if kind in job.method.kinds:
        return
    able = [method.name for method in METHODS.values() if kind in method.kinds]
    plural = {"table": "Tables", "baskets": "Baskets", "family": "Families"}[kind]
    raise BadInput(
        f"{given.words} holds {KINDS[kind]}, and the method {job.method.name} publishes "
        f"{KINDS[job.method.kinds[0]]}. {plural} are published by the methods (--method) "
        f"{', '.join(able[:-1])}{' and ' if able[1:] else ''}{able[-1]}."
    )


def _expect(job: Job, before: Sequence[tuple[int, int]], rows: int, columns: int) -> None:
    """Refuse a table of about so many rows beside those that are read already."""
    job.run.stages.size = rows, columns
    dropped = 0 if job.is_family else len(job.method.drop)
    job.allowed.beside(*before, (rows, columns - dropped), about=True)


def _family(job: Job) -> Original:
    """The tables of a family, read one after the other and joined."""
    if "family" not in job.method.kinds:
        able = [method.name for method in METHODS.values() if "family" in method.kinds]
        raise BadInput(
            f"The method {job.method.name} publishes {KINDS[job.method.kinds[0]]}; families of "
            f"tables are published by {', '.join(able)}."
        )
    check_keys(len(job.given), job.request.keys)
    held: dict[str, Held] = {}
    for name, given in job.given.items():
        sizes = [one.size for one in held.values()]
        held[name] = given.read(job.request.reading, expect=partial(_expect, job, sizes))
        if isinstance(held[name].content, Baskets):
            raise BadInput(f"{given.words} holds baskets; a family is made of tables.")
    tables = [FamilyTable(name, tuple(_columns(one))) for name, one in held.items()]
    family = joined_tables(tables, job.request.keys, job.request.orphans)
    check_settings_of_family(job.method, {table.name: table.names for table in family.tables})
    return Original(held, family.without(job.method.drop))


def _columns(held: Held) -> Sequence[Column]:
    assert not isinstance(held.content, Baskets)  # noqa: S101 - the caller looked
    return held.content


def _split(job: Job, original: Original) -> Original:
    """The rows that the method sees, and those held back; within the memory that is allowed."""
    if not job.attackable:
        return original
    original = replace(original, reference=read_reference(job, original.data))
    holdout, randomness = job.request.holdout, job.run.randomness
    if isinstance(original.data, Baskets):
        every = original.data
        parts = split_rows(len(every), holdout, randomness)
        two = [Baskets(every.schema, every.transactions.take(rows)) for rows in parts]
        return replace(original, data=two[0], held_back=two[1]) if len(two[1]) else original
    family = original.data if isinstance(original.data, FamilyTables) else None
    kept = [] if family is not None else job.method.kept(original.data)
    _check_sensitive(job, family, kept)
    within = replace(original, budget=_budget(job, family, kept))
    if family is not None:
        parts = split_rows(family.parents, holdout, randomness)
        if not len(parts[1]):
            return within
        two_families = [family.of_parents(rows) for rows in parts]
        return replace(within, data=two_families[0], held_back=two_families[1])
    seen, back = split_table(kept, holdout, randomness)
    if not len(back):
        return within
    return replace(
        within,
        data=tuple(column.take(seen) for column in original.data),
        held_back=tuple(column.take(back) for column in kept),
    )


def _budget(job: Job, family: FamilyTables | None, kept: Sequence[Column]) -> MemoryBudget:
    """What there is memory for; a table of more rows than that is refused."""
    sizes = [(len(kept[0]), len(kept))] if family is None else [t.size for t in family.tables]
    if family is None:
        sizes = [(max(sizes[0][0], job.request.rows or 0), sizes[0][1])]
    job.run.stages.size = sizes[0]
    return MemoryBudget.within(
        job.allowed,
        *sizes,
        search_rows=searched_rows(job),
        sample_rows=SAMPLE,
    )


def searched_rows(job: Job) -> int:
    """Rows of the original in which patterns are searched, with memory enough; 0 where none are."""
    if not isinstance(job.method, GeneratorMethod):
        return 0
    return job.method.search_rows or SEARCHED["slim"]


def _check_sensitive(job: Job, family: FamilyTables | None, kept: Sequence[Column]) -> None:
    """Refuse a sensitive column that is not among those that are published."""
    every = [column.name for column in kept]
    if family is not None:
        every = list(dict.fromkeys(name for table in family.tables for name in table.names))
    if job.sensitive is not None and job.sensitive not in every:
        what = "column" if family is None else "column of the family called"
        raise UnknownName(what, job.sensitive, every)
