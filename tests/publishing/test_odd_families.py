"""Families of unusual shapes and from unusual places, and the command line as a user meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from uuid import UUID

import numpy as np
import polars as pl
import pytest
from visiting import hospital

import halfmask as hm

QUICK = hm.Generator(calibrate=1)


def test_parents_who_are_nothing_but_their_key():
    visits = pl.DataFrame({"id": [n % 40 for n in range(120)], "ill": ["no", "yes", "no"] * 40})
    found = hm.publish({"patients": pl.DataFrame({"id": range(60)}), "visits": visits}, seed=1)
    assert found.data["patients"].columns == ["id"]
    share = (~found.data["patients"]["id"].is_in(found.data["visits"]["id"].implode())).mean()
    assert 0.2 < share < 0.45  # a third of the originals has no visit


def test_one_child_for_each_parent():
    rng = np.random.default_rng(1)
    sex = rng.choice(["f", "m"], 80)
    ill = np.where(rng.random(80) < 0.9, sex == "f", sex == "m")
    tables = {
        "a": pl.DataFrame({"id": range(80), "sex": sex}),
        "b": pl.DataFrame({"id": range(80), "ill": ill}),
    }
    found = hm.publish(tables, seed=1)
    assert sorted(found.data["b"]["id"]) == sorted(found.data["a"]["id"])
    assert found["b"].release.record["most_of_one_parent"] == 1
    joined = found.data["a"].join(found.data["b"], on="id")
    assert ((joined["sex"] == "f") == joined["ill"]).mean() > 0.75


def test_keys_keep_their_style_and_rows_count_parents():
    keys = [str(UUID(int=n * 99_991, version=4)) for n in range(60)]
    tables = {
        "p": pl.DataFrame({"uid": keys, "sex": ["f", "m"] * 30}),
        "c": pl.DataFrame({"owner": keys * 2, "toy": ["x", "y"] * 60}),
    }
    found = hm.publish(tables, key="uid=owner", rows=200, seed=1)
    assert len(found.data["p"]) == 200
    assert all(UUID(key).version == 4 for key in found.data["c"]["owner"])
    assert not set(found.data["c"]["owner"]) & set(keys)
    assert set(found.data["c"]["owner"]) <= set(found.data["p"]["uid"])


def test_tables_of_a_database_are_read(tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("clinic.duckdb") as database:
        for name, frame in hospital(300).items():
            database.register("frame", frame.to_arrow())
            database.table("frame").create(name)
    tables = {n: f"duckdb:///clinic.duckdb?table={n}" for n in ("patients", "visits")}
    hm.publish(tables, seed=1, method=QUICK)
    patients, visits = (pl.read_parquet(f"{name}.release.parquet") for name in tables)
    assert visits["patient_id"].is_in(patients["patient_id"].implode()).all()
    assert (tmp_path / "patients.report.html").exists()


def halfmask(folder, *words):
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "halfmask", *words],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_command_line_from_demo_to_json(tmp_path):
    done = halfmask(tmp_path, "demo", "--visits", "--rows", "300", "--seed", "1", "--output", "h")
    assert done.returncode == 0, done.stderr
    assert "h/visits.csv: a made-up hospital" in done.stdout
    assert "patients and visits" in done.stdout
    assert "child_counts" in done.stdout
    words = "publish h/patients.csv --child h/visits.csv -o out --json --max-time 0.001"
    done = halfmask(tmp_path, *words.split())
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["unit"] == "patients"
    assert set(told["tables"]) == {"patients", "visits"}
    assert {"out/visits.release.csv", "out/patients.report.html"} <= set(told["files"])
    done = halfmask(tmp_path, "publish", "h/patients.csv", "--key", "patient_id")
    assert done.returncode == 2
    assert "name one (--child)" in done.stderr
