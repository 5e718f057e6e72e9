"""Noise and choices follow their distributions exactly, and cost what the theorems say."""

from __future__ import annotations

from fractions import Fraction
from math import erfc, exp, inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfmask.errors import BadInput
from halfmask.methods.private.accounting import (
    BudgetLedger,
    check_delta_for,
    delta_of,
    epsilon_of,
    exponential_epsilon,
    exponential_rho,
    gaussian_rho,
    gaussian_sigma,
    rho_of,
)
from halfmask.methods.private.mechanisms import (
    LARGEST_SIGMA,
    RandomBits,
    choose,
    decide_exp,
    discrete_gaussian,
    discrete_laplace,
    usable_variance,
)

DRAWS = 200_000


def close(found, shares, draws=DRAWS):
    """Whether counts are those of the shares, by Pearson's statistic at six standard deviations."""
    wanted = np.asarray(shares) * draws
    likely = wanted > 5
    chi = ((found - wanted) ** 2 / wanted)[likely].sum()
    return chi < likely.sum() + 6 * sqrt(2 * likely.sum())


def counted(drawn, reach):
    return np.array([(drawn == z).sum() for z in range(-reach, reach + 1)])


def weights(reach, log_weight):
    shares = np.array([exp(log_weight(z)) for z in range(-reach, reach + 1)])
    return shares / shares.sum()


@pytest.mark.parametrize(
    "variance", [Fraction(1, 9), Fraction(1, 2), Fraction(25, 4), Fraction(400)]
)
def test_noise_is_the_discrete_gaussian(variance):
    drawn = discrete_gaussian(variance, DRAWS, RandomBits(3))
    reach = 6 * int(sqrt(variance)) + 6
    assert close(counted(drawn, reach), weights(reach, lambda z: -(z**2) / (2 * variance)))


def test_another_variance_would_be_seen():
    drawn = discrete_gaussian(Fraction(25, 4), DRAWS, RandomBits(3))
    assert not close(counted(drawn, 20), weights(20, lambda z: -(z**2) / (2 * 6.0)))


@pytest.mark.parametrize("scale", [1, 2, 17])
def test_the_proposal_is_the_discrete_laplace(scale):
    drawn = discrete_laplace(scale, DRAWS, RandomBits(4))
    reach = 25 * scale
    assert close(counted(drawn, reach), weights(reach, lambda z: -abs(z) / scale))


@pytest.mark.parametrize(("top", "bottom"), [(0, 1), (1, 3), (1, 1), (7, 2), (12, 1)])
def test_decisions_have_the_probability_said(top, bottom):
    many = np.full(DRAWS, 1, np.int64)
    share = decide_exp(many * top, many * bottom, RandomBits(5)).mean()
    wanted = exp(-top / bottom)
    assert abs(share - wanted) <= 5 * sqrt(wanted * (1 - wanted) / DRAWS) + 1e-5


def test_largest_noise_stays_within_whole_numbers_of_64_bits():
    drawn = discrete_gaussian(Fraction(LARGEST_SIGMA**2), 20_000, RandomBits(6))
    assert abs(drawn.std() / LARGEST_SIGMA - 1) < 0.03
    assert abs(drawn.mean()) < 5 * LARGEST_SIGMA / sqrt(20_000)
    with pytest.raises(BadInput, match="standard deviation of up to"):
        discrete_gaussian(Fraction(LARGEST_SIGMA**2 + 1), 1, RandomBits(6))


@given(st.floats(0.05, LARGEST_SIGMA))
def test_the_variance_used_is_never_below_what_was_paid_for(sigma):
    variance = usable_variance(sigma)
    assert Fraction(sigma) ** 2 <= variance
    assert variance <= Fraction(sigma) ** 2 + (1 if sigma >= 8 else Fraction(1, 16))


def test_the_operating_system_is_the_default_source():
    one, other = (discrete_gaussian(Fraction(10**4), 50, RandomBits()) for _ in range(2))
    assert not np.array_equal(one, other)
    assert not RandomBits().seeded
    same = [discrete_gaussian(Fraction(100), 50, RandomBits(9)).tolist() for _ in range(2)]
    assert same[0] == same[1]


def test_bounded_numbers_are_uniform():
    bits = RandomBits(8)
    found = np.bincount(bits.below(np.full(DRAWS, 7, np.int64)), minlength=7)
    assert close(found, np.full(7, 1 / 7))
    huge = bits.below(np.full(1000, 3 * 2**61, np.int64))  # a quarter of the words is thrown away
    assert huge.max() < 3 * 2**61
    assert abs(huge.mean() / (1.5 * 2**61) - 1) < 0.1


def test_choices_follow_the_exponential_mechanism():
    scores, epsilon, sensitivity = [0, 3, -4, 10], Fraction(1, 2), 2
    bits = RandomBits(7)
    draws = 20_000
    chosen = [
        choose(scores, sensitivity=sensitivity, epsilon=epsilon, bits=bits).index
        for _ in range(draws)
    ]
    shares = np.exp(np.array(scores) * 0.5 / (2 * sensitivity))
    assert close(np.bincount(chosen, minlength=4), shares / shares.sum(), draws)


def test_choices_need_candidates():
    with pytest.raises(BadInput, match="a candidate"):
        choose([], sensitivity=1, epsilon=Fraction(1), bits=RandomBits(1))


@given(st.floats(1e-6, 50.0), st.floats(0.01, 40.0))
def test_delta_is_the_least_over_all_orders(rho, epsilon):
    alphas = 1 + np.logspace(-6, 7, 20_000)
    logs = (alphas - 1) * (alphas * rho - epsilon) + alphas * np.log1p(-1 / alphas)
    brute = min(1.0, exp(min(0.0, float((logs - np.log(alphas - 1)).min()))))
    found = delta_of(rho, epsilon)
    assert found <= brute * (1 + 1e-6)
    assert found >= brute * 0.99 or brute < 1e-250


@given(st.floats(0.02, 20.0), st.sampled_from([1e-12, 1e-9, 1e-5]))
def test_rho_and_epsilon_are_inverse_and_never_promise_too_much(epsilon, delta):
    rho = rho_of(epsilon, delta)
    assert delta_of(rho, epsilon) <= delta
    assert delta_of(rho * 1.0001, epsilon) > delta
    assert epsilon_of(rho, delta) == pytest.approx(epsilon, rel=1e-6)
    assert epsilon >= rho  # else even δ of a large part would not do
    assert epsilon_of(rho, delta) <= rho + 2 * sqrt(rho * log(1 / delta))  # Bun & Steinke 2016


@given(st.floats(0.3, 50.0), st.floats(0.01, 5.0))
def test_the_promise_holds_for_gaussian_noise(sigma, epsilon):
    """The exact δ of continuous Gaussian noise [Balle & Wang 2018] is never above what we say."""

    def normal(x):
        return erfc(-x / sqrt(2)) / 2

    exact = normal(1 / (2 * sigma) - epsilon * sigma) - exp(epsilon) * normal(
        -1 / (2 * sigma) - epsilon * sigma
    )
    assert exact <= delta_of(gaussian_rho(sigma), epsilon) * (1 + 1e-9) + 1e-15


@settings(deadline=None, max_examples=30)
@given(st.floats(0.5, 300.0), st.sampled_from([1e-9, 1e-6]))
def test_accounting_is_that_of_opendp(sigma, delta):
    opendp = pytest.importorskip("opendp.prelude")
    opendp.enable_features("contrib")
    space = opendp.atom_domain(T=int), opendp.absolute_distance(T=int)
    noise = opendp.m.make_gaussian(*space, scale=sigma)
    assert noise.map(1) == pytest.approx(gaussian_rho(sigma), rel=1e-9)
    curve = opendp.c.make_zCDP_to_approxDP(noise).map(1)
    assert epsilon_of(gaussian_rho(sigma), delta) == pytest.approx(curve.epsilon(delta), rel=1e-3)


def test_noise_is_spread_as_that_of_opendp():
    opendp = pytest.importorskip("opendp.prelude")
    opendp.enable_features("contrib")
    space = opendp.vector_domain(opendp.atom_domain(T=int)), opendp.l2_distance(T=int)
    theirs = np.array(opendp.m.make_gaussian(*space, scale=3.0)([0] * 20_000))
    ours = discrete_gaussian(Fraction(9), 20_000, RandomBits(2))
    one, other = counted(theirs, 12), counted(ours, 12)
    both = one + other
    chi = ((one - other) ** 2 / np.maximum(both, 1))[both > 10].sum()
    assert chi < (both > 10).sum() + 6 * sqrt(2 * (both > 10).sum())


@given(st.floats(1e-6, 10.0))
def test_prices_are_inverse(rho):
    assert gaussian_rho(gaussian_sigma(rho)) == pytest.approx(rho)
    assert exponential_rho(exponential_epsilon(rho)) == pytest.approx(rho)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_a_ledger_adds_up_and_refuses_to_overspend(parts):
    ledger = BudgetLedger(1.0)
    for k, rho in enumerate(parts):
        if ledger.spent + rho <= 1:
            ledger = ledger.spend(f"part {k % 2}", rho)
        else:
            before = ledger
            if ledger.spent + rho > 1 + 1e-9:
                with pytest.raises(BadInput, match="only"):
                    ledger.spend("too much", rho)
            assert ledger is before
    assert ledger.spent + ledger.left == pytest.approx(1.0)
    assert sum(ledger.by_part().values()) == pytest.approx(ledger.spent)
    with pytest.raises(BadInput, match="would cost"):
        ledger.spend("gain", -0.1)


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 1e-9), (-1, 1e-9), (inf, 1e-9), (1, 0), (1, 1)])
def test_impossible_promises_are_refused(epsilon, delta):
    with pytest.raises(BadInput, match=r"epsilon|delta"):
        rho_of(epsilon, delta)


def test_delta_must_be_below_one_in_the_rows():
    check_delta_for(1e-9, 10_000)
    with pytest.raises(BadInput, match="not below 1 / rows"):
        check_delta_for(1e-3, 10_000)
