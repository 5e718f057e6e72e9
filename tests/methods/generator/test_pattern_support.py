"""Patterns that need more rows than counts and values do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import halfmask as hm
from halfmask.data import Attribute, Schema, Table
from halfmask.documents import model as models
from halfmask.errors import BadInput
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.generator.learn import learn, learn_at
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.randomness import Randomness

SCHEMA = Schema(tuple(Attribute(n, tuple("uvwx")) for n in "abc"))


def original():
    """The second column mostly repeats the first, so does the third; a value is held by few."""
    rng = np.random.default_rng(2)
    first = rng.choice(4, size=1_000, p=[0.5, 0.3, 0.15, 0.05])
    columns = [first] + [np.where(rng.random(1_000) < 0.9, first, 0) for _ in range(2)]
    return Table(SCHEMA, np.column_stack(columns))


def settings(**changes):
    return GeneratorSettings(**({"min_support": 20, "pattern_support": 200} | changes))


@pytest.mark.parametrize("search", ["krimp", "slim"])
def test_rare_patterns_are_not_learnt_and_rarer_counts_are_still_met(search):
    asked = settings(search=search, calibration=CalibrationSettings(order=2))
    model = learn(original(), asked)
    lower = learn(original(), replace(asked, pattern_support=None))
    assert min(model.code_table.supports) >= 200 > min(lower.code_table.supports)
    assert model.min_support == 20 <= model.margins.smallest < 200
    release = model.sample(1_000, randomness=Randomness(1))
    assert release.record["pattern_support"] == 200
    assert "pattern_support" not in lower.sample(10, randomness=Randomness(1)).record
    assert (release.data.codes == 3).any()


def test_less_than_the_minimum_support_changes_nothing():
    one, other = (learn(original(), settings(pattern_support=p)) for p in (5, None))
    assert list(one.code_table.patterns()) == list(other.code_table.patterns())


@pytest.mark.parametrize("search", ["krimp", "slim"])
def test_the_curve_of_supports_begins_at_that_of_patterns(search):
    models_ = learn_at(original(), settings(search=search), [20, 100, 400])
    assert [model.min_support for model in models_.values()] == [20, 100, 400]
    least = [min(model.code_table.supports, default=1_000) for model in models_.values()]
    assert least[0] == least[1] >= 200
    assert least[2] >= 400


def test_a_model_file_remembers_it_and_is_refused_if_it_lies(tmp_path):
    model = learn(original(), settings())
    models.save(model, tmp_path / "a.model.json")
    assert models.load(tmp_path / "a.model.json").settings == model.settings
    lying = replace(model, settings=settings(pattern_support=900))
    with pytest.raises(BadInput, match="a pattern that fewer than 889 rows hold"):
        models.model_bytes(lying)


def test_the_front_door_knows_it():
    table = original()
    frame = pl.DataFrame(
        {a.name: np.array(a.values)[table.codes[:, n]] for n, a in enumerate(SCHEMA)}
    )
    learnt = hm.Generator(min_support=20, pattern_support=200).fit(frame).learnt
    assert min(learnt.code_table.supports) >= 200
