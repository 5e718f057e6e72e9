"""A release opened in a spreadsheet shows its texts, and computes none of them."""

from __future__ import annotations

import csv
import hashlib

import pytest
from click.testing import CliRunner

from halfmask import measure, publish
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


ITEMS = ("=cmd|' /C calc'!A0", "'=1+1", "@SUM(1)", "tea", "milk, fresh")
SHOP = [ITEMS[:2], ITEMS[1:4], ITEMS[2:], ITEMS[::2], ITEMS] * 20


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.basket.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(SHOP)
    return path


def cells_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return {cell for line in csv.reader(file) for cell in line}


BESIDE = (
    ("baskets", {"min_support": 5}, ()),
    ("distortion", {"keep": 0.9}, ("shop.release.channel.csv",)),
    ("anatomy", {"l": 1.2, "columns": 2}, ("shop.release.anatomy.csv",)),
    (
        "hiding",
        {"sensitive": "@SUM(1), tea", "algorithm": "gih", "margin": 0.01},
        ("shop.release.unknown.csv", "edits.csv"),
    ),
)


@pytest.mark.parametrize(("method", "options", "beside"), BESIDE)
@pytest.mark.parametrize("keep", [False, True])
def test_baskets_side_tables_and_logs_hold_no_formula(shop, method, options, beside, keep):
    more = {"edit_log": shop.with_name("edits.csv")} if "edits.csv" in beside else {}
    published = publish(shop, method=method, seed=1, keep_formulas=keep, **options, **more)
    written = [shop.with_name(name) for name in ("shop.release.basket.csv", *beside)]
    found = set().union(*map(cells_of, written))
    assert any(cell.startswith(("=", "@")) for cell in found) is keep
    assert any("apostrophe" in remark for remark in published.remarks) is not keep
    if beside and method != "hiding":
        again = measure(shop, written[0], beside=written[1], only=["item_frequencies"], seed=1)
        assert again["item_frequencies"].value >= 0


def test_hiding_is_undone_though_formulas_were_quoted(shop):
    log = shop.with_name("edits.csv")
    publish(shop, method="hiding", sensitive="@SUM(1), tea", seed=1, edit_log=log)
    typed = ["undo", str(shop.with_name("shop.release.basket.csv")), "--edit-log", str(log)]
    ran = CliRunner().invoke(cli, [*typed, "-o", str(shop.with_name("back.basket.csv"))])
    assert ran.exit_code == 0, ran.output
    with shop.with_name("back.basket.csv").open(encoding="utf-8", newline="") as file:
        assert [sorted(row) for row in csv.reader(file)] == [sorted(row) for row in SHOP]
