"""A release opened in a spreadsheet shows its texts, and computes none of them."""

from __future__ import annotations

import csv
import hashlib

import pytest
from click.testing import CliRunner

from halfmask import publish
from halfmask.cli.entry import cli

EVIL = ("=cmd|' /C calc'!A0", "@SUM(1,2)", "+1+1", "-2+3", "harmless", "-")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "evil.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["note", "change"])
        lines.writerows([EVIL[i % 6], i // 6 % 7 - 3] for i in range(840))
    return path


def released(table):
    path = table.with_name("evil.release.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return path, {row["note"] for row in rows}, {row["change"] for row in rows}


def test_formulas_are_quoted_with_a_remark_and_numbers_are_not(table):
    published = publish(table, output=table.with_name("evil.release.csv"), seed=1)
    path, notes, changes = released(table)
    assert notes == {"harmless", "-", *(f"'{text}" for text in EVIL[:4])}
    assert changes == {str(i) for i in range(-3, 4)}
    (remark,) = (r for r in published.remarks if "apostrophe" in r)
    assert "('note')" in remark
    report = table.with_name("evil.report.html").read_text(encoding="utf-8")
    assert "An apostrophe was put before texts" in report
    assert hashlib.sha256(path.read_bytes()).hexdigest() in report


def test_formulas_are_kept_where_that_is_asked_for(table):
    output = table.with_name("evil.release.csv")
    published = publish(table, output=output, seed=1, keep_formulas=True)
    assert released(table)[1] == set(EVIL)
    assert not any("apostrophe" in remark for remark in published.remarks)


@pytest.mark.parametrize("keep", [False, True])
def test_rows_drawn_from_a_model_are_quoted_too(keep, table, tmp_path):
    publish(table, output=tmp_path / "first.csv", seed=1)
    model = next(tmp_path.glob("*.model.json"))
    typed = ["generate", str(model), "-o", str(tmp_path / "evil.release.csv"), "--seed", "2"]
    ran = CliRunner().invoke(cli, [*typed, *(["--keep-formulas"] if keep else [])])
    assert ran.exit_code == 0, ran.output
    assert ("An apostrophe was put before texts" in ran.stderr) is not keep
    assert (EVIL[0] in released(table)[1]) is keep
