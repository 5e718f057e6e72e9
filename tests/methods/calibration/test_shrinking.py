"""Counts are met as far as they say more than chance: the ends of the dial, and in between."""

from __future__ import annotations

import numpy as np
import pytest

from halfmask.data import Attribute, Margin, Schema, Table
from halfmask.errors import BadInput
from halfmask.methods.calibration.raking import MarginArrays, RakedPool, rake
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.calibration.shrinking import Shrinking
from halfmask.methods.generator.learn import learn
from halfmask.methods.generator.process import Drawn
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.randomness import Randomness

SCHEMA = Schema(tuple(Attribute(name, ("0", "1", "2")) for name in "abc"))
NAMES = [("a",), ("b",), ("c",), ("a", "b"), ("a", "c")]


def _table(rows: int, tie: float, seed: int) -> Table:
    """Column b repeats a in the share `tie` of the rows; c is apart."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (rows, 3))
    same = rng.random(rows) < tie
    codes[same, 1] = codes[same, 0]
    return Table(SCHEMA, codes)


def _pool(rows: int = 20_000) -> RakedPool:
    """Independent columns: all that is tied comes from the counts."""
    codes = np.random.default_rng(9).integers(0, 3, (rows, 3)).astype(np.int32)
    return RakedPool.of(SCHEMA, Drawn(codes, np.ones(rows, np.uint16), rows))


def _margins(table: Table) -> list[Margin]:
    return [Margin.of(table, SCHEMA, names, min_support=5) for names in NAMES]


def _shares(pool: RakedPool, weights: np.ndarray, columns: list[int]) -> np.ndarray:
    cells = np.ravel_multi_index(tuple(pool.codes[:, columns].T), (3, 3))
    return np.bincount(cells, weights, 9) / weights.sum()


def test_hardly_shrunk_meets_counts_like_raking():
    table, pool = _table(1000, 0.5, 1), _pool()
    raked = rake(pool, MarginArrays.of(_margins(table)[:4], SCHEMA)).weights
    shrunk = Shrinking(SCHEMA, _margins(table)[:4], 1e-6).weigh(pool).weights
    assert np.abs(_shares(pool, raked, [0, 1]) - _shares(pool, shrunk, [0, 1])).max() < 1e-3


def test_shrunk_without_end_leaves_what_the_generator_draws():
    table, pool = _table(1000, 0.5, 1), _pool()
    weights = Shrinking(SCHEMA, _margins(table), 1e9).weigh(pool).weights
    single = rake(pool, MarginArrays.of(_margins(table)[:3], SCHEMA)).weights
    assert np.abs(_shares(pool, weights, [0, 1]) - _shares(pool, single, [0, 1])).max() < 1e-3


def test_a_table_of_chance_is_not_repeated_and_a_tie_is():
    table, pool = _table(1000, 0.5, 2), _pool()
    weights = Shrinking(SCHEMA, _margins(table), 2.0).weigh(pool).weights
    counted, apart = (table.marginal([x, y]).ravel() / 1000 for x, y in ("ab", "ac"))
    tied = _shares(pool, weights, [0, 1])
    assert np.abs(tied - counted).max() < 0.01
    loose = _shares(pool, weights, [0, 2])
    product = np.outer(loose.reshape(3, 3).sum(1), loose.reshape(3, 3).sum(0)).ravel()
    assert np.abs(loose - product).max() < 0.5 * np.abs(apart - product).max()


def test_nearer_to_people_than_the_counts_themselves():
    """Over many samples of a weak tie, the shrunk table is nearer to the population's."""
    truth = _table(400_000, 0.1, 3).marginal(["a", "b"]).ravel() / 400_000
    pool, as_counted, shrunk = _pool(), [], []
    for seed in range(20):
        table = _table(300, 0.1, 100 + seed)
        weights = Shrinking(SCHEMA, _margins(table)[:4], 1.0).weigh(pool).weights
        shrunk.append(np.abs(_shares(pool, weights, [0, 1]) - truth).sum())
        as_counted.append(np.abs(table.marginal(["a", "b"]).ravel() / 300 - truth).sum())
    assert np.mean(shrunk) < 0.95 * np.mean(as_counted)


@pytest.mark.parametrize("shrink", [0.0, 1.0])
def test_threads_give_the_same_rows(shrink: float):
    calibration = CalibrationSettings(order=2, shrink=shrink)
    model = learn(_table(800, 0.4, 4), GeneratorSettings(calibration=calibration))
    one, two = (
        model.sample(500, randomness=Randomness(5), threads=threads).data.codes
        for threads in (1, 2)
    )
    assert (one == two).all()


@pytest.mark.parametrize("shrink", [-1.0, float("nan"), float("inf")])
def test_nonsense_is_refused(shrink: float):
    with pytest.raises(BadInput, match="shrink is a number of at least 0"):
        CalibrationSettings(shrink=shrink)
