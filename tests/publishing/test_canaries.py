"""Canaries in every column of a typed table: none of them is found in anything that is written."""

from __future__ import annotations

import re
import subprocess
import sys
from uuid import UUID

import numpy as np
import polars as pl
import pytest

ROWS = 400
CANARIES = {
    "ward": "canaryward",
    "age": "987654321",
    "income": "41237",
    "weight": "-7654321.5",
    "height": "171.73829",
    "born": "1823-07-19",
    "seen": "2020-03-03 03:33:33",
    "code": "-77777",
    "mail": "canary@example.org",
    "uuid": "deadbeef-dead-4bad-8bad-deadbeefcafe",
    "id": "P-424242",
    "name": "Canary, Bird Tweety",
    "phone": "+49 30 7777777",
    "iban": "DE44777777777777777777",
    "zip": "77777",
    "town": "Canaryville",
    "remark": "the canary sang about the mine and what it saw in there",
}
PIECES = ("canary", "tweety", "987654321", "987,654,321", "41237", "7654321", "1.73829", "1823-07",
          "03:33:33", "77777", "deadbeef", "424242")  # fmt: skip

FRESH_KEY = r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"


def clinic() -> pl.DataFrame:
    """Every kind of column; all common values have at least ten rows."""
    rng = np.random.default_rng(21)
    place = rng.integers(4, size=ROWS)
    months = rng.integers(0, 240, ROWS)
    return pl.DataFrame(
        {
            "ward": np.array(["north", "south", "east"])[rng.integers(3, size=ROWS)],
            "age": [str(n) for n in rng.integers(20, 80, ROWS)],
            "income": [str(n) for n in rng.integers(10, 90, ROWS) * 1000],
            "weight": [f"{w:.1f}" for w in rng.normal(75, 9, ROWS)],
            "height": [f"{w:.1f}" for w in rng.normal(171, 9, ROWS)],
            "born": [f"{1940 + m // 4}-{m % 12 + 1:02}-{m % 28 + 1:02}" for m in months],
            "seen": [f"2020-{m % 12 + 1:02}-{m % 28 + 1:02} {8 + m % 9:02}:00:00" for m in months],
            "code": [str(n if n > 15 else -8) for n in rng.integers(0, 50, ROWS)],
            "mail": [f"p{i}@example.net" for i in range(ROWS)],
            "uuid": [str(UUID(int=i * 99_991)) for i in range(ROWS)],
            "id": [f"P-{i:06}" for i in range(ROWS)],
            "name": [f"Doe, {'abcdefgh'[i % 8]} {i}" for i in range(ROWS)],
            "phone": [f"+49 30 {i:07}" for i in range(ROWS)],
            "iban": [f"DE{i % 90 + 10}50010517{i:010}" for i in range(ROWS)],
            "zip": np.array(["24103", "89073", "53111", "50667"])[place],
            "town": np.array(["Kiel", "Ulm", "Bonn", "Cologne"])[place],
            "remark": [f"patient {i} says that it is quite as it was before" for i in range(ROWS)],
        }
    )  # fmt: skip


def halfmask(folder, *words):
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "halfmask", *words], cwd=folder, capture_output=True, check=False
    )
    return done.returncode, (done.stdout + done.stderr).decode()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """All that is written and said about a table whose canaries one row less than enough hold."""
    folder = tmp_path_factory.mktemp("canaries")
    frame = clinic()
    cells = {name: [value] * 9 for name, value in CANARIES.items()}
    cells["id"] += [f"P-4242{43 + i}" for i in range(8)]
    cells["uuid"] += [CANARIES["uuid"].replace("cafe", f"caf{i}") for i in range(8)]
    planted = pl.DataFrame({name: column[-9:] for name, column in cells.items()})
    pl.concat([frame, planted]).write_csv(folder / "t.csv")
    said = {}
    for words in (
        "publish t.csv --seed 2 --max-time 20 --external-report outside.html",
        "schema init t.csv",
        "inspect t.csv",
        "inspect t.model.json",
        "generate t.model.json --rows 3000 --seed 2 -o more.parquet",
        "generate t.model.json --rows 3000 --seed 3 -o more.csv",
        "measure t.csv t.release.csv",
    ):
        code, text = halfmask(folder, *words.split())
        assert code == 0, text
        said[words] = text
    for words in (
        "publish t.csv --force --min-support 9999",
        "publish t.csv --force --sensitive nam",
        "publish t.csv --force --drop tow",
        "publish t.csv --force --hide-together ward,canary",
        "measure t.csv t.report.html",
    ):
        code, text = halfmask(folder, *words.split())
        assert code == 2, text
        said[words] = text
    (folder / "t.csv").unlink()
    return folder, said


def test_no_canary_is_in_any_file(written):
    folder, _ = written
    files = sorted(folder.iterdir())
    assert {file.name for file in files} >= {
        "t.release.csv", "t.model.json", "t.report.html", "outside.html", "t.schema.toml",
        "more.parquet", "more.csv",
    }  # fmt: skip
    for file in files:
        text = str(pl.read_parquet(file).rows()) if file.suffix == ".parquet" else file.read_text()
        # Digits stand in a row by chance in keys that are drawn afresh.
        text = re.sub(FRESH_KEY, lambda key: key[0] if "dead" in key[0] else "", text.lower())
        # And so they do in readings.
        text = re.sub(r"\.\d{7,}", " ", text) if file.suffix == ".html" else text
        for piece in PIECES:
            assert piece not in text, (file.name, piece)


def test_no_canary_is_said(written):
    _, said = written
    for words, text in said.items():
        heard = text.replace(words, "").lower()
        for piece in PIECES:
            assert piece not in heard or piece in words, (words, piece)


def test_what_points_at_people_is_left_out_or_made_anew(written):
    folder, _ = written
    release = pl.read_csv(folder / "t.release.csv", infer_schema=False)
    assert set(release.columns) >= {"ward", "age", "weight", "born", "seen", "uuid", "id", "zip"}
    assert not {"mail", "name", "phone", "iban", "remark"} & set(release.columns)
    original = clinic()
    assert not set(release["uuid"]) & set(original["uuid"])
    assert not set(release["id"]) & set(original["id"])
    assert release["uuid"].n_unique() == release["id"].n_unique() == len(release)
