"""Private releases on the command line: published, shown, drawn from again, and added up."""

from __future__ import annotations

import json

import numpy as np
import pytest
from shopping import refused

SCHEMA = """
[columns.age]
kind = "number"
range = [0, 120]
[columns.sex]
values = ["f", "m"]
[columns.seen]
kind = "date"
format = "%d/%m/%Y"
range = ["01/01/2015", "31/12/2024"]
[columns.ill]
values = ["no", "yes"]
"""


@pytest.fixture
def people(tmp_path):
    """A table of people as a CSV file, and its public schema."""
    rng = np.random.default_rng(1)
    lines = ["age,sex,seen,ill"]
    for _ in range(3000):
        age = int(rng.integers(18, 95))
        day = f"{rng.integers(1, 29):02d}/{rng.integers(1, 13):02d}/{rng.integers(2018, 2024)}"
        lines.append(
            f"{age},{'fm'[rng.integers(2)]},{day},{'yes' if rng.random() < age / 120 else 'no'}"
        )
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "public.toml").write_text(SCHEMA)
    return tmp_path / "people.csv"


def test_epsilon_alone_makes_a_private_release(halfmask, people, tmp_path, files_in):
    done = halfmask("publish", people, "--epsilon", "2", "--schema", "public.toml", "--json")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert said["method"] == "private"
    assert said["verdict"] in ("publish", "review"), said["reasons"]
    assert said["terms"]["differential_privacy"] is True
    assert said["record"]["epsilon_spent"] <= 2
    assert files_in() == [
        "people.csv", "people.ledger.json", "people.model.json", "people.release.csv",
        "people.report.html", "public.toml",
    ]  # fmt: skip
    release = (tmp_path / "people.release.csv").read_text().splitlines()
    assert release[0] == "age,sex,seen,ill"
    assert len(release) - 1 == said["rows"] != 3000
    assert all("/20" in line for line in release[1:])
    page = (tmp_path / "people.report.html").read_text()
    for words in ("What is promised to every person", "88.1 %", "What on this page is not private"):
        assert words in page
    assert "No differential privacy" not in page


def test_without_a_schema_the_verdict_asks_for_one(halfmask, people, tmp_path):
    done = halfmask("publish", people, "--epsilon", "2")
    assert done.code == 0, done.err
    assert "Review before publishing" in done.out
    assert "halfmask schema init --public" in " ".join(done.out.split())
    shown = json.loads(halfmask("inspect", tmp_path / "people.model.json", "--json").out)
    assert {"values of categories", "ranges", "bins"} <= set(shown["ledger"]["spent"])


def test_a_private_model_is_shown_and_drawn_from_without_the_original(halfmask, people, tmp_path):
    asked = ("--epsilon", "2", "--schema", "public.toml", "--target", "ill", "--quiet")
    assert halfmask("publish", people, *asked).code == 0
    people.unlink()
    model = tmp_path / "people.model.json"
    done = halfmask("inspect", model)
    for words in ("A private model of about", "Differential privacy with ε = 2", "single columns",
                  "age × ill", "ill along a tree", "pattern"):  # fmt: skip
        assert words in done.out, words
    counts = json.loads(halfmask("inspect", model, "--margins", "--json").out)["cells"]
    sexes = [c["count"] for c in counts if c["table"] == "sex"]
    assert sum(sexes) == pytest.approx(2400, abs=240)
    assert "noisy count" in halfmask("inspect", model, "--margins").out
    done = halfmask("generate", model, "--rows", "50", "--seed", "1", "-o", "again.csv")
    assert done.code == 0, done.err
    assert len((tmp_path / "again.csv").read_text().splitlines()) == 51
    first = (tmp_path / "again.csv").read_bytes()
    assert halfmask("generate", model, "--rows", "50", "--seed", "1", "-o", "b.csv").code == 0
    assert (tmp_path / "b.csv").read_bytes() == first
    refused(halfmask("generate", model, "-o", "c.csv", "--calibrate", "1"), "not for the model")
    refused(halfmask("merge", model, model, "-o", "m.json"), "private release")


def test_releases_of_a_table_add_up(halfmask, people, tmp_path):
    asked = ("--epsilon", "2", "--schema", "public.toml", "--quiet")
    for name in ("one.csv", "two.csv"):
        assert halfmask("publish", people, *asked, "-o", name).code == 0
    found = json.loads(halfmask("ledger", people, "--json").out)
    assert [entry["release"] for entry in found["releases"]] == ["one.csv", "two.csv"]
    assert len({entry["table"] for entry in found["releases"]}) == 1
    assert 2 < found["epsilon"] < 3
    assert "2 releases" in (tmp_path / "two.report.html").read_text()
    models = json.loads(halfmask("ledger", "one.model.json", "two.model.json", "--json").out)
    assert models["epsilon"] == pytest.approx(found["epsilon"])
    assert "ε = 2" in halfmask("ledger", "people.ledger.json").out
    limit = halfmask("publish", people, *asked, "-o", "three.csv", "--epsilon-in-all", "3")
    refused(limit, "above the limit of 3")
    assert not (tmp_path / "three.csv").exists()
    assert len(json.loads(halfmask("ledger", people, "--json").out)["releases"]) == 2
    refused(halfmask("ledger", "public.toml"), "no ledger beside")
    refused(halfmask("ledger", "nothing.csv"), "no file")
    (tmp_path / "people.ledger.json").write_text("{}")
    refused(halfmask("publish", people, *asked, "-o", "four.csv"), "not a ledger")


def test_a_seed_is_marked_everywhere(halfmask, people, tmp_path):
    asked = ("--epsilon", "2", "--schema", "public.toml", "--seed", "7")
    done = halfmask("publish", people, *asked, "--external-report", "outside.html")
    assert done.code == 0, done.err
    assert "nothing is promised" in " ".join(done.out.split())
    assert "Nothing is promised" in (tmp_path / "outside.html").read_text()
    assert json.loads((tmp_path / "people.model.json").read_text())["model"]["seeded"] is True
    assert json.loads(halfmask("ledger", people, "--json").out)["releases"][0]["seeded"] is True


def test_the_public_schema_asks_nothing_of_the_values(halfmask, people, tmp_path):
    done = halfmask("schema", "init", people, "--public", "-o", "-")
    assert done.code == 0, done.err
    assert "[columns.age]" in done.out
    other = tmp_path / "other.csv"
    other.write_text("age,sex,seen,ill\nx,y,z,w\n")
    assert halfmask("schema", "init", other, "--public", "-o", "-").out == done.out
    (tmp_path / "open.toml").write_text(done.out)
    refused(halfmask("publish", people, "--epsilon", "1", "--schema", "open.toml"), "no kind '?'")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--epsilon", "0"), "epsilon is a number above 0"),
        (("--epsilon", "-1"), "epsilon is a number above 0"),
        (("--epsilon", "1", "--delta", "0"), "delta is"),
        (("--epsilon", "1", "--delta", "0.01", "--schema", "public.toml"), "not below 1 / rows"),
        (("--epsilon", "0.05", "--schema", "public.toml"), "too small for an epsilon of 0.05"),
        (("--epsilon", "0.05"), "cannot be learnt at this epsilon"),
        (("--epsilon", "1", "--laplace", "2"), "option of the method generator"),
        (("--epsilon", "1", "--rare-values", "keep"), "not of private"),
        (("--method", "private"), "needs 'epsilon' (--epsilon)"),
        (("--method", "km", "--epsilon", "1"), "option of the method private"),
        (("--epsilon", "1", "--target", "agge"), "did you mean 'age'"),
        (("--epsilon", "1", "--epsilon-in-all", "0.5"), "above the limit of 0.5"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_a_sentence(halfmask, people, files_in, options, words):
    before = files_in()
    refused(halfmask("publish", people, *options), words)
    assert files_in() == before
