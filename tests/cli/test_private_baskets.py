"""Private baskets on the command line and in Python: published, shown, drawn from and added up."""

from __future__ import annotations

import json

import numpy as np
import pytest
from shopping import baskets_of, holding, refused

import halfmask as hm

ROWS = 4_000


def lines():
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(ROWS):
        row = [1, 2] if rng.random() < 0.4 else []
        rows.append(row + [item for item in range(3, 9) if rng.random() < 0.3])
    return rows


@pytest.fixture
def shop(tmp_path):
    text = "\n".join(" ".join(map(str, row)) for row in lines())
    (tmp_path / "shop.dat").write_text(text + "\n")
    return tmp_path / "shop.dat"


def test_baskets_are_published_with_epsilon(halfmask, shop, tmp_path, files_in):
    done = halfmask(
        "publish", shop, "--method", "baskets", "--epsilon", "3", "--json",
        "--external-report", "outside.html",
    )  # fmt: skip
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert said["method"] == "private baskets"
    assert said["terms"]["differential_privacy"] is True
    assert said["record"]["epsilon_spent"] <= 3
    assert said["verdict"] in ("publish", "review"), said["reasons"]
    assert said["checks"][0]["what"] == "Promise"
    assert said["checks"][0]["outcome"] == "passed"
    assert files_in() == [
        "outside.html", "shop.dat", "shop.ledger.json", "shop.model.json", "shop.release.dat",
        "shop.report.html",
    ]  # fmt: skip
    drawn = baskets_of(tmp_path / "shop.release.dat")
    assert len(drawn) != ROWS
    assert holding(drawn, "1", "2") / len(drawn) == pytest.approx(0.4, abs=0.05)
    outside = (tmp_path / "outside.html").read_text()
    assert "nobody has more than one basket" in outside
    assert "tracing" not in outside.lower()


def test_the_model_is_shown_drawn_from_and_added_up(halfmask, shop, tmp_path):
    for name in ("one.dat", "two.dat"):
        done = halfmask("publish", shop, "--method", "baskets", "--epsilon", "2", "-o", name)
        assert done.code == 0, done.err
    shown = halfmask("inspect", "one.model.json")
    assert "a private model of about" in shown.out.lower()
    assert "pairs of items" in shown.out
    told = json.loads(halfmask("inspect", "one.model.json", "--margins", "--json").out)
    assert {cell["table"] for cell in told["cells"]} == {"length", "1 item", "2 items"}
    assert halfmask("generate", "one.model.json", "--rows", "50", "-o", "more.dat").code == 0
    assert len(baskets_of(tmp_path / "more.dat")) == 50
    refused(halfmask("generate", "one.model.json", "--calibrate", "1", "-o", "x.dat"), "calibrate")
    added = json.loads(halfmask("ledger", "shop.dat", "--json").out)
    assert len(added["releases"]) == 2
    assert 2 < added["epsilon"] < 4


def test_what_can_be_sold_is_declared(halfmask, shop, tmp_path):
    (tmp_path / "items.txt").write_text("\n".join(map(str, range(1, 10))))
    done = halfmask(
        "publish", shop, "--method", "baskets", "--epsilon", "2", "--items", "items.txt",
        "--items-per-basket", "4", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    record = json.loads(done.out)["record"]
    assert record["items_known"] == 9
    assert record["items_per_basket_at_most"] == 4


def test_a_limit_on_all_releases_is_kept(halfmask, shop):
    first = ("publish", shop, "--method", "baskets", "--epsilon", "2", "--epsilon-in-all", "2.5")
    assert halfmask(*first).code == 0
    refused(halfmask(*first, "-o", "again.dat"), "above the limit of 2.5")


def test_python_publishes_baskets_with_epsilon():
    rows = hm.Baskets.of([[str(item) for item in row] for row in lines()])
    published = hm.publish(rows, method="baskets", epsilon=3)
    assert published.release.method == "private baskets"
    assert not published.release.record["seeded"]
    assert published.model.epsilon_spent <= 3
    again = hm.publish(rows, method="baskets", epsilon=3, seed=1)
    assert again.verdict.word == "review"
    assert "nothing is promised" in str(again.verdict)
