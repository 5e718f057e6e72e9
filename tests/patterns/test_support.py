"""A minimum support is a number of rows or a share of them, and nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.errors import BadInput
from halfmask.patterns.mining import absolute_support


@given(rows=st.integers(1, 10**7), data=st.data())
def test_a_whole_number_is_itself(rows, data):
    given_support = data.draw(st.integers(1, rows))
    assert absolute_support(given_support, rows) == given_support
    assert absolute_support(np.int64(given_support), rows) == given_support


@given(rows=st.integers(1, 10**6), data=st.data())
def test_a_fraction_of_whole_rows_is_not_rounded_away(rows, data):
    wanted = data.draw(st.integers(1, rows))
    assert absolute_support(wanted / rows, rows) == wanted


@pytest.mark.parametrize(
    ("fraction", "rows", "expected"),
    [(0.002, 59_601, 120), (0.003, 88_162, 265), (0.003, 77_512, 233), (1e-9, 10, 1), (1.0, 7, 7)],
)
def test_a_fraction_is_rounded_up(fraction, rows, expected):
    assert absolute_support(fraction, rows) == expected


@pytest.mark.parametrize(
    "nonsense", [0, -3, 101, 0.0, -0.5, 1.5, math.nan, math.inf, True, False, "10", None]
)
def test_anything_else_is_refused_with_what_is_possible(nonsense):
    with pytest.raises(BadInput, match=r"a whole number from 1 to 100, or a fraction above 0"):
        absolute_support(nonsense, 100)


def test_no_support_is_possible_without_rows():
    with pytest.raises(BadInput, match="0 rows"):
        absolute_support(1, 0)
    with pytest.raises(BadInput, match="0 rows"):
        absolute_support(0.5, 0)
