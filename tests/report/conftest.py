"""One publication for all tests of a module, and one real browser for its pages."""

from __future__ import annotations

import pytest
from browsing import opened_browser
from clinic import clinic, published


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = opened_browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.quit()


@pytest.fixture(scope="module")
def publication():
    return published(clinic())


@pytest.fixture(params=[False, True], ids=["internal", "external"], scope="module")
def page(request, publication):
    return publication.report.html(external=request.param)
