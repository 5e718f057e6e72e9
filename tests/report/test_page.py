"""The page: whole, small, the same every time, and harmless whatever the values are."""

from __future__ import annotations

import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest
from clinic import clinic, published

from halfmask.data import Attribute, Schema, Table
from halfmask.errors import BadInput
from halfmask.judging.attacks import ATTACKS
from halfmask.report.document import frequencies

SECTIONS = (
    "verdict", "rests", "done", "glance", "trade-off", "attacks", "support", "patterns",
    "attributes", "limits", "four", "measures", "sign-off",
)  # fmt: skip


class Outline(HTMLParser):
    """What a page consists of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.loads: list[str] = []
        self.headers_without_scope = 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append(tag)
        if "id" in found:
            self.ids.append(found["id"])
        self.headers_without_scope += tag == "th" and "scope" not in found
        for name in ("src", "href", "xlink:href"):
            if name in found and not found[name].startswith(("#", "data:,")):
                self.loads.append(found[name])


def machine(page: str) -> dict:
    return json.loads(re.search(r'id="halfmask">(.*?)</script>', page, re.DOTALL)[1])


def test_it_has_every_section_and_loads_nothing(page):
    outline = Outline(page)
    assert set(SECTIONS) <= set(outline.ids)
    assert len(outline.ids) == len(set(outline.ids)), "ids are unique in a page"
    assert outline.loads == []
    assert outline.tags.count("script") == 1, "the one that holds the JSON"
    assert "http" not in re.sub(r'xmlns(:xlink)?="[^"]+"', "", page)


def test_it_is_accessible_by_its_words(page):
    outline = Outline(page)
    assert outline.headers_without_scope == 0
    assert '<html lang="en">' in page
    assert page.count('role="img"') == page.count("<desc") == outline.tags.count("svg") >= 8
    assert outline.tags.count("h1") == 1


def test_the_hold_out_has_a_key_where_rows_were_held_out(page):
    assert '<i class="h"></i>hold-out' in page


@pytest.mark.parametrize(
    ("values", "words"), [(12, None), (13, "1 less frequent value is"), (30, "18 less frequent")]
)
def test_values_that_are_not_shown_are_counted(values, words):
    schema = Schema((Attribute("sort", tuple(map(str, range(values)))),))
    table = Table(schema, np.repeat(np.arange(values), 10)[:, np.newaxis])
    (found,) = frequencies(table, table, min_support=10)
    assert len(found.values) == 12
    assert (found.rest or "").startswith(words or "")
    assert (found.rest is None) == (words is None)


def test_it_is_small(page):
    assert len(page.encode()) < 500_000


def test_a_wide_table_stays_below_a_megabyte():
    narrow = clinic(400)
    wide = narrow.select(
        pl.col(name).cast(str).alias(f"{name} {copy}")
        for copy in range(6)
        for name in ("sex", "ward")
    ).with_columns(narrow["diagnosis"], narrow["stay"])
    wide = wide.with_columns(pl.Series("sort", [f"kind {i % 30}" for i in range(400)]))
    report = published(wide, method="generator").report
    assert len(report.html().encode()) < 1_000_000


def test_the_same_inputs_and_seed_give_the_same_bytes(publication):
    again = published(clinic())
    for external in (False, True):
        assert again.report.html(external=external) == publication.report.html(external=external)


def test_the_verdict_comes_first_and_the_machine_reads_the_same(publication, page):
    found = machine(page)
    assert found["verdict"] == publication.verdict.word
    assert page.index('id="verdict"') < page.index('id="glance"')
    assert "seed" not in found["record"]
    assert "files" not in found


def test_no_value_can_become_markup():
    nasty = "</script><img src=x onerror=alert(1)>"
    frame = clinic().with_columns(
        pl.when(pl.col("diagnosis") == "hernia").then(pl.lit(nasty)).otherwise("diagnosis")
        .alias("diagnosis"),
        pl.col("ward").alias("<b>ward</b> $x_1$"),
    )  # fmt: skip
    report = published(frame).report
    for external in (False, True):
        page = report.html(external=external)
        outline = Outline(page)
        assert "img" not in outline.tags
        assert "b" not in outline.tags
        assert outline.tags.count("script") == 1
        assert "&lt;/script&gt;" in page
        machine(page)


def test_letters_without_a_glyph_are_drawn_without_a_warning():
    frame = clinic().with_columns(ward=pl.col("ward").replace({"north": "病院 \U0001f3e5"}))
    assert "病院" in published(frame).report.html()


def test_saving_refuses_to_overwrite(publication, tmp_path):
    path = tmp_path / "report.html"
    publication.report.save(path)
    with pytest.raises(BadInput, match="exists"):
        publication.report.save(path)
    publication.report.save(path, external=True, force=True)
    assert "external report" in path.read_text()


def test_without_a_hold_out_the_page_says_what_was_not_measured():
    page = published(clinic(), holdout=0.0).report.html()
    assert "No attack was measured" in page
    assert set(SECTIONS) <= set(Outline(page).ids)


def test_the_page_names_one_file_by_its_checksum(tmp_path):
    source, outside = tmp_path / "clinic.csv", tmp_path / "outside.html"
    clinic().write_csv(source)
    published(source, external_report=outside)
    written = (tmp_path / "clinic.release.csv").read_bytes()
    named = {"name": "clinic.release.csv", "sha256": hashlib.sha256(written).hexdigest()}
    for file in (tmp_path / "clinic.report.html", outside):
        page = file.read_text()
        assert page.count(named["sha256"]) == 3, "verdict, sign-off and JSON"
        assert machine(page)["release_file"] == named


def test_a_release_without_a_file_leaves_room_for_its_checksum(page):
    assert machine(page)["release_file"] is None
    assert "File and SHA-256 checksum" in page
    assert "Date and signature" in page


def test_the_curve_shows_privacy_against_quality(publication, page):
    points = publication.first.trade_off
    assert all(point.ds is not None for point in points), "a small table is read at every support"
    assert points[0].ds < points[-1].ds
    assert points[0].patterns_per_row < points[-1].patterns_per_row
    independent = publication.readings["ds"].yardsticks["independent"]
    assert points[-1].ds == pytest.approx(independent, rel=0.5), "few patterns are left there"
    for name in ("against", "over-support", "made-of"):
        assert f'id="{name}-t"' in page
    assert [p["ds"] is not None for p in machine(page)["trade_off"]] == [True] * len(points)


def test_every_attack_stands_beside_its_control_and_luck(page):
    found = {r["name"]: r for r in machine(page)["readings"]}
    for name in ATTACKS:
        if found[name]["value"] is not None:
            assert {"success", "control"} <= set(found[name]["details"]), name
    assert "the thin line is widened" in page


def test_publish_writes_both_forms(tmp_path):
    source = tmp_path / "clinic.csv"
    clinic().write_csv(source)
    outside = tmp_path / "outside.html"
    publication = published(source, external_report=outside)
    assert outside in publication.files
    assert "external report" in outside.read_text()
    assert "internal report" in (tmp_path / "clinic.report.html").read_text()
