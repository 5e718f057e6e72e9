"""The choice follows the number of candidates, and costs little when they are countless."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import databases

from halfmask.data import Transactions
from halfmask.patterns.mining import mine
from halfmask.patterns.search import choose_search


@given(rows=databases(), budget=st.integers(1, 40), min_support=st.integers(1, 3))
def test_krimp_is_chosen_while_its_candidates_fit(rows, budget, min_support):
    fits = len(mine(rows, min_support=min_support)) <= budget
    chosen = choose_search(rows, min_support=min_support, budget=budget)
    assert chosen == ("krimp" if fits else "slim")


def test_two_to_the_sixty_itemsets_are_not_counted_to_the_end():
    rows = Transactions.of([range(60)] * 5, 60)
    start = time.process_time()
    assert choose_search(rows, min_support=5) == "slim"
    assert time.process_time() - start < 20
    assert choose_search(rows, min_support=5, candidates="closed") == "krimp"
    assert choose_search(rows, min_support=5, max_length=2) == "krimp"


@pytest.mark.parametrize(("min_support", "chosen"), [(1, "slim"), (2000, "krimp")])
def test_mushroom_needs_slim_only_at_full_depth(min_support, chosen, data_folder):
    from authors import load

    rows, _ = load(data_folder / "mushroom.csv.gz")
    assert choose_search(rows, min_support=min_support) == chosen


def test_one_long_itemset_settles_it_without_mining():
    """Most of a wide table says "no": counting two million itemsets would take ten seconds."""
    rng = np.random.default_rng(1)
    codes = (rng.random((50_000, 40)) < 0.02) + 2 * np.arange(40)
    rows = Transactions.of(codes, 80)
    start = time.process_time()
    assert choose_search(rows, min_support=10) == "slim"
    assert time.process_time() - start < 3


def test_a_count_that_is_stopped_was_taking_too_long_for_krimp():
    rows = Transactions.of([range(40)] * 5, 40)
    chosen = choose_search(rows, min_support=5, candidates="closed", progress=lambda *_: True)
    assert chosen == "krimp"
    codes = np.random.default_rng(1).integers(2, size=(4000, 24)) + 2 * np.arange(24)
    stopped = choose_search(
        Transactions.of(codes, 48), min_support=10, budget=10**9, progress=lambda *_: False
    )
    assert stopped == "slim"
