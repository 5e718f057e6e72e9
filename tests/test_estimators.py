"""The library's front door: frames in, the same frames out, scikit-learn's manners."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

import halfmask as hm
from halfmask.demo.hospital import hospital_admissions


@pytest.fixture(scope="module")
def patients() -> pl.DataFrame:
    columns = hospital_admissions(800, rng=np.random.default_rng(3))
    frame = pl.DataFrame({column.name: column.cells for column in columns})
    return frame.with_columns(ward=pl.Series([i % 4 for i in range(800)], dtype=pl.Int16))


def test_each_kind_of_frame_comes_back_with_its_columns_and_types(patients):
    frames = {
        "polars": patients,
        "pandas": patients.to_pandas(),
        "pyarrow": patients.to_arrow(),
    }
    for kind, frame in frames.items():
        release = hm.Generator(min_support=20).fit(frame).sample(50, seed=1)
        assert type(release) is type(frame), kind
        if isinstance(frame, pl.DataFrame):
            assert release.schema == frame.schema
        elif isinstance(frame, pa.Table):
            assert release.schema.names == frame.schema.names
            assert release.schema.types == frame.schema.types
        else:
            assert isinstance(frame, pd.DataFrame)
            assert list(release.columns) == list(frame.columns)
            assert release["ward"].dtype == frame["ward"].dtype


def test_a_duckdb_relation_comes_back_as_one(patients):
    arrow = patients.to_arrow()  # noqa: F841 - DuckDB finds it by name
    relation = duckdb.sql("select sex, outcome from arrow")
    release = hm.Generator(min_support=20).fit(relation).sample(30, seed=1)
    assert release.columns == ["sex", "outcome"]
    assert len(release.fetchall()) == 30


def test_the_same_seed_gives_the_same_rows(patients):
    model = hm.Generator(min_support=20).fit(patients)
    assert model.sample(100, seed=5).equals(model.sample(100, seed=5, threads=2))
    assert not model.sample(100, seed=5).equals(model.sample(100, seed=6))


def test_as_many_rows_as_the_original_unless_told(patients):
    model = hm.Generator(min_support=20).fit(patients)
    assert len(model.sample(seed=1)) == len(patients)
    assert len(model.sample(0, seed=1)) == 0


def test_missing_values_come_back_as_missing(patients):
    release = hm.Generator(min_support=20).fit(patients).sample(2000, seed=1)
    share = release["smoker"].null_count() / 2000
    assert abs(share - patients["smoker"].null_count() / 800) < 0.04


def test_a_saved_model_draws_the_same_rows(patients, tmp_path):
    model = hm.Generator(min_support=20).fit(patients)
    model.save(tmp_path / "m.json")
    again = hm.Model.load(tmp_path / "m.json")
    assert again.sample(40, seed=2).to_pylist() == model.sample(40, seed=2).to_dicts()
    with pytest.raises(hm.BadInput, match="exists"):
        model.save(tmp_path / "m.json")


def test_patterns_are_a_frame_of_the_callers_kind(patients):
    listed = hm.Generator(min_support=20).fit(patients).patterns()
    assert isinstance(listed, pl.DataFrame)
    assert listed["support"].min() >= 20
    assert listed["usage"].is_sorted(descending=True)


def test_hidden_pairs_share_no_pattern(patients):
    listed = hm.Generator(min_support=10, hide_together=[("age", "department")]).fit(patients)
    for pattern in listed.patterns()["pattern"]:
        assert not ("age=" in pattern and "department=" in pattern)


def test_scikit_learn_can_clone_it_and_set_its_parameters():
    generator = hm.Generator(min_support=7, laplace=0.5, hide_together=[("a", "b")])
    copy = clone(generator)
    assert copy is not generator
    assert copy.get_params() == generator.get_params()
    assert copy.set_params(min_support=9).min_support == 9
    assert repr(copy) == "Generator(min_support=9, hide_together=[('a', 'b')], laplace=0.5)"
    with pytest.raises(hm.BadInput, match="did you mean 'min_support'"):
        copy.set_params(min_suport=1)


def test_parameters_are_checked_in_fit_not_before(patients):
    generator = hm.Generator(min_support=-1)
    with pytest.raises(hm.BadInput, match=r"min_support is a whole number .* not -1"):
        generator.fit(patients)


def test_fit_keeps_the_model(patients):
    generator = hm.Generator(min_support=20)
    assert generator.fit(patients) is generator.model_


def test_publish_of_a_frame_writes_nothing_unless_told(patients, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    published = hm.publish(patients, method=hm.Generator(min_support=20), seed=1)
    assert published.data.shape == patients.shape
    assert list(tmp_path.iterdir()) == []
    hm.publish(patients, method=hm.Generator(min_support=20), seed=1, output="out.parquet")
    assert pl.read_parquet("out.parquet").equals(published.data)


def test_a_rare_value_is_nowhere_in_release_model_or_patterns(patients, tmp_path):
    rare = patients.with_columns(
        region=pl.when(pl.int_range(pl.len()) < 3)
        .then(pl.lit("Canaria"))
        .otherwise(pl.col("region"))
    )
    model = hm.Generator(min_support=10).fit(rare)
    model.save(tmp_path / "m.json")
    assert "Canaria" not in (tmp_path / "m.json").read_text()
    assert "Canaria" not in model.sample(5000, seed=1)["region"].to_list()
    kept = hm.Generator(min_support=10, rare_values="keep").fit(rare)
    assert "Canaria" in "".join(kept.patterns()["pattern"].to_list())


def test_measure_gives_a_frame_and_json(patients):
    readings = hm.measure(
        patients, patients.sample(400, seed=1), only=["nas", "marginals_2"], seed=1
    )
    assert readings.to_frame()["name"].to_list() == ["nas", "marginals_2"]
    assert '"meaning"' in readings.to_json()


def test_measure_refuses_other_columns(patients):
    with pytest.raises(hm.BadInput, match="lacks 'ward'"):
        hm.measure(patients, patients.drop("ward"))
    assert hm.measure(patients, patients.drop("ward"), drop=["ward"], only=["nas"]).names == (
        "nas",
    )
