"""What is settled about groups is what all solutions say."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from halfmask import _native
from halfmask.data.intervals import CLEARED, OPEN, PINNED, Intervals
from reference.settling import pinned, solutions


@st.composite
def systems(draw):
    """Up to six unknowns of a few numbers each, up to four sums of some with signs."""
    size = draw(st.integers(1, 6))
    bounds = draw(
        st.lists(
            st.tuples(st.integers(0, 4), st.integers(0, 3)).map(lambda b: (b[0], b[0] + b[1])),
            min_size=size,
            max_size=size,
        )
    )
    equation = st.dictionaries(st.integers(0, size - 1), st.sampled_from([1, -1]), min_size=1)
    return bounds, draw(st.lists(equation, max_size=4)), draw(st.integers(1, 6))


def known(bounds, equations):
    found = Intervals()
    found.more(*zip(*bounds, strict=True))
    for equation in equations:
        found.add(
            [n for n, sign in equation.items() if sign > 0],
            [n for n, sign in equation.items() if sign < 0],
        )
    return found


@settings(max_examples=400)
@given(systems())
def test_a_group_is_pinned_where_all_solutions_have_few_of_it(system):
    bounds, equations, floor = system
    groups = np.arange(len(bounds))
    fates = known(bounds, equations).settled(groups, np.full(len(groups), floor))
    expected = pinned(bounds, equations, dict.fromkeys(range(len(bounds)), floor))
    assert {n for n in groups.tolist() if fates[n] == PINNED} == expected
    assert not (fates == OPEN).any()


def test_sums_that_contradict_each_other_pin_everything():
    bounds, equations = [(2, 3), (5, 6)], [{0: 1, 1: -1}]
    assert not [*solutions(bounds, equations)]
    fates = known(bounds, equations).settled(np.array([0, 1]), np.array([4, 4]))
    assert fates.tolist() == [PINNED, PINNED]


def test_no_equation_alone_sees_what_all_see_together():
    """a + b, b + c and a + c are 12, 12 and 10: b is 7, which no sum of two says."""
    bounds = [(0, 9), (0, 9), (0, 9), (12, 12), (12, 12), (10, 10)]
    equations = [{3: 1, 0: -1, 1: -1}, {4: 1, 1: -1, 2: -1}, {5: 1, 0: -1, 2: -1}]
    fates = known(bounds, equations).settled(np.array([1]), np.array([9]))
    assert fates.tolist() == [PINNED]


def test_what_takes_too_much_work_stays_open():
    # Three parts of nine: in the middle of their bounds each has 3, and 0 leaves two to find.
    low, high = np.array([0, 0, 0, 9]), np.array([9, 9, 9, 9])
    offsets, unknowns, signs = np.array([0, 4]), np.array([3, 0, 1, 2]), np.array([1, -1, -1, -1])
    arrays = (low, high, offsets, unknowns, signs, np.array([0]), np.array([5]))
    assert _native.settle(*arrays, 0).tolist() == [OPEN]
    assert _native.settle(*arrays, 1_000).tolist() == [CLEARED]


def arrays(bounds, equations, groups, floors):
    found = known(bounds, equations)
    low, high, unknowns, signs = (
        np.array(each, np.int64) for each in (found.low, found.high, found.unknowns, found.signs)
    )
    offsets = np.concatenate([[0], np.cumsum(np.array(found.lengths, np.int64))])
    return low, high, offsets, unknowns, signs, np.array(groups), np.array(floors)


def test_bounds_that_come_nearer_by_one_at_a_time_end_the_work():
    """x is y + 1 and y is x + 1: each round lifts both by one, and there are 2^50 of them."""
    bounds = [(0, 2**50), (0, 2**50), (1, 1)]
    equations = [{0: 1, 1: -1, 2: -1}, {1: 1, 0: -1, 2: -1}]
    fates = _native.settle(*arrays(bounds, equations, [0, 1], [2**49, 2**49]), 10_000)
    assert fates.tolist() == [OPEN, OPEN]
    few = [(0, 9), (0, 9), (1, 1)]
    assert _native.settle(*arrays(few, equations, [0, 1], [5, 5]), 10_000).tolist() == [PINNED] * 2


def test_groups_beyond_the_work_stay_open():
    """x = a + b, a + c = 1, b + d = 1, c + d = 1: x is 1, which is seen by trying 0 and 2."""
    groups, bounds, equations = range(200), [], []
    for _ in groups:
        x, a, b, c, d, one = range(len(bounds), len(bounds) + 6)
        bounds += [(0, 2), (0, 1), (0, 1), (0, 1), (0, 1), (1, 1)]
        equations += [{x: 1, a: -1, b: -1}]
        equations += [{one: 1, u: -1, v: -1} for u, v in ((a, c), (b, d), (c, d))]
    system = arrays(bounds, equations, [6 * group for group in groups], [2] * len(groups))
    assert set(_native.settle(*system, 10**7).tolist()) == {PINNED}
    fates = _native.settle(*system, 1_000)
    assert OPEN in fates
    assert CLEARED not in fates


def test_the_counts_beside_a_group_are_those_of_its_sums():
    found = known([(0, 9)] * 4, [{0: 1, 1: -1}, {2: 1, 3: -1}])
    assert found.beside(np.array([True, False, False, False])).tolist() == [
        True,
        True,
        False,
        False,
    ]


def test_what_stands_on_both_sides_cancels():
    """The only leaf of a tree is its whole: what is outside of it is nothing."""
    found = Intervals()
    whole, rest = found.more([12, 0], [17, 17])
    found.add([whole], [whole, rest])
    assert found.settled(np.array([whole, rest]), np.array([18, 10])).tolist() == [PINNED, CLEARED]
