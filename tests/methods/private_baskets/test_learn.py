"""Private baskets: what one basket can change, what is paid for, and an attack on many fits."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Baskets, Transactions
from halfmask.errors import BadInput
from halfmask.measures.audit import audit_worlds
from halfmask.methods.private import mechanisms
from halfmask.methods.private.mechanisms import RandomBits
from halfmask.methods.private.promise import spent_epsilon
from halfmask.methods.private_baskets import learn as learning
from halfmask.methods.private_baskets.learn import (
    BOUND,
    FINDING,
    PAIRS,
    BasketPromise,
    bounded,
    learn_noisy_baskets,
    pair_counts,
)
from halfmask.randomness import Randomness

rows_of_items = st.lists(st.lists(st.integers(0, 7), unique=True), min_size=1, max_size=20)


def shop(baskets=6_000, seed=1):
    """Bread and butter go together, tea stands alone, and a few items are rare."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(baskets):
        row = {"bread", "butter"} if rng.random() < 0.3 else set()
        row |= {name for name in ("tea", "milk", "jam") if rng.random() < 0.3}
        rows.append(sorted(row | ({"caviar"} if rng.random() < 0.0005 else set())))
    return Baskets.of(rows)


@given(rows_of_items, st.integers(1, 4), st.integers(0, 100))
def test_a_bounded_basket_keeps_some_of_its_own_items(rows, most, seed):
    given_rows = Transactions.of(rows, 8)
    cut = bounded(given_rows, most, np.random.default_rng(seed))
    for before, after in zip(given_rows, cut, strict=True):
        assert set(after) <= set(before)
        assert len(after) == min(len(before), most)


@given(rows_of_items)
def test_pairs_are_counted_as_by_hand(rows):
    counts = pair_counts(Transactions.of(rows, 8)).reshape(8, 8)
    for one, other in combinations(range(8), 2):
        assert counts[one, other] == sum({one, other} <= set(row) for row in rows)


@given(rows_of_items, st.integers(1, 4))
def test_one_basket_changes_no_more_than_is_paid_for(rows, most):
    """The length of the change of all counts, with and without the last basket."""
    cut = bounded(Transactions.of(rows, 8), most, np.random.default_rng(1))
    fewer = cut.take(np.arange(len(cut) - 1))
    for count, square in (
        (lambda part: part.item_counts, most),
        (pair_counts, most * (most - 1) / 2),
    ):
        assert ((count(cut) - count(fewer)) ** 2).sum() <= square


def test_the_noise_of_each_count_is_that_of_its_sensitivity():
    """A bound of 4 items needs √4 times the noise for items, and √6 times for pairs."""
    log = learn_noisy_baskets(shop(), BasketPromise(1.0, most=4), RandomBits(1))
    alone = log.ledger.by_part()
    assert alone["single items"] == pytest.approx(4 / (2 * float(log.items.variance)))
    assert alone["pairs of items"] == pytest.approx(6 / (2 * float(log.together.variance)))
    assert alone["lengths"] == pytest.approx(1 / (2 * float(log.lengths.variance)))
    assert spent_epsilon(log) <= 1.0


def test_more_baskets_a_person_need_more_noise():
    one, three = (
        learn_noisy_baskets(shop(), BasketPromise(3.0, rows_per_person=n), RandomBits(1))
        for n in (1, 3)
    )
    assert three.items.sigma > 2.5 * one.items.sigma
    assert spent_epsilon(three, 3) <= 3.0 < spent_epsilon(one, 3)


def test_items_of_few_are_not_learnt_and_pairs_that_belong_together_are():
    log = learn_noisy_baskets(shop(), BasketPromise(1.0), RandomBits(1))
    assert log.names == ("bread", "butter", "jam", "milk", "tea")
    told = {tuple(log.names[i] for i in pair) for pair in log.pairs.tolist()}
    assert ("bread", "butter") in told


def test_what_is_declared_costs_nothing():
    items = ("bread", "butter", "jam", "milk", "tea", "never sold")
    log = learn_noisy_baskets(shop(), BasketPromise(1.0, most=3, items=items), RandomBits(1))
    assert log.names == items
    assert {BOUND, FINDING}.isdisjoint(log.ledger.by_part())
    assert log.ledger.delta == 0
    assert (
        log.items.sigma
        < learn_noisy_baskets(shop(), BasketPromise(1.0, most=3), RandomBits(1)).items.sigma
    )


def test_baskets_of_one_item_pay_for_no_pairs():
    single = Baskets.of([["tea"], ["milk"]] * 3_000)
    log = learn_noisy_baskets(single, BasketPromise(1.0), RandomBits(1))
    assert log.most == 1
    assert PAIRS not in log.ledger.by_part()
    assert not len(log.pairs)


@pytest.mark.parametrize(
    ("baskets", "epsilon", "words"),
    [(60, 0.5, "No item is held by so many"), (6_000, 0.02, "No item is held by so many")],
)
def test_too_few_baskets_are_refused_with_what_would_do(baskets, epsilon, words):
    with pytest.raises(BadInput, match=words):
        learn_noisy_baskets(shop(baskets), BasketPromise(epsilon), RandomBits(1))


CANARY = ["jam", "milk", "tea"]
ITEMS = ("bread", "butter", "jam", "milk", "tea")
EPSILON = 2.0


def fit(baskets, seed):
    asked = BasketPromise(EPSILON, most=3, items=ITEMS)
    return learn_noisy_baskets(baskets, asked, RandomBits(seed))


def attacked(runs=400):
    """She knows all baskets but one, and reads how far its items lie above the others'."""
    others = Baskets.of([["bread", "butter"]] * 3_000, names=ITEMS)
    with_her = Baskets.of([["bread", "butter"]] * 3_000 + [CANARY], names=ITEMS)

    def seen(log):
        known = others.transactions.item_counts
        held = [ITEMS.index(name) for name in CANARY]
        above = (log.items.counts - known)[held].sum() / float(log.items.variance)
        longer = (log.lengths.counts[3] - 0) / float(log.lengths.variance)
        return np.array([above + longer])

    return audit_worlds(
        (others, with_her), fit, seen, randomness=Randomness(3), runs=runs, delta=1e-9
    )


def test_the_attack_does_not_refute_the_promise():
    assert not attacked().refutes(EPSILON)


def test_a_tenth_of_the_noise_is_caught(monkeypatch):
    def a_tenth(variance, count, bits):
        return mechanisms.discrete_gaussian(variance / 100, count, bits)

    monkeypatch.setattr(learning, "discrete_gaussian", a_tenth)
    found = attacked()
    assert found.refutes(EPSILON), found
