"""The verdict on private releases, and the page that may go out with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import halfmask as hm
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.judging.private import judge_private, promise_verdict
from halfmask.judging.verdict import Targets, judge
from halfmask.measures import Readings
from halfmask.methods.private.log import PoolSettings

POOL = PoolSettings(rows=3_000, last_rows=6_000, last_rounds=4)
DECLARED = TableSpec({name: ColumnSpec(values=("no", "yes")) for name in ("ill", "old", "poor")})


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    old = rng.random(4_000) < 0.4
    ill = rng.random(4_000) < np.where(old, 0.7, 0.1)
    poor = rng.random(4_000) < np.where(ill, 0.6, 0.3)
    words = {"ill": ill, "old": old, "poor": poor}
    return pl.DataFrame({name: ["yes" if c else "no" for c in v] for name, v in words.items()})


@pytest.fixture(scope="module")
def published(frame):
    return hm.publish(frame, epsilon=1.0, schema=DECLARED, pool=POOL, holdout=0.2)


def outcomes(verdict):
    return {check.what: check.outcome for check in verdict.checks}


def test_a_private_release_is_judged_by_its_promise_and_its_use(published):
    assert published.verdict.word == "publish", published.verdict.reasons
    found = outcomes(published.verdict)
    assert found["Promise"] == "passed"
    assert found["Relations preserved"] == "passed"
    assert "How rows are made" not in found
    # Noise is fresh in every run, and an interval of 95 % misses once in twenty.
    assert published.readings["tracing"].value == pytest.approx(0.5, abs=0.08)


def test_rows_that_many_share_are_no_reason_to_look_twice(published):
    assert published.readings["nas"].value > 0.9  # eight rows are possible
    assert outcomes(published.verdict)["Rows that reappear"] == "passed"


def test_targets_decide_as_ever(frame):
    with pytest.raises(hm.TargetNotMet, match=r"above the target 0\.1"):
        hm.publish(frame, epsilon=1.0, schema=DECLARED, pool=POOL, nas_at_most=0.1)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seeded": True}, "nothing is promised"),
        ({"epsilon": 20.0}, "promises little"),
    ],
)
def test_a_weak_promise_asks_for_a_review(published, changes, words):
    model = published.model.learnt
    weak = replace(model, log=replace(model.log, **changes), learnt=None)
    unattacked = judge_private(weak, judge(Readings(()), Targets()), Targets())
    for verdict, word in ((promise_verdict(weak), "review"), (unattacked, "not attacked")):
        assert verdict.word == word
        assert any(words in reason for reason in verdict.reasons)


def test_kinds_that_were_guessed_ask_for_a_review(frame):
    published = hm.publish(frame, epsilon=2.0, pool=POOL)
    assert published.verdict.word == "review"
    assert outcomes(published.verdict)["Kinds of columns"] == "review"
    assert "kinds of the columns are no secret" in str(published.release.claim)


def test_the_external_page_depends_on_nothing_but_the_model(published, frame):
    first = published.first
    outside = published.report.html(external=True)
    other = hm.publish(frame.head(500), min_support=5, seed=1).first
    swapped = replace(
        first,
        readings=other.readings,
        frequencies=other.frequencies,
        verdict=other.verdict,
        held_back=7,
        remarks=("something of the original",),
        made=replace(first.made, original=other.made.original),
    )
    again = replace(published, tables={"data": swapped}, verdict=other.verdict)
    assert again.report.html() != published.report.html()
    assert again.report.html(external=True) == outside
    noisy = f"{published.model.learnt.code_table.rows:,}"  # which may be any number by chance
    assert not any(count in outside for count in {"4,000", "3,200"} - {noisy})


def test_the_internal_page_marks_what_is_not_private(published):
    page = published.report.html()
    assert "What on this page is not private" in page
    assert "Differential privacy.</strong> The promise is a theorem" in page
    assert "rows drawn from the noisy counts" in page


def test_an_estimator_with_an_epsilon_is_private(frame):
    model = hm.Generator(epsilon=1.0, schema=DECLARED).fit(frame)
    assert model.ledger()["share"].sum() == pytest.approx(1, abs=0.02)
    assert model.sample(5).columns == frame.columns
    assert {"table", "cell", "count", "sigma"} == set(model.margins().columns)
    assert "about" in repr(model)
    for call in (lambda: model.merge(model), lambda: model.log_probability(frame)):
        with pytest.raises(hm.BadInput, match="private release"):
            call()
    with pytest.raises(hm.BadInput, match="there is no laplace"):
        hm.Generator(epsilon=1.0, laplace=2.0).fit(frame)
    with pytest.raises(hm.BadInput, match="has a budget"):
        hm.Generator().fit(frame).ledger()


def test_a_private_model_is_saved_and_loaded(frame, tmp_path):
    model = hm.Generator(epsilon=1.0, schema=DECLARED).fit(frame)
    model.save(tmp_path / "m.json")
    back = hm.Model.load(tmp_path / "m.json")
    assert back.learnt.epsilon_spent == pytest.approx(model.learnt.epsilon_spent)
    assert back.sample(20, seed=3).to_pylist() == model.sample(20, seed=3).to_dicts()


def test_the_house_sees_what_another_epsilon_would_give(published):
    points = published.first.epsilons
    assert [point.epsilon for point in points] == [0.3, 1.0, 3.0]
    assert [point.here for point in points] == [False, True, False]
    noise = [point.noise for point in points]
    assert noise == sorted(noise, reverse=True)
    assert points[0].pairs > points[2].pairs
    assert all(point.pairs_people is not None for point in points)
    assert points[1].pairs == pytest.approx(published.readings["marginals_2"].value)
    assert "Another ε" in published.report.html()
    assert "Another ε" not in published.report.html(external=True)


def test_an_epsilon_for_which_the_table_is_too_small_is_told(frame):
    small = hm.publish(frame.head(800), epsilon=1.0, schema=DECLARED, pool=POOL, seed=1)
    assert small.first.epsilons[0].noise is None
    assert "the table is too small" in small.report.html()
