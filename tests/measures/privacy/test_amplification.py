"""Amplification and value intervals, against an attacker who computes posteriors."""

from __future__ import annotations

import numpy as np
import pytest

import halfmask as hm
from halfmask.data.published.distorted import Channel
from halfmask.measures.privacy.amplification import (
    gammas,
    losses,
    posterior_at_most,
    undecided,
)


def published(keep):
    rng = np.random.default_rng(4)
    rows = [[n for n, p in (("a", 0.5), ("b", 0.1)) if rng.random() < p] for _ in range(4_000)]
    return hm.publish(hm.Baskets.of(rows), method="distortion", keep=keep, seed=1)


def test_no_posterior_exceeds_the_bound():
    """Bayes by hand: prior 5 %, either bit seen, never beyond what γ allows."""
    for keep in (0.6, 0.9, 0.99):
        channel = Channel.equal(keep, 1 - keep, n_items=1)
        gamma = float(gammas(channel)[0])
        for prior in (0.05, 0.3):
            seen = prior * keep / (prior * keep + (1 - prior) * (1 - keep))
            assert seen <= posterior_at_most(gamma, prior) + 1e-12
    assert gammas(Channel.equal(0.9, 0.1, n_items=1))[0] == pytest.approx(9)


def test_the_reading_of_a_release():
    found = published(0.9).readings["amplification"]
    assert found.value == pytest.approx(0.05 * 9 / (0.95 + 0.05 * 9))
    assert found.details["gamma"] == pytest.approx(9)
    assert published(0.99).readings["amplification"].value > found.value


def test_intervals_by_drawing():
    """A share of the bits of 'b' stays open: count it in drawn bits with a Bayesian reader."""
    share, keep = 0.1, 0.9
    rng = np.random.default_rng(1)
    bits = rng.random(200_000) < share
    seen = np.where(rng.random(len(bits)) < keep, bits, ~bits)
    belief = {s: (bits[seen == s]).mean() for s in (True, False)}
    open_ = np.mean([max(belief[bool(s)], 1 - belief[bool(s)]) < 0.95 for s in seen])
    exact = undecided(np.array([share]), Channel.equal(keep, 1 - keep, n_items=1), 0.95)[0]
    assert exact == pytest.approx(open_, abs=0.01)
    assert published(0.6).readings["value_intervals"].value == 1.0
    assert published(0.999).readings["value_intervals"].value < 0.2


def test_privacy_loss_is_mutual_information_by_drawing():
    share, keep = 0.3, 0.8
    rng = np.random.default_rng(2)
    bits = rng.random(400_000) < share
    seen = np.where(rng.random(len(bits)) < keep, bits, ~bits)
    joint = np.histogram2d(bits, seen, bins=2)[0] / len(bits)
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    information = (joint * np.log2(joint / apart)).sum()
    exact = losses(np.array([share]), Channel.equal(keep, 1 - keep, n_items=1))[0]
    assert exact == pytest.approx(1 - 2**-information, abs=0.002)
    assert published(0.9).readings["privacy_loss"].value > published(0.6).readings[
        "privacy_loss"
    ].value  # fmt: skip
