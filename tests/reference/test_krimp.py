"""The plain-Python definition, worked by hand."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from strategies import databases

from reference import krimp as reference

A, B, C = (frozenset({i}) for i in range(3))


def weighted(rows):
    return [(frozenset(row), int(w)) for row, w in zip(rows, rows.weights, strict=True)]


def test_cover_of_an_empty_table_is_single_items():
    assert list(reference.cover(A | B, [])) == [A, B]


def test_cover_takes_sets_in_the_order_given():
    assert list(reference.cover(A | B | C, [A | B, B | C])) == [A | B, C]
    assert list(reference.cover(A | B | C, [B | C, A | B])) == [B | C, A]


def test_start_table_costs_twice_the_standard_code():
    rows = [(A | B, 3), (A, 1)]
    counts = {0: 4, 1: 3}
    standard = -math.log2(4 / 7) - math.log2(3 / 7)
    assert reference.size(reference.usages(rows, []), counts).table == pytest.approx(2 * standard)


def test_an_item_in_no_row_has_no_standard_code():
    assert reference.size(Counter({A: 2}), {0: 2, 1: 0}).total == 0


def test_a_tie_is_recognised_although_floating_point_sees_a_difference():
    # The same multiset of usages on other elements of equal standard code: an exact tie.
    counts = {0: 7, 1: 7, 2: 7}
    one = {A: 3, B: 5, C: 6}
    other = {A: 6, B: 3, C: 5}
    assert reference.compare(one, other, counts) == 0
    assert reference.compare({**one, A: 4}, one, counts) == 1


def test_closed_itemsets_have_no_larger_set_of_equal_support():
    rows = [(A | B, 2), (A | B | C, 1), (A, 1)]
    assert reference.frequent(rows, 1, closed=True) == [((0,), 4), ((0, 1), 3), ((0, 1, 2), 1)]


def test_candidates_stop_at_the_maximum_length():
    assert max(len(x) for x, _ in reference.frequent([(A | B | C, 1)], 1, max_length=2)) == 2


@given(databases())
def test_the_total_never_rises_and_each_accepted_candidate_lowers_it(rows):
    rows = weighted(rows)
    steps = [step for step, _ in reference.search(rows, reference.frequent(rows, 1))]
    totals = [step.size.total for step in steps if step.accepted]
    assert all(later < earlier for earlier, later in pairwise(totals))


@given(databases())
def test_covers_are_disjoint_and_complete(rows):
    rows = weighted(rows)
    sets = reference.krimp(rows, reference.frequent(rows, 1)).sets
    for items, _ in rows:
        parts = list(reference.cover(items, sets))
        assert sum(map(len, parts)) == len(items)
        assert frozenset().union(*parts) == items


def test_the_authors_sort_of_the_queue_is_incomplete():
    a, b, c, d = (frozenset({i, 9}) for i in range(4))
    queue = [a, b, c, d]
    usage = {a: 4, b: 3, c: 2, d: 1}
    reference._incomplete_bubble_sort(queue, usage)
    assert [usage[x] for x in queue] == [3, 1, 2, 4]
