"""What the page says of the two dials and of the counts that a release meets."""

from __future__ import annotations

import json
import re

import pytest
from clinic import clinic, published

import halfmask as hm


def section(page: str, name: str) -> str:
    """One section of a page."""
    return re.search(rf'<section aria-labelledby="{name}">.*?</section>', page, re.DOTALL)[0]


def cells(row: str) -> list[str]:
    """What stands in one line of a table."""
    return [
        re.sub(r"<[^>]*>", "", cell).strip()
        for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
    ]


def rows_of(table: str) -> list[str]:
    return re.findall(r"<tr[^>]*>.*?</tr>", table, re.DOTALL)[1:]


def test_both_dials_are_drawn_told_in_words_and_listed_in_numbers(publication, page):
    found = section(page, "trade-off")
    for name in ("dials", "dials-unique"):
        told = re.search(rf'<desc id="{name}-d">(.*?)</desc>', found)[1]
        assert all(f"Counts of {order} columns" in told for order in range(4))
        assert "This release: " in told
    table = next(t for t in re.findall(r"<table.*?</table>", found, re.DOTALL) if "dials" in t)
    lines = rows_of(table)
    assert len(lines) == len(publication.first.dials)
    supports = {f"{p.min_support:,}" for p in publication.first.dials}
    assert {cells(line)[0] for line in lines if 'scope="rowgroup"' in line} == supports
    (here,) = [line for line in lines if 'class="here"' in line]
    assert "this release" in here
    assert cells(here)[-4] == "○ 2"


def test_calibrated_and_uncalibrated_stand_side_by_side(publication):
    found = section(publication.report.html(), "calibration")
    table = re.search(r"<table.*?</table>", found, re.DOTALL)[0]
    lines = [cells(line) for line in rows_of(table)]
    assert [line[0] for line in lines] == ["0", "1", "○ 2", "3"]
    for title in ("Pairs of attributes", "Anonymity score (NAS)", "Unique rows beyond"):
        assert title in table
    used = publication.model.learnt.margins
    assert lines[2][:3] == ["○ 2", f"{len(used)}", f"{used.cells}"]
    tables = "table" if len(used) == 1 else "tables"
    assert f"matches {used.cells} counts in {len(used)} {tables}" in found
    assert f"smallest of these counts is {used.smallest} rows" in found
    assert all(str(margin) in found for margin in used)


def test_the_page_of_the_papers_generator_shows_what_counts_would_bring():
    page = published(clinic(), method=hm.Generator(min_support=10, calibrate=0)).report.html()
    found = section(page, "calibration")
    assert "not made to match counts" in found
    assert [cells(line)[0] for line in rows_of(found)][:4] == ["○ 0", "1", "2", "3"]
    assert "tables of the original that were used" not in found


def test_machines_read_the_dials_rounded_outside(publication):
    def machine(external: bool) -> list[dict]:
        page = publication.report.html(external=external)
        return json.loads(re.search(r'id="halfmask">(.*?)</script>', page)[1])["dials"]

    inside, outside = machine(external=False), machine(external=True)
    assert len(inside) == len(outside) == len(publication.first.dials)
    for mine, theirs in zip(inside, outside, strict=True):
        assert theirs["smallest_count"] is None or theirs["smallest_count"] % 10 == 0
        for name, value in theirs["readings"].items():
            assert value == pytest.approx(mine["readings"][name], rel=0.06, abs=1e-9)
            assert len(f"{value:e}".split("e")[0].strip("-0.").replace(".", "")) <= 2


def test_without_a_hold_out_the_page_says_what_one_would_tell():
    found = section(published(clinic(), holdout=0.0).report.html(), "trade-off")
    assert 'id="dials-d"' in found
    assert "dials-unique" not in found
    assert "a hold-out would show" in found
