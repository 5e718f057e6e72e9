"""`halfmask asset` as a user meets it: draft, check, draw, evaluate, and every refusal in words."""

from __future__ import annotations

import json
from pathlib import Path

import health
import pytest

from halfmask.data import Encoding
from halfmask.io.files import save
from halfmask.randomness import Randomness
from halfmask_reproduction.therapies import therapies

ROOT = Path(__file__).resolve().parents[2]
HEALTH = ROOT / "examples" / "health" / "health.yaml"


def written(path, rows, names=health.NAMES):
    lines = [",".join(names)]
    lines += [",".join(row[health.NAMES.index(name)] for name in names) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def example(tmp_path):
    """The worked example as three files."""
    (tmp_path / "health.yaml").write_text(health.TEXT)
    written(tmp_path / "original.csv", health.original())
    written(tmp_path / "release.csv", health.release())
    return ("original.csv", "release.csv", "--asset", "health.yaml")


@pytest.fixture
def table(tmp_path):
    columns = therapies(800, rng=Randomness(7).child("therapies"))
    save(Encoding.fit(columns).encode(columns), tmp_path / "therapies.csv")
    return "therapies.csv"


def test_the_worked_example_has_its_lacks(halfmask, example):
    ran = halfmask("asset", "evaluate", *example)
    assert ran.code == 0
    assert "8 keys: 7 rows changed, 0 missing, 0 that the original does not have" in ran.out
    assert "0.115 (0.074)" in ran.out
    found = json.loads(halfmask("asset", "evaluate", *example, "--json").out)
    assert found["accuracy"]["raw"] == pytest.approx(0.115)
    assert found["completeness"]["raw"] == pytest.approx(0.120625)
    assert found["consistency"]["raw"] == pytest.approx(0.64)
    assert found["form"] == "aligned"
    free = json.loads(halfmask("asset", "evaluate", *example, "--alignment", "none", "--json").out)
    assert free["form"] == "free"


def test_a_draft_can_be_checked_drawn_and_published_with(halfmask, table, files_in):
    assert halfmask("asset", "init", table).code == 0
    assert "therapies.asset.yaml" in files_in()
    checked = halfmask("asset", "check", "therapies.asset.yaml", table)
    assert "Every constraint holds in every row." in checked.out
    assert "constraint" in halfmask("asset", "show", "therapies.asset.yaml").out
    drawn = halfmask("asset", "show", HEALTH, "-o", "graph.svg")
    assert (drawn.code, "graph.svg" in files_in()) == (0, True)
    publish = ("publish", table, "--asset", HEALTH, "--search", "slim", "--seed", "1", "--quiet")
    assert halfmask(*publish).code == 0
    pair = (table, "therapies.release.csv", "--asset", HEALTH, "--json")
    found = json.loads(halfmask("asset", "evaluate", *pair).out)
    assert found["consistency"]["raw"] == 0
    assert all(c["absolute"] == 0 for i in found["informations"] for c in i["constraints"])
    more = halfmask(
        "generate", "therapies.model.json", "--asset", HEALTH, "--rows", "900", "-o", "m.csv"
    )
    assert more.code == 0
    found = json.loads(halfmask("asset", "evaluate", table, "m.csv", *pair[2:]).out)
    assert found["consistency"]["raw"] == 0


def test_checking_names_the_rules_that_the_data_break(halfmask, table):
    ran = halfmask("asset", "check", HEALTH, table, "--min-support", "5")
    assert ran.code == 0
    assert "breaks the constraint 'no_pregnant_men' in fewer than 5 of its rows." in ran.out


def test_the_published_schema_is_current(halfmask):
    printed = json.loads(halfmask("asset", "schema").out)
    assert printed == json.loads((ROOT / "docs" / "asset.schema.json").read_text())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("args: [s_ins, s_d100]", "args: [c_ins, s_d100]", "are circular"),
        ("slink: [s_ins]", "slink: [s_none]", "There is no simple constraint 's_none'"),
        ("weight: 0.7", "weight: -1", "line 15, asset[0].weight: This is a number of at least 0"),
        ("attr: days", "attr: day", "There is no attribute 'day'; did you mean 'days'?"),
        ("{attr: days, between: [1, 365]}", "\"days < (SELECT 1 FROM read_csv('x'))\"",
         "a subquery is not allowed"),
        ("{attr: days, between: [1, 365]}", "\"days < getenv('HOME')\"", "may not call 'getenv'"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_asset_ends_with_a_sentence_and_exit_code_2(
    halfmask, tmp_path, old, new, says
):
    (tmp_path / "health.yaml").write_text(health.TEXT.replace(old, new, 1))
    ran = halfmask("asset", "check", "health.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("halfmask: health.yaml, line ")
    assert says in ran.err
    assert ran.err.count("\n") == 1


def test_keys_that_identify_no_row_are_refused(halfmask, example, tmp_path):
    rows = health.release()
    written(tmp_path / "release.csv", [*rows, rows[0]])
    ran = halfmask("asset", "evaluate", *example)
    assert (ran.code, ran.out) == (2, "")
    assert "does not identify the rows of the release: 1 of them" in ran.err
    ran = halfmask("asset", "check", "health.yaml", "release.csv")
    assert (ran.code, "does not identify the rows" in ran.err) == (2, True)
    written(tmp_path / "release.csv", rows, health.NAMES[1:])
    ran = halfmask("asset", "evaluate", *example, "--alignment", "key")
    assert (ran.code, "The release lacks the key column 'pid'" in ran.err) == (2, True)


def test_data_that_are_not_what_the_asset_says_are_refused(halfmask, example, tmp_path):
    rows = [[*row[:1], "zebra", *row[2:]] for row in health.original()]
    written(tmp_path / "original.csv", rows)
    ran = halfmask("asset", "evaluate", *example)
    assert ran.code == 2
    assert "'age' is a whole number, and the original holds a value in it that cannot" in ran.err
    assert "zebra" not in ran.err
    written(tmp_path / "original.csv", health.original(), health.NAMES[:-1])
    ran = halfmask("asset", "check", "health.yaml", "original.csv")
    assert (ran.code, "There is no column 'days'" in ran.err) == (2, True)


def test_what_is_no_release_of_the_original_is_refused(halfmask, example, tmp_path):
    (tmp_path / "shop.basket.csv").write_text("beer,crisps\n" * 30)
    (tmp_path / "other.csv").write_text("beer,crisps\n1,2\n" * 2)
    for other, words in (
        ("shop.basket.csv", "One side is a table, and the other holds baskets"),
        ("other.csv", "no column in common"),
    ):
        ran = halfmask("asset", "evaluate", "original.csv", other, *example[2:])
        assert ran.code == 2, ran.out
        assert words in ran.err


def test_a_constraint_that_no_row_can_keep_stops_the_publication(halfmask, table, tmp_path):
    impossible = HEALTH.read_text().replace("[1, 365]", "[400, 500]")
    (tmp_path / "no.yaml").write_text(impossible)
    ran = halfmask("publish", table, "--asset", "no.yaml", "--search", "slim")
    assert (ran.code, "'sane_days' is broken by every combination" in ran.err) == (2, True)
    ran = halfmask("publish", "x.dat", "--method", "hiding", "--asset", "no.yaml")
    assert (ran.code, "--asset is an option of the method generator" in ran.err) == (2, True)
