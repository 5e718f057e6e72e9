"""Calibration from the outside: what is typed, what the model file tells, what a release meets."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from cli.conftest import Ran

from halfmask.cli import entry

FLOOR, ROWS = 80, 900
NAMES = ("age", "ward", "diagnosis", "sex", "outcome")


def original() -> list[list[str]]:
    """Values are common but for one ward, and the outcome hangs on three columns together."""
    rng = np.random.default_rng(4)
    age, sex = rng.integers(4, size=ROWS), rng.integers(2, size=ROWS)
    diagnosis = np.where(rng.random(ROWS) < 0.7, (age + sex) % 4, rng.integers(4, size=ROWS))
    ward = np.where(rng.random(ROWS) < 0.8, diagnosis // 2, rng.integers(3, size=ROWS))
    outcome = np.where(rng.random(ROWS) < 0.8, (age // 2 + sex + ward) % 2, 2)
    return [
        [f"{name[0]}{value}" for name, value in zip(NAMES, row, strict=True)]
        for row in zip(age, ward, diagnosis, sex, outcome, strict=True)
    ]


@pytest.fixture
def ward(tmp_path, monkeypatch):
    """The table as a file in an empty folder, which is the one to work in."""
    with (tmp_path / "ward.csv").open("w", newline="") as file:
        csv.writer(file).writerows([NAMES, *original()])
    monkeypatch.chdir(tmp_path)
    return tmp_path / "ward.csv"


@pytest.fixture
def typed(ward, monkeypatch, capfd):  # noqa: ARG001 - the folder to work in
    """Type `halfmask …`: all that the command does, without the start of a process."""

    def run(*args) -> Ran:
        monkeypatch.setattr(sys, "argv", ["halfmask", *map(str, args)])
        code = entry._run()
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture
def told(typed):
    """Publish with these options, and see what `inspect --margins` tells of the model."""

    def run(*options: str) -> list[dict]:
        ran = typed(
            "publish", "ward.csv", "--min-support", FLOOR, "--seed", 1, "--quiet", "--force",
            "--holdout", 0,
            *options,
        )  # fmt: skip
        assert ran.code == 0, ran.err
        return json.loads(typed("inspect", "ward.model.json", "--margins", "--json").out)["margins"]

    return run


def counted(path, table: str) -> Counter:
    """How often each cell of a table stands in a file, by the words that `inspect` uses."""
    names = table.split(" × ")
    with path.open(newline="") as file:
        rows = [tuple(row[name] for name in names) for row in csv.DictReader(file)]
    return Counter(
        ", ".join(f"{n}={v}" for n, v in zip(names, row, strict=True)) for row in rows if all(row)
    )


def widths(margins: list[dict]) -> set[int]:
    return {len(line["table"].split(" × ")) for line in margins}


def errors(path, margins: list[dict]) -> list[int]:
    """By how many rows each cell that is told is off in a file of as many rows."""
    return [
        abs(counted(path, line["table"])[line["cell"]] - line["count"])
        for line in margins
        if line["cell"]
    ]


def test_the_counts_of_a_model_are_those_of_the_file_and_none_is_small(told, typed, ward):
    margins = told()
    cells = [line for line in margins if line["cell"]]
    assert len(cells) > 15
    assert widths(margins) == {1, 2} or widths(margins) == {2}
    base = FLOOR // 2 + 1
    assert 0 < max(errors(ward, margins)) < base
    assert {line["count"] % base for line in margins} == {0}
    assert min(line["count"] for line in cells) >= FLOOR
    for cell in cells:
        assert counted(ward, cell["table"])[cell["cell"]] >= FLOOR
    for rest in (line for line in margins if not line["cell"]):
        named = {line["cell"] for line in cells if line["table"] == rest["table"]}
        others = [n for cell, n in counted(ward, rest["table"]).items() if cell not in named]
        # Rows with a rare value are in no cell.
        assert rest["count"] < sum(others) + base

    audit = json.loads(typed("inspect", "ward.model.json", "--audit", "--json").out)
    assert audit["derivable"] == {}
    assert (audit["min_support"], audit["rounded_to"]) == (FLOOR, base)
    assert "none of them are pinned" in " ".join(
        typed("inspect", "ward.model.json", "--audit").out.split()
    )

    seen = typed("inspect", "ward.model.json", "--margins")
    assert f"meets {len(cells):,} counts in {len({c['table'] for c in cells})} tables" in seen.out
    assert cells[0]["table"] in seen.out
    assert "--margins shows them" in typed("inspect", "ward.model.json").out


def test_a_model_draws_releases_that_meet_its_counts_or_not_as_it_is_told(told, typed):
    plain = told("--calibrate", "0")
    assert plain == []
    generate = ("generate", "ward.model.json", "--seed", 9, "--quiet", "-o")
    assert typed(*generate, "papers.csv").code == 0

    margins = told("--calibrate", "2")
    assert typed(*generate, "met.csv").code == 0
    assert typed(*generate, "unmet.csv", "--calibrate", "0").code == 0
    drawn = {name: Path(f"{name}.csv") for name in ("papers", "met", "unmet")}
    assert drawn["unmet"].read_bytes() == drawn["papers"].read_bytes()
    off = {name: np.mean(errors(path, margins)) for name, path in drawn.items()}
    assert off["met"] < off["papers"]

    ran = typed(*generate, "more.csv", "--calibrate", "3")
    assert ran.code == 2
    assert "the model holds counts of up to 2 columns together" in ran.err
    assert not Path("more.csv").exists()


def test_counts_are_rounded_when_asked(told, ward):
    margins = told("--round-margins", "10", "--min-support", "12")
    assert {line["count"] % 10 for line in margins} == {0}
    assert 0 < max(errors(ward, margins)) < 10


def test_a_column_can_be_met_by_itself_only_and_a_target_more_widely(told):
    tables = {line["table"] for line in told("--calibrate-for", "diagnosis=1")}
    assert any(" × " in table for table in tables)
    assert not any("diagnosis" in table and " × " in table for table in tables)

    trees = [m for m in told("--target", "outcome") if m["table"].startswith("outcome, tree ")]
    cells = [line for line in trees if line["cell"]]
    assert max(line["cell"].count("=") for line in cells) >= 2
    assert all("outcome" in line["cell"] for line in cells)
    named = [line["count"] for line in cells if not line["cell"].endswith("others")]
    assert min(named) >= FLOOR


WRONG = {
    "--calibrate 4": "from 0 to 3, not 4",
    "--calibrate -1": "from 0 to 3, not -1",
    "--calibrate two": "'two'",
    "--round-margins 4": "1, 3, 5 or 10, not 4",
    "--calibrate-for diagnosis": "'=' and a number",
    "--calibrate-for diagnosys=1": "did you mean 'diagnosis'?",
    "--calibrate-for diagnosis=4": "from 0 to 3, not 4",
    "--calibrate-for diagnosis=1.5": "from 0 to 3, not 1.5",
    "--calibrate-for diagnosis=nan": "from 0 to 3, not nan",
    "--target outcom": "did you mean 'outcome'?",
    "--calibrate 2 --method anatomy": "not of anatomy",
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_values_are_refused_in_one_sentence(typed, files_in, words):
    before = files_in()
    ran = typed("publish", "ward.csv", *words.split())
    assert ran.code == 2
    assert ran.out == ""
    sentences = [line for line in ran.err.splitlines() if line.startswith("halfmask: ")]
    assert len(sentences) == 1
    assert WRONG[words] in sentences[0]
    assert "Traceback" not in ran.err
    assert files_in() == before


def test_a_file_of_data_has_no_margins(typed):
    ran = typed("inspect", "ward.csv", "--margins")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "halfmask: --margins shows the counts of a model (*.json); this is a file of data.\n"
    )


def test_patterns_can_need_more_rows_than_counts(told, typed):
    cells = [line for line in told("--pattern-support", "150") if line["cell"]]
    patterns = json.loads(Path("ward.model.json").read_text())["model"]["patterns"]
    assert patterns
    assert min(line["count"] for line in cells) < 150
    assert all(pattern["support"] >= 150 for pattern in patterns)
    refused = typed("publish", "ward.csv", "--pattern-support", "none")
    assert refused.code == 2
    assert "--pattern-support" in refused.err


def test_a_target_without_counts_is_refused_and_nothing_is_written(typed, ward):
    ran = typed("publish", "ward.csv", "--target", "outcome", "--calibrate", 0)
    assert ran.code == 2
    assert "The target 'outcome' is preserved by matching counts" in ran.err
    assert [path.name for path in ward.parent.iterdir()] == ["ward.csv"]


def test_an_output_that_does_not_tell_its_format_is_refused_before_the_work(typed, monkeypatch):
    monkeypatch.setattr("halfmask.publishing.publish.make", lambda *_: pytest.fail("it worked"))
    ran = typed("publish", "ward.csv", "-o", "out.sheet")
    assert ran.code == 2
    assert "'out.sheet' does not show the format" in ran.err


def test_a_file_without_an_ending_is_published_in_the_format_that_is_said(typed, ward):
    ward.rename("ward")
    ran = typed("publish", "ward", "--format", "csv", "--min-support", FLOOR, "--seed", 1)
    assert ran.code == 0, ran.err
    assert Path("ward.release").read_text().splitlines()[0] == ",".join(NAMES)


def test_the_check_says_what_it_does_not_reckon_with(typed, tmp_path):
    rng = np.random.default_rng(3)
    age = rng.normal(50, 15, 300).round(1)
    pay = (3 * age + rng.normal(0, 9, 300)).round(1)
    lines = [f"{a},{b}" for a, b in zip(age, pay, strict=True)]
    (tmp_path / "pay.csv").write_text("\n".join(["age,pay", *lines]))
    for more, told in ((), 1), (("--calibrate", "1"), 0):
        assert typed("publish", "pay.csv", "--no-trade-off", "--force", *more).code == 0
        shown = json.loads(typed("inspect", "pay.model.json", "--audit", "--json").out)
        assert shown["rank_correlations"] == told
        words = " ".join(typed("inspect", "pay.model.json", "--audit").out.split())
        assert ("the check leaves them out" in words) == bool(told)
