"""Baskets on the command line: four methods, the Quest generator and the index."""

from __future__ import annotations

import csv
import json
from collections import Counter
from itertools import combinations

import pytest
from shopping import SHOP, baskets_of, holding, refused

import halfmask as hm
from halfmask.data import Baskets
from halfmask.methods.anatomy.method import Anatomy
from halfmask.methods.distortion.method import Distortion
from halfmask.methods.hiding.method import Hiding
from halfmask.methods.quest import Quest, quest
from halfmask.randomness import Randomness


def test_anatomy_writes_joined_baskets_and_the_tables_they_came_from(halfmask, shop, files_in):
    done = halfmask("publish", shop, "--method", "anatomy", "-l", "1.5", "--columns", "2")
    assert done.code == 0, done.err
    assert files_in() == [
        "shop.basket.csv",
        "shop.release.anatomy.csv",
        "shop.release.basket.csv",
        "shop.report.html",
    ]
    released = baskets_of(shop.with_name("shop.release.basket.csv"))
    assert len(released) == len(SHOP)
    for item in ("beer", "crisps", "milk", "tea"):
        assert holding(released, item) == holding(SHOP, item)
    with shop.with_name("shop.release.anatomy.csv").open() as file:
        lines = list(csv.DictReader(file))
    sizes = Counter()
    for line in lines:
        sizes[line["column"], line["bucket"]] += int(line["count"])
    # The claim, counted again from the published tables alone.
    assert all(1.5 * int(r["count"]) <= sizes[r["column"], r["bucket"]] for r in lines)


def test_columns_can_come_from_a_file(halfmask, shop, tmp_path):
    (tmp_path / "columns.txt").write_text("beer, crisps\ntea, milk\n")
    asked = ("--method", "anatomy", "-l", "2", "--columns", "columns.txt", "--json")
    done = halfmask("publish", shop, *asked)
    assert done.code == 0, done.err
    assert json.loads(done.out)["record"]["items_of_columns"] == [2, 2]


def test_distortion_says_how_to_count_through_the_noise(halfmask, shop, tmp_path):
    asked = ("--method", "distortion", "--keep", "0.9", "--seed", "8675309")
    assert halfmask("publish", shop, *asked).code == 0
    assert len(baskets_of(tmp_path / "shop.release.basket.csv")) == len(SHOP)
    with (tmp_path / "shop.release.channel.csv").open() as file:
        assert {(r["keep"], r["insert"]) for r in csv.DictReader(file)} == {("0.9", "0.1")}
    for path in tmp_path.iterdir():
        assert "8675309" not in path.read_text(), f"the seed stands in {path.name}"


def test_rare_items_can_have_more_noise(halfmask, shop, tmp_path):
    asked = ("--method", "distortion", "--keep", "0.95", "--keep-rare", "0.7")
    assert halfmask("publish", shop, *asked, "--min-support", "110").code == 0
    with (tmp_path / "shop.release.channel.csv").open() as file:
        found = {r["item"]: r["keep"] for r in csv.DictReader(file)}
    least = {item: holding(SHOP, item) for item in found}
    assert found == {item: "0.95" if least[item] >= 110 else "0.7" for item in found}
    assert set(found.values()) <= {"0.95", "0.7"}


@pytest.mark.parametrize("algorithm", ["iga", "swa", "maxfia"])
def test_hiding_leaves_the_share_allowed(halfmask, shop, tmp_path, algorithm):
    (tmp_path / "secrets.txt").write_text("# a comment\nbeer, crisps\n")
    asked = ("--method", "hiding", "--sensitive", "secrets.txt", "--algorithm", algorithm)
    done = halfmask("publish", shop, *asked, "--disclosure", "0.1", "--json")
    assert done.code == 0, done.err
    released = baskets_of(tmp_path / "shop.release.basket.csv")
    assert holding(released, "beer", "crisps") == 6
    assert holding(released, "tea", "milk") == holding(SHOP, "tea", "milk")
    readings = {r["name"]: r["value"] for r in json.loads(done.out)["readings"]}
    assert readings["cells_changed"] > 0
    assert readings["artifactual"] == 0


def test_hiding_a_rule_and_blocking_with_unknowns(halfmask, shop, tmp_path):
    (tmp_path / "secrets.txt").write_text("beer -> crisps\n")
    asked = ("--method", "hiding", "--sensitive", "secrets.txt", "--hide-confidence", "0.5")
    done = halfmask("publish", shop, *asked, "--algorithm", "1.b")
    assert done.code == 0, done.err
    released = baskets_of(tmp_path / "shop.release.basket.csv")
    assert holding(released, "beer", "crisps") / holding(released, "beer") < 0.5
    done = halfmask("publish", shop, *asked, "--algorithm", "cr", "-o", "blocked.basket.csv")
    assert done.code == 0, done.err
    with (tmp_path / "blocked.release.unknown.csv").open() as file:
        cells = list(csv.DictReader(file))
    assert cells
    certain = baskets_of(tmp_path / "blocked.basket.csv")
    for cell in cells:
        assert cell["item"] not in certain[int(cell["basket"]) - 1]


def test_synthetic_baskets_hold_no_rare_item(halfmask, tmp_path):
    rows = [*SHOP, ["truffle", "beer"]]
    (tmp_path / "shop.basket.csv").write_text("".join(",".join(r) + "\n" for r in rows))
    done = halfmask("publish", "shop.basket.csv", "--method", "baskets", "--rows", "500")
    assert done.code == 0, done.err
    released = baskets_of(tmp_path / "shop.release.basket.csv")
    assert len(released) == 500
    assert holding(released, "truffle") == 0
    for path in tmp_path.iterdir():
        assert path.name == "shop.basket.csv" or "truffle" not in path.read_text()


def test_the_same_seed_gives_the_same_release_and_the_input_stays(halfmask, shop, tmp_path):
    before = shop.read_bytes()
    for name in ("one", "two"):
        asked = ("--method", "anatomy", "-l", "1.5", "--columns", "2", "--seed", "3")
        assert halfmask("publish", shop, *asked, "-o", f"{name}.basket.csv").code == 0
    one, two = ((tmp_path / f"{n}.basket.csv").read_bytes() for n in ("one", "two"))
    assert one == two
    assert shop.read_bytes() == before


def test_a_release_can_be_printed(halfmask, shop, files_in):
    done = halfmask("publish", shop, "--method", "distortion", "--keep", "1.0", "-o", "-")
    assert [sorted(filter(None, line.split(","))) for line in done.out.splitlines()] == [
        sorted(row) for row in SHOP
    ]
    assert files_in() == ["shop.basket.csv"]


def test_baskets_without_a_method_are_told_which_there_are(halfmask, shop, files_in):
    refused(halfmask("publish", shop), "(--method) baskets, private-baskets, anatomy, distortion")
    assert files_in() == ["shop.basket.csv"]


def test_a_table_is_not_taken_for_baskets(halfmask, patients):
    asked = ("--method", "anatomy", "-l", "2")
    refused(halfmask("publish", patients, *asked), "holds a table", "generator")


BAD = {
    "--method anatomy": "-l",
    "--method anatomy -l 100 --columns 2": "ask for l of at most",
    "--method anatomy -l 2 --columns 0": "at least 1",
    "--method anatomy -l 2 --columns none.txt": "no file",
    "--method anatomy -l 2 --keep 0.9": "--keep is an option of the method distortion",
    "--method distortion": "--keep",
    "--method distortion --keep 0.5": "away from 0.5",
    "--method distortion --keep 1.5": "from 0 to 1, not 1.5",
    "--method distortion --keep 0.9 --keep-rare 0.8 --keep-absent 0.9": "not both",
    "--method hiding": "needs a pattern to hide",
    "--method hiding --sensitive none.txt": "no file",
    "--method hiding --sensitive typo.txt": "did you mean 'crisps'",
    "--method hiding --sensitive empty.txt": "is empty",
    "--method hiding --sensitive good.txt --disclosure 1.2": "from 0 to 1, not 1.2",
    "--method hiding --sensitive good.txt --disclosure -0.1": "from 0 to 1, not -0.1",
    "--method hiding --sensitive good.txt --algorithm swaa": "did you mean 'swa'",
    "--method hiding --sensitive good.txt --algorithm 1.b": "minimum confidence",
    "--method hiding --sensitive good.txt --algorithm gih --disclosure 0.1": "is for naive",
    "--method hiding --sensitive good.txt --hide-confidence 0.1": "is for 1.a",
    "--method baskets --min-support 5000": "5",
    "--method hiding --hide beer,crisps --holdout 0.1": "--holdout is an option of the method "
    "generator or private or baskets",
    "--method baskets --holdout 1.5": "from 0 to below 1, not 1.5",
    "--method hiding --hide beer,crisps --margin 0.1": "it is for gih, cr, cr2",
    "--method hiding --hide beer,crisps --window 0 --algorithm swa": "at least 1, not 0",
    "--method hiding --hide beer,crips": "did you mean 'crisps'",
    "--method coherence": "-k",
    "--method coherence -k 0": "at least 1",
    "--method coherence -k 2 --certainty 1.5": "from 0 to 1, not 1.5",
    "--method coherence -k 2 --private crips": "did you mean 'crisps'",
    "--method km -k 2": "--hierarchy",
    "--method km -k 2 --hierarchy misses.txt": "lacks 1 of the 4 items ('milk')",
    "--method km -k 2 --hierarchy circle.txt": "goes in a circle",
    "--method distortion --keep 0.9 --edit-log edits.csv": "an option of the method hiding",
    "-l 5": "the method anatomy",
}


@pytest.mark.parametrize("options", BAD)
def test_bad_options_get_one_sentence_and_nothing_is_written(
    halfmask, shop, tmp_path, files_in, options
):
    (tmp_path / "typo.txt").write_text("beer, crips\n")
    (tmp_path / "empty.txt").write_text("# nothing\n")
    (tmp_path / "good.txt").write_text("beer, crisps\n")
    (tmp_path / "misses.txt").write_text("beer, tea, crisps -> goods\n")
    (tmp_path / "circle.txt").write_text("beer, tea, crisps, milk -> a\na -> b\nb -> a\n")
    before = files_in()
    refused(halfmask("publish", shop, *options.split()), BAD[options])
    assert files_in() == before


def test_coherence_leaves_no_set_that_few_baskets_hold(halfmask, shop, tmp_path):
    done = halfmask("publish", shop, "--method", "coherence", "-k", "45", "--json")
    assert done.code == 0, done.err
    released = baskets_of(tmp_path / "shop.release.basket.csv")
    assert len(released) == len(SHOP)
    for size in (1, 2):
        for items in combinations(("beer", "crisps", "milk", "tea"), size):
            assert holding(released, *items) == 0 or holding(released, *items) >= 45
    said = json.loads(done.out)
    assert said["checks"][0]["what"] == "No mole remains"
    assert 0 < next(r for r in said["readings"] if r["name"] == "cells_changed")["value"] < 1


def test_km_publishes_groups_where_items_would_betray(halfmask, shop, tmp_path):
    (tmp_path / "groups.txt").write_text("beer, tea, milk -> drinks\ncrisps -> food\n")
    asked = ("--method", "km", "-k", "30", "--hierarchy", "groups.txt", "--json")
    done = halfmask("publish", shop, *asked, "--external-report", "outside.html")
    assert done.code == 0, done.err
    released = baskets_of(tmp_path / "shop.release.basket.csv")
    names = {name for row in released for name in row}
    assert "drinks" in names
    for size in (1, 2):
        for items in combinations(sorted(names), size):
            assert holding(released, *items) == 0 or holding(released, *items) >= 30
    outside = (tmp_path / "outside.html").read_text()
    assert "external report" in outside
    assert json.loads(done.out)["verdict"] in outside


def test_a_table_is_published_in_two_tied_by_groups(halfmask, patients, tmp_path):
    asked = ("--method", "table-anatomy", "-l", "2", "--sensitive", "diagnosis", "--json")
    done = halfmask("publish", patients, *asked, "--on-ineligible", "suppress")
    assert done.code == 0, done.err
    with (tmp_path / "patients.release.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert "diagnosis" not in rows[0]
    with (tmp_path / "patients.release.sensitive.csv").open() as file:
        values = list(csv.DictReader(file))
    sizes = Counter(row["group"] for row in rows)
    held = Counter()
    for line in values:
        held[line["group"]] += int(line["count"])
        # The claim, counted again from the published files alone.
        assert 2 * int(line["count"]) <= sizes[line["group"]]
    assert held == sizes
    kept = ("--rare-values", "keep", "--force")
    refused(halfmask("publish", patients, *asked[:2], "-l", "50", *asked[4:], *kept), "suppress")


GROUPS = "beer, tea, milk -> drinks\ncrisps -> food\n"
BESIDE = (
    ("anatomy", {"l": 1.5, "columns": 2}, {"beside": "shop.release.anatomy.csv"}),
    ("distortion", {"keep": 0.9}, {"beside": "shop.release.channel.csv"}),
    ("hiding", {"sensitive": "beer, crisps"}, {"hide": "beer, crisps"}),
    (
        "hiding",
        {"sensitive": "beer, crisps", "algorithm": "gih", "margin": 0.01},
        {"hide": "beer, crisps", "beside": "shop.release.unknown.csv"},
    ),
    ("coherence", {"k": 45}, {}),
    ("km", {"k": 30, "hierarchy": GROUPS}, {"hierarchy": GROUPS}),
    ("baskets", {"holdout": 0}, {}),
)


@pytest.mark.parametrize(("method", "settings", "told"), BESIDE)
def test_every_number_of_a_report_comes_again_from_the_published_files(
    shop, tmp_path, method, settings, told
):
    published = hm.publish(shop, method=method, **settings, seed=3)
    reported = {r.name: r.value for r in published.readings.measured}
    if "beside" in told:
        told = {**told, "beside": tmp_path / told["beside"]}
    release = tmp_path / "shop.release.basket.csv"
    again = hm.measure(shop, release, **told, only=list(reported), seed=3)
    assert {r.name: r.value for r in again.measured} == pytest.approx(reported)


def test_the_command_measures_baskets_too(halfmask, shop):
    asked = ("--hide", "beer, crisps", "--only", "nas,hiding_failure,cells_changed", "--json")
    done = halfmask("measure", shop, shop, *asked)
    assert [r["value"] for r in json.loads(done.out)["readings"]] == [1.0, 1.0, 0.0]


@pytest.mark.parametrize("algorithm", ["iga", "gih"])
def test_hiding_is_undone_from_its_log(halfmask, shop, tmp_path, algorithm):
    asked = ("--method", "hiding", "--hide", "beer, crisps", "--algorithm", algorithm)
    done = halfmask("publish", shop, *asked, "--edit-log", "edits.csv", "--min-support", "5")
    assert done.code == 0, done.err
    assert baskets_of(tmp_path / "shop.release.basket.csv") != [sorted(row) for row in SHOP]
    more = ("--beside", "shop.release.unknown.csv") if algorithm == "gih" else ()
    asked = ("--edit-log", "edits.csv", *more, "-o", "back.basket.csv")
    assert halfmask("undo", "shop.release.basket.csv", *asked).code == 0
    assert baskets_of(tmp_path / "back.basket.csv") == [sorted(row) for row in SHOP]


def test_a_log_is_not_taken_for_that_of_other_baskets(halfmask, shop, files_in):
    asked = ("--method", "hiding", "--hide", "beer, crisps", "--min-support", "5")
    assert halfmask("publish", shop, *asked, "--edit-log", "edits.csv").code == 0
    before = files_in()
    for release, words in ((shop, "does not belong to these baskets"), ("edits.csv", "a table")):
        done = halfmask("undo", release, "--edit-log", "edits.csv", "-o", "back.basket.csv")
        refused(done, words)
        assert files_in() == before
    done = halfmask("undo", shop, "--edit-log", "edits.csv", "-o", shop, "--force")
    refused(done, "never overwritten")


def test_measuring_baskets_refuses_what_it_cannot_read(halfmask, shop, patients, tmp_path):
    (tmp_path / "odd.csv").write_text("a,b\n1,2\n")
    (tmp_path / "damaged.csv").write_text("item,keep,insert\nbeer,much,0.1\n")
    refused(
        halfmask("measure", shop, shop, "--beside", "odd.csv"),
        "is not a table published with a release",
    )
    refused(halfmask("measure", patients, patients, "--hide", "beer"), "no item")
    with pytest.raises(hm.BadInput, match="is damaged"):
        hm.measure(shop, shop, beside=tmp_path / "damaged.csv")
    with pytest.raises(hm.BadInput, match="holds a table"):
        hm.measure(shop, patients)
    with pytest.raises(hm.BadInput, match="did you mean 'nas'"):
        hm.measure(shop, shop, only=["naas"])


def test_publish_names_the_methods_and_what_they_need(shop):
    with pytest.raises(hm.BadInput, match="did you mean 'anatomy'"):
        hm.publish(shop, method="anatomi")
    with pytest.raises(hm.BadInput, match="needs 'l'"):
        hm.publish(shop, method="anatomy")


def test_targets_decide_about_baskets_too(halfmask, shop, files_in):
    asked = ("--method", "anatomy", "-l", "1.5", "--columns", "2")
    missed = halfmask("publish", shop, *asked, "--risk-at-most", "0.1")
    assert missed.code == 3
    assert "No release was written; 'shop.refused.html' gives the reasons" in missed.err
    assert files_in() == ["shop.basket.csv", "shop.refused.html"]
    again = halfmask("publish", shop, *asked, "--risk-at-most", "0.1")
    assert "page of an earlier refusal" in again.err
    assert halfmask("publish", shop, *asked, "--risk-at-most", "0.7").code == 0


def test_rare_items_leave_when_asked(halfmask, tmp_path):
    rows = [*SHOP, ["truffle", "beer"]]
    (tmp_path / "shop.basket.csv").write_text("".join(",".join(r) + "\n" for r in rows))
    asked = ("publish", "shop.basket.csv", "--method", "hiding", "--hide", "beer, crisps")
    assert "1 items that few baskets" in halfmask(*asked).out
    assert halfmask(*asked, "--rare-values", "suppress", "--force").code == 0
    for path in tmp_path.iterdir():
        assert path.name == "shop.basket.csv" or "truffle" not in path.read_text()


def test_an_existing_release_is_not_overwritten(halfmask, shop, tmp_path):
    (tmp_path / "shop.release.channel.csv").write_text("mine")
    asked = ("--method", "distortion", "--keep", "0.9")
    refused(halfmask("publish", shop, *asked), "already exists")
    assert halfmask("publish", shop, *asked, "--force").code == 0


def test_quest_makes_a_file_that_the_index_answers_for(halfmask, tmp_path):
    asked = ("-T", "5", "-I", "2", "-D", "300", "-N", "20", "--seed", "1", "-o", "drawn.dat")
    assert halfmask("quest", *asked).code == 0
    rows = baskets_of(tmp_path / "drawn.dat")
    assert len(rows) == 300
    wanted = [n for n, row in enumerate(rows, 1) if "3" in row and "7" not in row]
    done = halfmask("index", "query", "drawn.dat", "3 and not 7")
    assert done.out == f"{len(wanted)} of 300 rows\n"
    listed = halfmask("index", "query", "drawn.dat", "3 and not 7", "--rows", "--json")
    assert json.loads(listed.out) == {"found": len(wanted), "of": 300, "rows": wanted}


def test_quest_and_index_refuse_what_they_cannot_do(halfmask, shop, patients):
    refused(halfmask("quest", "-T", "0", "-o", "x.dat"), "at least 1")
    refused(halfmask("quest", "-o", "x.csv"), ".dat")
    refused(halfmask("index", "query", shop, "beer and crips"), "did you mean 'crisps'")
    refused(halfmask("index", "query", shop, "beer and"), "")
    refused(halfmask("index", "query", patients, "sex"), "no item 'sex'")


def test_baskets_in_memory_are_published_without_files():
    rows = quest(400, Quest(basket_size=5, items=50), randomness=Randomness(1))
    for method in (Anatomy(l=2, columns=3), Distortion(keep=0.9), Hiding(sensitive="1, 2\n3 -> 4")):
        published = hm.publish(rows, method=method, seed=1)
        assert published.files == ()
        assert isinstance(published.data, Baskets)
        assert published.readings["item_frequencies"].value < 0.5
        assert "seed" not in published.to_dict()["record"]
