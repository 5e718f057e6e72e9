"""Encoding rows with given elements: the native kernel equals the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import databases

from halfmask import _native
from halfmask.data import Transactions
from halfmask.patterns.cover import cover, encode
from reference import krimp as reference


@st.composite
def rows_and_sets(draw):
    rows = draw(databases())
    subsets = st.sets(st.integers(0, rows.n_items - 1), min_size=1)
    sets = sorted(
        {tuple(sorted(s)) for s in draw(st.lists(subsets, max_size=6)) if len(s) > 1},
        key=lambda s: (-len(s), s),
    )
    return rows, sets


@given(rows_and_sets())
def test_native_usages_and_bits_equal_the_reference(case):
    rows, sets = case
    lengths = np.arange(1.0, len(sets) + rows.n_items + 1)
    encoded = encode(
        rows, Transactions.of(sets, rows.n_items), lengths[: len(sets)], lengths[len(sets) :]
    )
    frozen = [frozenset(s) for s in sets]
    weighted = [(frozenset(row), int(w)) for row, w in zip(rows, rows.weights, strict=True)]
    usage = reference.usages(weighted, frozen)
    elements = [*frozen, *(frozenset({i}) for i in range(rows.n_items))]
    assert [*encoded.set_usages, *encoded.item_usages] == [usage[x] for x in elements]
    bits = dict(zip(elements, lengths, strict=True))
    for row, length in zip(rows, encoded.bits, strict=True):
        assert length == sum(bits[x] for x in reference.cover(frozenset(row), frozen))
        assert [frozenset(x) for x in cover(row, sets)] == list(
            reference.cover(frozenset(row), frozen)
        )


def test_rows_beyond_one_block_are_covered_alike():
    row = [(0, 1, 2), (0, 1), (2,)]
    rows = Transactions.of(row * 500, 3)
    encoded = encode(rows, Transactions.of([(0, 1)], 3), np.array([1.0]), np.array([9.0, 9.0, 2.0]))
    assert encoded.bits.tolist() == [3.0, 1.0, 2.0] * 500
    assert encoded.set_usages.tolist() == [1000]
    assert encoded.total == 3000.0


def test_the_kernel_refuses_lengths_that_do_not_fit():
    rows = Transactions.of([(0,)], 1)
    with pytest.raises(ValueError, match="needs a code length"):
        _native.encode(
            rows.offsets, rows.items, rows.weights, 1, np.zeros(1, np.int64), rows.items[:0],
            np.zeros(0),
        )  # fmt: skip
