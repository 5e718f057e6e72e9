"""Two dials: every setting is that of a release made with it, and the release itself is marked."""

from __future__ import annotations

import numpy as np
import pytest
from measures.tables import dependent

from halfmask.judging import dials
from halfmask.judging.dials import over_dials
from halfmask.judging.tradeoff import trade_off
from halfmask.measures import Comparison, compare
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.generator.learn import (
    calibrated,
    learn,
    learn_at,
    limited,
    support_levels,
)
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.randomness import Randomness
from halfmask.run import Run

ROWS, FLOOR = 700, 10
RUN = Run(Randomness(3))


def settings(order, support=FLOOR, target=None):
    calibration = CalibrationSettings(order=order, target=target)
    return GeneratorSettings(min_support=support, calibration=calibration)


def looked_at(order=2, rows=ROWS, columns=6):
    """The release of these settings, what was read off it, and all settings beside it."""
    every = dependent(ROWS + 200, np.random.default_rng(8), columns)
    table, strangers = (type(every)(every.schema, c) for c in np.split(every.codes, [ROWS]))
    levels = support_levels(int(settings(order).min_support), len(table) // 2)
    models = learn_at(table, settings(order), levels)
    found = trade_off(models[min(models)], models, table, rows=rows, run=RUN)
    model = calibrated(found.model, table)
    release = model.sample(rows, randomness=RUN.randomness)
    comparison = Comparison(table, release, strangers, randomness=RUN.randomness, min_support=FLOOR)
    readings = compare(comparison)
    points = over_dials(model, found.models, comparison, readings, rows=rows, run=RUN)
    return table, readings, points


@pytest.fixture(scope="module")
def small():
    return looked_at()


def test_every_support_has_every_order_and_one_setting_is_the_release(small):
    _, readings, points = small
    supports = sorted({p.min_support for p in points})
    assert 3 <= len(supports) <= 4
    assert supports[0] == FLOOR
    settings_of = [(p.min_support, p.order) for p in points]
    assert settings_of == [(support, order) for support in supports for order in range(4)]
    (here,) = [p for p in points if p.here]
    assert (here.min_support, here.order, here.rows) == (FLOOR, 2, ROWS)
    people = {"people": readings["marginals_2"].against_holdout}
    assert here.readings == people | {name: readings[name].value for name in dials.READ}
    assert here.second_sample == readings["marginals_2"].second_sample


def test_a_setting_meets_the_counts_that_a_release_made_with_it_would(small):
    table, _, points = small
    for point in points:
        made = learn(table, settings(point.order, point.min_support)).margins
        told = () if made is None else made.tables
        assert (point.tables, point.cells) == (len(told), sum(len(m.cells) for m in told))
        assert point.smallest_count is None or point.smallest_count >= point.min_support


def test_meeting_more_counts_keeps_more_at_every_support(small):
    pairs = {(p.min_support, p.order): p.readings["marginals_2"] for p in small[2]}
    for support in {p.min_support for p in small[2]}:
        assert pairs[support, 2] < 0.9 * pairs[support, 0]


def test_a_lower_order_keeps_the_wider_tables_around_a_target(small):
    model = learn(small[0], settings(2, support=100, target="A5"))
    kept = {margin.attributes for margin in limited(model, 1).margins}
    assert {names for names in kept if len(names) == 2} == {
        m.attributes for m in model.margins if len(m.attributes) == 2 and "A5" in m.attributes
    }
    assert any(len(names) == 2 for names in kept)
    assert not any(len(names) > 2 for names in kept)


def test_papers_generator_is_shown_what_meeting_counts_would_bring():
    _, _, points = looked_at(order=0)
    here = next(p for p in points if p.here)
    assert (here.order, here.tables, here.smallest_count) == (0, 0, None)
    assert max(p.order for p in points) == 3


@pytest.mark.parametrize(("work", "supports"), [(300 * 21, 2), (300 * 21 - 1, 1)])
def test_many_rows_are_looked_at_on_fewer_with_the_setting_of_the_release_among_them(
    monkeypatch, work, supports
):
    monkeypatch.setattr(dials, "WORK", work)  # there are 21 tables to choose from
    monkeypatch.setattr(dials, "FEWEST_ROWS", 300)
    _, readings, points = looked_at()
    assert {p.rows for p in points} == {300}
    assert len({p.min_support for p in points}) == supports
    (here,) = [p for p in points if p.here]
    assert (here.min_support, here.order) == (FLOOR, 2)
    assert here.readings["nas"] < readings["nas"].value, "fewer rows bring fewer back"


def test_the_highest_order_is_left_out_where_it_is_long_work_unless_it_was_asked_for(monkeypatch):
    monkeypatch.setattr(dials, "WORK_OF_HIGHEST", 1_000)
    assert max(p.order for p in looked_at()[2]) == 2
    assert max(p.order for p in looked_at(order=3)[2]) == 3


def test_one_column_has_no_pairs():
    _, _, points = looked_at(order=1, columns=1)
    assert {p.order for p in points} == {0, 1}
