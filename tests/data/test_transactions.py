"""Rows as sets of items: what they are made of, merged, and renumbered."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Attribute, Schema, Table, Transactions
from halfmask.errors import BadInput

N_ITEMS = 9
row_lists = st.lists(st.lists(st.integers(0, N_ITEMS - 1), max_size=12), max_size=20)


@given(rows=row_lists)
def test_order_and_repeats_inside_a_row_do_not_matter(rows):
    assert list(Transactions.of(rows, N_ITEMS)) == [tuple(sorted(set(row))) for row in rows]


def test_rows_may_come_from_iterators():
    assert list(Transactions.of((iter(row) for row in [(2, 1), ()]), 3)) == [(1, 2), ()]


@pytest.mark.parametrize("row", [(0, 3), (-1, 0)])
def test_items_outside_the_alphabet_are_refused(row):
    with pytest.raises(BadInput, match="numbers below 3"):
        Transactions.of([row], 3)


@given(rows=row_lists, data=st.data())
def test_equal_rows_are_merged_in_lexicographic_order(rows, data):
    weights = data.draw(st.lists(st.integers(1, 5), min_size=len(rows), max_size=len(rows)))
    base = Transactions.of(rows, N_ITEMS)
    weighted = Transactions(base.offsets, base.items, np.array(weights, np.int64), N_ITEMS)
    tally = Counter()
    for row, weight in zip(weighted, weights, strict=True):
        tally[row] += weight
    merged = weighted.distinct()
    assert list(zip(merged, merged.weights.tolist(), strict=True)) == sorted(tally.items())
    assert merged.size == sum(weights)
    assert merged.item_counts.tolist() == weighted.item_counts.tolist()


def test_long_rows_over_many_items_are_ordered_beyond_their_first_items():
    rows = [(*range(40), last) for last in (99_000, 50_000, 70_000, 50_000)]
    merged = Transactions.of([*rows, tuple(range(40))], 100_000).distinct()
    assert [row[40:] for row in merged] == [(), (50_000,), (70_000,), (99_000,)]
    assert merged.weights.tolist() == [1, 2, 1, 1]


@given(rows=row_lists, numbers=st.permutations(range(N_ITEMS)))
def test_relabelled_rows_hold_the_same_items_under_other_numbers(rows, numbers):
    relabelled = Transactions.of(rows, N_ITEMS).relabelled(np.array(numbers, np.int32))
    assert list(relabelled) == [tuple(sorted(numbers[item] for item in set(r))) for r in rows]


@given(cells=st.lists(st.tuples(*[st.integers(-1, 1)] * 3), max_size=12))
def test_a_cell_without_item_leaves_its_row_shorter(cells):
    schema = Schema(tuple(Attribute(name, ("x", "y")) for name in "abc"))
    table = Table(schema, np.array(cells, np.int32).reshape(-1, 3))
    assert list(table.transactions) == [
        tuple(2 * column + code for column, code in enumerate(row) if code >= 0) for row in cells
    ]
