"""A real browser opens the page: nothing complains, everything is there, nothing sticks out."""

from __future__ import annotations

import pytest
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
    assert page.get_log("browser") == []


def test_every_section_has_a_heading_that_shows(page):
    headings = page.find_elements("css selector", "main h2")
    assert len(headings) == 13
    assert all(heading.is_displayed() and heading.text for heading in headings)
    targets = [
        a.get_attribute("href").split("#")[1] for a in page.find_elements("css selector", "nav a")
    ]
    assert all(page.find_elements("id", target) for target in targets)


@pytest.mark.parametrize("width", [1280, 820, 390, 320])
def test_nothing_scrolls_sideways(page, width):
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    inner, wide = page.execute_script(
        "return [document.documentElement.clientWidth, document.documentElement.scrollWidth]"
    )
    assert wide <= inner <= width


def test_the_pictures_have_size_and_words(page):
    for picture in page.find_elements("css selector", "figure svg"):
        assert picture.size["width"] > 100
        assert picture.size["height"] > 30
        assert picture.accessible_name


def test_small_letters_contrast_with_the_paper(page):
    colours = page.execute_script(
        "return [...document.querySelectorAll('.quiet, .meaning, thead th, .sub, figcaption, a')]"
        ".map(e => getComputedStyle(e).color)"
    )
    assert colours
    for colour in set(colours):
        assert _contrast_with_white(colour) >= 4.5


def _contrast_with_white(colour: str) -> float:
    channels = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 1.05 / (luminance + 0.05)
