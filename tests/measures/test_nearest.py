"""The native search for nearest rows equals looking at every pair in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measures.tables import schema_of

from halfmask import _native
from halfmask.data import Table
from halfmask.measures.nearest import Packed, closest, closest_values, coincidences


def tables(rng: np.random.Generator, width: int, size: int, rows: int, asked: int):
    schema = schema_of(*[size] * width)
    return (
        Table(schema, rng.integers(-1, size, (rows, width))),
        Table(schema, rng.integers(-1, size, (asked, width))),
    )


def plain_distances(reference: Table, asked: Table, columns) -> np.ndarray:
    a, b = reference.codes[:, list(columns)], asked.codes[:, list(columns)]
    return np.array([[int((x != y).sum()) for x in a] for y in b])


cases = st.tuples(
    st.integers(0, 2**32 - 1),
    st.integers(1, 6),
    st.sampled_from([2, 5, 255, 256, 400]),
    st.integers(1, 40),
    st.integers(1, 5),
    st.integers(1, 3),
)


@given(cases)
def test_closest_equals_every_pair(case):
    seed, width, size, rows, asked, threads = case
    reference, queries = tables(np.random.default_rng(seed), width, size, rows, asked)
    found = closest(Packed(reference), queries, threads=threads)
    plain = plain_distances(reference, queries, range(width))
    assert found.distance.tolist() == plain.min(axis=1).tolist()
    assert found.row.tolist() == plain.argmin(axis=1).tolist()
    assert found.ties.tolist() == (plain == plain.min(axis=1, keepdims=True)).sum(axis=1).tolist()


@given(cases)
def test_values_of_the_closest_equal_every_pair(case):
    seed, width, size, rows, asked, threads = case
    reference, queries = tables(np.random.default_rng(seed), width + 1, min(size, 5), rows, asked)
    known = range(1, width + 1)
    votes = closest_values(Packed(reference), queries, target=0, columns=known, threads=threads)
    plain = plain_distances(reference, queries, known)
    for q, distances in enumerate(plain):
        held = reference.codes[distances == distances.min(), 0]
        assert votes[q].tolist() == [int((held == v).sum()) for v in range(min(size, 5))]


@given(cases)
def test_coincidences_equal_every_pair(case):
    seed, width, size, rows, asked, threads = case
    reference, queries = tables(np.random.default_rng(seed), width + 1, size, rows, asked)
    parts = (range(1), range(1, width + 1))
    chances = coincidences(Packed(reference), queries, parts, threads=threads)
    plain = [plain_distances(reference, queries, part) for part in parts]
    near = [p == p.min(axis=1, keepdims=True) for p in plain]
    both = (near[0] & near[1]).sum(axis=1)
    assert chances == pytest.approx(both / (near[0].sum(axis=1) * near[1].sum(axis=1)))


def test_many_blocks_and_many_threads_give_the_same_answer():
    rng = np.random.default_rng(3)
    reference, queries = tables(rng, 7, 4, 5000, 150)
    one, three = (closest(Packed(reference), queries, threads=t) for t in (1, 3))
    plain = plain_distances(reference, queries.take(np.arange(5)), range(7))
    assert one.distance[:5].tolist() == plain.min(axis=1).tolist()
    assert one.row[:5].tolist() == plain.argmin(axis=1).tolist()
    for name in ("distance", "row", "ties"):
        assert (getattr(one, name) == getattr(three, name)).all()


def test_more_than_255_columns_do_not_overflow():
    schema = schema_of(*[2] * 300)
    reference = Table(schema, np.zeros((3, 300)))
    assert closest(Packed(reference), Table(schema, np.ones((1, 300)))).distance.tolist() == [300]


def test_no_reference_rows_leave_the_answer_open():
    nothing = np.empty((2, 0), np.uint8)
    distance, row, ties = _native.nearest(nothing, np.zeros((2, 1), np.uint8), 1)
    assert (distance[0], row[0], ties[0]) == (-1, -1, 0)


def test_the_kernel_refuses_arrays_that_do_not_fit():
    a, b = np.zeros((2, 4), np.uint8), np.zeros((3, 4), np.uint8)
    with pytest.raises(ValueError, match="same columns"):
        _native.nearest(a, b, 1)
    with pytest.raises(ValueError, match="one label for each"):
        _native.nearest_votes(a, np.zeros(3, np.int32), 2, a, 1)
    with pytest.raises(ValueError, match="a label must lie"):
        _native.nearest_votes(a, np.full(4, 2, np.int32), 2, a, 1)
    with pytest.raises(ValueError, match="one distance for each"):
        _native.coincidences(a, a, np.zeros(1, np.int32), a, a, np.zeros(4, np.int32), 1)
    with pytest.raises(ValueError, match="too many columns"):
        _native.nearest(np.zeros((256, 1), np.uint8), np.zeros((256, 1), np.uint8), 1)
