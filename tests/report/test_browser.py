"""A real browser opens the page: nothing complains, everything is there, nothing sticks out."""

from __future__ import annotations

import pytest
from browsing import WIDTHS, contrasts, pictures, silent, sticks_out
from clinic import clinic, published


@pytest.fixture(scope="module", params=["internal", "external"])
def page(request, browser, tmp_path_factory):
    # One long name without a gap, which must break instead of making the page wide.
    frame = clinic().rename({"stay": "length_of_the_stay_in_the_hospital_" * 3})
    path = tmp_path_factory.mktemp("page") / f"{request.param}.html"
    published(frame).report.save(path, external=request.param == "external")
    browser.get(path.as_uri())
    return browser


def test_the_console_stays_silent(page):
    assert silent(page)


def test_every_section_has_a_heading_that_shows(page):
    headings = page.find_elements("css selector", "main h2")
    assert len(headings) == 14
    assert all(heading.is_displayed() and heading.text for heading in headings)
    targets = [
        a.get_attribute("href").split("#")[1] for a in page.find_elements("css selector", "nav a")
    ]
    assert all(page.find_elements("id", target) for target in targets)


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_scrolls_sideways(page, width):
    assert not sticks_out(page, width)


def test_the_pictures_have_size_and_words(page):
    assert pictures(page) >= 8


def test_small_letters_contrast_with_the_paper(page):
    assert min(contrasts(page)) >= 4.5
