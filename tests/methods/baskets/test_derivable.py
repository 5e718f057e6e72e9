"""What follows from the counts of a model of baskets, and what rounding leaves of it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from halfmask.data import Baskets
from halfmask.methods.baskets.derivable import derivable_baskets
from halfmask.methods.baskets.learn import learn_baskets

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
    model = learn_baskets(baskets, min_support=floor, calibrate=2)
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


@settings(max_examples=15)
@given(shops)
def test_counts_as_coarse_as_the_floor_leave_no_difference(rows):
    baskets = Baskets.of(rows, "abcde")
    if baskets.transactions.item_counts.max() < 10:
        return
    model = learn_baskets(baskets, min_support=10, calibrate=2, base=10)
    assert "a set without a larger one" not in derivable_baskets(model).derivable


def test_a_floor_of_one_is_no_floor():
    model = learn_baskets(Baskets.of([["a"], ["a", "b"]]), min_support=1, calibrate=2)
    assert derivable_baskets(model).count == 0
