"""Raked weights meet the margins where the pool can, and are those of the plain reference."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import tables

from halfmask import _native
from halfmask.data import Attribute, Margin, Schema, Table
from halfmask.methods.calibration.pool import _rich_pool
from halfmask.methods.calibration.raking import MarginArrays, RakedPool, rake, systematic
from halfmask.methods.generator.process import Drawn
from reference.raking import plain_rake


def pool_of(table):
    return RakedPool.of(
        table.schema, Drawn(table.codes, np.ones(len(table), np.uint16), len(table))
    )


def margins_of(table, order, floor=1):
    names = combinations(table.schema.names, min(order, len(table.schema)))
    return [Margin.of(table, table.schema, each, min_support=floor) for each in names]


def without_gaps(table):
    codes = table.codes[(table.codes >= 0).all(axis=1)]
    return Table(table.schema, codes) if len(codes) else None


def cube(rows, seed=1):
    schema = Schema(tuple(Attribute(name, tuple("0123")) for name in "abcd"))
    return Table(schema, np.random.default_rng(seed).integers(4, size=(rows, 4)))


@pytest.mark.parametrize(("larger", "drawn"), [(400, [100, 400]), (200, [100, 200]), (150, [100])])
def test_a_pool_is_drawn_anew_only_where_it_grows_to_twice_its_size(larger, drawn):
    """Nobody in the first 150 rows has the last value, which half of the rows should have."""
    codes = cube(400).codes.copy()
    codes[:150, 0] %= 3
    table = Table(cube(1).schema, codes)
    margin = Margin(("a",), np.array([[0], [3]]), np.array([200, 200]), 0)
    arrays, sizes = MarginArrays.of([margin], table.schema), []

    def draw(size):
        sizes.append(size)
        return pool_of(table.take(np.arange(size)))

    pool = _rich_pool(draw, partial(rake, arrays=arrays, rounds=0), 100, larger)
    assert sizes == drawn
    assert len(pool) == drawn[-1]


@given(tables(max_rows=20))
def test_the_pool_holds_the_rows_sorted_and_merged(table):
    table = without_gaps(table)
    if table is None:
        return
    pool = pool_of(table)
    rows = [tuple(row) for row in pool.codes.tolist()]
    assert rows == sorted(set(map(tuple, table.codes.tolist())))
    assert len(pool) == len(table)
    for row, count in zip(rows, pool.multiplicities.tolist(), strict=True):
        assert count == (table.codes == row).all(axis=1).sum()


@given(
    tables(max_rows=20),
    tables(max_rows=20),
    st.integers(1, 3),
    st.integers(0, 4),
    st.sampled_from([np.inf, 0.995, 0.5]),
)
def test_the_kernel_does_what_the_plain_reference_does(drawn, original, floor, rounds, stalled):
    drawn = without_gaps(drawn)
    sizes = np.diff(original.schema.offsets)
    if drawn is None or len(drawn.schema) != len(sizes):
        return
    pool = pool_of(Table(original.schema, np.minimum(drawn.codes, sizes - 1)))
    margins = [m for m in margins_of(original, 2, floor) if m.rows]
    arrays = MarginArrays.of(margins, original.schema)
    raked = rake(pool, arrays, rounds=rounds, stalled=stalled)
    classes, targets = [], []
    for margin in margins:
        columns = [original.schema.position(name) for name in margin.attributes]
        key = np.ravel_multi_index(tuple(pool.codes[:, columns].T), sizes[columns])
        classes.append(margin.classes(original.schema)[key].tolist())
        targets.append(margin.shares().tolist())
    weights, done = plain_rake(
        pool.multiplicities.tolist(),
        classes,
        targets,
        rounds=rounds if margins else 0,
        stalled=stalled,
    )
    assert raked.weights.tolist() == weights
    assert raked.rounds == done or not margins


def test_margins_that_the_pool_can_meet_are_met():
    original, pool = cube(3_000), pool_of(cube(30_000, seed=2))
    arrays = MarginArrays.of(margins_of(original, 2, 20), original.schema)
    raked = rake(pool, arrays, rounds=200, tolerance=1e-9)
    assert raked.rounds < 200
    assert raked.largest_error < 1e-8
    assert raked.weights.sum() == pytest.approx(1, abs=1e-9)
    again = rake(pool, arrays, factors=raked.factors, rounds=0)
    assert again.largest_error < 1e-8
    assert np.allclose(again.weights, raked.weights, rtol=1e-9)


def test_a_cell_that_no_row_is_in_stays_empty_and_the_rest_is_met():
    original = cube(3_000)
    drawn = cube(30_000, seed=2)
    lacking = Table(drawn.schema, drawn.codes[(drawn.codes[:, 0] != 1) | (drawn.codes[:, 1] != 1)])
    arrays = MarginArrays.of(margins_of(original, 2, 20)[:1], original.schema)
    raked = rake(pool_of(lacking), arrays, rounds=50)
    empty = raked.shares == 0
    assert empty.sum() == 2  # the cell, and the remainder that has no rows anyway
    reachable = arrays.targets[~empty].sum()
    assert np.allclose(raked.shares[~empty], arrays.targets[~empty] / reachable)


def test_tables_that_contradict_each_other_are_raked_while_they_come_nearer():
    original, drawn = cube(3_000), cube(30_000, seed=2)
    # No row has equal values in its first two columns: what the tables ask of them is out of reach.
    pool = pool_of(Table(drawn.schema, drawn.codes[drawn.codes[:, 0] != drawn.codes[:, 1]]))
    arrays = MarginArrays.of(margins_of(original, 2, 20), original.schema)
    raked, longer = (rake(pool, arrays, rounds=50, stalled=s) for s in (0.995, np.inf))
    assert raked.rounds < 10
    assert longer.rounds == 50
    gained = arrays.distances(raked.shares).mean() - arrays.distances(longer.shares).mean()
    assert gained < 0.002
    can = pool_of(drawn)
    assert rake(can, arrays, tolerance=1e-6, stalled=0.995).largest_error < 1e-6


def test_the_threads_do_not_show():
    original, pool = cube(2_000), pool_of(cube(300_000, seed=2))
    wide = RakedPool(  # as if no two rows were equal, so that there is something to share out
        pool.schema,
        np.asfortranarray(np.repeat(pool.codes, pool.multiplicities, axis=0)),
        np.ones(len(pool), np.int64),
        pool.patterns_used,
        pool.attempts,
    )
    arrays = MarginArrays.of(margins_of(original, 2, 20), original.schema)
    one, two = (rake(wide, arrays, rounds=3, threads=threads) for threads in (1, 2))
    assert one.weights.tobytes() == two.weights.tobytes()
    assert one.shares.tobytes() == two.shares.tobytes()


def test_a_stopped_raking_returns_what_it_has():
    original, pool = cube(2_000), pool_of(cube(20_000, seed=2))
    arrays = MarginArrays.of(margins_of(original, 2, 20), original.schema)
    raked = rake(pool, arrays, rounds=10**6, progress=lambda *_: False)
    assert raked.rounds < 10**6
    assert raked.weights.sum() == pytest.approx(1, abs=1e-6)


@given(
    st.lists(st.floats(0, 10), min_size=1, max_size=30).filter(lambda w: sum(w) > 1e-3),
    st.integers(1, 50),
    st.floats(0, 0.999),
)
def test_a_systematic_sample_takes_every_row_as_often_as_its_weight_asks(weights, rows, start):
    taken = np.bincount(systematic(np.array(weights), rows, start), minlength=len(weights))
    assert taken.sum() == rows
    wanted = rows * np.array(weights) / sum(weights)
    assert (np.abs(taken - wanted) < 1 + 1e-6).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"codes": np.array([0, 9], np.int32)}, "outside its column"),
        ({"codes": np.array([0], np.int32)}, "rows times columns"),
        ({"multiplicities": np.array([1.0, 0.0])}, "multiplicity"),
        ({"columns": np.array([3], np.int32)}, "no such column"),
        ({"class_of": np.array([0, 7], np.int32)}, "outside its table"),
        ({"class_of": np.array([0], np.int32)}, "last offset"),
        ({"targets": np.array([0.5, -0.5])}, "below 0"),
        ({"factors": np.array([1.0])}, "factor for each class"),
        ({"column_offsets": np.array([1, 1])}, "start with 0"),
        ({"cell_offsets": np.array([0, 1]), "class_of": np.array([0], np.int32)}, "each of its"),
    ],
)
def test_the_kernel_refuses_arrays_that_do_not_fit(change, sentence):
    sound = {
        "codes": np.array([0, 1], np.int32),
        "sizes": np.array([2], np.int32),
        "multiplicities": np.ones(2),
        "column_offsets": np.array([0, 1]),
        "columns": np.array([0], np.int32),
        "cell_offsets": np.array([0, 2]),
        "class_of": np.array([0, 1], np.int32),
        "class_offsets": np.array([0, 2]),
        "targets": np.array([0.5, 0.5]),
        "factors": np.ones(2),
        "rounds": 1,
        "tolerance": 0.0,
        "max_factor": 10.0,
        "stalled": np.inf,
        "threads": 1,
        "progress": None,
    }
    _native.rake(**sound)
    with pytest.raises(ValueError, match=sentence):
        _native.rake(**(sound | change))
    with pytest.raises(ValueError, match="whole number of rows"):
        _native.row_order(np.zeros(3, np.int32), np.array([2, 2], np.int32))
