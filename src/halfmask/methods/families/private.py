"""Families with differential privacy: the person is a row of the parent table with her children.

One budget is divided between the tables. Of a person at most so many child rows are learnt from
(declared, or learnt from noisy numbers of children), and the noise of a child table grows with that
number. How many children a parent has is one more column of hers. Child rows are learnt beside the
columns of their parent; in which of these they must agree when they are dealt out is read off rows
that were drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Schema, Table
from halfmask.data.coding.spec import ColumnSpec
from halfmask.data.families import numbers_siblings
from halfmask.data.family_tables import ChildTable, FamilyTables
from halfmask.errors import BadInput
from halfmask.methods.families.deal import KEPT, telling_columns
from halfmask.methods.families.learn import (
    LearntChild,
    LearntFamily,
    LearntParent,
    count_names,
    own_columns,
    with_counts,
)
from halfmask.methods.private import accounting
from halfmask.methods.private.accounting import BudgetLedger, Entry
from halfmask.methods.private.domains import DOMAIN_DELTA
from halfmask.methods.private.mechanisms import RandomBits, discrete_gaussian, usable_variance
from halfmask.methods.private.method import Budget, Private
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.methods.private.sizes import bound_of, classes_of
from halfmask.run import Run

MOST_CHILDREN = 100
"""Numbers of children are counted up to here."""
MOST_BESIDE = 8
"""Columns of the parent that child rows are learnt beside: the first of the release."""
BOUNDING, OTHERS = "the bound on child rows", "the other tables of the family"
BOUND_SHARE = 0.02
"""Of the budget, for the bound of each child table."""
PARENT_SHARE = 0.4
"""Of the rest; the child tables share what is left."""


@dataclass(frozen=True, slots=True)
class _Shares:
    """What each table of a family may spend, as ρ for a person."""

    total: float
    bounds: float
    parent: float
    child: float

    @classmethod
    def of(cls, method: Private, children: int) -> _Shares:
        apart = DOMAIN_DELTA * method.delta
        total = accounting.budget_of(method.epsilon, method.delta - apart).rho
        bound = 0.0 if method.child_rows else BOUND_SHARE * total
        left = total - bound * children
        return cls(total, bound, PARENT_SHARE * left, (1 - PARENT_SHARE) * left / children)

    def budget(self, mine: float, rows: int, method: Private, tables: int) -> Budget:
        """The budget of a table of which a person has so many rows, all else entered."""
        delta = DOMAIN_DELTA * method.delta
        others = Entry(OTHERS, (self.total - mine) / rows**2, delta * (tables - 1) / tables)
        return Budget(BudgetLedger(self.total / rows**2, (others,)), delta / tables, rows)


def learn_private_family(method: Private, originals: FamilyTables, run: Run) -> LearntFamily:
    """Learn every table within one budget."""
    name, tables = originals.parent.name, 1 + len(originals.children)
    shares = _Shares.of(method, len(originals.children))
    per_person = method.rows_per_person
    parent = _learn_parent(
        method, originals, shares.budget(shares.parent, per_person, method, tables), run.apart(name)
    )
    children = []
    for child in originals.children:
        apart = run.apart(child.table.name)
        most = method.child_rows or _bound(child, shares.bounds / per_person**2, apart)
        budget = shares.budget(shares.child, per_person * most, method, tables)
        children.append(_learn_child(method, name, child, parent, most, budget, apart))
    assert isinstance(parent.model, NoisyModel)  # noqa: S101 - what was just learnt
    guessed = [*parent.model.guessed]
    for one in children:
        guessed += one.model.guessed if isinstance(one.model, NoisyModel) else ()
    model = replace(parent.model, guessed=tuple(dict.fromkeys(guessed)))
    return LearntFamily(name, replace(parent, model=model), tuple(children))


def _bound(child: ChildTable, rho: float, run: Run) -> int:
    """The fewest rows of a parent that keep most child rows, as noisy numbers of children say."""
    seed = run.randomness.key("private bound") if run.randomness.seeded else None
    counts = classes_of(child.link.counts)
    variance = usable_variance(accounting.gaussian_sigma(rho))
    noisy = counts + discrete_gaussian(variance, len(counts), RandomBits(seed))
    return bound_of(noisy, float(variance) ** 0.5, KEPT)


def _learn_parent(
    method: Private, originals: FamilyTables, budget: Budget, run: Run
) -> LearntParent:
    names = count_names(originals)
    key = originals.children[0].keys.parent
    counted = ColumnSpec(kind="number", range=("0", str(MOST_CHILDREN)))
    more = {key: ColumnSpec(kind="key"), **dict.fromkeys(names, counted)}
    settings = _restricted(method, [*originals.parent.names, *names], more)
    fitted = settings.fit(with_counts(originals, names, MOST_CHILDREN), run, budget)
    lacking = [name for name in names if name not in fitted.original.schema.names]
    if lacking:
        raise BadInput(
            f"The {lacking[0]} cannot be learnt at an epsilon of {method.epsilon:g}; raise it."
        )
    model = replace(fitted.model, person=_person(originals.parent.name))
    return LearntParent(fitted.original, fitted.encoding, model, names, MOST_CHILDREN)


def _person(parent: str) -> str:
    return f"one row of {parent!r} with all rows of the other tables that belong to it"


def _learn_child(  # noqa: PLR0913, PLR0917 - a table, its parent, and what may be spent
    method: Private,
    name: str,
    child: ChildTable,
    parent: LearntParent,
    most: int,
    budget: Budget,
    run: Run,
) -> LearntChild:
    rows = child.link.at_most(most, run.randomness.child("rows that are learnt from"))
    link = child.link.take(rows)
    numbering = _numbering(child, method)
    own = [column.take(rows) for column in own_columns(child, numbering)]
    beside = tuple(range(len(parent.table.schema)))[:MOST_BESIDE]
    context = parent.context(name, parent.table.take(link.parent_of), beside)
    more = {column.name: _category(parent, i) for i, column in zip(beside, context, strict=True)}
    names = [column.name for column in (*context, *own)]
    fitted = _restricted(method, names, more).fit([*context, *own], run, budget)
    guessed = (*fitted.model.guessed, *numbering)
    model = replace(fitted.model, guessed=guessed, person=_person(name))
    if len(fitted.original.schema) <= len(context):
        raise BadInput(f"No column of {child.table.name!r} can be learnt at this epsilon.")
    return LearntChild(
        table=fitted.original,
        encoding=fitted.encoding,
        model=model,
        link=link,
        most=most,
        parents=parent.model.min_support,
        context=beside,
        look=fitted.encoding,
        before=None,
        numbering=numbering,
        agreeing=_telling(model.schema, model.drawn, len(beside)),
    )


def _telling(schema: Schema, drawn: NDArray[np.int32], width: int) -> tuple[int, ...]:
    """The columns of the context that tell most of a child, as rows drawn from the model say."""
    sides = [
        Table(Schema(schema.attributes[part]), np.asfortranarray(drawn[:, part]))
        for part in (slice(0, width), slice(width, None))
    ]
    return tuple(telling_columns(*sides))


def _category(parent: LearntParent, column: int) -> ColumnSpec:
    """A column of the parent beside a child: what it can hold is known from her model."""
    values = parent.table.schema.attributes[column].values
    return ColumnSpec(kind="category", values=tuple(v for v in values if v is not None))


def _numbering(child: ChildTable, method: Private) -> dict[str, int]:
    """Columns that number the children of a parent; where none is declared, as the data say."""
    declared = method.spec.columns
    return {
        column.name: first
        for column in child.table.columns
        if column.name != child.keys.child
        and column.name not in declared
        and (first := numbers_siblings(column, child.link)) is not None
    }


def _restricted(method: Private, names: Sequence[str], more: Mapping[str, ColumnSpec]) -> Private:
    """The same settings as far as they speak of these columns."""
    spec = method.spec
    columns = {name: said for name, said in spec.columns.items() if name in names}
    return replace(
        method,
        drop=(),
        categorical=[name for name in method.categorical if name in names],
        schema=replace(spec, columns={**columns, **more}, hide_together=()),
    )
