"""The schema file: what a steward says, in the words of the columns, checked word by word."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import halfmask as hm
from halfmask.data.coding.kinds import plan_each
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.documents.schema import read_schema, schema_text
from halfmask.io.given import Given

ROWS = 800


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    towns = np.array(["Kiel", "Ulm", "Bonn", "Köln"])
    place = rng.integers(4, size=ROWS)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 90, ROWS),
            "pain": np.array(["none", "mild", "severe"])[rng.integers(3, size=ROWS)],
            "zip": np.array(["24103", "89073", "53111", "50667"])[place],
            "town": towns[place],
            "income": np.where(rng.random(ROWS) < 0.1, -8, rng.integers(9, 99, ROWS) * 100),
            "note": [f"note {i} about somebody" for i in range(ROWS)],
        }
    )


def written(tmp_path, text):
    path = tmp_path / "s.toml"
    path.write_text(text)
    return path


def test_what_is_written_is_read_back_and_changes_nothing(frame, tmp_path):
    frame.write_csv(tmp_path / "t.csv")
    columns = Given(tmp_path / "t.csv").read().content
    plans = plan_each(columns, TableSpec(), floor=10)
    path = written(tmp_path, schema_text(columns, plans, floor=10))
    again = plan_each(columns, read_schema(path), floor=10)
    assert {n: p.fate for n, p in again.items()} == {n: p.fate for n, p in plans.items()}
    assert "somebody" not in path.read_text()
    text = path.read_text()
    for plan in plans.values():
        assert plan.reason in text


def test_the_same_file_drives_python_and_publish(frame, tmp_path):
    path = written(
        tmp_path,
        """
        hide_together = [["age", "pain"]]
        [columns.age]
        bins = [30, 65]
        role = "quasi-identifier"
        [columns.pain]
        kind = "category"
        order = ["none", "mild", "severe"]
        laplace = { severe = 0.5 }
        role = "sensitive"
        [columns.income]
        missing = [-8]
        cut = "width"
        bins = 4
        [columns.town]
        groups = { Rhine = ["Bonn", "Köln"] }
        """,
    )
    model = hm.Generator(schema=path).fit(frame)
    schema = model.learnt.schema
    assert schema["pain"].values == ("none", "mild", "severe")
    assert [label.split(" to ")[0] for label in schema["age"].values][1:] == ["30", "65"]
    assert schema["income"].values[-1] == "-8"
    assert model.learnt.settings.laplace_for == {"pain=severe": 0.5}
    assert model.learnt.settings.hide_together == (("age", "pain"),)
    release = model.sample(500, seed=1)
    assert set(release["town"]) == {"Kiel", "Ulm", "Rhine"}
    assert 0.04 < (release["income"] == -8).mean() < 0.2
    published = hm.publish(frame, schema=path, seed=1)
    assert published.data.columns == release.columns
    attack = published.readings["attribute_disclosure"].details
    assert (attack["keys"], attack["target"]) == (["age"], "pain"), "the roles of the file"
    with pytest.raises(hm.BadInput, match="have an option schema"):
        hm.publish(frame, method=hm.Generator(schema=path), schema=path)


def test_entropy_bins_follow_the_target(frame):
    ages = frame.with_columns(
        old=pl.when(pl.col("age") >= 60).then(pl.lit("y")).otherwise(pl.lit("n"))
    )
    spec = TableSpec({"age": ColumnSpec(cut="entropy", target="old", bins=6)})
    schema = hm.Generator(schema=spec).fit(ages).learnt.schema
    assert schema["age"].values == ("18 to 59", "60 to 89")


BAD = {
    "[columns.age": "not TOML",
    "colums = {}": "no field 'colums'; did you mean 'columns'",
    "[columns.age]\nknd = 'number'": "columns.age: There is no field 'knd'; did you mean 'kind'",
    "[columns.age]\nkind = 'nmber'": "columns.age: There is no kind 'nmber'; did you mean 'number'",
    "[columns.age]\nrole = 'secret'": "columns.age: There is no role 'secret'; there is 'ident",
    "[columns.age]\nkind = 3": "columns.age: kind is a word",
    "[columns.age]\nbins = 0": "at least 1 bin",
    "[columns.age]\nbins = 'many'": "bins is a whole number, or a list",
    "[columns.age]\norder = 'a'": "order is a list of values",
    "[columns.age]\nlaplace = -1": "laplace is a number of at least 0",
    "[columns.age]\ngroups = ['a']": "groups is a table",
    "[columns.age]\ncut = 'entropy'": "needs a target",
    "hide_together = ['age', 'pain']": "hide_together lists pairs",
    "missing = 8": "missing is a list",
    "columns = 3": "columns is a table",
    "[columns]\nage = 3": "columns.age is a table",
}


@pytest.mark.parametrize("text", BAD)
def test_what_cannot_be_meant_gets_one_sentence(tmp_path, text):
    with pytest.raises(hm.BadInput, match=BAD[text]):
        read_schema(written(tmp_path, text))


def test_a_column_that_is_not_there_gets_the_nearest(frame, tmp_path):
    with pytest.raises(hm.BadInput, match="no column 'agee'; did you mean 'age'"):
        hm.Generator(schema=written(tmp_path, "[columns.agee]\nbins = 3")).fit(frame)
    with pytest.raises(hm.BadInput, match="given bin borders"):
        hm.Generator(schema=written(tmp_path, "[columns.age]\nbins = ['x']")).fit(frame)
    with pytest.raises(hm.BadInput, match="There is no file"):
        hm.Generator(schema=tmp_path / "none.toml").fit(frame)


def test_a_column_that_follows_from_another_fits_in_every_row(frame, tmp_path):
    model = hm.Generator(min_support=10).fit(frame)
    assert [d.name for d in model.learnt.schema.derived] == ["town"]
    pairs = set(frame.select("zip", "town").iter_rows())
    assert set(model.sample(2000, seed=1).select("zip", "town").iter_rows()) == pairs
    model.save(tmp_path / "m.json")
    again = hm.Model.load(tmp_path / "m.json").sample(50, seed=2)
    assert again.to_pylist() == model.sample(50, seed=2).to_dicts()
    published = hm.publish(frame, seed=1)
    assert any("'town' follows from 'zip'" in remark for remark in published.remarks)
    kept = hm.publish(frame, sensitive="town", seed=1)
    assert "town" in kept.model.learnt.schema.names


def test_rare_values_of_one_column_may_be_kept(frame, tmp_path):
    rare = frame.with_columns(
        pain=pl.when(pl.int_range(pl.len()) < 3).then(pl.lit("odd")).otherwise(pl.col("pain"))
    )
    spec = TableSpec({"pain": ColumnSpec(rare="keep")})
    model = hm.Generator(schema=spec).fit(rare)
    assert "odd" in model.learnt.schema["pain"].values
    model.save(tmp_path / "m.json")
    assert "odd" in (tmp_path / "m.json").read_text()
    assert "odd" not in hm.Generator().fit(rare).learnt.schema["pain"].values
