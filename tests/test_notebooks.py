"""What a notebook shows of a publication: everything that is asked, and no markup of a table."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest
from visiting import hospital

import halfmask as hm

EVIL = '<script>alert("x")</script><img src=x onerror=alert(1)>\x1b\u202e&'
PLAIN = {
    "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "details", "summary",
}  # fmt: skip


class Page(HTMLParser):
    """The elements and the text of a page; every element that opens must close."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text, self.open = "", []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def published():
    """A release of a table whose names and values are markup."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            EVIL: rng.choice(["yes", f"{EVIL}no"], 400),
            "sex": rng.choice(["f", "m"], 400),
            "rare": rng.choice(["a", "b", "c"], 400, p=[0.6, 0.39, 0.01]),
        }
    )
    return hm.publish(frame, min_support=10, seed=1)


def checked(shown) -> Page:
    page = Page(shown._repr_html_())
    assert page.tags <= PLAIN
    assert not page.attributes
    assert "\x1b" not in page.text
    assert "\u202e" not in page.text
    return page


def test_a_publication_shows_verdict_readings_and_remarks(published):
    page = checked(published)
    assert published.verdict.headline in page.text
    for reason in published.verdict.reasons:
        assert reason in page.text
    for name in ("nas", "tracing", "marginals_2"):
        assert name in page.text
    assert f"{len(published.remarks)} remarks" in page.text
    assert checked(published["data"]).tags <= page.tags


def test_a_verdict_shows_every_check(published):
    page = checked(published.verdict)
    assert f"{len(published.verdict.checks)} checks" in page.text
    assert all(check.sentence in page.text for check in published.verdict.checks)


def test_readings_show_every_value_and_every_blank(published):
    page = checked(published.readings)
    assert all(one.name in page.text for one in published.readings)
    assert "No sensitive attribute was named." in page.text
    assert f"{published.readings['nas'].value:.3f}" in page.text


def test_a_model_shows_its_patterns(published):
    page = checked(published.model)
    assert repr(published.model) in page.text
    assert "onerror=alert(1)" in page.text  # as text
    small = hm.Generator(min_support=5).fit(pl.DataFrame({"a": ["x", "y"] * 20}))
    assert "used most" not in checked(small).text


def test_a_private_model_is_shown_too(published):
    frame = pl.DataFrame({"a": ["x", "y"] * 200, "b": ["u", "v", "v", "v"] * 100})
    assert "about" in checked(hm.Generator(epsilon=5).fit(frame)).text
    assert published.model


def test_a_family_shows_each_table():
    found = hm.publish(hospital(300), seed=1)
    page = checked(found)
    assert "patients:" in page.text
    assert "parents and visits" in page.text


def test_a_report_is_shut_in_a_frame(published):
    page = Page(published.report._repr_html_())
    assert page.tags == {"iframe"}
    given = dict(page.attributes)
    assert given["sandbox"] == "allow-scripts"
    assert given["srcdoc"] == published.report.html()
