"""`halfmask measure` compares only what can be compared, and says in a sentence what cannot."""

from __future__ import annotations

import json

import pytest

ROWS = [("fm"[i % 2], (10, 20, 30)[i % 3], ("flu", "cold")[i % 5 > 2]) for i in range(120)]


def written(folder, name, rows, header="sex,age,ill"):
    lines = [",".join(map(str, row)) for row in rows]
    (folder / name).write_text("\n".join([header, *lines]) + "\n")
    return name


RELEASES = {
    "a column less": ([row[:2] for row in ROWS], "sex,age", "it lacks 'ill'"),
    "a column more": ([(*row, 1) for row in ROWS], "sex,age,ill,id", "it also has 'id'"),
    "another type": ([(s, "old", i) for s, _, i in ROWS], "sex,age,ill", "'age' holds numbers"),
    "other categories": (
        [(s, a, "plague") for s, a, _ in ROWS], "sex,age,ill", "'ill' of the release has no value",
    ),
    "no rows": ([], "sex,age,ill", "no rows"),
    "one row": (ROWS[:1], "sex,age,ill", "has 1 row; a comparison needs at least 2"),
}  # fmt: skip


@pytest.mark.parametrize("case", RELEASES)
@pytest.mark.parametrize("as_holdout", [False, True], ids=["release", "hold-out"])
def test_what_cannot_be_compared(halfmask, tmp_path, case, as_holdout):
    rows, header, words = RELEASES[case]
    original = written(tmp_path, "original.csv", ROWS)
    other = written(tmp_path, "other.csv", rows, header)
    others = (original, "--holdout", other) if as_holdout else (other,)
    ran = halfmask("measure", original, *others, "--only", "nas")
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.err.strip().splitlines()) == 1
    if as_holdout:  # of which the numbers of the original are text as well
        words = words.replace("release", "hold-out").replace("'age' holds numbers", "no value in")
    assert words in ran.err


OPTIONS = {
    ("--sensitive", "il"): "There is no column 'il'; did you mean 'ill'?",
    ("--keys", "sex,agee"): "There is no column 'agee'; did you mean 'age'?",
    ("--keys", "sex,ill", "--sensitive", "ill"): "cannot be both sensitive and known",
    ("--drop", "nothing"): "There is no column 'nothing'",
    ("--only", "nass"): "There is no measure 'nass'; did you mean 'nas'?",
    ("--min-support", "0"): "not in the range",
}


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_what_does_not_exist(halfmask, tmp_path, options):
    original = written(tmp_path, "original.csv", ROWS)
    ran = halfmask("measure", original, original, *options)
    assert ran.code == 2
    assert OPTIONS[options] in ran.err
    if options[0] == "--sensitive":
        ran = halfmask("publish", original, *options)
        assert ran.code == 2
        assert OPTIONS[options] in ran.err


def test_columns_in_another_order_and_dropped_ones_are_compared(halfmask, tmp_path):
    original = written(tmp_path, "original.csv", [(*row, 7) for row in ROWS], "sex,age,ill,id")
    release = written(tmp_path, "release.csv", [row[::-1] for row in ROWS], "ill,age,sex")
    ran = halfmask("measure", original, release, "--drop", "id", "--only", "nas", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["readings"][0]["value"] == 1.0


@pytest.mark.parametrize("share", ["0.001", "0.999"])
def test_a_hold_out_needs_rows_on_both_sides(halfmask, tmp_path, share):
    original = written(tmp_path, "original.csv", ROWS)
    ran = halfmask("publish", original, "--holdout", share)
    assert ran.code == 2
    assert "of 120 rows; at least 2 must be held out" in ran.err


def test_files_that_do_not_fit_into_the_memory_are_refused_unread(halfmask, tmp_path):
    original = written(tmp_path, "original.csv", ROWS)
    ran = halfmask("measure", original, original, "--only", "nas", "--memory", "100MB")
    assert ran.code == 2
    assert "rows of 3 columns need 0.5 GB of memory" in ran.err
    assert "0.1 GB are allowed" in ran.err
    assert "compare fewer rows" in ran.err
    assert halfmask("measure", original, original, "--only", "nas", "--memory", "2GB").code == 0
    (tmp_path / "a.dat").write_text("1 2\n2\n" * 20)
    ran = halfmask("measure", "a.dat", "a.dat", "--memory", "2GB")
    assert ran.code == 2
    assert "--memory is for tables" in ran.err


def readings(halfmask, *args):
    ran = halfmask("measure", *args, "--json")
    assert ran.code == 0, ran.err
    return {one["name"]: one for one in json.loads(ran.out)["readings"]}


def test_an_asked_support_is_used_and_named(halfmask, patients):
    for support in (3, 40):
        found = readings(
            halfmask, patients, patients, "--min-support", support, "--only", "ds,patterns_kept"
        )
        for reading in found.values():
            assert reading["details"]["min_support"] == support
            assert f"Minimum support: {support} rows of the original." in reading["how"]
    printed = halfmask("measure", patients, patients, "--min-support", "3", "--only", "ds")
    assert "minimum support 3: ds" in printed.out


def test_an_asked_support_of_baskets_is_used(halfmask, shop):
    found = readings(halfmask, shop, shop, "--min-support", "7", "--only", "patterns_kept")
    assert found["patterns_kept"]["details"]["min_support"] == 7


def test_too_little_time_names_the_next_support(halfmask, patients):
    ran = halfmask(
        "measure", patients, patients, "--min-support", "1", "--max-time", "1e-9", "--only", "ds"
    )
    assert ran.code == 0
    assert "ds: not measured. The time given is over, and patterns held by 1 rows" in ran.out


def test_runs_draw_from_a_model(halfmask, patients, tmp_path):
    halfmask("publish", patients, "--seed", "1", "--quiet")
    model = tmp_path / "patients.model.json"
    found = readings(halfmask, patients, model, "--runs", "3", "--seed", "1", "--only", "nas,ds")
    draws = found["nas"]["details"]["draws"]
    assert draws["count"] == 3
    assert draws["sd"] > 0
    assert abs(draws["mean"] - found["nas"]["value"]) < 4 * draws["sd"]
    assert "of_mean_sizes" in found["ds"]["details"]["draws"]
    refused = halfmask("measure", patients, patients, "--runs", "3")
    assert refused.code == 2
    assert "give the model (NAME.model.json)" in refused.err


def test_runs_of_a_publication(halfmask, patients):
    ran = halfmask("publish", patients, "--runs", "3", "--seed", "1")
    assert ran.code == 0, ran.err
    assert "3 draws: nas" in ran.out


def test_code_tables_among_closed_itemsets(halfmask, patients):
    every, closed = (
        readings(
            halfmask,
            patients,
            patients,
            "--candidates",
            kind,
            "--seed",
            "1",
            "--only",
            "ds,patterns_kept",
        )
        for kind in ("all", "closed")
    )
    bits = [found["ds"]["details"]["bits"]["original"] for found in (every, closed)]
    assert bits[0] != bits[1]
    # Frequent patterns are compared among all of them whatever the candidates are.
    assert every["patterns_kept"] == closed["patterns_kept"]
