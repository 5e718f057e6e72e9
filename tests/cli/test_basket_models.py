"""Models of baskets on the command line: drawn from, shown, and told of in the report."""

from __future__ import annotations

import json

import pytest
from shopping import SHOP, holding, refused


def test_a_model_of_baskets_generates_without_the_original(halfmask, shop, tmp_path):
    asked = ("--method", "baskets", "--holdout", "0")
    assert halfmask("publish", shop, *asked, "--seed", "3").code == 0
    shop.unlink()
    model = tmp_path / "shop.model.json"
    asked = ("--seed", "3", "-o", "again.basket.csv")
    done = halfmask("generate", model, *asked)
    assert done.code == 0, done.err
    released = (tmp_path / "shop.release.basket.csv").read_bytes()
    assert (tmp_path / "again.basket.csv").read_bytes() == released
    done = halfmask("generate", model, *asked, "--calibrate", "0", "--force", "--json")
    assert json.loads(done.out)["rows"] == len(SHOP)
    assert (tmp_path / "again.basket.csv").read_bytes() != released
    refused(halfmask("generate", model, "-o", "a.csv"), "Baskets cannot be written as a table")
    refused(halfmask("generate", model, "-o", "sqlite:///a.db?table=t"), "Baskets go to a file")
    (tmp_path / "asset.yaml").write_text("{}")
    refused(halfmask("generate", model, "-o", "b.dat", "--asset", "asset.yaml"), "about columns")
    refused(halfmask("merge", model, model, "-o", "m.json"), "is a model of baskets")


def test_a_model_of_baskets_is_shown(halfmask, shop, tmp_path):
    assert halfmask("publish", shop, "--method", "baskets", "--holdout", "0").code == 0
    model = tmp_path / "shop.model.json"
    done = halfmask("inspect", model)
    assert f"A model of {len(SHOP):,} baskets" in done.out
    assert "--margins shows the counts" in " ".join(done.out.split())
    shown = json.loads(halfmask("inspect", model, "--json").out)
    assert shown["rows"] == len(SHOP)
    assert abs(sum(shown["lengths"].values()) - len(SHOP)) < 6 * len(shown["lengths"])
    told = json.loads(halfmask("inspect", model, "--margins", "--json").out)["margins"]
    single = {row["cell"]: row["count"] for row in told if row["table"] == "1 item"}
    assert abs(single["beer"] - holding(SHOP, "beer")) < 6
    pairs = {row["cell"]: row["count"] for row in told if row["table"] == "2 items"}
    assert abs(pairs["beer, crisps"] - holding(SHOP, "beer", "crisps")) < 6
    assert min(row["count"] for row in told) > 10
    lines = halfmask("inspect", model, "--margins").out
    assert "counts of the original, each of at least" in lines
    bare = ("--method", "baskets", "--calibrate", "0", "-o", "bare.basket.csv")
    assert halfmask("publish", shop, *bare).code == 0
    assert "meets no counts" in halfmask("inspect", tmp_path / "bare.model.json", "--margins").out


def test_the_report_sets_calibrated_baskets_beside_others(halfmask, shop, tmp_path):
    asked = ("--method", "baskets", "--external-report", "outside.html", "--json")
    done = halfmask("publish", shop, *asked)
    assert done.code == 0, done.err
    orders = json.loads(done.out)["dials"]
    assert [point["order"] for point in orders] == [0, 1, 2]
    assert orders[0]["cells"] == 0 < orders[1]["cells"] < orders[2]["cells"]
    assert {"pair_frequencies", "basket_lengths", "nas", "copied_rows"} <= set(
        orders[2]["readings"]
    )
    inside, outside = (
        (tmp_path / name).read_text() for name in ("shop.report.html", "outside.html")
    )
    assert "Counts that the release matches" in inside
    assert "Pairs of items" in inside
    assert '<th scope="row">Lengths</th>' in outside
    assert halfmask("publish", shop, "--method", "baskets", "--calibrate", "0", "--force").code == 0
    assert "not made to match counts" in (tmp_path / "shop.report.html").read_text()
    refused(
        halfmask("publish", shop, "--method", "km", "--calibrate", "1"),
        "is an option of the method",
    )


def test_counts_of_baskets_are_rounded(halfmask, shop, tmp_path):
    asked = ("--method", "baskets", "--round-margins", "5", "--external-report", "outside.html")
    done = halfmask("publish", shop, *asked, "--holdout", "0")
    assert done.code == 0, done.err
    model = tmp_path / "shop.model.json"
    assert "counts rounded to multiples of 6" in " ".join(halfmask("inspect", model).out.split())
    told = json.loads(halfmask("inspect", model, "--margins", "--json").out)["margins"]
    assert {row["count"] % 6 for row in told} == {0}
    pairs = {row["cell"]: row["count"] for row in told if row["table"] == "2 items"}
    assert abs(pairs["beer, crisps"] - holding(SHOP, "beer", "crisps")) < 6
    for name in ("shop.report.html", "outside.html"):
        assert "Disclosed counts are multiples of" in (tmp_path / name).read_text()
    assert halfmask("generate", model, "-o", "again.basket.csv").code == 0
    refused(halfmask("publish", shop, "--method", "km", "--round-margins", "5"), "option of")


@pytest.mark.parametrize(("asked", "base"), [("1", 6), ("10", 10)])
def test_the_command_line_shows_the_check(halfmask, tmp_path, asked, base):
    rows = ["1 2"] * 60 + ["1"] * 5 + ["3"] * 40  # five who hold 1 without 2
    (tmp_path / "shop.dat").write_text("\n".join(rows) + "\n")
    command = ("publish", "shop.dat", "--method", "baskets", "--round-margins", asked)
    assert halfmask(*command, "--holdout", "0").code == 0
    shown = halfmask("inspect", "shop.model.json", "--audit")
    assert f"rounded to multiples of {base}" in " ".join(shown.out.split())
    told = json.loads(halfmask("inspect", "shop.model.json", "--audit", "--json").out)
    assert told["rounded_to"] == base
    assert not told["derivable"]
