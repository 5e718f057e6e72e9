"""One page, one way in and one browser for all tests of a module."""

from __future__ import annotations

import pytest
from browsing import opened_browser
from stewarding import entered, patients, start


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("house") / "data"
    place.mkdir()
    patients(place / "patients.csv")
    return place


@pytest.fixture(scope="module")
def page(folder):
    opened = start(folder)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def client(page):
    with entered(page) as inside:
        yield inside


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = opened_browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.quit()
