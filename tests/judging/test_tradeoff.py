"""The trade-off over the minimum support: where a target is met, and how far a step goes."""

from __future__ import annotations

import numpy as np
import pytest
from measures.tables import dependent

from halfmask.errors import TargetNotMet
from halfmask.judging.tradeoff import a_step_up, smallest_support, trade_off
from halfmask.methods.generator.learn import learn_at, support_levels
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.randomness import Randomness
from halfmask.run import Run

ROWS = 300


def start(min_support: int):
    table = dependent(ROWS, np.random.default_rng(4))
    settings = GeneratorSettings(min_support=min_support)
    return table, settings, Run(Randomness(1))


def curve(table, settings, run):
    models = learn_at(table, settings, support_levels(settings.min_support, len(table) // 2))
    return trade_off(models[min(models)], models, table, rows=ROWS, run=run)


def test_the_smallest_support_meets_the_target_and_the_one_below_misses_it():
    table, settings, run = start(5)
    highest = curve(table, settings, run).points[0].nas
    found = smallest_support(table, settings, 0.8 * highest, rows=ROWS, run=run)
    scores = {point.min_support: point.nas for point in found.points}
    assert scores[found.model.min_support] <= 0.8 * highest
    assert scores[found.model.min_support - 1] > 0.8 * highest
    with pytest.raises(TargetNotMet, match="No minimum support reaches"):
        smallest_support(table, settings, 0.0, rows=ROWS, run=run)


@pytest.mark.parametrize(("support", "higher"), [(50, 55), (295, ROWS)])
def test_a_step_is_a_tenth_and_never_beyond_all_rows(support, higher):
    table, settings, run = start(5)
    found = curve(table, settings, run)
    there = smallest_support(table, GeneratorSettings(min_support=support), 1.0, rows=ROWS, run=run)
    reached = a_step_up(there.above(found), table, rows=ROWS, run=run)
    assert reached.model.min_support == higher
    supports = [point.min_support for point in reached.points]
    assert supports == sorted(set(supports))
    assert supports[-1] == higher
