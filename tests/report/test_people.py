"""Quality is read against people: the page, the dials and the curve lead with it."""

from __future__ import annotations

import json
import re

import pytest
from clinic import clinic, published

import halfmask as hm
from halfmask.data import Baskets
from halfmask.report.charts import charts

SHOP = Baskets.of(["abc", "ab", "ab", "bcd", "acd", "cd", "bd", "abd", "ac", "bc"] * 40)


@pytest.fixture(scope="module")
def release():
    return published(clinic(1000))


def test_every_quality_measure_that_can_have_them_has_both_numbers(release):
    quality = [r for r in release.readings.measured if r.room == "quality"]
    read = {r.name for r in quality if r.against_holdout is not None}
    assert {"marginals_1", "marginals_2", "marginals_3", "ds", "patterns_kept"} <= read
    assert all((r.against_holdout is None) == (r.second_sample is None) for r in quality)
    page = release.report.html()
    table = page[page.index("To other people") : page.index("Quality, against the original")]
    for reading in quality:
        if reading.against_holdout is not None and reading.unit == "share":
            assert f"<strong>{hm_share(reading.against_holdout)}</strong>" in table
            assert hm_share(reading.second_sample) in table


def hm_share(value: float) -> str:
    percent = 100 * value
    return f"{percent:.1f} %" if 0 < abs(percent) < 10 else f"{percent:.0f} %"


def test_the_page_leads_with_people_and_names_the_tracing_attacks(release):
    page = release.report.html()
    assert page.index("Pairs, to other people") < page.index('id="rests"')
    assert page.index("To other people") < page.index("Quality, against the original")
    attacks = page[page.index('id="attacks"') : page.index('id="support"')]
    assert "Found at 1 % false alarms" in attacks
    assert "Tracing with trees" in attacks


def test_dials_and_curve_have_the_distance_to_people(release):
    first = release.first
    assert all("people" in point.readings for point in first.dials)
    assert all(next(iter(point.readings)) == "people" for point in first.dials)
    (here,) = (point for point in first.dials if point.here)
    pairs = release.readings["marginals_2"]
    assert here.readings["people"] == pairs.against_holdout
    assert here.second_sample == pairs.second_sample
    assert any(point.people is not None for point in first.trade_off)
    drawn = charts(first.document)
    assert "pairs off by, from people held back" in drawn["dials"]
    assert "A second sample of real rows is off by" in drawn["dials"]


def test_without_people_the_original_is_all_there_is():
    alone = published(clinic(600), holdout=0)
    assert "To other people" not in alone.report.html()
    assert all("people" not in point.readings for point in alone.first.dials)
    assert "pairs of attributes off by" in charts(alone.first.document)["dials"]


def test_baskets_are_read_against_people_too():
    found = hm.publish(SHOP, method="baskets", seed=1)
    pairs = found.readings["pair_frequencies"]
    assert pairs.against_holdout is not None
    assert all("people" in point.readings for point in found.first.dials)
    assert "To other people" in found.report.html()


def test_outside_the_numbers_are_rounded(release):
    page = release.report.html(external=True)
    told = json.loads(re.search(r'id="halfmask">(.*?)</script>', page, re.DOTALL)[1])
    for point in told["dials"]:
        for value in (point["second_sample"], point["readings"]["people"]):
            assert value == float(f"{value:.2g}")
