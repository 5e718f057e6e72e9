"""A new method touches the list of methods and nothing else: everything else is derived from it.

Each program lists the toy before anything but the methods is imported, as its own folder and a
line in `halfmask/methods/__init__.py` would.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
LISTED = "from methods.toy import register; register()\n"
FRAME = """
import json, polars as pl
import halfmask as hm
frame = pl.DataFrame({
    "sex": ["f", "m"] * 200,
    "ill": ["no", "no", "no", "yes"] * 100,
    "ward": ["north"] * 200 + ["south"] * 200,
})
"""


def run(program, *words, cwd, text=LISTED, status=0):
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-c", text + program, *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(TESTS), "COLUMNS": "160", "NO_COLOR": "1"},
        cwd=cwd, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == status, ended.stderr
    return ended


def halfmask(*words, cwd, status=0):
    return run("from halfmask.cli.entry import main; main()", *words, cwd=cwd, status=status)


@pytest.fixture
def patients(tmp_path):
    lines = [("sex", "ill"), *([("f", "no"), ("m", "no"), ("f", "yes"), ("m", "no")] * 100)]
    with (tmp_path / "patients.csv").open("w", newline="") as file:
        csv.writer(file).writerows(lines)
    return tmp_path


def test_without_the_line_in_the_list_there_is_no_such_method(tmp_path):
    asked = "hm.publish(frame, method='toy', strength=0.5)"
    ended = run(FRAME + asked, cwd=tmp_path, text="", status=1)
    assert "There is no method 'toy'" in ended.stderr


def test_python_publishes_by_it_with_report_verdict_and_files(tmp_path):
    program = """
found = hm.publish(frame, method="toy", strength=1.0, blocks=2, seed=1, output="out.csv")
rows = found.data
assert isinstance(rows, pl.DataFrame) and rows.columns == frame.columns
assert all(rows[c].sort().equals(frame[c].sort()) for c in frame.columns)
assert not rows.equals(frame)
assert rows["ward"].equals(frame["ward"]), "values stay within their block"
assert found.model is None and found.release.method == "toy"
assert "Values of a row come from several persons" in found.report.html()
again = hm.publish(frame, method="toy", strength=1.0, blocks=2, seed=1)
assert again.data.equals(rows)
print(json.dumps([found.to_dict(), found.readings["marginals_2"].value]))
"""
    told, moved = json.loads(run(FRAME + program, cwd=tmp_path).stdout)
    assert told["verdict"] == "not attacked"
    assert told["record"] == {"strength": 1.0, "blocks": 2}
    assert told["checks"][0]["what"] == "Rows are mixed"
    assert moved > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.report.html"]
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 401


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("strenght=0.5", "no option 'strenght'; did you mean 'strength'?"),
        ("strength=2", "strength is a number from 0 to 1, not 2"),
        ("strength=0.5, blocks=0", "blocks is a whole number of at least 1, not 0"),
        ("", "toy needs 'strength'"),
        ("strength=0.5, keep=0.9", "'keep' is an option of the method distortion, not of toy"),
    ],
)
def test_a_wrong_setting_is_answered(tmp_path, options, sentence):
    ended = run(FRAME + f"hm.publish(frame, method='toy', {options})", cwd=tmp_path, status=1)
    assert sentence in ended.stderr.splitlines()[-1]


def test_choose_offers_it_and_tries_it(tmp_path):
    program = """
from halfmask.choosing.candidates import candidates
from halfmask.choosing.candidates import publish_command
from halfmask.choosing.secrets import Secrets
from halfmask.choosing.trial import Trial, digest_of, run_trial
from halfmask.data import Encoding
from halfmask.io.given import columns_of

found, _ = candidates(["toys"], "table", frozenset())
asked, _ = candidates(["toy:0.5:blocks=4"], "table", frozenset())
everything, _ = candidates(None, "table", frozenset())
_, unsuitable = candidates(None, "baskets", frozenset())
columns = columns_of(frame)
table = Encoding.fit(columns).encode(columns)
outcomes = []
for candidate in found:
    trial = Trial(candidate, digest_of(table), len(table), Secrets(), measured=True)
    outcomes.append(run_trial(trial, table))
print(json.dumps({
    "found": [one.name for one in found],
    "asked": publish_command(asked[0], {"file": "a.csv", "seed": 3}),
    "all": "toy:1" in [one.name for one in everything],
    "unsuitable": [one.reason for one in unsuitable if one.method == "toy"],
    "failed": [one.failed for one in outcomes],
    "moved": [one.readings.dissimilarity for one in outcomes],
    "back": [one.readings.rows_back for one in outcomes],
}))
"""
    told = json.loads(run(FRAME + program, cwd=tmp_path).stdout)
    assert told["found"] == ["toy:0.25", "toy:1"]
    assert told["asked"] == (
        "halfmask publish a.csv --method toy --strength 0.5 --blocks 4 --seed 3"
    )
    assert told["all"]
    assert told["unsuitable"] == ["It works on tables, and this is baskets."]
    assert told["failed"] == [None, None]
    assert told["moved"] == [0, 0], "a shuffle keeps how often each value occurs"
    assert all(0 < back <= 1 for back in told["back"])


def test_the_command_line_shows_its_options_and_publishes(patients):
    text = " ".join(halfmask("publish", "--method", "toy", "--help", cwd=patients).stdout.split())
    assert "The share of the rows whose values change places. (required)" in text
    assert "--blocks" in text
    assert "Values stay within one of so many blocks of rows." in text
    assert "The columns of a table, each with its values in other rows." in text
    assert "--keep-absent" not in text, "an option of another method"
    halfmask(
        "publish", "patients.csv", "--method", "toy", "--strength", "0.5", "--seed", "1",
        cwd=patients,
    )  # fmt: skip
    before, after = (
        (patients / name).read_text().splitlines()
        for name in ("patients.csv", "patients.release.csv")
    )
    assert before != after
    sexes = [sorted(line.split(",")[0] for line in lines) for lines in (before, after)]
    assert sexes[0] == sexes[1]
    assert before[201:] == after[201:], "the second half stays"
    assert (patients / "patients.report.html").exists()


def test_the_command_line_answers_a_misspelt_option(patients):
    ended = halfmask(
        "publish", "patients.csv", "--method", "toy", "--strenght", "1", cwd=patients, status=2
    )
    assert "There is no option --strenght; did you mean --strength?" in " ".join(
        ended.stderr.split()
    )
    assert [path.name for path in patients.iterdir()] == ["patients.csv"]
