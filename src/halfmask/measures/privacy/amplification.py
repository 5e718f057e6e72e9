"""Amplification: how much a bit of the release can change what a reader believes about a person.

The attack: a reader has some belief about a property of a basket, whatever it is, and sees the
basket after the noise. Evfimievski, Gehrke & Srikant (2003) bound the change by the channel alone:

    γ = the largest ratio of P(seen | one bit) to P(seen | the other), here (α/β or its inverse)
    a belief of at most ρ₁ becomes one of at least ρ₂ only if  ρ₂(1 − ρ₁) / (ρ₁(1 − ρ₂)) < γ

so that with prior ρ₁ the posterior is at most  ρ₁γ / (1 − ρ₁ + ρ₁γ), of any property of one bit.
With α = 0.9, β = 0.1: γ = 9, and a belief of 5 % becomes 32 % at most.

Value intervals: how closely a true value can be told (Agrawal & Srikant 2000).

If a value can be told to lie in an interval of width w with confidence c, w is its privacy at c. A
bit has two values: the interval is both of them (1 of 1) unless one is believed with confidence c.
The reading is the share of bits, over all items and baskets, for which both remain, at c = 95 %.

Privacy loss: how much of what a reader did not know the release tells (Agrawal & Aggarwal 2001).

The privacy of a value A is 2^H(A); seeing B leaves 2^H(A|B) of it, so that a share
1 − 2^(−I(A;B)) is lost. The reading is the mean over the items.

>>> round(posterior_at_most(9.0, 0.05), 4)
0.3214
>>> losses(np.array([0.5]), Channel.equal(1.0, 0.0, n_items=1)).round(3).tolist()
[0.5]
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfmask.data.published.distorted import Channel
from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.privacy.bit_privacy import channel_of

PRIORS = (0.01, 0.05, 0.1, 0.2)
CONFIDENCES = (0.5, 0.95, 0.999)
"""Those of Agrawal & Srikant's tables."""


def posterior_at_most(gamma: float, prior: float) -> float:
    """What a belief can become when odds grow by γ at most."""
    return prior * gamma / (1 - prior + prior * gamma)


def gammas(channel: Channel) -> NDArray[np.float64]:
    """γ of each item: e^ε of its channel; infinite where something is seen for certain."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(channel.epsilons), np.float64)


def _amplification(comparison: Comparison) -> Estimate:
    channel = channel_of(comparison.release)
    noisy = channel.keep < 1
    if not noisy.any():
        raise NotMeasurable("Nothing was distorted, so no belief is bounded.")
    gamma = float(gammas(channel)[noisy].max())
    breach = 1.0 if np.isinf(gamma) else posterior_at_most(gamma, 0.05)
    details = {
        "gamma": gamma if np.isfinite(gamma) else None,
        "posterior_at_most": [
            1.0 if np.isinf(gamma) else posterior_at_most(gamma, prior) for prior in PRIORS
        ],
        "priors": PRIORS,
        "items_without_bound": int(np.isinf(gammas(channel)[noisy]).sum()),
    }
    return Estimate(breach, details=details)


def undecided(
    shares: NDArray[np.float64], channel: Channel, confidence: float
) -> NDArray[np.float64]:
    """For each item the probability that a reader believes neither value with this confidence."""
    seen = shares * channel.keep + (1 - shares) * channel.insert
    found = np.zeros(len(shares))
    for probability, ones in (
        (seen, shares * channel.keep),
        (1 - seen, shares * (1 - channel.keep)),
    ):
        belief = np.divide(ones, probability, out=np.zeros(len(shares)), where=probability > 0)
        found += np.where(np.maximum(belief, 1 - belief) < confidence, probability, 0.0)
    return found


def _intervals(comparison: Comparison) -> Estimate:
    channel = channel_of(comparison.release)
    original = comparison.original
    shares = original.support([(item,) for item in range(len(channel))]) / original.size
    open_ = [float(undecided(shares, channel, c).mean()) for c in CONFIDENCES]
    details = {"confidences": CONFIDENCES, "both_values_remain": open_}
    return Estimate(open_[1], details=details)


def losses(shares: NDArray[np.float64], channel: Channel) -> NDArray[np.float64]:
    """1 − 2^(−I) of each item: ½ of a bit of which everything is told, 0 where nothing is."""
    joint = np.stack(
        [
            shares * channel.keep,
            (1 - shares) * channel.insert,
            shares * (1 - channel.keep),
            (1 - shares) * (1 - channel.insert),
        ]
    )
    seen = joint[0] + joint[1]
    alone = _entropy(np.stack([shares, 1 - shares])) + _entropy(np.stack([seen, 1 - seen]))
    return np.asarray(1 - np.exp2(np.minimum(_entropy(joint) - alone, 0.0)), np.float64)


def _entropy(parts: NDArray[np.float64]) -> NDArray[np.float64]:
    logs = np.log2(parts, out=np.zeros_like(parts), where=parts > 0)
    return np.asarray(-(parts * logs).sum(axis=0), np.float64)


def _loss(comparison: Comparison) -> Estimate:
    channel = channel_of(comparison.release)
    original = comparison.original
    shares = original.support([(item,) for item in range(len(channel))]) / original.size
    found = losses(shares, channel)
    return Estimate(float(found.mean()), details={"largest": float(found.max())})


PRIVACY_LOSS = Measure(
    name="privacy_loss",
    reads="counts",
    of_one_method=True,
    room="privacy",
    better="lower",
    unit="share",
    meaning="The share of a reader's uncertainty about an item of a person that seeing the release "
    "takes away, on average over the items; half is all of it for an item that is there as often "
    "as not.",
    how="1 − 2^(−I) of each item, with I the mutual information of the true and the released bit "
    "(Agrawal & Aggarwal).",
    cost="0.1 s",
    compute=_loss,
    default=False,
)

AMPLIFICATION = Measure(
    name="amplification",
    reads="counts",
    of_one_method=True,
    room="privacy",
    better="lower",
    unit="probability",
    meaning="The most that a belief of 5 % about one item of a person can become when the reader "
    "sees the released basket; 1 is certainty.",
    how="ρ₁γ / (1 − ρ₁ + ρ₁γ) with the largest γ of the channel (Evfimievski); γ and other priors "
    "are in the details.",
    cost="0.1 s",
    compute=_amplification,
    default=False,
)

VALUE_INTERVALS = Measure(
    name="value_intervals",
    reads="counts",
    of_one_method=True,
    room="privacy",
    better="higher",
    unit="share",
    meaning="The share of cells of which a reader who knows the noise and the true supports cannot "
    "tell with 95 % confidence whether the item was there.",
    how="Posterior of each bit against the confidence, mean over items and baskets (the intervals "
    "of Agrawal & Srikant, of a value that is 0 or 1); 50 % and 99.9 % are in the details.",
    cost="0.1 s",
    compute=_intervals,
    default=False,
)
