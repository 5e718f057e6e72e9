"""Quest baskets: the kernel against its plain twin, the article's and the program's look."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask import _native
from halfmask.data import Baskets
from halfmask.errors import BadInput
from halfmask.methods.quest import PatternPool, Quest, blocks_as_table, draw_pool, quest
from halfmask.randomness import Randomness
from reference import baskets as quest_reference


@st.composite
def pools(draw):
    patterns = draw(
        st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=6), min_size=1, max_size=6)
    )
    weights = np.array([draw(st.floats(0.01, 5)) for _ in patterns])
    corruption = np.array([draw(st.sampled_from([0.0, 0.3, 0.7, 1.0])) for _ in patterns])
    offsets = np.concatenate([[0], np.cumsum([len(p) for p in patterns])]).astype(np.int64)
    items = np.concatenate([np.array(p, np.int32) for p in patterns])
    return PatternPool(offsets, items, np.cumsum(weights / weights.sum()), corruption, 8)


@given(
    pools(), st.lists(st.integers(0, 9), max_size=12), st.integers(0, 3), st.integers(0, 2**64 - 1)
)
def test_kernel_fills_the_very_baskets_of_the_plain_twin(pool, sizes, retries, key):
    offsets, items = _native.fill_baskets(
        pool.offsets,
        pool.items,
        pool.cumulative,
        pool.corruption,
        pool.n_items,
        np.array(sizes, np.int64),
        retries,
        key,
    )
    filled = [items[a:b].tolist() for a, b in itertools.pairwise(offsets)]
    assert filled == quest_reference.fill_baskets(pool, sizes, retries=retries, key=key)


def look(baskets: Baskets) -> tuple[float, float, int, float]:
    """Mean and deviation of the lengths, items that occur, largest relative support."""
    lengths = np.diff(baskets.transactions.offsets)
    counts = baskets.transactions.item_counts
    return lengths.mean(), lengths.std(), int((counts > 0).sum()), counts.max() / len(baskets)


def test_article_mode_looks_like_t10_i4_of_the_article():
    mean, deviation, occurring, largest = look(quest(100_000, randomness=Randomness(3)))
    assert mean == pytest.approx(10.16, abs=0.25)
    assert deviation == pytest.approx(3.83, abs=0.25)
    assert 970 <= occurring <= 1000
    assert 0.02 < largest < 0.07


@pytest.mark.parametrize(
    ("settings", "mean", "deviation", "occurring", "largest"),
    [
        # the FIMI files T10I4D100K and T40I10D100K, which IBM's own program made
        (Quest(10, 4, mode="ibm"), 10.10, 3.67, 870, 0.0783),
        (Quest(40, 10, mode="ibm"), 39.61, 8.40, 942, None),
    ],
)
def test_program_mode_looks_like_the_published_files(settings, mean, deviation, occurring, largest):
    got = look(quest(100_000, settings, randomness=Randomness(3)))
    assert got[0] == pytest.approx(mean, rel=0.02)
    assert got[1] == pytest.approx(deviation, rel=0.05)
    assert got[2] == pytest.approx(occurring, abs=25)
    if largest is not None:
        assert got[3] == pytest.approx(largest, abs=0.03)


def test_a_hundred_thousand_baskets_take_less_than_two_seconds():
    start = time.process_time()
    quest(100_000, randomness=Randomness(1))
    assert time.process_time() - start < 2


def test_same_randomness_same_baskets_and_another_gives_others():
    first, again, other = (
        quest(500, Quest(mode="ibm"), randomness=Randomness(s)).transactions for s in (5, 5, 6)
    )
    assert np.array_equal(first.items, again.items)
    assert np.array_equal(first.offsets, again.offsets)
    assert not np.array_equal(first.items, other.items)


def test_article_patterns_hold_no_item_twice_and_program_patterns_may():
    def repeats(mode):
        pool = draw_pool(Quest(items=20, pattern_size=8, mode=mode), np.random.default_rng(0))
        bounds = itertools.pairwise(pool.offsets)
        return sum(len(set(pool.items[a:b].tolist())) < b - a for a, b in bounds)

    assert repeats("paper") == 0
    assert repeats("ibm") > 0


def test_correlation_one_pattern_reuses_items_of_the_one_before():
    def shared(correlation):
        pool = draw_pool(Quest(correlation=correlation), np.random.default_rng(0))
        bounds = list(itertools.pairwise(pool.offsets))
        sets = [set(pool.items[a:b].tolist()) for a, b in bounds]
        return sum(len(x & y) for x, y in itertools.pairwise(sets))

    assert shared(0.0) < shared(0.25) < shared(0.75)


def test_small_alphabets_and_no_baskets_are_legal():
    assert len(quest(0, randomness=Randomness(1))) == 0
    tiny = quest(50, Quest(items=1, patterns=1), randomness=Randomness(1))
    assert set(tiny.transactions.items.tolist()) <= {0}


def test_blocks_take_the_first_item_present():
    table = blocks_as_table(Baskets.of([["b", "c"], ["c", "e"], []], names="abcde"), block=3)
    assert [a.values for a in table.schema] == [("a", "b", "c"), ("d", "e")]
    assert table.codes.tolist() == [[1, -1], [2, 1], [-1, -1]]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"mode": "IBM"}, "modes 'paper' and 'ibm'"),
        ({"basket_size": 0}, "at least 1; asked for baskets of 0"),
        ({"patterns": 0}, "at least one pattern"),
        ({"correlation": -1}, "at least 0, not -1"),
    ],
)
def test_impossible_settings_are_refused_in_a_sentence(wrong, sentence):
    with pytest.raises(BadInput, match=sentence):
        Quest(**wrong)


def test_negative_number_of_baskets_and_empty_blocks_are_refused():
    with pytest.raises(BadInput, match="at least 0, not -1"):
        quest(-1, randomness=Randomness(1))
    with pytest.raises(BadInput, match="at least one item, not 0"):
        blocks_as_table(Baskets.of([]), block=0)


def test_kernel_refuses_a_pool_whose_parts_do_not_fit():
    pool = draw_pool(Quest(patterns=3), np.random.default_rng(0))
    with pytest.raises(ValueError, match="one weight and one corruption"):
        _native.fill_baskets(
            pool.offsets,
            pool.items,
            pool.cumulative[:2],
            pool.corruption,
            pool.n_items,
            np.array([1], np.int64),
            0,
            1,
        )
