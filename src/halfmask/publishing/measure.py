"""Measure: what a release kept of its original and what it gave away, beside its promise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from halfmask.data import Baskets, Encoding, Table
from halfmask.data.coding.alignment import check_common_values
from halfmask.data.family_tables import FamilyTables
from halfmask.measures import MEASURES, Comparison, Readings, compare
from halfmask.measures.counted import counted_comparison, read_counted
from halfmask.memory import give_back
from halfmask.methods.families.method import MadeFamily
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.method import Made
from halfmask.patterns.mining import absolute_support
from halfmask.publishing.family_measures import AskedOfFamily, FamilyComparison, FamilySide
from halfmask.publishing.job import Job
from halfmask.publishing.original import Original
from halfmask.publishing.white_box import told_counts


def floor_of(job: Job, made: Made) -> int:
    """Nothing that fewer original rows hold is named."""
    if isinstance(made.model, GeneratorModel):
        return made.model.min_support
    return absolute_support(job.method.min_support, round(made.original.size))


def measure(job: Job, original: Original, made: Made, comparison: Comparison) -> Readings:
    """The readings of one release: those that its method declares, or all default ones."""
    job.run.stages.begin("measuring")

    def read(done: int, total: int) -> bool:
        give_back()  # what a search or an attack took, before the next begins
        return job.run.stages.within(done, total)

    names = job.method.measures.get(original.kind)
    white_box = ("tracing_model",) if job.request.audit_model else ()
    moved = () if job.request.moved_at_most is None else ("supports_moved",)
    if names is None:
        defaults = [measure.name for measure in MEASURES if measure.default]
        return compare(comparison, [*defaults, *white_box, *moved], progress=read)
    asked = (*names, *white_box, *moved, *(() if job.request.ds_at_most is None else ("ds",)))
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
        delta = job.request.moved_by
        return replace(counted, reference=original.reference, model_counts=told, delta=delta)
    held_back, per_row = original.held_back, made.release.record.get("patterns_per_row")
    assert not isinstance(made.original, Baskets)  # noqa: S101 - a generator learns tables
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
        delta=job.request.moved_by,
        candidates=getattr(job.method, "candidates", "all"),
        # The papers read DS at the support at which they learn, however long that takes.
        evaluation_support=floor_of(job, made) if _as_published(job) else None,
        threads=run.threads,
        sample_rows=round(made.original.size) if _as_published(job) else original.sample_rows,
    )


def _as_published(job: Job) -> bool:
    return isinstance(job.method, GeneratorMethod) and job.method.as_published


def _reference(original: Original, coded: Any, encoding: Encoding) -> Table | None:
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
        None if original.reference is None else FamilySide.of(original.reference, learnt),
    )
    tables = {family.parent.name: sides.of_parents(made.drawn.parents.release.record)}
    between = {}
    for n, (child, rows) in enumerate(zip(family.children, made.drawn.children, strict=True)):
        name = child.table.name
        tables[name] = sides.of_children(n, name, rows.release.record)
        between[name] = sides.of_families(n, name)
    return tables, between
