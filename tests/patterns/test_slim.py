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
from halfmask.patterns.mining import item_ranks
from halfmask.patterns.slim import slim
from reference import slim as reference_slim
from reference.krimp import size
from reference.slim import Pair, Table, estimate

PRUNING = ["none", "repaired", "authors"]
GAINS = ["estimate", "unpaid", "authors"]


def weighted(rows: Transactions, ranks) -> list[tuple[frozenset[int], int]]:
    ranked = rows.relabelled(ranks)
    return [(frozenset(row), int(w)) for row, w in zip(ranked, ranked.weights, strict=True)]


def assert_equal(found, expected, rows, ranks) -> None:
    table = found.code_table
    assert [frozenset(ranks[list(s)].tolist()) for s in table.sets] == list(expected.sets)
    assert table.usages.tolist() == [expected.usages[x] for x in expected.sets]
    assert table.supports.tolist() == rows.support(table.sets).tolist()
    singles = [expected.usages[frozenset({int(rank)})] for rank in ranks]
    assert table.item_usages.tolist() == singles
    assert (found.candidates, found.accepted) == (expected.evaluated, expected.accepted)
    assert table.bits.total == pytest.approx(expected.size.total)


@settings(max_examples=400)
@given(
    rows=databases(),
    options=st.fixed_dictionaries(
        {
            "min_support": st.integers(1, 3),
            "prune": st.sampled_from(PRUNING),
            "gain": st.sampled_from(GAINS),
            "min_gain": st.sampled_from([0.0, 0.0, 1.7]),
            "max_length": st.sampled_from([None, 2, 3]),
        }
    ),
    threads=st.sampled_from([1, 2]),
    data=st.data(),
)
def test_native_search_equals_the_reference(rows, options, threads, data):
    if options["min_support"] > rows.size:
        return
    item = st.integers(0, rows.n_items - 1)
    pairs = st.tuples(item, item).filter(lambda pair: pair[0] != pair[1])
    forbidden = data.draw(st.lists(pairs, max_size=2)) if rows.n_items > 1 else []
    ranks = item_ranks(rows)
    hidden = [(int(ranks[a]), int(ranks[b])) for a, b in forbidden]
    expected = reference_slim.slim(weighted(rows, ranks), rows.n_items, forbidden=hidden, **options)
    found = slim(rows, schema_of(rows), forbidden=forbidden, threads=threads, **options)
    assert found.complete
    assert_equal(found, expected, rows, ranks)


@pytest.mark.parametrize("prune", PRUNING)
@pytest.mark.parametrize("gain", GAINS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_larger_search_equals_the_reference(seed, gain, prune):
    rows = drawn(seed, rows=80, columns=6)
    ranks = item_ranks(rows)
    expected = reference_slim.slim(weighted(rows, ranks), rows.n_items, gain=gain, prune=prune)
    assert_equal(slim(rows, schema_of(rows), gain=gain, prune=prune), expected, rows, ranks)


def test_rows_of_many_items_equal_the_reference():
    """More items in a row than a machine word has bits, and more slots than items in a row."""
    rng = np.random.default_rng(3)
    basket = [
        sorted({int(i) for i in rng.zipf(1.3, size=int(rng.integers(1, 160))) if i < 400})
        for _ in range(40)
    ]
    basket += [list(range(100)), list(range(60, 160))]
    rows = Transactions.of(basket, 400)
    ranks = item_ranks(rows)
    expected = reference_slim.slim(weighted(rows, ranks), 400, min_support=4)
    found = slim(rows, schema_of(rows), min_support=4, gain="estimate")
    assert_equal(found, expected, rows, ranks)


def test_the_estimate_does_not_depend_on_the_order_of_the_pair():
    a, b = frozenset({0}), frozenset({1, 2})
    for x, y, u in [(5, 3, 3), (5, 5, 5), (9, 4, 2)]:
        table = Table({a: x, b: y}, {a: 1.5, b: 4.25}, usage_sum=40, elements=7)
        for gain in ("estimate", "unpaid"):
            one, other = estimate(Pair(a, b, u), table, gain), estimate(Pair(b, a, u), table, gain)
            assert one == pytest.approx(other, abs=1e-12)


def test_the_estimate_is_exact_when_the_union_replaces_both():
    """Two items that always stand together, and one that stands alone."""
    rows = [(frozenset({0, 1}), 6), (frozenset({2}), 3)]
    counts = {0: 6, 1: 6, 2: 3}
    before = {frozenset({i}): n for i, n in counts.items()}
    after = {frozenset({0, 1}): 6, frozenset({2}): 3}
    saved = size(before, counts).total - size(after, counts).total
    standard = {x: -np.log2(n / 15) for x, n in before.items()}
    table = Table(before, standard, usage_sum=15, elements=3)
    pair = Pair(frozenset({0}), frozenset({1}), 6)
    assert estimate(pair, table, "estimate") == pytest.approx(saved)
    assert reference_slim.slim(rows, 3).sets == (frozenset({0, 1}),)


@pytest.mark.parametrize("prune", PRUNING)
@pytest.mark.parametrize("seed", range(4))
def test_the_default_takes_the_shorter_of_two_tables(seed, prune):
    rows = drawn(seed, rows=150)
    one, other = (slim(rows, schema_of(rows), gain=g, prune=prune) for g in ("estimate", "unpaid"))
    best = slim(rows, schema_of(rows), prune=prune)
    shorter = min(one, other, key=lambda found: found.code_table.bits.total)
    assert same(best.code_table, shorter.code_table)
    assert best.accepted == shorter.accepted
    assert best.candidates == one.candidates + other.candidates


@pytest.mark.parametrize("prune", PRUNING)
def test_threads_do_not_change_the_result(prune):
    rows = drawn(7, rows=2000, columns=10)
    one = slim(rows, schema_of(rows), prune=prune)
    two = slim(rows, schema_of(rows), prune=prune, threads=2)
    assert same(one.code_table, two.code_table)
    assert (one.candidates, one.accepted) == (two.candidates, two.accepted)


def test_weights_mean_repeated_rows():
    rows = drawn(5, rows=80)
    repeated = Transactions.of([row for row in rows for _ in range(3)], rows.n_items)
    heavy = Transactions(rows.offsets, rows.items, rows.weights * 3, rows.n_items)
    one = slim(repeated, schema_of(rows), min_support=6).code_table
    assert same(one, slim(heavy, schema_of(rows), min_support=6).code_table)


@settings(max_examples=100)
@given(rows=databases(), min_support=st.integers(1, 6))
def test_no_pattern_is_held_by_fewer_rows_than_the_floor(rows, min_support):
    if min_support > rows.size:
        return
    table = slim(rows, schema_of(rows), min_support=min_support).code_table
    assert (rows.support(table.sets) >= min_support).all()


@pytest.mark.parametrize("min_support", [2, 10, 40])
def test_the_floor_holds_on_structured_rows(min_support):
    rows = drawn(8)
    for prune in PRUNING:
        table = slim(rows, schema_of(rows), min_support=min_support, prune=prune).code_table
        assert len(table) > 0
        assert table.supports.min() >= min_support
        assert rows.support(table.sets).tolist() == table.supports.tolist()


def test_forbidden_pairs_and_long_patterns_never_enter():
    rows = drawn(9)
    free = slim(rows, schema_of(rows)).code_table
    a, b = free.sets[0][:2]
    assert max(len(itemset) for itemset in free.sets) > 3
    table = slim(rows, schema_of(rows), forbidden=[(a, b)], max_length=3).code_table
    assert not any(a in itemset and b in itemset for itemset in table.sets)
    assert max(len(itemset) for itemset in table.sets) == 3


def test_the_total_falls_with_every_pattern_until_the_end():
    rows = drawn(10, rows=100, columns=6)
    ranks = item_ranks(rows)
    ranked = weighted(rows, ranks)
    totals = [reference_slim.slim(ranked, rows.n_items, rounds=k).size.total for k in range(12)]
    assert totals == sorted(totals, reverse=True)
    assert len(set(totals)) == len(totals)


def test_a_least_gain_ends_the_search_earlier():
    rows = drawn(11)
    least = (0.0, 5.0, 50.0, 1e9)
    found = [slim(rows, schema_of(rows), gain="estimate", min_gain=bits) for bits in least]
    sizes = [len(search.code_table) for search in found]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] > sizes[3] == 0


def hard(seed: int = 0, rows: int = 6000, columns: int = 60) -> Transactions:
    """Rows on which a full search takes many seconds."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(6, size=(40, columns))
    codes = kinds[rng.integers(40, size=rows)]
    noise = rng.random(codes.shape) < 0.3
    codes[noise] = rng.integers(6, size=noise.sum())
    return Transactions.of(codes + 6 * np.arange(columns), 6 * columns)


@pytest.fixture(scope="module")
def hard_rows() -> Transactions:
    return hard()


def assert_valid(found, rows) -> None:
    """A table that was stopped covers the rows like any other, and its sizes are true."""
    table = found.code_table
    encoded = table.encode(rows)
    assert encoded.set_usages.tolist() == table.usages.tolist()
    assert encoded.item_usages.tolist() == table.item_usages.tolist()
    assert encoded.total == pytest.approx(table.bits.database)
    assert rows.support(table.sets).tolist() == table.supports.tolist()


@pytest.mark.parametrize("prune", PRUNING)
def test_a_search_out_of_time_returns_a_valid_table(hard_rows, prune):
    found = slim(hard_rows, schema_of(hard_rows), prune=prune, max_time=1.0)
    assert not found.complete
    assert found.accepted <= found.candidates
    assert_valid(found, hard_rows)


def test_progress_counts_the_patterns_and_can_stop(hard_rows):
    seen: list[int] = []

    def stop_at_ten(done: int, total: int) -> bool:
        assert total == 0
        seen.append(done)
        return done < 10

    found = slim(hard_rows, schema_of(hard_rows), progress=stop_at_ten)
    assert not found.complete
    assert seen == sorted(seen)
    assert found.accepted == seen[-1]
    assert_valid(found, hard_rows)


def test_ctrl_c_comes_through_within_a_second(hard_rows):
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        slim(hard_rows, schema_of(hard_rows))
    assert time.monotonic() - start < 5


def test_rows_without_a_pair_give_the_table_of_single_items():
    rows = Transactions.of([(0,), (1,), (), (0,)], 3)
    found = slim(rows, schema_of(rows))
    assert (found.candidates, found.accepted, len(found.code_table)) == (0, 0, 0)
    assert found.code_table.item_usages.tolist() == [2, 1, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gain": "guess"}, "'estimate', 'unpaid' or 'authors'"),
        ({"prune": "yes"}, "'none', 'repaired' or 'authors'"),
        ({"min_gain": -1.0}, "from 0 on"),
        ({"min_gain": float("nan")}, "from 0 on"),
        ({"max_time": 0}, "above 0 seconds"),
        ({"threads": 0}, "at least 1"),
        ({"min_support": 0}, "minimum support of 0"),
        ({"min_support": 5}, "minimum support of 5"),
    ],
)
def test_impossible_settings_are_refused(options, message):
    rows = Transactions.of([(0, 1), (1,)], 2)
    with pytest.raises(BadInput, match=message):
        slim(rows, schema_of(rows), **options)


def test_a_schema_of_other_items_is_refused():
    rows = Transactions.of([(0, 1)], 2)
    with pytest.raises(BadInput, match="the schema lists 3"):
        slim(rows, Assortment(("a", "b", "c")))


def test_more_frequent_items_than_a_search_numbers_are_refused():
    rows = Transactions.of([tuple(range(70_000))], 70_000)
    with pytest.raises(BadInput, match="Raise min_support"):
        slim(rows, schema_of(rows))


def test_an_effort_ends_a_search_at_the_same_place_whatever_the_threads():
    rows = drawn(5, rows=3000, columns=12)
    schema, ranks = schema_of(rows), item_ranks(rows)
    whole = slim(rows, schema, min_support=2, gain="estimate")
    some = slim(rows, schema, min_support=2, gain="estimate", effort=2e-4)
    assert whole.complete
    assert not some.complete
    assert 0 < some.accepted < whole.accepted
    expected = reference_slim.slim(
        weighted(rows, ranks), rows.n_items, min_support=2, rounds=min(some.accepted, 5)
    )
    assert {frozenset(ranks[list(s)].tolist()) for s in some.code_table.sets} >= set(expected.sets)
    others = slim(rows, schema, min_support=2, gain="estimate", effort=2e-4, threads=2)
    assert same(others.code_table, some.code_table)
    more = slim(rows, schema, min_support=2, gain="estimate", effort=4e-4)
    assert more.code_table.bits.total < some.code_table.bits.total
    with pytest.raises(BadInput, match="effort of a search is a number above 0, not 0"):
        slim(rows, schema, effort=0)


def test_what_it_takes_to_find_the_next_pair_is_work_too():
    """Far below the floor most pairs are refused, and the best of the others are looked for again.

    The whole search weighs 33,699 pairs. Were weighing all that counts, 20,904 of them would take
    this effort, and seven times as long as it promises.
    """
    rows = hard(1, rows=1000, columns=40)
    schema = schema_of(rows)
    some, others = (
        slim(rows, schema, min_support=40, gain="estimate", effort=0.015, threads=threads)
        for threads in (1, 2)
    )
    assert not some.complete
    assert 1_000 < some.candidates < 10_000
    assert (some.candidates, some.accepted) == (others.candidates, others.accepted)
    assert same(some.code_table, others.code_table)
