"""A private release is a function of its noisy log, within its budget, and follows the table."""

from __future__ import annotations

import csv
import gzip
from dataclasses import replace
from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfmask.data import Attribute, Schema, Table
from halfmask.errors import BadInput
from halfmask.methods.loglinear import TableSet, count_cells, released
from halfmask.methods.loglinear.start import drawn_from_tree, shares
from halfmask.methods.private.accounting import budget_of, epsilon_of
from halfmask.methods.private.candidates import Candidates, SelectSettings, candidate_tables
from halfmask.methods.private.log import PoolSettings
from halfmask.methods.private.mechanisms import RandomBits, discrete_gaussian, usable_variance
from halfmask.methods.private.model import PrivateModel, draw, replay
from halfmask.methods.private.select import (
    CHOOSING,
    MEASURING,
    ROWS,
    ROWS_SHARE,
    SINGLES,
    ask_rows,
    learn,
)
from halfmask.methods.private.trees import GROWING, LEAVES, TreeSettings

SIZES = (3, 2, 4, 2, 3)
SMALL = PoolSettings(rows=4000, last_rows=8000, last_rounds=6)


def table(rows=6000, seed=1):
    """The second column follows the first, the fifth is the third and fourth together."""
    rng = np.random.default_rng(seed)
    a, c, d = (rng.integers(s, size=rows) for s in (3, 4, 2))
    b = np.where(rng.random(rows) < 0.9, a > 0, rng.integers(2, size=rows))
    e = np.where(rng.random(rows) < 0.9, (c + 2 * d) % 3, rng.integers(3, size=rows))
    return np.stack([a, b, c, d, e], axis=1).astype(np.int32)


def coded(codes, sizes=SIZES):
    """The same as a table, whose columns have so many values."""
    columns = (Attribute(f"c{n}", tuple(map(str, range(s)))) for n, s in enumerate(sizes))
    return Table(Schema(tuple(columns)), codes)


def distance(one, other, columns):
    tables = TableSet(SIZES, [columns])
    return (
        np.abs(count_cells(one, tables) / len(one) - count_cells(other, tables) / len(other)).sum()
        / 2
    )


def learnt(codes, epsilon=3.0, seed=5, **options):
    return learn(
        coded(codes), epsilon=epsilon, pool=SMALL, bits=RandomBits(seed), key=17, **options
    )


@pytest.fixture(scope="module")
def original():
    return table()


@pytest.fixture(scope="module")
def log(original):
    return learnt(original)[0]


def test_the_release_is_drawn_again_from_the_log_alone(log, original):
    """Replayed without the table, the model and the rows are the same to the bit."""
    again, model = learnt(original)
    assert np.array_equal(replay(log).pool, model.pool)
    assert np.array_equal(draw(log), draw(again))
    copied = replace(
        log,
        steps=tuple(tuple(replace(m, counts=m.counts.copy()) for m in step) for step in log.steps),
    )
    assert np.array_equal(draw(copied), draw(log))


def test_another_log_draws_another_release(log):
    first = log.steps[0][0]
    moved = replace(first, counts=first.counts + np.array([200, -200, 0]))
    other = replace(log, steps=((moved, *log.steps[0][1:]), *log.steps[1:]))
    assert not np.array_equal(draw(log), draw(other))


def test_the_budget_is_spent_and_not_more(log):
    assert log.ledger.spent <= log.ledger.rho * (1 + 1e-9)
    assert log.ledger.spent > 0.98 * log.ledger.rho
    assert epsilon_of(log.ledger.spent, log.delta) <= 3.0 + 1e-6
    assert set(log.ledger.by_part()) == {ROWS, SINGLES, CHOOSING, MEASURING}
    assert log.ledger.by_part()[ROWS] == pytest.approx(ROWS_SHARE * log.ledger.rho, rel=0.01)


def test_fewer_tables_are_asked_for_where_rows_are_few():
    """The noise of a count stays useful, because the budget is divided among fewer."""

    def tables(rows, epsilon):
        return sum(map(len, learnt(table(rows=rows), epsilon=epsilon)[0].steps))

    assert tables(6000, 0.4) < tables(6000, 3.0) < tables(60_000, 3.0)
    assert SelectSettings(tables_per_column=4).tables_to_measure(5, 1e9) == 20


def test_asking_for_the_rows_is_paid_for_and_near():
    found, ledger = ask_rows(50_000, budget_of(1.0, 1e-9), RandomBits(3))
    sigma = 1 / sqrt(2 * ledger.by_part()[ROWS])
    assert found != 50_000
    assert abs(found - 50_000) < 5 * sigma < 2_000
    assert ask_rows(1, budget_of(0.01, 1e-9), RandomBits(4))[0] >= 1


@pytest.mark.parametrize("name", ["nursery", "kr-k"])
def test_at_a_small_epsilon_pairs_are_nearer_than_those_of_independent_columns(name, data_folder):
    with gzip.open(data_folder / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        values = np.array(list(csv.reader(file))[1:], str)
    codes = np.stack([np.unique(v, return_inverse=True)[1] for v in values.T], 1).astype(np.int32)
    sizes = tuple((codes.max(axis=0) + 1).tolist())
    pairs = TableSet(sizes, list(combinations(range(len(sizes)), 2)))
    truth = count_cells(codes, pairs) / len(codes)

    def off(rows):
        return np.abs(count_cells(rows, pairs) / len(rows) - truth).sum()

    ours, apart = [], []
    for seed in range(4):
        log, _ = learn(coded(codes, sizes), epsilon=0.1, bits=RandomBits(seed), key=seed)
        ours.append(off(draw(log)))
        variance, bits = (
            usable_variance(1 / sqrt(2 * log.ledger.rho / len(sizes))),
            RandomBits(seed),
        )
        noisy = [
            shares(np.bincount(c, minlength=s) + discrete_gaussian(variance, s, bits), len(codes))
            for c, s in zip(codes.T, sizes, strict=True)
        ]
        apart.append(off(drawn_from_tree(noisy, {}, len(codes), np.random.default_rng(seed))))
    assert np.mean(ours) < np.mean(apart)


def test_every_count_in_the_log_is_paid_for_by_its_noise(log):
    paid = sum(1 / (2 * float(m.variance)) for step in log.steps for m in step)
    parts = log.ledger.by_part()
    assert paid == pytest.approx(parts[SINGLES] + parts[MEASURING], rel=1e-9)


def test_the_release_follows_the_table(log, original):
    rows = draw(log)
    assert abs(len(rows) - len(original)) < 200
    for pair in combinations(range(5), 2):
        assert distance(rows, original, pair) < 0.04
    assert distance(rows, original, (2, 3, 4)) < 0.06


def test_more_budget_brings_the_release_nearer(original):
    def off(epsilon):
        rows = draw(learnt(original, epsilon)[0])
        return sum(distance(rows, original, pair) for pair in combinations(range(5), 2))

    assert off(10.0) < off(1.0) < off(0.1)


def test_an_unseeded_log_has_noise_of_its_own(original):
    first, second = (
        learn(coded(original[:2000]), epsilon=1.0, pool=SMALL, key=1)[0] for _ in range(2)
    )
    assert not first.seeded
    assert any(
        not np.array_equal(a.counts, b.counts)
        for a, b in zip(first.steps[0], second.steps[0], strict=True)
    )
    assert learnt(original[:500])[0].seeded


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([None, 4]), st.floats(0.5, 300))
def test_one_row_changes_no_score_by_more_than_the_sensitivity(seed, target, sigma):
    rng = np.random.default_rng(seed)
    codes = table(rows=int(rng.integers(2, 300)), seed=seed)
    options = SelectSettings(target=target)
    whole = Candidates.of(coded(codes), options, 0)
    less = Candidates.of(coded(np.delete(codes, rng.integers(len(codes)), axis=0)), options, 0)
    pool = table(rows=500, seed=seed + 1)
    model = PrivateModel(SIZES, SMALL, 0, float(rng.integers(1, 400)), (), {}, pool)
    scores = np.array(whole.scores(model, sigma)), np.array(less.scores(model, sigma))
    assert np.abs(scores[0] - scores[1]).max() <= whole.sensitivity


def test_a_target_draws_the_choice_to_its_tables(original):
    def holding(target):
        options = SelectSettings(target=target, target_weight=8)
        log, _ = learnt(original, 0.5, select=options)
        return np.mean([4 in m.columns for step in log.steps[1:] for m in step])

    assert holding(4) > holding(None)


def test_candidates_are_bounded():
    options = SelectSettings(most_cells=30, most_tables=5)
    tables = candidate_tables((5, 5, 5, 2, 2), options, 1)
    assert all(len(c) in {2, 3} for c in tables)
    assert (0, 1, 2) not in tables
    many = candidate_tables((2,) * 12, SelectSettings(most_tables=100), 1)
    assert len(many) == 100
    assert len([c for c in many if len(c) == 2]) == 66


def test_one_column_is_no_trouble_and_one_row_is_too_few():
    one = np.zeros((300, 1), np.int32)
    log, _ = learn(coded(one, (1,)), epsilon=1.0, pool=SMALL, bits=RandomBits(1), key=1)
    assert draw(log, rows=7).shape == (7, 1)
    few = coded(np.array([[0, 1]], np.int32), (2, 2))
    with pytest.raises(BadInput, match="too small for an epsilon of 1"):
        learn(few, epsilon=1.0, pool=SMALL, bits=RandomBits(1))


def test_bad_tables_are_refused():
    with pytest.raises(BadInput, match="at least one row"):
        learn(coded(np.zeros((0, 2), np.int32), (2, 2)), epsilon=1.0)
    with pytest.raises(BadInput, match="epsilon"):
        learn(coded(np.zeros((3, 1), np.int32), (2,)), epsilon=0)


def test_a_tree_is_part_of_the_log_and_of_the_budget(original):
    """With a target, leaf × target is measured within the same promise, and replayed."""
    options = SelectSettings(target=4, tree=TreeSettings(levels=3))
    log, model = learnt(original, 3.0, select=options)
    assert log.leaves is not None
    assert log.leaves.counts.shape[1] == SIZES[4]
    assert {GROWING, LEAVES} < set(log.ledger.by_part())
    assert log.ledger.spent <= log.ledger.rho * (1 + 1e-9)
    fitted = model.finished(log.leaves)
    start = float(np.random.default_rng(log.key).random())
    assert np.array_equal(draw(log), released(fitted, log.rows, start, log.key))


def test_the_leaves_of_a_tree_partition_the_rows(original):
    options = SelectSettings(target=4, tree=TreeSettings(levels=3))
    leaves = learnt(original, 3.0, select=options)[0].leaves
    found = leaves.leaves(original)
    truth = np.zeros(leaves.counts.shape, int)
    np.add.at(truth, (found, original[:, 4]), 1)
    assert truth.sum() == len(original)
    noise = leaves.counts - truth
    assert np.abs(noise).max() <= 6 * float(leaves.variance) ** 0.5
    for number, node in enumerate(leaves.nodes):
        assert all(child > number for child in node.children)
        assert node.column != 4


def test_a_tree_keeps_what_many_columns_decide():
    """A class that is the parity of four columns: no table of three columns sees it."""
    rng = np.random.default_rng(8)
    bits = rng.integers(2, size=(8000, 4))
    codes = np.column_stack([bits, bits.sum(axis=1) % 2]).astype(np.int32)
    options = {"epsilon": 4.0, "pool": SMALL, "bits": RandomBits(3), "key": 2}

    def kept(tree):
        select = SelectSettings(target=4, tree=tree)
        rows = draw(learn(coded(codes, (2,) * 5), select=select, **options)[0])
        return (rows[:, :4].sum(axis=1) % 2 == rows[:, 4]).mean()

    assert kept(None) < 0.6
    assert kept(TreeSettings(levels=4)) > 0.9
