"""`halfmask choose` as a user meets it."""

from __future__ import annotations

import json
import shlex

import pytest
from trials import RULES, clinic_table

from halfmask.choosing.candidates import candidates, publish_command
from halfmask.cli.publish import publish
from halfmask.io.files import save

ASSET = """
relation: {key: [], attributes: {illness: {}, drug: {}, sex: {}}}
asset:
- {name: therapy, weight: 1.0, attributes: {illness: {aw: 1.0, cw: 1.0}, drug: {aw: 0.5}}}
"""


@pytest.fixture
def clinic(tmp_path):
    save(clinic_table(400, 1), tmp_path / "clinic.csv")
    (tmp_path / "asset.yaml").write_text(ASSET)
    (tmp_path / "secrets.txt").write_text(RULES)
    return tmp_path


QUICK = ("--generic-rows", "200", "--test-rows", "200", "--draws", "1", "--seed", "1")
HIDING = ("--sensitive", "secrets.txt", "--methods", "maxfia,naive,1.b")


def test_it_prints_the_choice_and_writes_both_documents(halfmask, files_in, clinic):
    ran = halfmask(
        "choose", "clinic.csv", "--asset", "asset.yaml", *HIDING, *QUICK,
        "-o", "choice.json", "--page", "choice.html",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    best = json.loads((clinic / "choice.json").read_text())["best"]
    assert f"Recommended: {best}" in ran.out
    assert "Step 1: generic database" in ran.out
    assert "Ranked row by row" in ran.out
    assert (clinic / "choice.html").read_text().count("<svg") >= 4
    assert {"choice.html", "choice.json", "clinic.csv.trials"} < set(files_in())
    again = halfmask(
        "choose", "clinic.csv", "--asset", "asset.yaml", *HIDING, *QUICK, "-o", "choice.json"
    )
    assert again.code == 2
    assert "already exists" in again.err
    quick = halfmask("choose", "clinic.csv", "--asset", "asset.yaml", *HIDING, *QUICK, "--json")
    assert json.loads(quick.out) == {
        k: v for k, v in json.loads((clinic / "choice.json").read_text()).items() if k != "halfmask"
    }


BAD = {
    "--asset asset.yaml --methods genrator": "did you mean 'generator'?",
    "--asset asset.yaml --column ilness": "did you mean 'illness'?",
    "--asset none.yaml": "There is no file 'none.yaml'",
    "--asset other.yaml": "does not fit the data: There is no column 'diagnosis'",
    "--asset asset.yaml --trials clinic.csv": "is a file; trials are kept in a folder",
    "--asset asset.yaml --methods generator:9000": "All 1 candidates failed; generator:9000",
}


@pytest.mark.parametrize("typed", BAD)
def test_bad_input_is_one_sentence_and_exit_2(halfmask, clinic, typed):
    (clinic / "other.yaml").write_text(ASSET.replace("illness", "diagnosis"))
    ran = halfmask("choose", "clinic.csv", *typed.split(), *QUICK[:4])
    assert ran.code == 2, ran.out + ran.err
    assert ran.out == ""
    assert len(ran.err.strip().splitlines()) == 1, ran.err
    assert BAD[typed] in ran.err


@pytest.mark.usefixtures("clinic")
def test_thresholds_that_nobody_meets_are_exit_3(halfmask):
    ran = halfmask(
        "choose", "clinic.csv", "--asset", "asset.yaml", *HIDING, *QUICK, "--privacy-at-least", "1"
    )
    assert ran.code == 3
    assert "No candidate is acceptable" in ran.err


def next_step(halfmask, *words):
    """The command that a choice tells, run."""
    ran = halfmask("choose", *words, *QUICK)
    assert ran.code == 0, ran.err
    line = next(line for line in ran.out.splitlines() if line.startswith("  Next: halfmask "))
    done = halfmask(*shlex.split(line.removeprefix("  Next: halfmask ")))
    assert done.code == 0, line + done.err
    return line


@pytest.mark.usefixtures("clinic")
def test_hiding_in_a_table_is_published_as_the_choice_says(halfmask):
    words = ("clinic.csv", "--asset", "asset.yaml", *HIDING[:2], "--methods", "maxfia")
    line = next_step(halfmask, *words, "--privacy-at-least", "0")
    assert "--method hiding --algorithm maxfia" in line
    assert "--sensitive secrets.txt" in line
    assert line.endswith("--seed 1")


@pytest.mark.usefixtures("clinic")
def test_the_next_step_can_be_taken(halfmask):
    words = ("clinic.csv", "--asset", "asset.yaml", "--column", "age", "--methods")
    line = next_step(halfmask, *words, "generator:20:laplace=0.01")
    assert "--min-support 20 --laplace 0.01 --asset asset.yaml" in line


def test_every_command_of_baskets_is_one_of_publish(halfmask, tmp_path):
    rows = [" ".join(str(n % k) for k in (3, 5, 7)) for n in range(200)]
    (tmp_path / "shop.dat").write_text("\n".join(rows) + "\n")
    (tmp_path / "secrets.txt").write_text("1 -> 2\n")
    asked = {"file": "shop.dat", "sensitive": "secrets.txt", "asset": "asset.yaml"}
    thresholds = {"hide_support": 0.02, "hide_confidence": 0.3}
    tried = ["baskets:5", "distortion:0.9", "anatomy:2", "coherence:2", "iga:0", "2.b", "cr:0.01"]
    needs = frozenset({"patterns", "rules"})
    for candidate in candidates(tried, "baskets", needs)[0]:
        command = publish_command(candidate, asked, thresholds)
        assert command.startswith("halfmask publish shop.dat --method ")
        words = shlex.split(command)[1:]
        with publish.make_context("publish", words[1:]):  # every option is known, each value fits
            pass
    done = halfmask(*words, "--force")
    assert done.code in (0, 3), done.err
