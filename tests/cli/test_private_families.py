"""Private families on the command line and in Python."""

from __future__ import annotations

import json

import polars as pl
import pytest
from shopping import refused
from visiting import hospital

import halfmask as hm
from halfmask.documents.model import load_any
from halfmask.randomness import Randomness


@pytest.fixture
def ward(tmp_path):
    for name, frame in hospital(4_000).items():
        frame.write_csv(tmp_path / f"{name}.csv")
    return tmp_path / "patients.csv"


def test_a_family_is_published_with_epsilon(halfmask, ward, tmp_path, files_in):
    done = halfmask(
        "publish", ward, "--child", "visits.csv", "--epsilon", "4", "--json",
        "--external-report", "outside.html",
    )  # fmt: skip
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert said["verdict"] == "review"  # kinds of columns were not declared
    assert any("kinds of" in reason for reason in said["reasons"])
    assert "'diagnosis'" in str(said["reasons"]) or "…" in str(said["reasons"])
    assert files_in() == [
        "outside.html", "patients.csv", "patients.ledger.json", "patients.model.json",
        "patients.release.csv", "patients.report.html", "visits.csv", "visits.model.json",
        "visits.release.csv",
    ]  # fmt: skip
    parents, children = (pl.read_csv(tmp_path / f"{n}.release.csv") for n in ("patients", "visits"))
    assert set(children["patient_id"]) <= set(parents["patient_id"])
    assert len(parents) not in (3_200, 4_000)
    for name in ("patients.report.html", "outside.html"):
        page = (tmp_path / name).read_text()
        assert "What is promised to every person" in page
        assert "The other tables of the family" in page
    outside = (tmp_path / "outside.html").read_text()
    assert "tracing_tree" not in outside
    assert '"families":{}' in outside.replace(" ", "")


def test_its_models_draw_again_and_its_ledger_adds_up(halfmask, ward, tmp_path):
    command = ("publish", ward, "--child", "visits.csv", "--epsilon", "4", "--child-rows", "2")
    assert halfmask(*command, "-o", "out").code == 0
    model = load_any(tmp_path / "out" / "visits.model.json")
    assert model.rows_per_person == 2
    assert "one row of 'patients'" in str(model.claim)
    drawn = [model.sample(100, randomness=Randomness(1)).data.codes.tolist() for _ in range(2)]
    assert drawn[0] == drawn[1]
    done = halfmask("generate", "out/visits.model.json", "--rows", "10", "-o", "more.csv")
    assert done.code == 0, done.err
    [entry] = json.loads(halfmask("ledger", "patients.csv", "--json").out)["releases"]
    assert entry["epsilon"] == 4
    again = (*command, "--epsilon-in-all", "4.5", "-o", "again")
    refused(halfmask(*again), "above the limit of 4.5")


def test_python_publishes_a_family_with_epsilon():
    published = hm.publish(hospital(4_000), epsilon=5)
    assert set(published.release) == {"patients", "visits"}
    for release in published.release.values():
        assert release.claim.terms["differential_privacy"]
    assert published["visits"].made.model.epsilon_spent <= 5
    with pytest.raises(hm.BadInput, match="for a single table"):
        hm.publish(hospital(4_000), epsilon=5, target="sex")
