"""A published family: keys join, numbers of children and relations are kept, people are not."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from visiting import counts, distance, frequencies, hospital, shares

import halfmask as hm
from halfmask.errors import BadInput, TargetNotMet, UnknownName

PATIENTS = 2000


@pytest.fixture(scope="module")
def published() -> hm.Publication:
    found = hm.publish(hospital(PATIENTS), seed=3)
    assert found.is_family
    return found


def test_every_child_finds_its_parent(published):
    tables = published.data
    patients, visits = tables["patients"], tables["visits"]
    assert patients["patient_id"].is_unique().all()
    assert visits["visit_id"].is_unique().all()
    assert visits["patient_id"].is_in(patients["patient_id"].implode()).all()
    assert len(patients) == PATIENTS
    old = hospital(PATIENTS)
    for name, table in tables.items():
        assert table.schema == old[name].schema
        assert not table["patient_id"].is_in(old[name]["patient_id"].implode()).any()


def test_numbers_of_children_are_as_frequent_as_before(published):
    original = hospital(PATIENTS)
    old = counts(original)
    lots = np.random.default_rng(1).integers(PATIENTS, size=len(original["visits"]))
    by_lot = distance(frequencies(old), frequencies(np.bincount(lots, minlength=PATIENTS)))
    kept = distance(frequencies(old), frequencies(counts(published.data)))
    assert kept < 0.06
    assert by_lot > 0.35
    reading = published.families["visits"]["child_counts"]
    assert reading.value < 0.06
    assert reading.yardsticks["independent"] > 0.35


def test_numbers_of_children_still_go_with_illness(published):
    original, released = hospital(PATIENTS), published.data
    for tables in (original, released):
        ill = tables["patients"]["chronic"] == "heart failure"
        well = tables["patients"]["chronic"] == "none"
        assert counts(tables)[ill.to_numpy()].mean() > 3 * counts(tables)[well.to_numpy()].mean()


@pytest.mark.parametrize(("child", "most"), [("diagnosis", 0.5), ("outcome", 0.85)])
def test_children_still_go_with_their_parents(published, child, most):
    parent = "chronic"
    original, released = (
        shares(hospital(PATIENTS), parent, child),
        shares(published.data, parent, child),
    )
    visits = published.data["visits"]
    anybody = published.data | {"visits": visits.with_columns(pl.col("patient_id").shuffle(seed=1))}
    kept, lost = distance(original, released), distance(original, shares(anybody, parent, child))
    assert kept < most * lost
    reading = published.families["visits"]["parent_child"]
    assert reading.value < reading.yardsticks["independent"]


def test_siblings_are_as_alike_as_before(published):
    """Follow-up visits repeat a diagnosis more often than the patient's own columns explain."""
    assert published["visits"].release.record["context"][0] == "previous diagnosis"
    alike = published.families["visits"]["siblings_alike"]
    before, after = (alike.details[side]["diagnosis"] for side in ("original", "release"))
    visits = hospital(PATIENTS)["visits"]["diagnosis"].value_counts(normalize=True)
    anybody = (visits["proportion"] ** 2).sum()
    assert anybody < 0.2
    assert before > 0.38
    assert abs(before - after) < 0.06  # given the patient alone it would be 0.08
    assert alike.value < 0.03 < alike.yardsticks["independent"]


def test_visits_of_a_patient_come_in_the_order_of_their_dates(published):
    visits = published.data["visits"]
    ordered = visits.sort("patient_id", "date", maintain_order=True)
    assert ordered.equals(visits)
    assert visits["visit_id"].to_list() == list(range(1, len(visits) + 1))


def test_behind_everything_learnt_stand_enough_parents(published):
    """Counted anew in the original: who holds each pattern of the child's model."""
    learnt = published["visits"].model.learnt
    most = published["visits"].release.record["most_of_one_parent"]
    assert learnt.min_support == 10 * most
    assert published["visits"].release.claim.terms["min_parents"] == 10
    assert "at least 10 rows of 'patients'" in str(published["visits"].release.claim)
    joined = hospital(PATIENTS)["visits"].join(hospital(PATIENTS)["patients"], on="patient_id")
    names = {"diagnosis", "outcome", "patients.sex", "patients.region", "patients.chronic"}
    checked = 0
    for pattern in learnt.code_table.patterns():
        pairs = [label.split("=", 1) for label in pattern.labels]
        if {name for name, _ in pairs} <= names and all(v != "other" for _, v in pairs):
            holds = [pl.col(name.removeprefix("patients.")) == value for name, value in pairs]
            assert joined.filter(holds)["patient_id"].n_unique() >= 10
            checked += 1
    assert checked > 10


def test_the_report_judges_all_tables(published):
    page = published.report.html()
    for words in (
        "one row of patients with its children",
        "Numbers of children",
        "Parent and child columns",
        "Agreement of siblings",
        "visits: Children and their parents",
    ):
        assert words in page
    machine = json.loads(page.split('id="halfmask">')[1].split("</script>")[0])
    assert machine["unit"] == "patients"
    assert set(machine["tables"]) == {"patients", "visits"}
    outside = published.report.html(external=True)
    assert "external report" in outside
    assert f"{len(hospital(PATIENTS)['visits']):,}" not in outside
    for check in published.verdict.checks:
        assert check.what.startswith(("patients: ", "visits: "))


def test_the_same_seed_gives_the_same_files(tmp_path):
    def written(name, threads):
        folder = tmp_path / name
        hm.publish(
            hospital(300),
            seed=9,
            output=folder,
            method=hm.Generator(threads=threads, calibrate=1),
        )
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    first = written("one", 1)
    assert first == written("two", 2)
    assert set(first) == {
        "patients.release.parquet", "patients.model.json", "patients.report.html",
        "visits.release.parquet", "visits.model.json",
    }  # fmt: skip


def test_all_files_or_none(tmp_path):
    for name, table in hospital(300).items():
        table.write_csv(tmp_path / f"{name}.csv")
    tables = {name: tmp_path / f"{name}.csv" for name in ("patients", "visits")}
    (tmp_path / "visits.release.csv").write_text("mine")
    with pytest.raises(BadInput, match=r"visits\.release\.csv' already exists"):
        hm.publish(tables, seed=1)
    assert not (tmp_path / "patients.release.csv").exists()
    with pytest.raises(TargetNotMet, match="gives the reasons"):
        hm.publish(tables, seed=1, nas_at_most=0, force=True)
    assert (tmp_path / "visits.release.csv").read_text() == "mine"
    assert (tmp_path / "patients.refused.html").exists()
    with pytest.raises(TargetNotMet, match="Nothing was written"):
        hm.publish(tables, seed=1, nas_at_most=0, output=tmp_path / "new")
    assert not (tmp_path / "new").exists()
    found = hm.publish(tables, seed=1, force=True)
    assert (tmp_path / "visits.release.csv").read_text() != "mine"
    assert {path.name for path in found.files} == {
        "patients.release.csv", "patients.model.json", "visits.release.csv", "visits.model.json",
        "patients.report.html",
    }  # fmt: skip


def small(**more):
    """A parent table of 60 rows and a child table of 90."""
    patients = pl.DataFrame({"id": range(60), "sex": ["f", "m"] * 30, "ward": ["a", "b", "c"] * 20})
    visits = pl.DataFrame(
        {"id": [*range(60), *range(0, 60, 2)], "ill": ["no", "yes", "no"] * 30}
    ).with_columns(**more)
    return {"patients": patients, "visits": visits}


def test_several_child_tables_belong_to_one_parent():
    tables = small() | {
        "drugs": pl.DataFrame({"person": [n % 40 for n in range(120)], "drug": ["x", "y"] * 60})
    }
    found = hm.publish(tables, key=["id", "id=person"], seed=1)
    assert list(found.data) == ["patients", "visits", "drugs"]
    assert found.data["drugs"]["person"].is_in(found.data["patients"]["id"].implode()).all()
    assert set(found.families) == {"visits", "drugs"}
    assert "number of drugs" in found["patients"].model.learnt.schema.names


def test_numbers_among_siblings_are_given_anew():
    tables = small(visit=pl.col("id").cum_count().over("id"))
    found = hm.publish(tables, seed=1)
    visits = found.data["visits"]
    again = visits.with_columns(new=pl.col("id").cum_count().over("id"))
    assert again["visit"].to_list() == again["new"].to_list()
    assert any("'visit' numbers the rows of each parent" in remark for remark in found.remarks)


def test_a_column_that_follows_from_the_parent_fits_it():
    sexes = {n: ("female", "male")[n % 2] for n in range(60)}
    tables = small(gender=pl.col("id").replace_strict(sexes))
    found = hm.publish(tables, seed=1, method=hm.Generator(min_support=5))
    joined = found.data["visits"].join(found.data["patients"], on="id")
    assert (joined["gender"].str.slice(0, 1) == joined["sex"]).all()


def test_columns_that_belong_to_the_parent_are_kept_or_pointed_out():
    rng = np.random.default_rng(1)
    towns, doctors = (
        pl.col("id").replace_strict(dict(enumerate(rng.choice(names, 60).tolist())))
        for names in (["Kiel", "Ulm", "Bonn"], ["Ho", "Li"])
    )
    found = hm.publish(small(town=towns, doctor=doctors), seed=1)
    pointed_out = 0
    for name in ("town", "doctor"):
        values = found.data["visits"].group_by("id").agg(pl.col(name).n_unique())[name]
        words = f"{name!r} of 'visits' is the same in all rows of a parent"
        assert any(words in remark for remark in found.remarks) == (values.max() > 1)
        pointed_out += values.max() > 1
    assert pointed_out >= 1  # at most one is handed on from sibling to sibling


def test_orphans_are_dropped_and_counted():
    tables = small()
    tables["visits"] = tables["visits"].with_columns(pl.col("id") + 10)
    with pytest.raises(BadInput, match="15 of the 90 rows of 'visits' have no parent"):
        hm.publish(tables, seed=1)
    found = hm.publish(tables, seed=1, orphans="drop")
    assert any("15 row(s) of 'visits'" in remark for remark in found.remarks)


@pytest.mark.parametrize(
    ("change", "options", "error", "sentence"),
    [
        ({"id": "patient"}, {}, BadInput, "No column name occurs in both"),
        ({}, {"key": "sex=id"}, BadInput, "'sex' is not unique in 'patients'"),
        (
            {},
            {"key": "idd"},
            UnknownName,
            "no column of 'patients' called 'idd'; did you mean 'id'",
        ),
        ({}, {"key": ["id", "id"]}, BadInput, "2 keys for 1 child tables"),
        ({"id": "sex"}, {}, BadInput, "'sex'\\) identifies the rows of 'patients'"),
        ({}, {"output": "-"}, BadInput, "standard input and output carry only one"),
        ({}, {"output": "sqlite:///a.db?table=x"}, BadInput, "written to a folder"),
        ({}, {"method": hm.Generator(drop=["id"])}, BadInput, "joins the tables"),
        ({}, {"method": hm.Generator(drop=["wart"])}, UnknownName, "did you mean 'ward'"),
        ({}, {"method": hm.Generator(target="sex")}, BadInput, "publish a family without them"),
        ({}, {"method": hm.Generator(order=("sex", "ward"))}, BadInput, "for a single table"),
        ({}, {"sensitive": "il"}, UnknownName, "did you mean 'ill'"),
        ({}, {"method": hm.Generator(min_support=61)}, BadInput, "not possible for 60 rows"),
    ],
)
def test_what_cannot_be_published_is_refused_in_a_sentence(change, options, error, sentence):
    tables = small()
    tables["visits"] = tables["visits"].rename(change)
    with pytest.raises(error, match=sentence) as refused:
        hm.publish(tables, **options)
    assert str(refused.value).endswith((".", "?"))


def test_too_few_parents_with_children_are_refused():
    tables = small()
    tables["visits"] = tables["visits"].filter(pl.col("id") < 9)
    with pytest.raises(BadInput, match="Fewer than 10 parents have children"):
        hm.publish(tables)


def test_columns_are_spoken_of_in_whichever_table_they_stand():
    found = hm.publish(
        small(),
        seed=1,
        sensitive="ill",
        holdout=0.2,
        method=hm.Generator(min_support=5, drop=["ward"], hide_together=[("sex", "ill")]),
    )
    assert found.data["patients"].columns == ["id", "sex"]
    for pattern in found["visits"].model.learnt.code_table.patterns():
        assert not {"patients.sex", "ill"} <= {label.split("=")[0] for label in pattern.labels}
    assert "previous ill" not in found["visits"].model.learnt.schema.names
    asked = found["visits"].readings.get("attribute_disclosure")
    assert asked is not None
    assert found["patients"].readings.get("attribute_disclosure") is None


families = st.lists(
    st.tuples(st.sampled_from("fm"), st.lists(st.sampled_from("xyz"), max_size=4)),
    min_size=12,
    max_size=30,
).filter(lambda rows: sum(bool(children) for _, children in rows) >= 6)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(families, st.integers(0, 3))
def test_any_family_that_is_published_joins(rows, seed):
    tables = {
        "parents": pl.DataFrame({"id": range(len(rows)), "sex": [sex for sex, _ in rows]}),
        "children": pl.DataFrame(
            [
                {"id": n, "toy": toy, "size": len(children)}
                for n, (_, children) in enumerate(rows)
                for toy in children
            ]
        ),
    }
    try:
        found = hm.publish(tables, seed=seed, method=hm.Generator(min_support=2, calibrate=1))
    except BadInput:
        return  # in a sentence; which ones is told above
    released = found.data
    assert released["children"]["id"].is_in(released["parents"]["id"].implode()).all()
    assert len(released["parents"]) == len(rows)
    old = counts(
        {
            "patients": tables["parents"].rename({"id": "patient_id"}),
            "visits": tables["children"].rename({"id": "patient_id"}),
        }
    )
    new = counts(
        {
            "patients": released["parents"].rename({"id": "patient_id"}),
            "visits": released["children"].rename({"id": "patient_id"}),
        }
    )
    assert new.max() <= old.max()
