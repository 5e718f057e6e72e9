"""Families with differential privacy: one budget, a person with her children, and an attack."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from halfmask.data import Column
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.data.family_tables import FamilyTable, joined_tables
from halfmask.errors import BadInput
from halfmask.measures.audit import audit_worlds
from halfmask.methods.families import private
from halfmask.methods.families.method import make_family
from halfmask.methods.families.private import OTHERS, learn_private_family
from halfmask.methods.private.accounting import rho_of
from halfmask.methods.private.log import PoolSettings
from halfmask.methods.private.method import Budget, Private
from halfmask.methods.private.promise import spent_epsilon
from halfmask.randomness import Randomness
from halfmask.run import Run

TINY = PoolSettings(rows=300, last_rows=300, last_rounds=0, rounds=1)
QUICK = PoolSettings(rows=3_000, last_rows=6_000, last_rounds=4)
DECLARED = TableSpec(
    {
        "sex": ColumnSpec(values=("f", "m")),
        "ill": ColumnSpec(values=("no", "yes")),
        "paid": ColumnSpec(values=("cash", "card")),
    }
)


def family(parents=3_000, canary=0, seed=1):
    """People with up to three visits; men are ill more often; a canary has visits of her own."""
    rng = np.random.default_rng(seed)
    sex = [*("fm"[s] for s in rng.integers(2, size=parents)), *["f"] * (canary > 0)]
    ids = [f"p{i}" for i in range(len(sex))]
    visits = [*rng.integers(4, size=parents).tolist(), *[canary] * (canary > 0)]
    of = [i for i, n in zip(ids, visits, strict=True) for _ in range(n)]
    ill = [
        "yes" if rng.random() < (0.6 if s == "m" else 0.1) else "no"
        for s, n in zip(sex[:parents], visits[:parents], strict=True)
        for _ in range(n)
    ] + ["yes"] * canary
    paid = ["cash"] * (len(of) - canary) + ["card"] * canary
    tables = [
        FamilyTable("people", (Column.of("id", ids), Column.of("sex", sex))),
        FamilyTable(
            "visits", (Column.of("id", of), Column.of("ill", ill), Column.of("paid", paid))
        ),
    ]
    return joined_tables(tables, ("id",), "refuse")


def method(**more):
    return Private(**{"epsilon": 3.0, "schema": DECLARED, "pool": QUICK, **more})


@pytest.fixture(scope="module")
def learnt():
    return learn_private_family(method(), family(6_000), Run(Randomness(1)))


def test_all_tables_together_keep_the_promise(learnt):
    """What each table asked, times the rows of a person squared, adds up to no more than ρ."""
    models = [learnt.parent.model, *(child.model for child in learnt.children)]
    own = [
        sum(e.rho for e in m.log.ledger.entries if e.part != OTHERS) * m.rows_per_person**2
        for m in models
    ]
    assert sum(own) <= rho_of(3.0, 1e-9)
    for model in models:
        assert spent_epsilon(model.log, model.rows_per_person) <= 3.0
    assert learnt.children[0].model.rows_per_person == learnt.children[0].most


def test_no_more_rows_of_a_person_are_learnt_from_than_paid_for(learnt):
    child = learnt.children[0]
    assert child.link.counts.max() == child.most
    said = learn_private_family(method(child_rows=1), family(), Run(Randomness(1))).children[0]
    assert said.most == said.link.counts.max() == said.model.rows_per_person == 1


def test_a_person_of_several_rows_needs_more_noise(learnt):
    twice = learn_private_family(method(rows_per_person=2), family(6_000), Run(Randomness(1)))
    once, ours = (one.parent.model.log.ledger.rho for one in (learnt, twice))
    assert ours == pytest.approx(once / 4)  # asked for fewer tables, so that noise is not twofold
    assert twice.parent.model.noise > 1.4 * learnt.parent.model.noise
    assert twice.children[0].model.rows_per_person == 2 * twice.children[0].most


def test_children_fit_their_parents():
    made = make_family(method(), family(6_000), None, Run(Randomness(2)))
    parents, children = made.drawn.parents, made.drawn.children[0]
    assert len(parents.coded) == made.learnt.parent.model.rows
    mean = children.link.counts.mean()
    assert mean == pytest.approx(1.5, abs=0.15)
    sex = parents.coded.codes[:, parents.coded.schema.position("sex")][children.link.parent_of]
    ill = children.coded.codes[:, children.coded.schema.position("ill")]
    of_men, of_women = (ill[sex == code].mean() for code in (1, 0))
    assert of_men - of_women > 0.3


def test_what_numbers_the_children_is_said_to_be_read_off():
    tables = family()
    visits = tables.children[0].table
    number = Column.of("no", [str(n + 1) for i in tables.children[0].link.counts for n in range(i)])
    joined = joined_tables(
        [tables.parent, FamilyTable("visits", (*visits.columns, number))], ("id",), "refuse"
    )
    found = learn_private_family(method(), joined, Run(Randomness(1)))
    assert "no" in found.parent.model.guessed
    assert "no" in found.children[0].numbering


def test_few_parents_are_refused():
    with pytest.raises(BadInput, match="too small for an epsilon"):
        learn_private_family(method(epsilon=0.1), family(100), Run(Randomness(1)))


EPSILON, CANARY = 2.0, 5


@cache
def worlds():
    return family(2_000), family(2_000, canary=CANARY)


def fit(tables, seed):
    asked = method(epsilon=EPSILON, child_rows=CANARY, pool=TINY)
    return learn_private_family(asked, tables, Run(Randomness(seed)))


def cells_of_the_canary(found):
    """How many paid by card, in all tables that say: nobody but the canary did."""
    child = found.children[0].model
    place = child.schema.position("paid")
    card = child.schema["paid"].values.index("card")
    score = 0.0
    for table in (each for step in child.log.steps for each in step):
        if place in table.columns:
            shape = [child.log.sizes[c] for c in table.columns]
            cells = table.counts.reshape(shape).take(card, axis=table.columns.index(place))
            score += cells.sum() / (cells.size * float(table.variance))
    return np.array([score])


def attacked(runs=160):
    return audit_worlds(
        worlds(), fit, cells_of_the_canary, randomness=Randomness(3), runs=runs, delta=1e-9
    )


def test_the_attack_does_not_refute_the_promise():
    assert not attacked().refutes(EPSILON)


def test_noise_that_forgets_the_children_of_a_person_is_caught(monkeypatch):
    """A thirtieth of the noise that all children of a person need."""
    whole = private._Shares.budget

    def forgetful(self, mine, rows, asked, tables):
        found = whole(self, mine, rows, asked, tables)
        if rows == 1:
            return found
        more = private.BudgetLedger(found.ledger.rho * 1_000)
        return Budget(more, found.delta, found.rows)

    monkeypatch.setattr(private._Shares, "budget", forgetful)
    found = attacked()
    assert found.refutes(EPSILON), found
