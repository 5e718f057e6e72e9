"""Measure: what a release kept of its original and what it gave away, beside its promise."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import msgspec

from halfmask.data import Assortment, Baskets, Column, Countable, Encoding, Table
from halfmask.data.coding.alignment import check_common_values, check_same_columns
from halfmask.data.coding.kinds import Plan, plan_each
from halfmask.data.coding.spec import TableSpec
from halfmask.data.family_tables import FamilyTables
from halfmask.documents.schema import table_spec
from halfmask.errors import BadInput
from halfmask.io.forms import FileOptions, PathLike
from halfmask.io.frames import ARROW, FrameForm, frame_of_rows
from halfmask.io.given import Given, columns_of, form_or_none, stacked
from halfmask.measures import MEASURES, Comparison, Readings, Unmeasured, compare
from halfmask.measures.counted import counted_comparison, read_counted
from halfmask.memory import Memory
from halfmask.methods.families.method import MadeFamily
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.hiding.sensitive import parse_sensitive
from halfmask.methods.method import OF_BASKETS, ON_BASKETS, Made
from halfmask.methods.tables import without
from halfmask.patterns.mining import absolute_support
from halfmask.publishing.beside import answering, generalised
from halfmask.publishing.family_measures import AskedOfFamily, FamilyComparison, FamilySide
from halfmask.publishing.job import Job
from halfmask.publishing.original import Original
from halfmask.publishing.white_box import told_counts
from halfmask.randomness import Randomness
from halfmask.run import thread_count


@dataclass(frozen=True)
class Measured(Readings):
    """Readings that know which kind of dataframe they were asked about."""

    form: FrameForm = field(default=ARROW, repr=False)

    def to_frame(self) -> Any:
        """One row for each measure, blanks included, as the caller's kind of dataframe."""
        return frame_of_rows(self.to_rows(), like=self.form)

    def to_json(self) -> str:
        """Everything, particulars included."""
        return msgspec.json.format(msgspec.json.encode(self.to_dict())).decode()


def floor_of(job: Job, made: Made) -> int:
    """Nothing that fewer original rows hold is named."""
    if isinstance(made.model, GeneratorModel):
        return made.model.min_support
    return absolute_support(job.method.min_support, round(made.original.size))


def measure(job: Job, original: Original, made: Made, comparison: Comparison) -> Readings:
    """The readings of one release: those that its method declares, or all default ones."""
    job.run.stages.begin("measuring")
    names = job.method.measures.get(original.kind)
    white_box = ("tracing_model",) if job.request.audit_model else ()
    if names is None:
        defaults = [measure.name for measure in MEASURES if measure.default]
        return compare(comparison, [*defaults, *white_box], progress=job.run.stages.within)
    asked = (*names, *white_box, *(() if job.request.ds_at_most is None else ("ds",)))
    return read_counted(comparison, made.coded, asked, made.secrets)


def compared(job: Job, original: Original, made: Made) -> Comparison:
    """The original beside its release, and beside rows that the method never saw."""
    run = job.run
    told = told_counts(made.model) if job.request.audit_model else None
    if not made.is_drawn:
        counted = counted_comparison(
            made.original,
            made.counted,
            holdout=original.held_back,
            min_support=floor_of(job, made),
            randomness=run.randomness,
            threads=run.threads,
        )
        return replace(counted, reference=original.reference, model_counts=told)
    held_back, per_row = original.held_back, made.release.record.get("patterns_per_row")
    assert isinstance(made.original, Table)  # noqa: S101 - a generator learns tables
    assert made.encoding is not None  # noqa: S101 - idem
    return Comparison(
        made.original,
        made.release,
        None if held_back is None else made.encoding.encode(held_back, unknown="leave out"),
        reference=_reference(original, made.original, made.encoding),
        model_counts=told,
        randomness=run.randomness,
        sensitive=job.sensitive,
        keys=job.known_columns,
        min_support=made.model.value_support,
        drawn_per_row=float(per_row) if isinstance(per_row, int | float) else None,
        threads=run.threads,
        sample_rows=original.sample_rows,
    )


def _reference(original: Original, coded: Table, encoding: Encoding) -> Table | None:
    """The reference rows in the codes of the release; a column that fits nowhere is refused."""
    if original.reference is None:
        return None
    table = encoding.encode(original.reference, unknown="leave out")
    check_common_values(coded, table, "reference")
    return table


def measure_family(
    job: Job, original: Original, made: MadeFamily
) -> tuple[dict[str, Readings], dict[str, Readings]]:
    """The readings of each table, and those of how parents and children belong together."""
    job.run.stages.begin("measuring")
    family, learnt = original.data, made.learnt
    assert isinstance(family, FamilyTables)  # noqa: S101 - what a family is made of
    back = None if original.held_back is None else FamilySide.of(original.held_back, learnt)
    sides = FamilyComparison(
        learnt,
        FamilySide.of(family, learnt),
        FamilySide.drawn(made.drawn),
        back,
        AskedOfFamily(
            job.sensitive,
            job.method.spec.with_role("quasi-identifier"),
            of_models=job.request.audit_model,
        ),
        job.run,
        original.sample_rows,
    )
    tables = {family.parent.name: sides.of_parents(made.drawn.parents.release.record)}
    between = {}
    for n, (child, rows) in enumerate(zip(family.children, made.drawn.children, strict=True)):
        name = child.table.name
        tables[name] = sides.of_children(n, name, rows.release.record)
        between[name] = sides.of_families(n, name)
    return tables, between


def measure_files(original: Any, release: Any, **options: Any) -> Measured:
    """Say what a release kept of its original and what it gave away.

    Both are dataframes or files of tables, or baskets or files of them. `only` names the measures
    to take (the default set takes seconds), `holdout` is original rows that the release never saw,
    `min_support` the rows that something must have to be named, `seed` and `threads` are as in
    `publish`, and `reading` says how text files are written.

    Of tables: `sensitive` is the column that an attacker wants, `keys` those that he knows, `drop`
    those that are left out, `schema` says what the columns are, and `memory` is what may be used.
    Numbers and dates are compared in bins of the original; keys, and columns that a release
    rightly leaves out, are not compared.

    Of baskets: `beside` is the table published with the release (its channel, its anatomy or its
    unknown cells), `hierarchy` the text of the hierarchy of generalised items: with them the
    release answers for the original's supports. `hide` is the text of the patterns that were to be
    hidden.

    >>> rows = Baskets.of([["beer", "crisps"], ["tea"], ["beer"], ["crisps", "tea"]] * 50)
    >>> measure_files(rows, rows, only=["nas"], seed=1)["nas"].value
    1.0
    """
    of_baskets = Given(original).holds_baskets(options.get("reading"))
    return (_of_baskets if of_baskets else _of_tables)(original, release, **options)


def _of_tables(  # noqa: PLR0913 - what is compared, and under which questions
    original: Any,
    release: Any,
    *,
    holdout: Any = None,
    sensitive: str | None = None,
    keys: Sequence[str] = (),
    drop: Sequence[str] = (),
    min_support: int = 10,
    only: Sequence[str] | None = None,
    seed: int | None = None,
    threads: int | None = None,
    reading: FileOptions | None = None,
    schema: PathLike | TableSpec | None = None,
    memory: str | int | None = None,
) -> Measured:
    allowed, sizes = Memory.of(memory), list[tuple[int, int]]()

    def read(source: Any) -> Sequence[Column]:
        columns = columns_of(source, reading, partial(_expect, allowed, sizes))
        sizes.append((len(columns[0]), len(columns)))
        return columns

    known = without(read(original), drop)
    released = without(read(release), drop, strict=False)
    # Few rows are cut into bins that fewer share: the bins are a ruler here, nothing is published.
    floor = min(min_support, max(1, len(known[0]) // 20))
    roles = table_spec(schema)
    plans = plan_each(known, roles, floor=floor)
    ignored = _not_compared(plans, {column.name for column in released})
    known, released = (without(side, ignored, strict=False) for side in (known, released))
    held_back = None if holdout is None else without(read(holdout), (*drop, *ignored), strict=False)
    check_same_columns(known, released, "release")
    if held_back is not None:
        check_same_columns(known, held_back, "hold-out")
    whole = known if held_back is None else stacked(known, held_back)
    encoding = Encoding.align(whole, released, min_support=floor, plans=plans)
    tables = [encoding.encode(columns) for columns in (known, released, held_back) if columns]
    for table, what in zip(tables[1:], ("release", "hold-out"), strict=False):
        check_common_values(tables[0], table, what)
    comparison = Comparison(
        *tables,
        randomness=Randomness(seed),
        sensitive=sensitive or next(iter(roles.with_role("sensitive")), None),
        keys=tuple(keys or roles.with_role("quasi-identifier")),
        min_support=min_support,
        threads=thread_count(threads),
    )
    return Measured(compare(comparison, only).items, form_or_none(original) or ARROW)


def _expect(allowed: Memory, before: Sequence[tuple[int, int]], rows: int, columns: int) -> None:
    """Refuse a table of about so many rows beside those that are read already."""
    allowed.beside(*before, (rows, columns), about=True, drawn=False)


def _not_compared(plans: Mapping[str, Plan], released: Collection[str]) -> tuple[str, ...]:
    """Keys, which mean nothing, and columns that a release is right to leave out."""
    return tuple(
        name
        for name, plan in plans.items()
        if plan.fate == "key" or (plan.fate == "drop" and name not in released)
    )


def _of_baskets(  # noqa: PLR0913 - what is compared, and under which questions
    original: Any,
    release: Any,
    *,
    holdout: Any = None,
    beside: PathLike | None = None,
    hierarchy: str | None = None,
    hide: str | None = None,
    min_support: int = 10,
    only: Sequence[str] | None = None,
    seed: int | None = None,
    threads: int | None = None,
    reading: FileOptions | None = None,
) -> Measured:
    first, second = _read(original, reading), _read(release, reading)
    third = None if holdout is None else _read(holdout, reading)
    if hierarchy is not None:
        counted: Countable = generalised(first.schema, second, hierarchy)
    else:
        parts = [part for part in (first, second, third) if part is not None]
        schema = Assortment(tuple(dict.fromkeys(n for part in parts for n in part.schema.names)))
        first, second = first.over(schema), second.over(schema)
        third = None if third is None else third.over(schema)
        counted = second if beside is None else answering(second, beside)
    secrets = () if hide is None else parse_sensitive(hide, first.schema).all_itemsets
    others = [measure.name for measure in MEASURES if measure.of_one_method]
    comparison = counted_comparison(
        first,
        counted,
        holdout=third,
        min_support=min_support,
        randomness=Randomness(seed),
        threads=thread_count(threads),
    )
    attacks = () if third is None else ON_BASKETS
    found = read_counted(comparison, second, only or (*OF_BASKETS, *attacks, *others), secrets)
    # A measure of another method is worth a word only when it was asked for.
    told = (i for i in found if only or not (isinstance(i, Unmeasured) and i.name in others))
    return Measured(tuple(told), ARROW)


def _read(source: Any, reading: FileOptions | None) -> Baskets:
    found = Given(source).read(reading).content
    if not isinstance(found, Baskets):
        raise BadInput(f"{Given(source).words} holds a table; the other side holds baskets.")
    return found
