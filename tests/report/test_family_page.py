"""The page of a family in a real browser: nothing complains, nothing sticks out."""

from __future__ import annotations

import pytest
from browsing import WIDTHS, contrasts, pictures, silent, sticks_out
from visiting import hospital

import halfmask as hm


@pytest.fixture(scope="module", params=["internal", "external"])
def page(request, browser, tmp_path_factory):
    long = "length_of_the_visit_to_the_hospital_" * 3
    tables = hospital(300) | {"visits": hospital(300)["visits"].rename({"outcome": long})}
    path = tmp_path_factory.mktemp("page") / f"{request.param}.html"
    found = hm.publish(tables, seed=1, holdout=0.2)
    found.report.save(path, external=request.param == "external")
    browser.get(path.as_uri())
    return browser


def test_the_console_stays_silent_and_every_link_leads_somewhere(page):
    assert silent(page)
    links = page.find_elements("css selector", "nav a")
    targets = [link.get_attribute("href").split("#")[1] for link in links]
    assert all(page.find_elements("id", target) for target in targets)
    ids = [element.get_attribute("id") for element in page.find_elements("css selector", "[id]")]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_scrolls_sideways(page, width):
    assert not sticks_out(page, width)


def test_the_pictures_have_size_and_words(page):
    assert pictures(page) >= 8


def test_small_letters_contrast_with_the_paper(page):
    assert min(contrasts(page)) >= 4.5
