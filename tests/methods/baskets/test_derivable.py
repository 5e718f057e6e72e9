"""What follows from the counts of a model of baskets, and what rounding leaves of it."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfmask.data import Baskets
from halfmask.documents.basket_model import FORM, _document
from halfmask.methods.baskets.derivable import derivable_baskets
from halfmask.methods.baskets.learn import learn_baskets
from tests.arithmetic import basket_system_of

shops = st.lists(
    st.tuples(st.sets(st.sampled_from("abcde"), max_size=4).map(sorted), st.integers(1, 30)),
    min_size=1,
    max_size=10,
).map(lambda kinds: [row for row, times in kinds for _ in range(times)])


@settings(max_examples=15)
@given(shops, st.integers(2, 12))
def test_exact_counts_tell_just_what_subtraction_gives(rows, floor):
    """Every pair of an item and a pair that holds it, and every usage, counted by hand."""
    baskets = Baskets.of(rows, "abcde")
    if baskets.transactions.item_counts.max() < floor:
        return
    model = learn_baskets(baskets, min_support=floor, calibrate=2, exact=True)
    table, found = model.code_table, derivable_baskets(model).derivable

    def few(counts):
        return int(((counts >= 1) & (counts < floor)).sum())

    assert found.get("a usage", 0) == few(table.usages) + few(
        table.item_usages[table.item_supports > 0]
    )
    told = dict(zip(model.margins.sets, model.margins.counts, strict=True))
    told |= {tuple(sorted(s)): n for s, n in zip(table.sets, table.supports, strict=True)}
    alone = [
        told[part] - count
        for whole, count in told.items()
        if len(whole) > 1
        for part in (tuple(i for i in whole if i != left) for left in whole)
        if part in told
    ]
    assert found.get("a set without a larger one", 0) == few(np.array(alone, int))


@settings(max_examples=60, derandomize=False, database=None)
@given(shops, st.integers(2, 12), st.sampled_from([1, 10]))
def test_nothing_below_the_floor_follows_from_what_is_told(rows, floor, base):
    baskets = Baskets.of(rows, "abcde")
    if baskets.transactions.item_counts.max() < floor:
        return
    model = learn_baskets(baskets, min_support=floor, calibrate=2, base=base)
    found = derivable_baskets(model)
    assert not found.count + found.open
    assert basket_system_of(json.loads(FORM.to_json(_document(model)))["model"]).derived() == {}


@pytest.fixture(scope="module")
def groceries(data_folder):
    with gzip.open(data_folder / "groceries.basket.csv.gz", "rt", encoding="utf-8") as lines:
        rows = [line.strip().split(",") for line in lines]
    return Baskets.of(rows[:3_000])


@pytest.mark.parametrize("floor", [10, 25])
def test_a_solver_finds_no_small_group_in_the_file(groceries, floor):
    """An attacker with HiGHS and the file alone; of exact counts it finds dozens."""
    told, exact = (
        FORM.to_json(_document(learn_baskets(groceries, min_support=floor, calibrate=2, exact=e)))
        for e in (False, True)
    )
    assert basket_system_of(json.loads(told)["model"]).derived() == {}
    found = basket_system_of(json.loads(exact)["model"]).derived()
    assert sum(found.values()) > 40


def test_a_floor_of_one_is_no_floor():
    model = learn_baskets(Baskets.of([["a"], ["a", "b"]]), min_support=1, calibrate=2)
    assert derivable_baskets(model).count == 0
