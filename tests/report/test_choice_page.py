"""The page of a choice in a real browser: it holds together on a desk and on a phone."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from browsing import WIDTHS, contrasts, pictures, silent, sticks_out

from halfmask.choosing.candidates import Candidate, Unsuitable
from halfmask.choosing.making import OfRelease
from halfmask.choosing.page import choice_page
from halfmask.choosing.preselection import General, Thresholds, Tried, fit_growth, sizes_up_to
from halfmask.choosing.ranking import LackWeights, rank
from halfmask.choosing.selection import Choice, Setup
from halfmask.choosing.trial import Lacks

LONG = "an_aggregate_information_with_one_endless_name_" * 4
METHODS = [
    ("maxfia", {}), ("iga", {"psi": 0.25}), ("1.a", {}), ("cr", {}),
    ("generator", {"min_support": 20, "laplace": 0.001, "search": "slim"}), ("anatomy", {"l": 3}),
]  # fmt: skip


def selection(*, patterns=2, information="therapy", keeping=6) -> Choice:
    sizes = sizes_up_to(4_000)
    tried, lacks = [], {}
    for n, (method, settings) in enumerate(METHODS):
        candidate = Candidate(method, settings)
        growth = fit_growth(sizes, [0.001 * (n + 1) * size ** (0.8 + 0.1 * n) for size in sizes])
        release = OfRelease(0.0, 0.02 * (n + 1), 0.4 + 0.1 * n, 0.5, 0.1, None)
        fell = None if n < keeping else "It takes 12 s, and at most 1 s was asked."
        tried.append(Tried(candidate, General(0.01 * 3**n, growth, release), fell))
        if n < keeping:
            lacks[candidate.name] = [
                Lacks(0.1 * (n % 3) + 0.01 * d, 0.3 - 0.05 * n, 0.2 * (n % 2)) for d in range(3)
            ]
    tried.append(Tried(Candidate("coherence", {"k": 5}), None, "It took more than 120 seconds."))
    setup = Setup(
        kind="table", generic="stand-in", generic_rows=4_000, sizes=sizes, test_rows=5_000,
        draws=3, patterns=patterns, hide_support=0.01, hide_confidence=None, min_support=10,
        thresholds=Thresholds(),
        weights=LackWeights(1, 1, 2), informations=(information, "pregnancy"),
    )  # fmt: skip
    aligned = {n: v for n, v in lacks.items() if n.split(":")[0] not in ("generator", "anatomy")}
    rankings = [rank("aligned", aligned, setup.weights), rank("free", lacks, setup.weights)]
    unsuitable = (Unsuitable("distortion", "It works on baskets, and this is a table."),)
    return Choice(setup, tuple(tried), unsuitable, tuple(r for r in rankings if r))


CASES = {
    "usual": selection(),
    "long": selection(information=LONG),
    "rows": selection(patterns=0, keeping=1),
}


@pytest.fixture(scope="module", params=CASES)
def page(request, browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("choice") / "choice.html"
    path.write_bytes(choice_page(CASES[request.param]))
    browser.get(path.as_uri())
    return browser


def test_the_console_stays_silent(page):
    assert silent(page)


def test_every_section_is_reached_from_the_list(page):
    targets = [
        a.get_attribute("href").split("#")[1] for a in page.find_elements("css selector", "nav a")
    ]
    assert len(targets) >= 6
    assert all(page.find_element("id", target).is_displayed() for target in targets)


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_scrolls_sideways(page, width):
    assert not sticks_out(page, width)


def test_the_pictures_have_size_and_words(page):
    assert pictures(page) >= 4


def test_small_letters_contrast_with_the_paper(page):
    assert min(contrasts(page)) >= 4.5


def test_headings_and_tables_can_be_listened_to(page):
    levels = page.execute_script(
        "return [...document.querySelectorAll('h1,h2,h3')].map(e => Number(e.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    for table in page.find_elements("css selector", "table"):
        assert table.find_element("css selector", "caption").text
        assert all(
            cell.get_attribute("scope") for cell in table.find_elements("css selector", "th")
        )


def test_the_machine_reads_what_the_page_says():
    found = CASES["usual"]
    text = choice_page(found).decode()
    machine = json.loads(re.search(r'id="halfmask">(.*?)</script>', text, re.DOTALL)[1])
    assert machine == found.to_dict()
    assert machine["best"] in re.search(r'class="word">.*?</p>', text, re.DOTALL)[0]
    assert "src=" not in text
    assert choice_page(found) == choice_page(found)


def test_no_name_can_become_markup():
    wild = "<script>alert(1)</script>"
    text = choice_page(selection(information=wild)).decode()
    assert wild not in text
    assert "&lt;script&gt;" in text
