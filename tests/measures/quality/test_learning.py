"""Measures that learn: fair to a release that is as good as the original."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from measures.tables import dependent, schema_of

from halfmask.data import Table
from halfmask.measures import Comparison, compare, measure_named
from halfmask.measures.yardsticks import independent_columns
from halfmask.randomness import Randomness

pytest.importorskip("sklearn", reason="pip install 'halfmask[ml]' to try the measures that learn")


def read(name, original, release, holdout, **options):
    comparison = Comparison(original, release, holdout, randomness=Randomness(1), **options)
    return measure_named(name).read(comparison, yardsticks=False)


@pytest.fixture(scope="module")
def people() -> Table:
    return dependent(1800, np.random.default_rng(3), columns=5)


def test_what_independent_columns_teach_is_the_most_common_value(people):
    original, holdout = people.take(np.arange(600)), people.take(np.arange(1200, 1800))
    scrambled = independent_columns(original, 600, np.random.default_rng(1))
    reading = read("learning", original, scrambled, holdout, sensitive="A2")
    assert reading.high < 0
    common = reading.details["accuracy_of_most_common"]
    assert reading.details["accuracy_from_release"] == pytest.approx(common, abs=0.08)
    assert reading.details["target"] == "A2"


def test_another_sample_teaches_as_much_and_cannot_be_told_apart(people):
    parts = [people.take(np.arange(i, i + 600)) for i in (0, 600, 1200)]
    learning, propensity = (read(name, *parts) for name in ("learning", "propensity"))
    assert learning.low <= 0.02
    assert learning.high >= -0.02
    assert propensity.value == pytest.approx(0.5, abs=0.06)
    assert propensity.details["pmse"] < 0.02


def test_what_is_plainly_different_is_told_apart(people):
    original, holdout = people.take(np.arange(600)), people.take(np.arange(1200, 1800))
    other = Table(people.schema, np.zeros((600, 5)))
    reading = read("propensity", original, other, holdout)
    # Nothing but the original rows that are equal to all release rows can be mistaken for them.
    equal = float((original.codes == 0).all(axis=1).mean())
    assert reading.value == pytest.approx(1 - equal / 2, abs=0.03)


def test_a_release_with_one_class_predicts_that_class():
    schema = schema_of(2, 2)
    rng = np.random.default_rng(4)
    mixed = Table(schema, rng.integers(0, 2, (60, 2)))
    constant = Table(schema, np.column_stack([rng.integers(0, 2, 60), np.ones(60)]))
    reading = read("learning", constant, constant, mixed)
    ones = float((mixed.codes[:, 1] == 1).mean())
    assert reading.details["accuracy_from_release"] == pytest.approx(ones)


def test_without_scikit_learn_the_reading_is_blank_and_says_what_to_install(people, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    parts = [people.take(np.arange(i, i + 600)) for i in (0, 600, 1200)]
    comparison = Comparison(*parts, randomness=Randomness(1))
    for blank in compare(comparison, ["learning", "propensity"]):
        assert blank.reason == "This measure needs scikit-learn: pip install 'halfmask[ml]'."
