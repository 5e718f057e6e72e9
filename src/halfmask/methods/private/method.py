"""Private releases as a method: differential privacy, number of rows and domains included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from halfmask.data import Column, Encoding, Schema, Table
from halfmask.data.coding.filling import Filling
from halfmask.data.coding.kinds import Plan
from halfmask.data.column import Labelled
from halfmask.data.rows import Rows
from halfmask.data.schema import Key
from halfmask.errors import BadInput, UnknownName
from halfmask.methods.method import DataKind, Made
from halfmask.methods.private import accounting
from halfmask.methods.private.accounting import BudgetLedger
from halfmask.methods.private.candidates import SelectSettings
from halfmask.methods.private.domains import (
    DOMAIN_DELTA,
    Asker,
    Domain,
    DomainPrices,
    learn_domains,
)
from halfmask.methods.private.forms import ColumnForm, forms_of
from halfmask.methods.private.log import PoolSettings
from halfmask.methods.private.mechanisms import RandomBits
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.methods.private.select import ask_rows, learn
from halfmask.methods.private.settings import PrivateSettings
from halfmask.methods.private.trees import TreeSettings
from halfmask.methods.settings import setting
from halfmask.methods.tables import MOST_COLUMNS, RowsHere, TableMethod, UncodedRows
from halfmask.patterns.mining import absolute_support
from halfmask.run import Run


@dataclass(kw_only=True, eq=False)
class Private(PrivateSettings, TableMethod):
    """New rows drawn from tables with noise, with differential privacy for every person."""

    name: ClassVar[str] = "private"
    summary: ClassVar[str] = (
        "New rows drawn from counts with noise; promises differential privacy (--epsilon alone "
        "chooses it)."
    )
    kinds: ClassVar[tuple[DataKind, ...]] = ("table", "family")
    listens: ClassVar[frozenset[str]] = frozenset(
        {
            "rows",
            "holdout",
            "leak_at_most",
            "sensitive",
            "memory",
            "max_time",
            "no_trade_off",
            "child",
            "key",
            "orphans",
        }
    )
    hides_size: ClassVar[bool] = True

    min_support: float = setting(
        10,
        "List only patterns that so many drawn rows hold, and name only values that so many rows "
        "hold in the internal report; the promise does not depend on it.",
        form="support", group="privacy",
    )  # fmt: skip
    target: str | None = setting(
        None,
        "The column that readers will predict: spend more of the budget on how it depends on the "
        "others.",
        metavar="COLUMN",
    )
    child_rows: int | None = setting(
        None,
        "Learn from so many child rows of a person at most, in each child table of a family: fewer "
        "need less noise. Learnt within the budget by default.",
        form="whole", least=1, most=100, group="privacy",
    )  # fmt: skip
    pool: PoolSettings | None = setting(
        None, "How the rows that stand for the model are kept; fewer are faster and less exact.",
        form="object", group="running",
    )  # fmt: skip

    def fit(
        self, data: Sequence[Column] | UncodedRows, run: Run, budget: Budget | None = None
    ) -> PrivateFit:
        """Ask the table within the budget; what comes back holds its rows only as `original`.

        The tables of a family each have a part of one budget.
        """
        rows = RowsHere(data) if isinstance(data, Sequence) else data
        kept = [column.in_order() for column in self.kept(rows.columns)]
        if len(kept) > MOST_COLUMNS:
            raise BadInput(
                f"The table has {len(kept):,} columns and a model takes at most {MOST_COLUMNS:,}; "
                "leave columns out (--drop)."
            )
        names = [column.name for column in kept]
        if self.target is not None and self.target not in names:
            raise UnknownName("column", self.target, names)
        floor = absolute_support(self.min_support, len(kept[0]))
        forms = forms_of(kept, self.described(names), floor=floor)
        seed = run.randomness.key("private noise") if run.randomness.seeded else None
        bits, named = RandomBits(seed), {c.name: c for c in kept}
        within = budget or Budget.of(self, forms)
        return _Fitting(self, forms, rows, named, bits, run, within).fitted()

    def make(self, data: Any, run: Run) -> Made:
        """Learn the columns of a table within the budget, and draw a release."""
        run.stages.begin("searching patterns")
        fitted = self.fit(data, run)
        run.stages.begin("drawing")
        seeded = run.randomness.seeded
        release = fitted.model.sampled(run.rows, fitted.model.log.key, seeded=seeded)
        assert isinstance(release.data, Table)  # noqa: S101 - it draws tables
        return Made(
            replace(release, notes=fitted.notes),
            fitted.original,
            Filling(release.data, run.randomness),
            release.data,
            model=fitted.model,
            encoding=fitted.encoding,
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent on one table."""

    ledger: BudgetLedger
    """For one row, with what is spent elsewhere."""
    delta: float
    """That values of categories may take."""
    rows: int
    """The most rows of a person."""

    @classmethod
    def of(cls, method: Private, forms: Sequence[ColumnForm]) -> Budget:
        """All that a method may spend, for a single table."""
        rows = method.rows_per_person
        learning = any(form.fate == "category" and not form.values for form in forms)
        apart = DOMAIN_DELTA * method.delta if learning else 0.0
        return cls(accounting.budget_of(method.epsilon, method.delta - apart, rows), apart, rows)


@dataclass(frozen=True, eq=False)
class PrivateFit:
    """What a fit leaves: the model, which is private, and what the house may compare it with."""

    model: NoisyModel
    original: Any
    """The coded rows: a table, or what counts them where they lie."""
    encoding: Encoding
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Fitting:
    """One fit: the budget is divided, domains are learnt, then tables."""

    method: Private
    forms: Sequence[ColumnForm]
    rows: UncodedRows
    columns: dict[str, Labelled]
    bits: RandomBits
    run: Run
    budget: Budget

    def fitted(self) -> PrivateFit:
        """Domains first, then everything else with what is left."""
        taking = [form for form in self.forms if form.fate in ("ordered", "category")]
        _check_taking(taking, self.forms, self.method.target)
        count = len(next(iter(self.columns.values())))
        about_rows, ledger = ask_rows(count, self.budget.ledger, self.bits)
        ledger, domains = self._domains(taking, about_rows, ledger)
        used = {name: domain for name, domain in domains.items() if domain is not None}
        if not used:
            raise BadInput(
                "No value of any column is held by so many rows that it could be learnt at an "
                f"epsilon of {self.method.epsilon:g}; declare what can be in a schema "
                "(`halfmask schema init --public`), or raise epsilon."
            )
        target = self.method.target
        if target is not None and target not in used:
            raise BadInput(f"{_nothing_learnt(target)}, so it cannot be the target.")
        schema = Schema(tuple(d.attribute for d in used.values()), self._keys(used))
        plans = {f.name: self._plan(f) for f in self.forms if f.name not in used}
        encoding = Encoding(schema, tuple(d.code_of for d in used.values()), (), plans)
        original = self.rows.table(encoding)
        model = self._learnt(original, about_rows, ledger)
        return PrivateFit(model, original, encoding, self._notes(used))

    def _domains(
        self, taking: Sequence[ColumnForm], about_rows: float, ledger: BudgetLedger
    ) -> tuple[BudgetLedger, dict[str, Domain | None]]:
        budget, prices = self.budget, DomainPrices.of(taking)
        clarity = about_rows / accounting.gaussian_sigma(ledger.left)
        tables = self._select(len(taking), None).tables_to_measure(len(taking), clarity)
        each = budget.delta / max(prices.categories, 1) / budget.rows
        asker = Asker(ledger, self.bits, ledger.left / (tables + prices.tables), each, budget.rows)
        domains = learn_domains(taking, self.columns, asker)
        return asker.ledger, domains

    def _select(self, columns: int, target: int | None) -> SelectSettings:
        tree = None if target is None or columns < 3 else TreeSettings()
        return SelectSettings(target=target, tree=tree)

    def _learnt(self, original: Rows, about_rows: float, ledger: BudgetLedger) -> NoisyModel:
        method, schema = self.method, original.schema
        target = None if method.target is None else schema.position(method.target)
        log, model = learn(
            original,
            epsilon=method.epsilon,
            delta=method.delta,
            select=self._select(len(schema), target),
            pool=replace(method.pool or PoolSettings(), threads=self.run.threads),
            bits=self.bits,
            ledger=ledger,
            about_rows=about_rows,
            progress=self.run.progress,
        )
        return NoisyModel(
            schema,
            log,
            absolute_support(method.min_support, log.rows),
            rows_per_person=self.budget.rows,
            guessed=tuple(f.name for f in self.forms if not f.told),
            target=method.target,
            learnt=model,
        )

    def _keys(self, used: dict[str, Domain]) -> tuple[Key, ...]:
        """The key columns, made anew, each in its place among the columns of the release."""
        shown = [f for f in self.forms if f.name in used or f.fate == "key"]
        return tuple(
            Key(f.name, place, f.storage, "number" if f.storage.startswith("int") else "text")
            for place, f in enumerate(shown)
            if f.fate == "key"
        )

    def _plan(self, form: ColumnForm) -> Plan:
        if form.fate == "key":
            return Plan(form.name, "key", "key", "it identifies every row")
        return Plan(form.name, "text", "drop", form.reason or _nothing_learnt(form.name))

    def _notes(self, used: dict[str, Domain]) -> tuple[str, ...]:
        """What was learnt of the columns."""
        learnt = [f"{name!r} ({d.learnt})" for name, d in used.items() if d.learnt]
        return (f"Learnt within the budget: {', '.join(learnt)}.",) if learnt else ()


def _nothing_learnt(name: str) -> str:
    return (
        f"no value of column {name!r} could be learnt at this epsilon; declare its values in a "
        "schema (values = [...])"
    )


def _check_taking(
    taking: Sequence[ColumnForm], forms: Sequence[ColumnForm], target: str | None
) -> None:
    if not taking:
        reasons = ", ".join(f"{f.name!r} ({f.reason or f.fate})" for f in forms[:8])
        raise BadInput(f"No column can be published: {reasons}.")
    if target is not None and target not in {form.name for form in taking}:
        raise BadInput(f"Column {target!r} is not published, so it cannot be the target.")
