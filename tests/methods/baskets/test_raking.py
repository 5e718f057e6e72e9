"""Weighed pools of baskets hold items, pairs and lengths as often as they should."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask import _native
from halfmask.data import Transactions
from halfmask.methods.baskets.margins import Lengths
from halfmask.methods.baskets.pool import Wanted, rake_baskets
from reference.raking import plain_holders, plain_rake_sets

itemsets = st.sets(st.integers(0, 5), max_size=5).map(lambda s: tuple(sorted(s)))
pools = st.lists(st.tuples(itemsets, st.integers(1, 4)), min_size=1, max_size=12)


def rows_of(pool):
    sets = Transactions.of([items for items, _ in pool], 6)
    return Transactions(sets.offsets, sets.items, np.array([n for _, n in pool], np.int64), 6)


@given(pools, st.lists(itemsets, max_size=8), st.integers(0, 5), st.data())
def test_the_kernels_do_what_the_plain_reference_does(pool, sets, rounds, data):
    targets = data.draw(
        st.lists(st.floats(0, 1), min_size=len(sets), max_size=len(sets)), label="targets"
    )
    rows, asked = rows_of(pool), Transactions.of(sets, 6)
    offsets, found = _native.holders(
        rows.offsets, rows.items, rows.weights, 6, asked.offsets, asked.items
    )
    holders = plain_holders(list(rows), sets)
    assert [found[a:b].tolist() for a, b in pairwise(offsets)] == holders
    weights, shares, done = _native.rake_sets(
        rows.weights.astype(float), offsets, found, np.array(targets), rounds, 0.01, 10.0
    )
    plain, plain_done = plain_rake_sets(
        rows.weights.tolist(), holders, targets, rounds=rounds, tolerance=0.01
    )
    assert weights.tolist() == plain
    assert done == plain_done
    assert shares == pytest.approx([sum(plain[r] for r in held) for held in holders])


def shop(rows, seed):
    rng = np.random.default_rng(seed)
    held = rng.random((rows, 8)) < rng.dirichlet(np.ones(8), rows) * 3
    return Transactions.of([np.flatnonzero(row).tolist() for row in held], 8)


def wanted_of(original):
    sets = [(i,) for i in range(8)] + [(i, j) for j in range(8) for i in range(j)]
    lengths = Lengths.of(np.diff(original.offsets), min_support=1)
    counts = original.support(sets)
    return Wanted(Transactions.of(sets, 8), counts, lengths, len(original))


def test_counts_that_the_pool_can_meet_are_met():
    wanted, pool = wanted_of(shop(3_000, 1)), shop(20_000, 2).distinct()
    raked = rake_baskets(pool, wanted, rounds=1_000, tolerance=1e-7)
    assert raked.rounds < 1_000
    off = np.abs(raked.shares - wanted.targets)
    assert off.max() < 1e-6
    assert not raked.unreachable.any()
    assert raked.weights.sum() == pytest.approx(1)


def test_what_no_basket_of_the_pool_has_is_named_and_the_rest_is_met():
    wanted, pool = wanted_of(shop(3_000, 1)), shop(20_000, 2)
    lacking = Transactions.of([row for row in pool if not {0, 1} <= set(row)], 8).distinct()
    raked = rake_baskets(lacking, wanted, rounds=300)
    assert np.flatnonzero(raked.unreachable).tolist() == [list(wanted.sets).index((0, 1))]
    assert raked.shares[raked.unreachable] == 0
    # what they lack in common, baskets with neither make up for
    assert np.abs(raked.shares - wanted.targets)[:8].max() < 0.02


def test_a_target_of_everything_or_nothing_stays_finite():
    pool = Transactions.of([(i,) for i in range(400)] + [()], 400)
    sets = Transactions.of([(i,) for i in range(400)], 400)
    none = Lengths(np.empty(0, np.int64), np.empty(0, np.int64))
    for counts in (np.full(400, 5), np.zeros(400, np.int64)):
        raked = rake_baskets(pool, Wanted(sets, counts, none, 5))
        assert np.isfinite(raked.weights).all()
        assert raked.weights.sum() == pytest.approx(1)


def test_a_stopped_raking_returns_what_it_has():
    wanted, pool = wanted_of(shop(3_000, 1)), shop(20_000, 2).distinct()
    raked = rake_baskets(pool, wanted, rounds=10**6, progress=lambda *_: False)
    assert raked.rounds < 10**6
    assert raked.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"holders": np.array([0, 9], np.int32)}, "outside the alphabet"),
        ({"holders": np.array([1, 0], np.int32)}, "increase strictly"),
        ({"offsets": np.array([0, 1])}, "last offset"),
        ({"targets": np.array([0.5, 0.5])}, "every margin needs a target"),
        ({"targets": np.array([1.5])}, "outside 0 to 1"),
        ({"targets": np.array([np.nan])}, "outside 0 to 1"),
        ({"multiplicities": np.array([1.0, 0.0])}, "multiplicity"),
    ],
)
def test_the_kernel_refuses_arrays_that_do_not_fit(change, sentence):
    sound = {
        "multiplicities": np.ones(2),
        "offsets": np.array([0, 2]),
        "holders": np.array([0, 1], np.int32),
        "targets": np.array([0.5]),
        "rounds": 1,
        "tolerance": 0.0,
        "max_factor": 10.0,
    }
    _native.rake_sets(**sound)
    with pytest.raises(ValueError, match=sentence):
        _native.rake_sets(**(sound | change))
