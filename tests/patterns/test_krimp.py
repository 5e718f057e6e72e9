"""The native search equals its definition, on every awkward database and in every mode."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import drawn, same, schema_of
from strategies import databases

from halfmask.data import Assortment, Transactions
from halfmask.errors import BadInput
from halfmask.patterns.krimp import krimp
from halfmask.patterns.mining import TooManyItemsets, item_ranks
from reference import krimp as reference

PRUNING = ["none", "repaired", "authors"]


@settings(max_examples=400)
@given(
    rows=databases(),
    prune=st.sampled_from(PRUNING),
    min_support=st.integers(1, 3),
    kind=st.sampled_from(["all", "closed"]),
    max_length=st.sampled_from([None, 2, 3]),
)
def test_native_search_equals_the_reference(rows, prune, min_support, kind, max_length):
    if min_support > rows.size:
        return
    ranks = item_ranks(rows)
    ranked = rows.relabelled(ranks)
    weighted = [(frozenset(row), int(w)) for row, w in zip(ranked, ranked.weights, strict=True)]
    candidates = reference.frequent(weighted, min_support, closed=kind == "closed")
    candidates = [c for c in candidates if len(c[0]) <= (max_length or 99)]
    expected = reference.krimp(weighted, candidates, prune)
    found = krimp(
        rows,
        schema_of(rows),
        min_support=min_support,
        candidates=kind,
        prune=prune,
        max_length=max_length,
    )
    table = found.code_table
    assert [frozenset(ranks[list(s)].tolist()) for s in table.sets] == list(expected.sets)
    assert table.usages.tolist() == [expected.usages[x] for x in expected.sets]
    assert table.supports.tolist() == rows.support(table.sets).tolist()
    singles = [expected.usages[frozenset({int(rank)})] for rank in ranks]
    assert table.item_usages.tolist() == singles
    assert (found.candidates, found.accepted) == (len(candidates), expected.accepted)
    assert table.bits.total == pytest.approx(expected.size.total)


@pytest.mark.parametrize("prune", PRUNING)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_larger_search_equals_the_reference(seed, prune):
    rows = drawn(seed, rows=60, columns=5)
    ranks = item_ranks(rows)
    weighted = [(frozenset(row), 1) for row in rows.relabelled(ranks)]
    expected = reference.krimp(weighted, reference.frequent(weighted, 2), prune)
    table = krimp(rows, schema_of(rows), min_support=2, prune=prune).code_table
    assert [frozenset(ranks[list(s)].tolist()) for s in table.sets] == list(expected.sets)
    assert table.usages.tolist() == [expected.usages[x] for x in expected.sets]


@pytest.mark.parametrize("prune", PRUNING)
@pytest.mark.parametrize("kind", ["all", "closed"])
def test_snapshots_equal_searches_of_their_own(prune, kind):
    rows = drawn(4)
    levels = [150, 40, 12, 5, 3]
    search = krimp(
        rows, schema_of(rows), min_support=3, candidates=kind, prune=prune, snapshots=levels
    )
    assert sorted(search.tables) == sorted(levels)
    for level in levels:
        alone = krimp(rows, schema_of(rows), min_support=level, candidates=kind, prune=prune)
        assert same(search.tables[level], alone.code_table)


def test_snapshots_below_the_minimum_support_are_left_out():
    rows = drawn(4)
    found = krimp(rows, schema_of(rows), min_support=10, snapshots=[5, 20])
    assert list(found.tables) == [20]


def test_weights_mean_repeated_rows():
    rows = drawn(5, rows=80)
    repeated = Transactions.of([row for row in rows for _ in range(3)], rows.n_items)
    heavy = Transactions(rows.offsets, rows.items, rows.weights * 3, rows.n_items)
    one = krimp(repeated, schema_of(rows), min_support=6).code_table
    assert same(one, krimp(heavy, schema_of(rows), min_support=6).code_table)


def test_the_order_of_rows_does_not_matter():
    rows = drawn(6)
    shuffled = list(rows)
    np.random.default_rng(0).shuffle(shuffled)
    one = krimp(rows, schema_of(rows), min_support=4).code_table
    other = krimp(Transactions.of(shuffled, rows.n_items), schema_of(rows), min_support=4)
    assert same(one, other.code_table)


@pytest.mark.parametrize("prune", PRUNING)
def test_the_number_of_threads_does_not_matter(prune):
    rows = drawn(7, columns=9)
    one = krimp(rows, schema_of(rows), min_support=2, prune=prune)
    two = krimp(rows, schema_of(rows), min_support=2, prune=prune, threads=2)
    assert same(one.code_table, two.code_table)
    assert (one.candidates, one.accepted) == (two.candidates, two.accepted)


@pytest.mark.parametrize(
    ("items", "prune"),
    [(items, "none") for items in (63, 64, 65, 130, 300)] + [(40, "repaired"), (130, "authors")],
)
def test_wide_baskets_are_searched_alike(items, prune):
    # One row that holds everything forces as many slots as there are items.
    rng = np.random.default_rng(items)
    groups = [tuple(range(i, min(i + 3, items))) for i in range(0, items, 3)]
    rows = [sum((groups[g] for g in rng.choice(len(groups), 3)), ()) for _ in range(60)]
    rows = Transactions.of([*rows, range(items)], items)
    ranks = item_ranks(rows)
    weighted = [(frozenset(row), 1) for row in rows.relabelled(ranks)]
    known = krimp(rows, schema_of(rows), min_support=4, max_length=3, prune=prune).code_table
    # The last row holds every itemset, so it is left out of the slow count and added to each.
    shorter = reference.frequent(weighted[:-1], 3, max_length=3)
    candidates = [(itemset, support + 1) for itemset, support in shorter]
    expected = reference.krimp(weighted, candidates, prune=prune)
    assert [frozenset(ranks[list(s)].tolist()) for s in known.sets] == list(expected.sets)
    assert known.usages.tolist() == [expected.usages[x] for x in expected.sets]


def test_forbidden_pairs_stand_in_no_set():
    rows = drawn(8)
    free = krimp(rows, schema_of(rows), min_support=5).code_table
    pair = free.sets[0][:2]
    kept = krimp(rows, schema_of(rows), min_support=5, forbidden=[pair]).code_table
    assert any(set(pair) <= set(s) for s in free.sets)
    assert not any(set(pair) <= set(s) for s in kept.sets)


def test_no_set_is_rarer_than_the_minimum_support():
    rows = drawn(9)
    table = krimp(rows, schema_of(rows), min_support=0.05).code_table
    assert table.supports.min() >= 15


def test_given_ranks_decide_between_equally_frequent_candidates():
    # ab and bc are alike; the smaller rank at the first difference comes first and wins b.
    rows = Transactions.of([(0, 1, 2)] * 4 + [(0,), (2,)], 3)
    first = krimp(rows, schema_of(rows), min_support=4, max_length=2, ranks=np.array([0, 1, 2]))
    last = krimp(rows, schema_of(rows), min_support=4, max_length=2, ranks=np.array([2, 1, 0]))
    assert first.code_table.sets[0] == (0, 1)
    assert last.code_table.sets[0] == (1, 2)


@pytest.mark.parametrize("calls_allowed", [0, 2])
def test_a_search_told_to_stop_keeps_a_sound_table(calls_allowed):
    rows = drawn(10, rows=6000, columns=14)
    calls = []

    def stop(done: int, total: int) -> bool:
        calls.append((done, total))
        return len(calls) <= calls_allowed

    found = krimp(rows, schema_of(rows), min_support=2, progress=stop)
    assert not found.complete
    assert len(calls) == calls_allowed + 1
    assert np.array_equal(found.code_table.encode(rows).set_usages, found.code_table.usages)


def test_ctrl_c_ends_the_search_within_a_second():
    rows = drawn(10, rows=6000, columns=14)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        krimp(rows, schema_of(rows), min_support=2)
    assert time.monotonic() - began < 5  # within a second when the machine is quiet


def test_more_candidates_than_the_limit_are_refused_with_a_support_that_fits():
    rows = drawn(11)
    with pytest.raises(TooManyItemsets, match="raise min_support to"):
        krimp(rows, schema_of(rows), min_support=1, limit=50)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"min_support": 0}, "minimum support"),
        ({"min_support": 1.5}, "minimum support"),
        ({"min_support": 1, "candidates": "some"}, "'all' or 'closed'"),
        ({"min_support": 1, "prune": "yes"}, "'none', 'repaired' or 'authors'"),
        ({"min_support": 1, "threads": 0}, "at least 1"),
        ({"min_support": 1, "ranks": np.array([0, 0, 1], np.int32)}, "each once"),
    ],
)
def test_impossible_settings_are_refused(options, reason):
    rows = Transactions.of([(0, 1), (1, 2)], 3)
    with pytest.raises(BadInput, match=reason):
        krimp(rows, schema_of(rows), **options)


def test_rows_and_schema_must_agree():
    with pytest.raises(BadInput, match="schema lists 2"):
        krimp(Transactions.of([(0, 1)], 3), Assortment(("a", "b")), min_support=1)
