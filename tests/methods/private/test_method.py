"""Private releases: within the promise, a function of the log, and like the table."""

from __future__ import annotations

from dataclasses import replace
from math import exp

import numpy as np
import pytest

from halfmask.data import Column
from halfmask.errors import BadInput, UnknownName
from halfmask.methods.private import drawing
from halfmask.methods.private.accounting import epsilon_of
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.methods.private.promise import claim_of, in_words, likelier
from halfmask.methods.private.select import MEASURING, SINGLES
from halfmask.methods.private.trees import LEAVES
from halfmask.randomness import Randomness
from halfmask.run import Run


def fitted(method, table, seed=1, **run):
    return method.fit(table, Run(Randomness(seed), **run))


@pytest.fixture(scope="module")
def learnt(quick, table, declared):
    return fitted(quick(schema=declared), table)


def test_what_is_spent_keeps_the_promise(learnt):
    log = learnt.model.log
    assert log.ledger.spent <= log.ledger.rho * (1 + 1e-9)
    assert epsilon_of(log.ledger.spent, log.delta - log.ledger.delta) <= log.epsilon
    assert learnt.model.epsilon_spent > 0.99 * log.epsilon
    assert sum(learnt.model.shares.values()) == pytest.approx(1, abs=0.01)


def test_a_dropped_column_is_not_learnt(quick, table):
    gone = table[0].name
    model = fitted(quick(drop=[gone]), table).model
    assert list(model.schema.names) == [c.name for c in table if c.name != gone]


def test_domains_that_are_learnt_take_a_part_of_delta(quick, table):
    log = fitted(quick(), table).model.log
    assert log.ledger.delta == pytest.approx(0.1 * log.delta)
    assert epsilon_of(log.ledger.spent, log.delta - log.ledger.delta) <= log.epsilon


def test_the_release_is_a_function_of_the_log_alone(learnt):
    model = learnt.model
    alone = NoisyModel(model.schema, model.log, model.min_support)
    assert alone.learnt is None
    assert np.array_equal(alone.drawn, model.drawn)
    assert alone.code_table.sets == model.code_table.sets


def test_the_release_is_like_the_table(learnt):
    original, drawn = learnt.original, learnt.model.drawn
    schema = learnt.model.schema
    assert len(drawn) == learnt.model.rows == pytest.approx(len(original), rel=0.02)
    for c, attribute in enumerate(schema):
        shares = [
            np.bincount(x[:, c], minlength=attribute.size) / len(x) for x in (original.codes, drawn)
        ]
        assert np.abs(shares[0] - shares[1]).sum() / 2 < 0.03
    age, ill = schema.position("age"), schema.position("ill")
    rates = [
        [x[x[:, age] == a, ill].mean() for a in (0, schema["age"].size - 1)]
        for x in (original.codes, drawn)
    ]
    assert rates[1] == pytest.approx(rates[0], abs=0.12)
    assert rates[1][1] > rates[1][0] + 0.2


def test_the_number_of_rows_is_noisy_and_the_noise_is_fresh(quick, table, declared):
    method = quick(schema=declared, epsilon=1.0)
    logs = [fitted(method, table, seed=None).model.log for _ in range(3)]
    assert len({log.rows for log in logs}) > 1
    assert len({log.key for log in logs}) == 3
    assert not any(log.seeded for log in logs)


def test_a_seed_repeats_the_release_and_voids_the_promise(quick, table):
    made = [quick().make(table, Run(Randomness(4))) for _ in range(2)]
    assert np.array_equal(made[0].release.data.codes, made[1].release.data.codes)
    claim = made[0].release.claim
    assert claim.promise.startswith("Nothing is promised")
    assert claim.terms["differential_privacy"] is False
    earnest = quick().make(table, Run(Randomness()))
    assert earnest.release.claim.terms["differential_privacy"] is True
    assert earnest.release.claim.terms["epsilon"] == 3.0


def test_threads_do_not_change_the_release(quick, table):
    one, two = (fitted(quick(), table, threads=n).model.drawn for n in (1, 3))
    assert np.array_equal(one, two)


def test_as_many_rows_as_are_asked_for_are_drawn(quick, table):
    made = quick().make(table, Run(Randomness(1), rows=123))
    assert made.release.size == 123
    assert [len(piece) for piece in made.rows.pieces()] == [123]


def test_a_target_spends_on_a_tree(quick, table, declared):
    log = fitted(quick(schema=declared, target="ill"), table).model.log
    assert log.leaves is not None
    assert log.ledger.by_part()[LEAVES] > 0.2 * log.ledger.rho
    with pytest.raises(UnknownName, match="ilness"):
        fitted(quick(target="ilness"), table)


def test_a_person_with_more_rows_gets_more_noise(quick, table, declared):
    one, three = (fitted(quick(schema=declared, rows_per_person=n), table).model for n in (1, 3))
    # A ninth of the budget; fewer tables are asked for it, so that noise is not quite threefold.
    assert three.log.ledger.rho == pytest.approx(one.log.ledger.rho / 9)
    assert 2 * one.noise < three.noise <= 3.15 * one.noise
    assert three.epsilon_spent == pytest.approx(one.epsilon_spent, rel=0.01)
    claim = claim_of(replace(three.log, seeded=False), three.rows_per_person, ())
    assert "nobody has more than 3 rows" in str(claim)


def test_progress_is_told_and_may_stop(quick, table):
    seen = []
    fitted(quick(), table, progress=lambda done, total: seen.append((done, total)) or True)
    assert seen[0] == (0, 1000)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    stopped = fitted(quick(), table, progress=lambda _done, _total: False).model.log
    assert len(stopped.steps) == 1
    assert MEASURING not in stopped.ledger.by_part()
    assert SINGLES in stopped.ledger.by_part()


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf")])
def test_an_epsilon_that_cannot_be_is_refused(quick, epsilon):
    with pytest.raises(BadInput, match="epsilon is a number above 0"):
        quick(epsilon=epsilon)


def test_a_delta_that_would_give_away_a_person_is_refused(quick, table, declared):
    with pytest.raises(BadInput, match="not below 1 / rows"):
        fitted(quick(delta=0.01, schema=declared), table)


def test_a_table_too_small_for_the_epsilon_says_what_would_work(quick, table, declared):
    small = [column.take(np.arange(150)) for column in table]
    with pytest.raises(
        BadInput, match=r"too small for an epsilon of 0\.5.*or fewer columns"
    ) as why:
        fitted(quick(epsilon=0.5, schema=declared), small)
    found = float(str(why.value).partition("An epsilon of ")[2].partition(",")[0])
    assert fitted(quick(epsilon=2 * found, schema=declared), small).model.rows > 0


def test_a_table_of_names_cannot_be_published(quick):
    names = Column.of("name", [f"person {i}" for i in range(300)])
    with pytest.raises(BadInput, match="No column can be published"):
        fitted(quick(), [names])
    rare = Column.of("job", [f"job {i % 90}" for i in range(900)])
    with pytest.raises(BadInput, match="schema init --public"):
        fitted(quick(epsilon=0.2, categorical=["job"]), [rare])


def test_columns_that_cannot_be_learnt_are_left_out_with_the_reason(quick, table):
    rare = Column.of("job", [f"job {i % 900}" for i in range(len(table[0]))])
    found = fitted(quick(epsilon=1.0, categorical=["job"]), [*table, rare])
    assert "job" not in found.model.schema.names
    assert "declare its values" in found.encoding.plans["job"].reason


def test_odds_are_those_of_the_definition():
    for epsilon in (0.1, 1.0, 5.0):
        for before in (0.01, 0.5, 0.9):
            after = likelier(epsilon, before)
            assert after / (1 - after) == pytest.approx(exp(epsilon) * before / (1 - before))
    assert "73.1 %" in in_words(1.0, 1e-9)[0]


def test_keys_are_made_anew(quick, table):
    rows = len(table[0])
    key = Column.of("id", [str(7 * i) for i in range(rows)], "int64")
    made = quick().make([key, *table], Run(Randomness(1)))
    assert made.rows.whole.schema.names[0] == "id"
    assert made.rows.whole.schema["id"].values[:2] == ("1", "2")


def test_more_rows_than_the_pool_has_are_drawn_anew(learnt):
    model = learnt.model
    few, many = (model.sample(n, randomness=Randomness(1)).data.codes for n in (8_000, 32_000))
    assert len(np.unique(many, axis=0)) > 1.5 * len(np.unique(few, axis=0))
    for c, attribute in enumerate(model.schema):
        shares = [np.bincount(x[:, c], minlength=attribute.size) / len(x) for x in (few, many)]
        assert np.abs(shares[0] - shares[1]).sum() / 2 < 0.03


def test_blocks_of_a_release_are_its_rows(learnt, monkeypatch):
    monkeypatch.setattr(drawing, "PIECE", 700)
    model = learnt.model
    whole = model.sampled(3_000, 9, seeded=True).data.codes
    made = model.drawing(3_000, 9, seeded=True)
    assert [size for _, size in made.places] == [700, 700, 700, 700, 200]
    blocks = [made.block(number)[0].codes for number in reversed(range(5))]
    assert np.array_equal(np.vstack(blocks[::-1]), whole)
    assert made.redrawn  # some cells are not the pool's
    own = model.drawing(None, model.log.key, seeded=False)
    assert np.array_equal(own.codes(0, own.rows), model.drawn)


def test_the_order_of_rows_decides_nothing(quick):
    """Each value has its own noise: of sixty at the threshold about half are learnt."""
    towns = np.repeat([f"town {n:02}" for n in range(60)], 37)
    sexes = np.tile(["f", "m"], len(towns) // 2)
    shuffled = np.random.default_rng(2).permutation(len(towns))
    one, other = (
        fitted(quick(), [Column.of("town", towns[o]), Column.of("sex", sexes[o])]).model
        for o in (np.arange(len(towns)), shuffled)
    )
    assert 10 < len(one.schema["town"].values) < 50
    assert other.schema == one.schema
    assert np.array_equal(other.drawn, one.drawn)
