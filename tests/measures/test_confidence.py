"""Intervals hold the truth about as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.errors import BadInput
from halfmask.measures.confidence import Interval, bootstrap, difference, mean_interval, wilson


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_its_share_and_stays_between_0_and_1(case):
    share = wilson(*case)
    assert 0 <= share.low <= share.value <= share.high <= 1


def test_wilson_equals_scipy():
    from scipy.stats import binomtest

    for successes, trials in [(0, 10), (3, 10), (10, 10), (421, 1000)]:
        theirs = binomtest(successes, trials).proportion_ci(method="wilson")
        ours = wilson(successes, trials)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wilson_and_difference_cover_the_truth():
    rng = np.random.default_rng(1)
    held = gaps = 0
    for _ in range(2000):
        first, second = wilson(rng.binomial(800, 0.2), 800), wilson(rng.binomial(900, 0.35), 900)
        held += first.low <= 0.2 <= first.high
        gap = difference(first, second)
        gaps += gap.low <= -0.15 <= gap.high
    assert held / 2000 == pytest.approx(0.95, abs=0.02)
    assert gaps / 2000 == pytest.approx(0.95, abs=0.02)


def test_bootstrap_covers_a_mean():
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(200):
        sample = rng.exponential(size=100)
        found = bootstrap(100, lambda rows, s=sample: float(s[rows].mean()), rng=rng)
        held += found.low <= 1 <= found.high
    assert held / 200 > 0.88


@pytest.mark.parametrize("bad", [(-1, 3), (4, 3), (0, 0)])
def test_impossible_shares_are_refused(bad):
    with pytest.raises(BadInput, match="are not a share"):
        wilson(*bad)


def test_one_value_has_no_interval():
    with pytest.raises(BadInput, match="at least 2"):
        mean_interval(np.array([1.0]))
    with pytest.raises(BadInput, match="not between"):
        Interval(1.0, 2.0, 3.0)
