"""An attack on many fits: below the promised ε for the mechanism, above it for a broken one.

The attacker knows all rows but one, and reads the whole noisy log. What she looks at is how far the
cells of the canary lie above what the other rows make them, in units of the noise.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from halfmask.data import Attribute, Schema, Table
from halfmask.measures.audit import audit
from halfmask.methods.loglinear import TableSet, count_cells
from halfmask.methods.private import mechanisms, select
from halfmask.methods.private.candidates import SelectSettings
from halfmask.methods.private.log import PoolSettings
from halfmask.methods.private.mechanisms import RandomBits
from halfmask.randomness import Randomness

SIZES = (3, 3)
SCHEMA = Schema(tuple(Attribute(f"c{n}", tuple(map(str, range(s)))) for n, s in enumerate(SIZES)))
TINY = PoolSettings(rows=200, last_rows=200, last_rounds=0, rounds=1)
CANARY = np.array([2, 2], np.int32)
EPSILON = 2.0


@cache
def everybody_else():
    rng = np.random.default_rng(1)
    return Table(SCHEMA, np.stack([rng.integers(2, size=4_000) % s for s in SIZES], axis=1))


def fit(table, seed):
    return select.learn(
        table,
        epsilon=EPSILON,
        pool=TINY,
        select=SelectSettings(order=2),
        bits=RandomBits(seed),
        key=1,
    )[0]


def cells_of_the_canary(log):
    """How far the canary's cells are above those of the others, by precision, in all tables."""
    tables = [each for step in log.steps for each in step]
    others = count_cells(everybody_else().codes, TableSet(SIZES, [t.columns for t in tables]))
    at, score = 0, 0.0
    for table in tables:
        sizes = [SIZES[c] for c in table.columns]
        place = np.ravel_multi_index(CANARY[list(table.columns)], sizes)
        score += (table.counts[place] - others[at + place]) / float(table.variance)
        at += len(table.counts)
    return np.array([score])


def attacked(runs):
    return audit(
        everybody_else(),
        CANARY,
        fit,
        cells_of_the_canary,
        randomness=Randomness(3),
        runs=runs,
        delta=1e-9,
    )


def test_the_attack_does_not_refute_the_promise():
    found = attacked(400)
    assert not found.refutes(EPSILON)


def test_a_tenth_of_the_noise_is_caught(monkeypatch):
    def a_tenth(variance, count, bits):
        return mechanisms.discrete_gaussian(variance / 100, count, bits)

    monkeypatch.setattr(select, "discrete_gaussian", a_tenth)
    found = attacked(400)
    assert found.refutes(EPSILON), found


@pytest.mark.parametrize("scale", [1, 10])
def test_the_attack_itself_is_sound_on_one_gaussian_count(scale):
    """Against noise of which the best test is known: never above what is true."""
    sigma = 8.0 / scale

    def count(table, seed):
        present = (table.codes == CANARY).all(axis=1).sum()
        return present + np.random.default_rng(seed).normal(0, sigma)

    def seen(value):
        return np.array([value])

    found = audit(
        everybody_else(), CANARY, count, seen, randomness=Randomness(5), runs=400, delta=1e-9
    )
    true = 0.5 / sigma**2 + 2 * (0.5 / sigma**2 * np.log(1e9)) ** 0.5
    assert found.epsilon <= true
