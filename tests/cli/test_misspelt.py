"""A misspelt name is answered with the nearest one, wherever a name may be typed."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from visiting import hospital

import halfmask as hm
from halfmask.cli.entry import cli
from halfmask.data import Encoding
from halfmask.demo.hospital import hospital_admissions
from halfmask.errors import BadInput
from halfmask.io.files import save
from halfmask.methods import METHODS
from halfmask.publishing.job import options_of

MEANT = "did you mean 'diagnosis'?"
ASSET = """
relation: {key: [], attributes: {diagnosys: {}, sex: {}}}
asset:
- {name: all, weight: 1.0, attributes: {diagnosys: {aw: 1.0, cw: 1.0}}}
"""


@pytest.fixture(scope="module")
def ward(tmp_path_factory):
    """A hospital table with a release beside it, two tables that join, and misspelt files."""
    folder = tmp_path_factory.mktemp("ward")
    columns = hospital_admissions(300, rng=np.random.default_rng(1))
    table = Encoding.fit(columns).encode(columns)
    save(table, folder / "admissions.csv")
    save(table, folder / "release.csv")
    for name, frame in hospital(200).items():
        frame.write_csv(folder / f"{name}.csv")
    (folder / "column.toml").write_text('[columns.diagnosys]\nkind = "category"\n')
    (folder / "pair.toml").write_text('hide_together = [["diagnosys", "region"]]\n')
    (folder / "cut.toml").write_text('[columns.age]\ncut = "entropy"\ntarget = "diagnosys"\n')
    (folder / "asset.yaml").write_text(ASSET)
    return folder


def answer(words: list[str]) -> str:
    """The sentence with which a command is refused."""
    with pytest.raises(BadInput) as refusal:
        cli.main(words, prog_name="halfmask", standalone_mode=False)
    return str(refusal.value)


OF_PUBLISH = {
    "target": ["--target", "diagnosys"],
    "drop": ["--drop", "diagnosys"],
    "categorical": ["--categorical", "diagnosys"],
    "sensitive": ["--sensitive", "diagnosys"],
    "hide_together": ["--hide-together", "region,diagnosys"],
    "laplace_for": ["--laplace-for", "diagnosys=2"],
    "calibrate_for": ["--calibrate-for", "diagnosys=1"],
    "order": ["--order", "region,diagnosys"],
}


@pytest.mark.parametrize("words", OF_PUBLISH.values(), ids=OF_PUBLISH)
def test_a_column_in_an_option_of_publish(ward, monkeypatch, words):
    monkeypatch.chdir(ward)
    assert MEANT in answer(["publish", "admissions.csv", *words])


def test_every_option_that_names_columns_is_among_these():
    """`key` names columns of two tables and is asked below; `private` names items."""
    naming = {
        one.name
        for method in METHODS.values()
        for one in options_of(method).values()
        if one.metavar == "COLUMN" or one.form in ("pairs", "assignments", "order")
    }
    assert naming == {*OF_PUBLISH, "key"}


@pytest.mark.parametrize(
    "line",
    [
        "publish admissions.csv --hide-together diagnosys=asthma,region",
        "publish admissions.csv --epsilon 1 --target diagnosys",
        "publish admissions.csv --epsilon 1 --sensitive diagnosys",
        "publish admissions.csv --method table-anatomy -l 2 --sensitive diagnosys",
        "publish admissions.csv --schema column.toml",
        "publish admissions.csv --schema pair.toml",
        "publish admissions.csv --schema cut.toml",
        "publish admissions.csv --asset asset.yaml",
        "publish patients.csv --child visits.csv --sensitive diagnosys",
        "publish patients.csv --child visits.csv --drop diagnosys",
        "measure admissions.csv release.csv --drop diagnosys",
        "measure admissions.csv release.csv --sensitive diagnosys",
        "measure admissions.csv release.csv --keys age,diagnosys",
        "measure admissions.csv release.csv --schema column.toml",
        "measure admissions.csv --between diagnosys",
        "audit admissions.csv --fits 40 --drop diagnosys",
        "audit admissions.csv --fits 40 --target diagnosys",
        "asset check asset.yaml admissions.csv",
        "choose admissions.csv --asset asset.yaml",
    ],
)
def test_a_column_anywhere_else(ward, monkeypatch, line):
    monkeypatch.chdir(ward)
    assert MEANT in answer(line.split())


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("publish patients.csv --child visits.csv --key pateint_id", "'patient_id'"),
        ("publish patients.csv --child visits.csv --key patient_id=pateint_id", "'patient_id'"),
        ("publish admissions.csv --drop DIAGNOSIS", "'diagnosis'"),
        ("publish admissions.csv --method hiding --hide diagnosys=asthma", "'diagnosis=asthma'"),
        ("index query admissions.csv diagnosys=asthma", "'diagnosis=asthma'"),
        ("publish admission.csv", "'admissions.csv'"),
        ("publih admissions.csv", "'publish'"),
        ("asset chek asset.yaml", "'check'"),
        ("publish admissions.csv --formt csv", "--format"),
        ("publish admissions.csv --format cvs", "'csv'"),
        ("measure admissions.csv release.csv --only tracng", "'tracing'"),
    ],
)
def test_other_names(ward, monkeypatch, line, meant):
    monkeypatch.chdir(ward)
    assert f"did you mean {meant}?" in answer(line.split())


def test_in_python_too(ward):
    frame = pl.read_csv(ward / "admissions.csv")
    for ask in (lambda **o: hm.publish(frame, **o), lambda **o: hm.Generator(**o).fit(frame)):
        with pytest.raises(BadInput, match="did you mean 'diagnosis'"):
            ask(target="diagnosys")
