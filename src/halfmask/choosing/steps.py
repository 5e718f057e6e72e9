"""The three steps: try everything on a generic database, make test databases, ask the asset.

[Bertino & Nai Fovino, Information Driven Evaluation of Data Hiding Algorithms, 2005, section 5]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from halfmask.assets.lacks import Form
from halfmask.choosing.candidates import Candidate, Unsuitable
from halfmask.choosing.databases import Generic
from halfmask.choosing.making import Database
from halfmask.choosing.preselection import (
    General,
    Thresholds,
    Tried,
    fit_growth,
    preselect,
    sizes_up_to,
)
from halfmask.choosing.ranking import LackWeights, Ranking, rank
from halfmask.choosing.secrets import Secrets, draw_secrets, with_thresholds
from halfmask.choosing.selection import Choice, Setup
from halfmask.choosing.trial import Lacks, Trial, TrialOutcome, digest_of
from halfmask.data import Table
from halfmask.errors import BadInput, NotMeasurable, TargetNotMet
from halfmask.methods.names import as_baskets


class Bench(Protocol):
    """Where trials are run; the outcomes come in the order of the trials."""

    def run(self, trials: Sequence[Trial], what: str) -> list[TrialOutcome]:
        """Run the trials of one step."""
        ...


@dataclass(frozen=True, eq=False)
class Databases:
    """What the methods are tried on; the target is not among it."""

    generic: Database
    tests: tuple[Database, ...]


@dataclass(frozen=True, slots=True)
class ChoicePlan:
    """What is asked."""

    candidates: tuple[Candidate, ...]
    unsuitable: tuple[Unsuitable, ...]
    secrets: Secrets
    informations: tuple[str, ...]
    asset: str
    """The digest of the asset."""
    generic: Generic = "stand-in"
    thresholds: Thresholds = field(default_factory=Thresholds)
    weights: LackWeights = field(default_factory=LackWeights)
    min_support: int = 10


def select(plan: ChoicePlan, databases: Databases, bench: Bench) -> Choice:
    """Take the candidates through the three steps."""
    tests = databases.tests
    secrets = with_thresholds(plan.secrets, tests[0])
    sizes = sizes_up_to(len(databases.generic))
    tried = _try_all(plan, databases.generic, _generic_secrets(plan, databases, secrets), bench)
    if not any(one.general for one in tried):
        raise BadInput(
            f"All {len(tried)} candidates failed; {tried[0].candidate.name}: {tried[0].fell}"
        )
    tried = preselect(tried, plan.thresholds, hiding=bool(len(secrets)))
    if not any(one.kept for one in tried):
        raise TargetNotMet(
            f"No candidate is acceptable on the generic database; "
            f"{tried[0].candidate.name}: {tried[0].fell}"
        )
    tried, rankings = _ask_asset(plan, tried, tests, secrets, bench)
    setup = Setup(
        kind="table" if isinstance(tests[0], Table) else "baskets",
        generic=plan.generic,
        generic_rows=len(databases.generic),
        sizes=sizes,
        test_rows=len(tests[0]),
        draws=len(tests),
        patterns=len(secrets),
        hide_support=secrets.min_support,
        hide_confidence=secrets.min_confidence,
        min_support=plan.min_support,
        thresholds=plan.thresholds,
        weights=plan.weights,
        informations=plan.informations,
    )
    return Choice(setup, tried, plan.unsuitable, rankings)


def _generic_secrets(plan: ChoicePlan, databases: Databases, secrets: Secrets) -> Secrets:
    """The steward's on a stand-in; others like them on a database with other items."""
    generic = databases.generic
    if plan.generic == "stand-in":
        return secrets
    rows = as_baskets(generic) if isinstance(generic, Table) else generic
    drawn = draw_secrets(rows, secrets) if len(secrets) else secrets
    if secrets.hierarchy:
        groups = "" if isinstance(generic, Table) else _in_groups(rows.schema.names)
        drawn = replace(drawn, hierarchy=groups)
    if secrets.column is None or not isinstance(generic, Table):
        return drawn
    assert isinstance(databases.tests[0], Table)  # noqa: S101 - tables are tried on tables
    position = databases.tests[0].schema.position(secrets.column)
    return replace(drawn, column=generic.schema.names[position])


def _in_groups(names: Sequence[str], size: int = 10) -> str:
    """A hierarchy for a generic database, which has other items: groups of ten, and all.

    >>> _in_groups(["a", "b", "c"], 2).splitlines()
    ['"a", "b" -> group 1', '"c" -> group 2', 'group 1, group 2 -> all items']
    """
    parts = [names[start : start + size] for start in range(0, len(names), size)]
    quoted = [", ".join(f'"{name}"' for name in part) for part in parts]
    groups = [f"group {number}" for number in range(1, len(parts) + 1)]
    lines = [f"{part} -> {group}" for part, group in zip(quoted, groups, strict=True)]
    return "\n".join([*lines, f"{', '.join(groups)} -> all items"])


def _try_all(
    plan: ChoicePlan, generic: Database, secrets: Secrets, bench: Bench
) -> tuple[Tried, ...]:
    """Step 1: every candidate at every size; the readings come from the largest."""
    sizes, digest = sizes_up_to(len(generic)), digest_of(generic)
    trials = [
        Trial(candidate, digest, rows, secrets, plan.min_support, measured=rows == sizes[-1])
        for candidate in plan.candidates
        for rows in sizes
    ]
    outcomes = bench.run(trials, "generic database")
    found = []
    for n, candidate in enumerate(plan.candidates):
        found.append(_tried(candidate, sizes, outcomes[n * len(sizes) : (n + 1) * len(sizes)]))
    return tuple(found)


def _tried(candidate: Candidate, sizes: Sequence[int], outcomes: Sequence[TrialOutcome]) -> Tried:
    last = outcomes[-1]
    if last.failed is not None or last.seconds is None or last.readings is None:
        return Tried(candidate, None, f"It failed on {sizes[-1]:,} rows: {last.failed}")
    timed = [(n, o.seconds) for n, o in zip(sizes, outcomes, strict=True) if o.seconds]
    try:
        growth = fit_growth([n for n, _ in timed], [t for _, t in timed])
    except NotMeasurable:
        growth = None
    return Tried(candidate, General(last.seconds, growth, last.readings))


def _ask_asset(
    plan: ChoicePlan,
    tried: Sequence[Tried],
    tests: Sequence[Database],
    secrets: Secrets,
    bench: Bench,
) -> tuple[tuple[Tried, ...], tuple[Ranking, ...]]:
    """Step 3: the kept candidates on every test database, held against the asset."""
    kept = [one.candidate for one in tried if one.kept]
    trials = [
        Trial(candidate, digest_of(test), len(test), secrets, plan.min_support, asset=plan.asset)
        for candidate in kept
        for test in tests
    ]
    outcomes = bench.run(trials, "test databases")
    by_name = {
        candidate.name: outcomes[n * len(tests) : (n + 1) * len(tests)]
        for n, candidate in enumerate(kept)
    }
    failed = {
        name: next((o.failed for o in found if o.failed is not None), None)
        for name, found in by_name.items()
    }
    tried = tuple(
        replace(one, fell=one.fell or _failed_later(failed.get(one.candidate.name)))
        for one in tried
    )
    if all(failed.values()):
        name, reason = next(iter(failed.items()))
        raise BadInput(f"All candidates failed on the test database; {name}: {reason}")
    forms: tuple[Form, ...] = ("aligned", "free")
    rankings = [rank(form, _lacks(form, by_name, failed), plan.weights) for form in forms]
    return tried, tuple(ranking for ranking in rankings if ranking is not None)


def _failed_later(reason: str | None) -> str | None:
    return None if reason is None else f"It failed on a test database: {reason}"


def _lacks(
    form: Form, by_name: dict[str, list[TrialOutcome]], failed: dict[str, str | None]
) -> dict[str, list[Lacks]]:
    return {
        name: [outcome.lacks[form] for outcome in found]
        for name, found in by_name.items()
        if failed[name] is None and all(form in outcome.lacks for outcome in found)
    }
