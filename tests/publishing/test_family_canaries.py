"""Canaries that nine patients carry in sixty visits each: no file and no sentence holds them."""

from __future__ import annotations

import re
import subprocess
import sys

import polars as pl
import pytest
from visiting import counts, hospital

PATIENTS = {
    "age": "987654321",
    "sex": "canarysex",
    "region": "canaryland",
    "chronic": "canarypox",
}
VISITS = {
    "date": "1823-07-19",
    "diagnosis": "canarycough",
    "cost": "41237.73",
    "outcome": "sang and flew",
}
PIECES = ("canary", "987654321", "987,654,321", "1823-07", "41237", "sang and", "P-4242")
FEW, OFTEN = 9, 60  # one patient fewer than enough, with more rows than enough together


def planted(tables):
    """The hospital as texts, with nine patients more whose every value is a canary."""
    keys = [f"P-4242{n}" for n in range(FEW)]
    rows = [
        pl.DataFrame({"patient_id": keys} | {n: [v] * FEW for n, v in PATIENTS.items()}),
        pl.DataFrame(
            {
                "visit_id": [str(777_000 + n) for n in range(FEW * OFTEN)],
                "patient_id": [key for key in keys for _ in range(OFTEN)],
            }
            | {n: [v] * FEW * OFTEN for n, v in VISITS.items()}
        ),
    ]
    texts = [table.cast(pl.String) for table in tables.values()]
    return {
        name: pl.concat([text, more.select(text.columns)]).sample(fraction=1, shuffle=True, seed=1)
        for name, text, more in zip(tables, texts, rows, strict=True)
    }


def halfmask(folder, words):
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "halfmask", *words.split()],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("canaries")
    for name, table in planted(hospital(400)).items():
        table.write_csv(folder / f"{name}.csv")
    said = []
    for code, words in (
        (0, "publish patients.csv --child visits.csv -o out --seed 1 --external-report ext.html"),
        (0, "inspect out/visits.model.json --margins"),
        (0, "generate out/visits.model.json --rows 3000 --seed 2 -o out/more.csv"),
        (2, "publish patients.csv --child visits.csv -o out"),
        (2, "publish patients.csv --child visits.csv --key patient_id=diagnosis"),
        (2, "publish patients.csv --child visits.csv --min-support 410"),
        (2, "publish visits.csv --child patients.csv"),
        (2, "publish patients.csv --child visits.csv --method table-anatomy"),
        (3, "publish patients.csv --child visits.csv --nas-at-most 0"),
    ):
        found, text = halfmask(folder, words)
        assert found == code, f"{words}: {text}"
        said.append(text)
    for name in ("patients.csv", "visits.csv"):
        (folder / name).unlink()
    return folder, said


DECIMALS = re.compile(r"\.\d+")
"""Behind a point any digits stand by chance."""


def test_no_canary_is_in_any_file(written):
    folder, _ = written
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    assert {path.name for path in files} >= {
        "patients.release.csv", "visits.release.csv", "patients.model.json", "visits.model.json",
        "patients.report.html", "ext.html", "more.csv", "patients.refused.html",
    }  # fmt: skip
    for path in files:
        text = DECIMALS.sub(" ", path.read_text())
        for piece in PIECES:
            assert piece.lower() not in text.lower(), f"{piece} is in {path.name}"


def test_no_canary_is_said(written):
    _, said = written
    for text in said:
        for piece in PIECES:
            assert piece.lower() not in text.lower()


def test_the_number_of_visits_of_the_canaries_is_no_heap(written):
    folder, _ = written
    released = {
        name: pl.read_csv(folder / "out" / f"{name}.release.csv", infer_schema=False)
        for name in ("patients", "visits")
    }
    assert (counts(released) == OFTEN).sum() < FEW // 3  # a tail reaches beyond it
