"""What may be learnt of children, what their parents tell, and how rows find their parents."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from halfmask.data import Attribute, Schema, Table
from halfmask.data.families import Link
from halfmask.errors import BadInput
from halfmask.methods.families.deal import FEWEST, Stock, most_learnt, telling_columns

counts = st.lists(st.integers(0, 40), min_size=1, max_size=30).map(np.array)


@given(counts, st.integers(1, 8), st.integers(0, 5))
def test_behind_the_floor_stand_enough_parents(numbers, floor, seed):
    """However the rows of a group are spread, floor · most of them belong to `floor` parents."""
    try:
        most = most_learnt(numbers, floor)
    except BadInput:
        assert (numbers > 0).sum() < floor
        return
    assert (numbers >= most).sum() >= floor  # the number itself is shared
    whole = Link(np.repeat(np.arange(len(numbers)), numbers), len(numbers))
    learnt = whole.take(whole.at_most(most, np.random.default_rng(seed)))
    assert len(learnt) >= floor * most
    # The fewest parents that a group of floor · most rows can have: those with most rows first.
    greedy = np.cumsum(np.sort(learnt.counts)[::-1])
    assert np.searchsorted(greedy, floor * most) + 1 >= floor


def test_one_parent_of_many_rows_does_not_raise_the_number():
    assert most_learnt(np.array([1] * 50 + [10_000]), 10) == 1
    assert most_learnt(np.array([3] * 50), 10) == 3
    assert most_learnt(np.array([1] * 40 + [8] * 40), 10, kept=0.5) < 8


SCHEMA = Schema(tuple(Attribute(name, ("0", "1", "2")) for name in ("first", "second", "own")))
rows = st.integers(1, 60).flatmap(
    lambda count: hnp.arrays(np.int32, (count, 3), elements=st.integers(0, 2))
)


@given(rows, rows, st.integers(0, 9))
def test_rows_are_dealt_out_to_those_they_fit_best(wanted, pool, seed):
    dealt = Stock.of(Table(SCHEMA, pool), 2).deal(wanted[:, :2], np.random.default_rng(seed))
    for line, row, agreed in zip(wanted, dealt.rows, dealt.agreed, strict=True):
        assert line[:agreed].tolist() == pool[row][:agreed].tolist()
        alike = [(pool[:, :n] == line[:n]).all(axis=1).sum() for n in (1, 2)]
        assert agreed == max([n for n in (1, 2) if alike[n - 1] >= FEWEST], default=0)


@given(rows, st.integers(1, 8), st.integers(0, 9))
def test_each_kind_of_row_gets_its_share(pool, times, seed):
    """With as many lines as rows in each context, every row is dealt out once."""
    pool = np.repeat(pool, FEWEST, axis=0)
    wanted = np.random.default_rng(seed).permutation(np.repeat(pool, times, axis=0))
    dealt = Stock.of(Table(SCHEMA, pool), 2).deal(wanted[:, :2], np.random.default_rng(seed))
    assert Counter(dealt.rows.tolist()) == dict.fromkeys(range(len(pool)), times)


def test_a_context_too_wide_for_one_number_is_cut_short():
    wide = Schema(tuple(Attribute(f"c{n}", tuple(map(str, range(100)))) for n in range(12)))
    pool = Table(wide, np.tile(np.arange(12, dtype=np.int32), (20, 1)))
    dealt = Stock.of(pool, 12).deal(pool.codes, np.random.default_rng(1))
    assert set(dealt.agreed.tolist()) == {9}
    with pytest.raises(BadInput, match="no rows"):
        Stock.of(pool.take(np.arange(0)), 2)


def test_parents_tell_by_the_columns_that_tell():
    rng = np.random.default_rng(1)
    names = ("noise", "weak", "strong")
    schema = Schema(tuple(Attribute(name, ("0", "1")) for name in names))
    parents = rng.integers(0, 2, (2000, 3)).astype(np.int32)
    child = np.where(rng.random(2000) < 0.9, parents[:, 2], rng.integers(0, 2, 2000))
    child = np.where(rng.random(2000) < 0.15, parents[:, 1], child)
    children = Table(Schema((Attribute("x", ("0", "1")),)), child[:, None])
    assert telling_columns(Table(schema, parents), children) == [2, 1]
