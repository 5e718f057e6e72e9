"""An audit catches what breaks its promise, and never refutes a promise that is kept."""

from __future__ import annotations

import math

import numpy as np
import pytest
from measures.tables import dependent, schema_of
from scipy.stats import binomtest

from halfmask.data import Table
from halfmask.errors import BadInput
from halfmask.measures.audit import agreement, audit
from halfmask.measures.confidence import binomial_cdf, clopper_pearson
from halfmask.randomness import Randomness

ZEROS = Table(schema_of(2), np.zeros((20, 1), np.int32))
ONE, ZERO = np.array([1], np.int32), np.array([0], np.int32)


def randomised_response(epsilon):
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))

    def make(rows, seed):
        flip = np.random.default_rng(seed).random(rows.codes.shape) >= keep
        return Table(rows.schema, np.where(flip, 1 - rows.codes, rows.codes))

    return make


def noisy_count(sigma):
    def make(rows, seed):
        return float(rows.codes.sum()) + np.random.default_rng(seed).normal(0, sigma)

    return make


def number(release):
    return np.array([release])


@pytest.mark.parametrize(("successes", "trials"), [(0, 7), (3, 7), (7, 7), (1, 400), (250, 400)])
def test_exact_intervals_are_those_of_scipy(successes, trials):
    ours = clopper_pearson(successes, trials)
    theirs = binomtest(successes, trials).proportion_ci(method="exact")
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_exact_intervals_cover_for_every_share():
    for share in (0.01, 0.1, 0.37, 0.5):
        inside = [
            binomial_cdf(k, 40, share) - binomial_cdf(k - 1, 40, share)
            for k in range(41)
            if clopper_pearson(k, 40).low <= share <= clopper_pearson(k, 40).high
        ]
        assert sum(inside) >= 0.95


def test_no_successes_are_counted_out_of_nothing():
    with pytest.raises(BadInput, match="are not a share"):
        clopper_pearson(2, 1)


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_randomised_response_keeps_its_promise(epsilon):
    make = randomised_response(epsilon)
    found = [
        audit(
            ZEROS, ONE, make, lambda t: t.codes[-1:].astype(float),
            randomness=Randomness(seed), runs=200, instead=ZERO,
        )
        for seed in range(40)
    ]  # fmt: skip
    refuted = sum(one.refutes(epsilon) for one in found)
    assert refuted <= 4  # of 40 at 5 %: more happens once in 30 times, and seeds are fixed
    assert max(one.epsilon for one in found) > 0.1  # the attack is not blind


def test_many_runs_come_near_to_the_truth():
    make = randomised_response(1.5)
    one = audit(
        ZEROS, ONE, make, lambda t: t.codes[-1:].astype(float),
        randomness=Randomness(1), runs=8000, instead=ZERO,
    )  # fmt: skip
    assert 1.2 < one.epsilon < 1.5


def test_gaussian_noise_keeps_epsilon_and_delta():
    epsilon, delta = 0.9, 1e-3
    sigma = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    found = [
        audit(ZEROS, ONE, noisy_count(sigma), number, randomness=Randomness(s), delta=delta)
        for s in range(30)
    ]
    assert not any(one.refutes(epsilon) for one in found)


def test_noise_ten_times_too_small_is_caught():
    sigma = math.sqrt(2 * math.log(1.25 / 1e-3)) / 0.9 / 10
    one = audit(
        ZEROS, ONE, noisy_count(sigma), number, randomness=Randomness(1), runs=400, delta=1e-3
    )
    assert one.refutes(0.9)


def test_a_release_that_lets_a_rare_row_through_is_caught():
    """Claims to add noise, and publishes the rows of whoever is alone."""
    rows = dependent(300, np.random.default_rng(1))
    canary = np.array([a.size - 1 for a in rows.schema], np.int32)

    def broken(table, seed):
        rng = np.random.default_rng(seed)
        drawn = table.take(rng.integers(len(table), size=300))
        alone = (table.codes == canary).all(axis=1)
        return Table(table.schema, np.vstack([drawn.codes, table.codes[alone]]))

    def sound(table, seed):
        fresh = dependent(300, np.random.default_rng(seed))
        assert len(table) >= 300
        return fresh

    features = agreement(canary, rows, Randomness(2))
    caught = audit(rows, canary, broken, features, randomness=Randomness(3))
    assert caught.epsilon > 1
    assert audit(rows, canary, sound, features, randomness=Randomness(3)).epsilon < 0.2


def test_a_result_is_plain_and_the_same_for_the_same_seed():
    first, second = (
        audit(ZEROS, ONE, noisy_count(1.0), number, randomness=Randomness(4), runs=40)
        for _ in range(2)
    )
    assert first.to_dict() == second.to_dict()
    assert first.to_dict()["runs"] == 40


@pytest.mark.parametrize(("options", "words"), [({"runs": 38}, "runs"), ({"delta": 1.0}, "δ")])
def test_nonsense_is_refused(options, words):
    with pytest.raises(BadInput, match=words):
        audit(ZEROS, ONE, noisy_count(1.0), number, randomness=Randomness(1), **options)
