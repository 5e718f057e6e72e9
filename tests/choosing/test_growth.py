"""How time grows with rows: the fit against scipy's, and against laws that are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from halfmask.choosing.preselection import fit_growth, sizes_up_to, student
from halfmask.errors import BadInput, NotMeasurable

TIMES = st.floats(1e-5, 1e3)


def plain_line(x, y):
    """Slope and standard error of a line, as the textbook sums them."""
    n, mean_x, mean_y = len(x), sum(x) / len(x), sum(y) / len(y)
    spread = sum((a - mean_x) ** 2 for a in x)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
    rests = [b - mean_y - slope * (a - mean_x) for a, b in zip(x, y, strict=True)]
    return slope, (sum(r * r for r in rests) / (n - 2) / spread) ** 0.5


def test_the_plain_line_is_scipys():
    x, y = [1.0, 2.0, 4.0, 8.0, 9.0], [3.0, 1.0, 4.0, 1.5, 9.0]
    line = stats.linregress(x, y)
    assert plain_line(x, y) == pytest.approx((line.slope, line.stderr))


@given(
    st.lists(st.integers(1, 10**7), min_size=4, max_size=14, unique=True).flatmap(
        lambda sizes: st.tuples(
            st.just(sizes), st.lists(TIMES, min_size=len(sizes), max_size=len(sizes))
        )
    )
)
def test_the_fit_is_that_of_ordinary_least_squares(drawn):
    sizes, seconds = drawn
    assume(max(sizes) >= 2 * min(sizes))  # sizes all alike leave nothing but rounding to fit
    found = fit_growth(sizes, seconds)
    slope, error = plain_line(np.log(sizes).tolist(), np.log(seconds).tolist())
    reach = error * stats.t.ppf(0.975, len(sizes) - 2)
    assert found.exponent == pytest.approx(slope, rel=1e-6, abs=1e-6)
    assert found.high - found.low == pytest.approx(2 * reach, rel=2e-3, abs=1e-5)


@given(st.floats(-1, 4), st.floats(1e-4, 10))
def test_a_power_law_gives_its_exponent_without_doubt(exponent, factor):
    sizes = sizes_up_to(4000)
    found = fit_growth(sizes, [factor * (n / 1000) ** exponent for n in sizes])
    assert found.low == pytest.approx(exponent, abs=1e-6)
    assert found.high == pytest.approx(exponent, abs=1e-6)


@pytest.mark.parametrize("freedom", [*range(1, 31), 100])
def test_students_points_are_those_of_the_distribution(freedom):
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1.5e-3)


@given(st.integers(80, 10**6), st.integers(4, 5))
def test_sizes_grow_by_one_factor_to_all_rows(rows, count):
    sizes = sizes_up_to(rows, count)
    assert len(set(sizes)) == count
    assert sizes[-1] == rows
    assert sizes[0] == round(rows / 8)


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(NotMeasurable, match="at least 4 sizes; 3 were timed"):
        fit_growth([1, 2, 3, 3], [1, 2, 3, 4])
    with pytest.raises(NotMeasurable, match="above 0"):
        fit_growth([1, 2, 3, 4], [0, 1, 2, 3])
    with pytest.raises(BadInput, match="needs its time"):
        fit_growth([1, 2, 3, 4], [1.0])
    with pytest.raises(BadInput, match="at least 80 rows"):
        sizes_up_to(79)
    with pytest.raises(BadInput, match="at least 4 sizes, not 3"):
        sizes_up_to(1000, 3)
