"""The papers' dials do what they say although releases are calibrated; and their generator."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import halfmask as hm
from halfmask.data import Encoding, Table
from halfmask.errors import BadInput
from halfmask.io.given import columns_of
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.record import cramers_v
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.patterns.krimp import krimp
from halfmask.randomness import Randomness


@pytest.fixture(scope="module")
def tied():
    """Three columns that say nearly the same, and a value that three rows hold."""
    rng = np.random.default_rng(5)
    one = rng.choice(["a", "b", "c"], 1_200)
    noisy = [
        np.where(rng.random(1_200) < 0.9, one, rng.choice(["a", "b", "c"], 1_200)) for _ in "12"
    ]
    noisy[1][:3] = "rare"
    return pl.DataFrame({"one": one, "two": noisy[0], "three": noisy[1]})


def told(frame, **settings):
    """The attributes of each table of counts that the model is to meet."""
    model = hm.Generator(min_support=10, **settings).fit(frame).learnt
    return [] if model.margins is None else [margin.attributes for margin in model.margins]


def test_the_length_of_patterns_bounds_the_counts_too(tied):
    assert any(len(names) == 2 for names in told(tied, max_pattern_length=2))
    assert all(len(names) == 1 for names in told(tied, max_pattern_length=1))
    drawn = hm.publish(tied, max_pattern_length=1, holdout=0, seed=1).first.release.data
    assert cramers_v(drawn, "one", "two") < 0.1


def test_a_column_loosened_by_laplace_is_tied_by_no_count(tied):
    loosened = told(tied, laplace_for={"two": 1_000.0})
    assert not any("two" in names for names in loosened if len(names) > 1)
    value = told(tied, laplace_for={"two=a": 1_000.0}, calibrate=3)
    assert not any("two" in names for names in value if len(names) > 1)
    # A smaller correction than that of the others tightens and leaves counts alone.
    method = GeneratorMethod(laplace=1.0, laplace_for={"two": 0.1})
    assert method.learning(1_200).calibration.order_for == {}
    plain, loose = (
        hm.publish(tied, holdout=0, seed=1, pattern_support=10, **said).first.release.data
        for said in ({}, {"laplace_for": {"two": 1_000.0}})
    )
    assert cramers_v(plain, "one", "two") > 0.8
    assert cramers_v(loose, "one", "two") < 0.6


def test_a_lower_order_that_was_asked_for_stays():
    method = GeneratorMethod(laplace_for={"two": 9.0}, calibrate_for={"two": 0, "one": 1})
    assert method.learning(1_200).calibration.order_for == {"two": 0, "one": 1}


def test_a_large_laplace_is_not_cancelled_by_counts(tied):
    for order in (2, 3):
        loose = told(tied, laplace=500.0, calibrate=order)
        assert loose
        assert all(len(names) == 1 for names in loose)
    assert any(len(names) == 2 for names in told(tied, laplace=0.9))
    tight, loose = (
        hm.publish(tied, holdout=0, seed=1, laplace=amount).first.release
        for amount in (0.001, 500.0)
    )
    assert cramers_v(tight.data, "one", "two") > 0.8
    assert cramers_v(loose.data, "one", "two") < 0.5
    assert any("only those of single columns are matched" in note for note in loose.notes)
    assert not any("Laplace" in note for note in tight.notes)


@pytest.mark.parametrize("said", [{"laplace": 500.0}, {"max_pattern_length": 1}])
def test_a_loosened_table_has_no_told_correlations(said):
    rng = np.random.default_rng(3)
    age = rng.normal(50, 15, 600).round(2)
    numbers = pl.DataFrame({"age": age, "pay": (age * 3 + rng.normal(0, 5, 600)).round(2)})
    tied, loose = (
        hm.publish(numbers, holdout=0, seed=1, **more).data.corr()["pay"][0] for more in ({}, said)
    )
    assert tied > 0.95
    assert abs(loose) < 0.7


def test_the_generator_as_published_is_the_papers_and_nothing_else(tied):
    published = hm.publish(tied, as_published=True, min_support=30, holdout=0, seed=7)
    columns = columns_of(tied)
    table = Encoding.fit(columns).encode(columns)
    found = krimp(table.transactions, table.schema, min_support=30).code_table
    plain = GeneratorModel(found, GeneratorSettings(min_support=30, rare_values="keep"))
    expected = plain.sample(len(table), randomness=Randomness(7)).data
    release = published.first.release.data
    assert isinstance(release, Table)
    assert np.array_equal(release.codes, expected.codes)
    assert published.first.made.model.code_table.usages.tolist() == found.usages.tolist()
    assert any("held by fewer than 30 rows" in note for note in published.first.release.notes)
    assert "kept however rare they are" in published.first.release.claim.promise


def test_the_generator_as_published_is_read_at_the_support_asked_for():
    rows = np.random.default_rng(2).integers(0, 3, (3_000, 10)).astype(str)
    wide = pl.DataFrame(rows, schema=[f"c{n}" for n in range(10)])
    asked, chosen = (
        hm.publish(wide, min_support=2, holdout=0, seed=1, no_trade_off=True, **said).readings["ds"]
        for said in ({"as_published": True}, {})
    )
    assert asked.details["min_support"] == 2
    assert chosen.details["min_support"] > 2  # which would take long, and nobody asked for it


def test_the_generator_as_published_writes_no_model(tied, tmp_path):
    tied.write_csv(tmp_path / "tied.csv")
    published = hm.publish(tmp_path / "tied.csv", as_published=True, seed=1)
    assert not [path for path in published.files if "model" in str(path)]


@pytest.mark.parametrize(
    "other", [{"search": "slim"}, {"calibrate": 1}, {"rare_values": "suppress"}, {"target": "one"}]
)
def test_what_is_not_the_papers_contradicts_them(other):
    with pytest.raises(BadInput, match="The generator as published has"):
        GeneratorMethod(as_published=True, **other)
    assert replace(GeneratorMethod(as_published=True), laplace=0.5).calibrate == 0
