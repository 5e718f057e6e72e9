"""The miner finds what the definition says, in candidate order, whatever the threads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from authors import load
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Transactions
from halfmask.errors import BadInput, HalfmaskError, UnknownName
from halfmask.io.given import Given
from halfmask.patterns.mining import Itemsets, TooManyItemsets, item_ranks, mine
from reference.mining import candidate_order, closed_itemsets, frequent_itemsets


@st.composite
def databases(draw) -> Transactions:
    """Small databases with empty, equal and weighted rows, and items that nobody holds."""
    n_items = draw(st.integers(1, 8))
    row = st.sets(st.integers(0, n_items - 1))
    rows = draw(st.lists(row, max_size=14))
    base = Transactions.of([sorted(r) for r in rows], n_items)
    weights = draw(st.lists(st.integers(1, 9), min_size=len(rows), max_size=len(rows)))
    return Transactions(base.offsets, base.items, np.array(weights, np.int64), n_items)


def pairs_of(n_items: int):
    if n_items < 2:
        return st.just([])
    pair = st.tuples(st.integers(0, n_items - 1), st.integers(0, n_items - 1))
    return st.lists(pair.filter(lambda p: p[0] != p[1]), max_size=3)


@given(rows=databases(), min_support=st.integers(1, 12), threads=st.integers(1, 3), data=st.data())
def test_mining_equals_its_definition(rows, min_support, threads, data):
    max_length = data.draw(st.none() | st.integers(1, 6))
    forbidden = data.draw(pairs_of(rows.n_items))
    frequent = frequent_itemsets(rows, min_support)
    for kind, expected in (("all", frequent), ("closed", closed_itemsets(frequent))):
        found = mine(
            rows,
            min_support=min_support,
            kind=kind,
            max_length=max_length,
            forbidden=forbidden,
            threads=threads,
        )
        assert list(found) == candidate_order(
            expected, rows, max_length=max_length, forbidden=forbidden
        )


@given(rows=databases())
def test_closed_sets_tell_the_support_of_every_frequent_set(rows):
    closed = list(mine(rows, min_support=1, kind="closed"))
    for itemset, support in mine(rows, min_support=1):
        assert support == max(s for c, s in closed if set(itemset) <= set(c))


@given(rows=databases(), min_support=st.integers(1, 6))
def test_row_order_and_splitting_of_weights_do_not_matter(rows, min_support):
    singles = [row for row, w in zip(rows, rows.weights, strict=True) for _ in range(w)]
    spread = Transactions.of(singles[::-1], rows.n_items)
    for kind in ("all", "closed"):
        assert list(mine(rows, min_support=min_support, kind=kind)) == list(
            mine(spread, min_support=min_support, kind=kind)
        )


def wide_database(seed: int, *, rows: int, items: int, share: float) -> Transactions:
    """Large enough for projected rows, bitmaps of several words and their compression."""
    rng = np.random.default_rng(seed)
    held = rng.random((rows, items)) < share * rng.random(items)
    weights = rng.integers(1, 6, rows) if seed % 2 else np.ones(rows, np.int64)
    base = Transactions.of([np.flatnonzero(r).tolist() for r in held], items)
    return Transactions(base.offsets, base.items, weights.astype(np.int64), items)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("rows", "items", "share"), [(900, 14, 1.0), (700, 60, 0.25)])
def test_mining_of_wide_databases_equals_its_definition(seed, rows, items, share):
    database = wide_database(seed, rows=rows, items=items, share=share)
    frequent = frequent_itemsets(database.distinct(), 12)
    assert len(frequent) > 100
    expected = candidate_order(frequent, database)
    closed = candidate_order(closed_itemsets(frequent), database)
    for threads in (1, 2):
        assert list(mine(database, min_support=12, threads=threads)) == expected
        assert list(mine(database, min_support=12, kind="closed", threads=threads)) == closed


def test_a_worked_example_comes_in_candidate_order():
    rows = Transactions.of([(0, 1, 2), (0, 1, 2), (0, 3), (1,)], n_items=4)
    # Items 0 and 1 are in three rows each; of equals the larger number has the smaller rank.
    assert item_ranks(rows).tolist() == [1, 0, 2, 3]
    assert list(mine(rows, min_support=2)) == [
        ((1,), 3),
        ((0,), 3),
        ((0, 1, 2), 2),
        ((0, 1), 2),
        ((1, 2), 2),
        ((0, 2), 2),
        ((2,), 2),
    ]
    assert list(mine(rows, min_support=2, kind="closed")) == [((1,), 3), ((0,), 3), ((0, 1, 2), 2)]


@pytest.mark.parametrize("kind", ["all", "closed"])
def test_nothing_is_frequent_in_rows_without_items(kind):
    assert len(mine(Transactions.of([], 3), min_support=1, kind=kind)) == 0
    assert len(mine(Transactions.of([(), ()], 3), min_support=1, kind=kind)) == 0


def test_ranks_of_another_database_decide_the_order():
    rows = Transactions.of([(0, 1)], n_items=2)
    backwards = np.array([1, 0], np.int32)
    forwards = np.array([0, 1], np.int32)
    assert [s for s, _ in mine(rows, min_support=1, ranks=forwards)] == [(0, 1), (0,), (1,)]
    assert [s for s, _ in mine(rows, min_support=1, ranks=backwards)] == [(0, 1), (1,), (0,)]


def read_rows(path: Path) -> Transactions:
    return Given(path).read().content.transactions if path.match("*.dat.gz") else load(path)[0]


@pytest.mark.parametrize(
    ("name", "kind", "min_support", "expected"),
    [
        ("iris.csv.gz", "all", 1, 543),
        ("iris.csv.gz", "all", 5, 246),
        ("pima.csv.gz", "all", 1, 28_845),
        ("led7.csv.gz", "all", 1, 15_250),
        ("led7.csv.gz", "all", 20, 6_279),
        ("page-blocks.csv.gz", "all", 1, 63_599),
        ("nursery.csv.gz", "all", 1, 307_591),
        ("nursery.csv.gz", "all", 50, 25_777),
        ("kr-k.csv.gz", "all", 1, 373_421),
        ("kr-k.csv.gz", "all", 50, 11_362),
        ("mushroom.csv.gz", "closed", 20, 109_304),
        ("mushroom.csv.gz", "closed", 200, 26_968),
    ],
)
def test_published_numbers_of_candidates(data_folder, name, kind, min_support, expected):
    found = mine(read_rows(data_folder / name), min_support=min_support, kind=kind)
    assert len(found) == expected


@pytest.mark.parametrize(
    ("name", "min_support", "by_length"),
    [
        ("retail.dat.gz", 265, [515, 577, 252, 45, 4]),
        ("bms-webview-2.dat.gz", 233, [340, 270, 338, 278, 101, 13]),
    ],
)
def test_known_numbers_by_length_in_baskets(data_folder, name, min_support, by_length):
    found = mine(read_rows(data_folder / name), min_support=min_support, threads=2)
    assert np.bincount(found.lengths)[1:].tolist() == by_length
    order = list(zip((-found.supports).tolist(), (-found.lengths).tolist(), strict=True))
    assert order == sorted(order)


def test_supports_are_those_that_counting_gives(data_folder):
    rows = read_rows(data_folder / "mushroom.csv.gz")
    found = mine(rows, min_support=800, kind="closed")
    assert rows.support([s for s, _ in found]).tolist() == found.supports.tolist()


@pytest.mark.parametrize("kind", ["all", "closed"])
@pytest.mark.parametrize("limit", [1, 10, 400])
def test_too_many_itemsets_name_the_smallest_support_that_fits(kind, limit):
    rows = wide_database(1, rows=400, items=14, share=1.0)
    with pytest.raises(TooManyItemsets, match=r"raise min_support to [\d,]+") as caught:
        mine(rows, min_support=2, kind=kind, limit=limit, threads=2)
    fits = caught.value.fits
    everything = mine(rows, min_support=2, kind=kind).supports
    assert (everything >= fits).sum() <= limit < (everything >= fits - 1).sum()
    assert len(mine(rows, min_support=fits, kind=kind, limit=limit)) == (everything >= fits).sum()


def test_the_limit_itself_is_allowed():
    rows = wide_database(0, rows=300, items=10, share=1.0)
    n = len(mine(rows, min_support=3))
    assert len(mine(rows, min_support=3, limit=n)) == n
    with pytest.raises(TooManyItemsets):
        mine(rows, min_support=3, limit=n - 1)


def test_progress_is_told_and_may_stop():
    rows = Transactions.of([list(range(30))] * 2, 30)
    seen = []

    def stop(done: int, total: int) -> bool:
        seen.append((done, total))
        return False

    with pytest.raises(HalfmaskError, match="stopped"):
        mine(rows, min_support=1, limit=2**40, progress=stop)
    assert len(seen) == 1
    assert 0 <= seen[0][0] <= seen[0][1] == 30


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_mining_within_a_second(threads):
    code = (
        "from halfmask.data import Transactions\n"
        "from halfmask.patterns.mining import mine\n"
        "print('ready', flush=True)\n"
        "rows = Transactions.of([list(range(40))] * 2, 40)\n"
        f"mine(rows, min_support=1, limit=2**40, threads={threads})\n"
    )
    child = subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    start = time.monotonic()
    os.kill(child.pid, signal.SIGINT)
    _, errors = child.communicate(timeout=20)
    assert time.monotonic() - start < 1
    assert "KeyboardInterrupt" in errors


def test_itemsets_refuse_arrays_that_do_not_fit():
    with pytest.raises(BadInput, match="do not fit"):
        Itemsets(np.array([0, 2]), np.array([1], np.int32), np.array([3]))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"min_support": 0}, "at least 1 row, not 0"),
        ({"max_length": 0}, "at least 1 item, not 0"),
        ({"forbidden": [(1, 1)]}, "two different items"),
        ({"forbidden": [(0, 9)]}, "two different items below 3"),
    ],
)
def test_options_that_mean_nothing_are_refused(options, sentence):
    with pytest.raises(BadInput, match=sentence):
        mine(Transactions.of([(0, 1)], 3), **{"min_support": 1, **options})


def test_an_unknown_kind_of_itemsets_gets_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'closed'"):
        mine(Transactions.of([(0, 1)], 3), min_support=1, kind="close")


def test_too_many_bytes_are_refused_as_well():
    rows = wide_database(1, rows=400, items=14, share=1.0)
    everything = mine(rows, min_support=2)
    with pytest.raises(TooManyItemsets) as caught:
        mine(rows, min_support=2, max_bytes=20_000)
    kept = everything.supports >= caught.value.fits
    assert 20 * kept.sum() + 2 * everything.lengths[kept].sum() <= 20_000
    assert len(mine(rows, min_support=caught.value.fits, max_bytes=20_000)) == kept.sum()
