"""A shrunk model is nearer to the population than its sample; a dial says how much it copies."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from halfmask.methods.loglinear import TableSet, count_cells, released
from halfmask.methods.loglinear.shrinkage import ShrinkSettings, sampled, shrunk, surprise

SIZES = (6, 6, 5, 5, 4, 4)
PAIRS = TableSet(SIZES, list(combinations(range(6), 2)))


def population(rows, seed=1):
    """Two chains of three columns that have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(6, size=rows), rng.integers(6, size=rows)]
    for size in SIZES[2:]:
        follows = rng.random(rows) < 0.6
        columns.append(np.where(follows, columns[-2] % size, rng.integers(size, size=rows)))
    return np.stack(columns, axis=1).astype(np.int32)


def off(rows, other):
    """The mean total variation distance of all pairs."""
    gap = count_cells(rows, PAIRS) / len(rows) - count_cells(other, PAIRS) / len(other)
    return np.abs(gap).sum() / 2 / len(PAIRS.columns)


@pytest.fixture(scope="module")
def everyone():
    return population(100_000)


def test_a_shrunk_pool_is_nearer_to_the_population_than_its_sample(everyone):
    sample = population(1000, seed=2)
    fitted = shrunk(sample, SIZES, key=3, settings=ShrinkSettings(pool=30_000))
    assert off(fitted.codes, everyone) < 0.8 * off(sample, everyone)


def test_less_strength_copies_less():
    """The distance to the sample falls with the strength; so does what is told of its rows."""
    sample = population(1000, seed=2)
    distances = []
    for strength in (0.01, 0.1, 1.0):
        settings = ShrinkSettings(strength=strength, pool=30_000)
        rows = released(shrunk(sample, SIZES, key=3, settings=settings), 30_000, 0.5)
        distances.append(off(rows, sample))
    assert distances == sorted(distances, reverse=True)


def test_tables_that_say_no_more_than_chance_are_left_out():
    observed = sampled(population(5000), SIZES, ShrinkSettings(surprise=2.0))
    chosen = {columns for columns in observed.tables.columns if len(columns) == 2}
    assert chosen == {(0, 2), (0, 4), (1, 3), (1, 5), (2, 4), (3, 5)}
    assert (observed.variances == 0).all()
    assert observed.sampling == 1


def test_surprise_is_that_of_chance_where_columns_are_independent():
    rng = np.random.default_rng(4)
    found = []
    for _ in range(200):
        table = np.zeros((3, 4), int)
        np.add.at(table, (rng.integers(3, size=2000), rng.integers(4, size=2000)), 1)
        found.append(surprise(table)[0])
    assert abs(np.mean(found) - 6) < 5 * np.sqrt(12 / 200)
