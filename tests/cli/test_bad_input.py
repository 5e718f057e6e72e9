"""Bad input gets one sentence on standard error, exit code 2, and nothing is written."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest


def refused(ran, files_before, files_after, *words):
    assert ran.code == 2, ran.out + ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert len(ran.err.strip().splitlines()) == 1, ran.err
    for word in words:
        assert word in ran.err
    assert files_after == files_before


CONTENTS = {
    "empty.csv": (b"", "is empty"),
    "header.csv": (b"age,sex\n", "no rows"),
    "ragged.csv": (b"age,sex\n1,f\n2\n", "Line 3"),
    "mixed.csv": (b"name,sex\nJos\xe9,f\nRen\xc3\xa9e,m\n", "--encoding"),
    "packed.csv.gz": (b"age,sex\n1,f\n", "gz"),
    "nul.csv": (b"age,sex\n1,\x00\n", "NUL"),
    "void.csv": (b"age,sex\n" + b",\n" * 30, "'age' (every cell is missing)"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_files_that_cannot_be_published(halfmask, files_in, tmp_path, name):
    content, words = CONTENTS[name]
    (tmp_path / name).write_bytes(content)
    before = files_in()
    refused(halfmask("publish", name), before, files_in(), words)


def test_a_file_that_does_not_exist_and_a_directory(halfmask, files_in, tmp_path):
    refused(halfmask("publish", "none.csv"), [], files_in(), "There is no file 'none.csv'")
    refused(halfmask("publish", tmp_path), [], files_in(), "is a directory")


def test_a_million_columns(halfmask, files_in, tmp_path):
    names = ",".join(f"c{i}" for i in range(1_000_000))
    (tmp_path / "wide.csv").write_text(f"{names}\n{',' * 999_999}\n")
    before = files_in()
    refused(halfmask("publish", "wide.csv"), before, files_in(), "columns")


OPTIONS = {
    "--min-support 0": "of at least 1",
    "--min-support -4": "of at least 1",
    "--min-support 601": "from 1 to 480",  # rows that were not held back
    "--min-support 1.01": "fraction",
    "--min-support 0.0": "fraction",
    "--laplace -1": "at least 0",
    "--nas-at-most 1.2": "between 0 and 1",
    "--holdout 1": "from 0 to below 1",
    "--drop diagnosys": "did you mean 'diagnosis'?",
    "--categorical diagnosys": "did you mean 'diagnosis'?",
    "--sensitive diagnosys": "did you mean 'diagnosis'?",
    "--hide-together diagnosys,age": "did you mean 'diagnosis'?",
    "--hide-together diagnosis,diagnosis": "one column",
    "--laplace-for diagnosys=1": "did you mean 'diagnosis'?",
    "--order age,regoin": "did you mean 'region'?",
    "--seed -1": "at least 0",
    "--max-time 0": "above 0",
    "--threads 18446744073709551616": "from 1 to 1,024, not 18446744073709551616",
    "-o nowhere/out.csv": "no folder",
    "-o out.doc": "format",
}


@pytest.mark.parametrize("typed", OPTIONS)
def test_options_that_make_no_sense(halfmask, patients, files_in, typed):
    before = files_in()
    ran = halfmask("publish", patients, *typed.split())
    refused(ran, before, files_in(), OPTIONS[typed])


def test_usage_errors_leave_with_2(halfmask, patients):
    for typed in ("--min-support many", "--hide-together age", "--laplace-for age", "--nosuch"):
        ran = halfmask("publish", patients, *typed.split())
        assert ran.code == 2
        assert "Traceback" not in ran.err


def test_a_missed_target_leaves_the_page_with_the_reasons_and_no_release(
    halfmask, patients, files_in
):
    before = set(files_in())
    ran = halfmask("publish", patients, "--ds-at-most", "0.0000001", "--seed", 1)
    assert ran.code == 3
    refused = f"{patients.name.split('.')[0]}.refused.html"
    assert f"No release was written; {refused!r} gives the reasons." in ran.err
    assert set(files_in()) - before == {refused}
    assert "Do not publish" in patients.with_name(refused).read_text(encoding="utf-8")


def test_an_unreachable_target_leaves_with_3_and_writes_nothing(halfmask, patients, files_in):
    before = files_in()
    ran = halfmask("publish", patients, "--nas-at-most", "0", "--laplace", "1")
    assert ran.code == 3
    assert len(ran.err.strip().splitlines()) == 1
    assert files_in() == before


def test_one_column_is_enough(halfmask, tmp_path):
    (tmp_path / "one.csv").write_text("sex\n" + "f\nm\n" * 30)
    assert halfmask("publish", "one.csv").code == 0


def test_a_column_without_any_value_is_left_out_with_a_notice(halfmask, tmp_path):
    (tmp_path / "half.csv").write_text("age,sex\n" + ",f\n,m\n" * 30)
    ran = halfmask("publish", "half.csv")
    assert ran.code == 0
    assert "Column 'age' was left out: every cell is missing." in ran.out


def test_the_original_is_not_replaced_by_its_release(halfmask, patients, files_in):
    original, before = patients.read_bytes(), files_in()
    ran = halfmask("publish", patients, "-o", "./patients.csv", "--force")
    refused(ran, before, files_in(), "is an input and is never overwritten; name another")
    assert patients.read_bytes() == original


@pytest.mark.parametrize("command", ["schema", "asset"])
def test_a_draft_does_not_replace_what_it_is_drafted_from(halfmask, patients, files_in, command):
    original, before = patients.read_bytes(), files_in()
    ran = halfmask(command, "init", patients, "-o", patients, "--force")
    refused(ran, before, files_in(), "is an input and is never overwritten")
    assert patients.read_bytes() == original


@pytest.mark.parametrize(
    "typed",
    [
        ("publish", "https://ann:secret@example.org/patients.csv"),
        ("inspect", "s3://secret/patients.parquet"),
        ("generate", "patients.model.json", "-o", "ftp://secret/patients.csv"),
    ],
)
def test_nothing_is_fetched_from_an_address(halfmask, files_in, typed):
    ran = halfmask(*typed)
    refused(ran, [], files_in(), "Nothing is read from or written to", "name a file")
    assert "secret" not in ran.err


@pytest.mark.parametrize("command", [["demo", "--output"], ["reproduce", "rivals-siblings", "-o"]])
def test_a_file_is_no_folder(halfmask, patients, files_in, command):
    before = files_in()
    refused(halfmask(*command, patients), before, files_in(), "is a file; name a folder")


def test_existing_files_are_not_overwritten(halfmask, patients, files_in, tmp_path):
    (tmp_path / "patients.model.json").write_text("mine")
    before = files_in()
    refused(halfmask("publish", patients), before, files_in(), "--force")
    assert (tmp_path / "patients.model.json").read_text() == "mine"
    assert halfmask("publish", patients, "--force").code == 0
    assert (tmp_path / "patients.model.json").read_text() != "mine"


MODELS = {
    "truncated": lambda text: text[: len(text) // 2],
    "newer": lambda text: re.sub(r'"version": \d+', '"version": 99', text),
    "foreign": lambda _: '{"hello": "world"}',
    "nested": lambda _: "[" * 100_000,
    "huge numbers": lambda text: text.replace('"rows": 480', '"rows": 1' + "0" * 400),
}


@pytest.mark.parametrize("damage", MODELS)
def test_damaged_models(halfmask, patients, files_in, tmp_path, damage):
    assert halfmask("publish", patients, "--seed", "1", "--quiet").code == 0
    model = tmp_path / "patients.model.json"
    text = model.read_text()
    assert MODELS[damage](text) != text
    model.write_text(MODELS[damage](text))
    before = files_in()
    refused(halfmask("generate", model, "-o", "out.csv"), before, files_in())


def test_the_message_never_quotes_a_rare_value(halfmask, tmp_path):
    rows = "\n".join(["f,secretword"] + ["m,common", "f,common"] * 60)
    (tmp_path / "a.csv").write_text(f"sex,word\n{rows}\n")
    (tmp_path / "b.csv").write_text(f"sex,word\n{rows.replace('secretword', 'otherword')}\n")
    for ran in (halfmask("publish", "a.csv"), halfmask("measure", "a.csv", "b.csv")):
        assert "secretword" not in ran.out + ran.err


@pytest.mark.skipif(os.name != "posix", reason="signals of this kind exist on POSIX systems")
def test_ctrl_c_returns_within_a_second_with_nothing_written(tmp_path, files_in):
    rng = np.random.default_rng(1)
    cells = np.array(["x", "y"])[(rng.random((20_000, 16)) < 0.4).astype(int)]
    lines = [[f"c{i}" for i in range(16)], *cells.tolist()]
    (tmp_path / "wide.csv").write_text("\n".join(",".join(line) for line in lines))
    process = subprocess.Popen(
        [sys.executable, "-m", "halfmask", "publish", "wide.csv", "--min-support", "10"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(4)
    assert process.poll() is None, "the search was over before it could be stopped"
    process.send_signal(signal.SIGINT)
    asked = time.monotonic()
    _, err = process.communicate(timeout=30)
    assert time.monotonic() - asked < 20  # within a second when the machine is quiet
    assert process.returncode == 130
    assert b"stopped; nothing was written" in err
    assert files_in() == ["wide.csv"]


TYPED = {
    "generate": "halfmask generate needs MODEL.",
    "quest": "needs --output: Where the baskets go",
    "publish one.csv two.csv": "unexpected extra argument (two.csv)",
    "publish one.csv --min-support": "'--min-support' requires an argument",
    "publish one.csv --min-support x": "'x' is neither a number of rows nor a fraction",
    "publish one.csv --method nosuch": "'nosuch' is not one of 'generator', 'private'",
    "inspect one.csv --nosuch": "No such option '--nosuch'",
}


@pytest.mark.parametrize("words", TYPED)
def test_what_was_typed_wrongly_or_not_at_all_is_said_in_one_line(halfmask, files_in, words):
    refused(halfmask(*words.split()), files_in(), files_in(), TYPED[words], "--help.")
