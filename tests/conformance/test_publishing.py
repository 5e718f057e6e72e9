"""What every method owes when it is called by name: repeatable, harmless, judged, calm at edges."""

from __future__ import annotations

import pytest
from halfmask.basket_publishing import METHODS

import halfmask as hm
from halfmask.data import Baskets
from halfmask.errors import HalfmaskError

ORDINARY = Baskets.of(["abc", "ab", "ab", "bcd", "acd", "cd", "bd", "abd", "ac", "bc"] * 10)
EDGES = {
    "ordinary": ORDINARY,
    "some baskets are empty": Baskets.of(["ab", "", "abc", "", "b", "bc", "ac"]),
    "all baskets are empty": Baskets.of(["", "", ""], names="abcd"),
    "no basket": Baskets.of([], names="abcd"),
    "one basket": Baskets.of(["abc"]),
    "an item in every basket": Baskets.of(["ab", "abc", "a", "ac", "abd"]),
    "a basket with all items": Baskets.of(["abcdef", "ab", "cd", "ef", "ab", "cd"]),
}
SETTINGS = {
    "anatomy": {"l": 2, "columns": 2, "on_ineligible": "merge_columns"},
    "distortion": {"keep": 0.9},
    "hiding": {"sensitive": "a, b"},
    "baskets": {"min_support": 2},
    "coherence": {"k": 3},
    "km": {"k": 2, "hierarchy": "a, b, c, d -> anything"},
}
IDENTITY = {
    "anatomy": {"l": 1, "columns": 1},
    "distortion": {"keep": 1.0},
    "hiding": {"sensitive": "a, b", "disclosure": 1.0},
    "coherence": {"k": 1},
    "km": {"k": 1, "hierarchy": "a, b, c, d -> anything"},
}


def rows(published):
    return list(published.baskets.transactions)


@pytest.mark.parametrize("method", SETTINGS)
def test_a_page_speaks_only_of_what_the_method_did(method):
    page = hm.publish(ORDINARY, method=method, **SETTINGS[method], seed=4).report.html()
    assert '<i class="h"></i>hold-out' not in page, "nothing was held out"
    assert ("Synthetic does not mean" in page) == (method == "baskets")
    assert "it is drawn from the patterns alone" not in page
    assert ("original<i" in page) == (method != "hiding"), "a key stands where there is a picture"
    assert "-0.0 %" not in page


def test_no_method_is_forgotten():
    assert {*SETTINGS, "table-anatomy"} == set(METHODS)


@pytest.mark.parametrize("method", SETTINGS)
def test_same_seed_same_release_and_the_input_stays(method):
    before = list(ORDINARY.transactions)
    first, second = (
        hm.publish(ORDINARY, method=method, **SETTINGS[method], seed=4) for _ in range(2)
    )
    assert rows(first) == rows(second)
    assert list(ORDINARY.transactions) == before
    assert first.verdict.word in ("publish", "review")
    assert first.verdict.checks[0].outcome in ("passed", "review")
    assert "seed" not in first.to_dict()["record"]


@pytest.mark.parametrize("method", IDENTITY)
def test_identity_settings_give_the_original_back(method):
    published = hm.publish(ORDINARY, method=method, **IDENTITY[method], seed=4)
    assert sorted(rows(published)) == sorted(ORDINARY.transactions)
    assert published.readings["pair_frequencies"].value == pytest.approx(0)


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("method", SETTINGS)
def test_edges_are_published_or_refused_in_a_sentence(method, edge):
    found = published_or_refused(EDGES[edge], method)
    if isinstance(found, str):
        assert edge != "ordinary"
        assert found.endswith(".")
    else:
        assert len(found.baskets) == len(EDGES[edge])


def published_or_refused(baskets, method):
    try:
        return hm.publish(baskets, method=method, **SETTINGS[method], seed=4)
    except HalfmaskError as refusal:
        return str(refusal)


def test_an_external_report_names_no_rare_item_and_no_secret():
    baskets = Baskets.of([["beer", "crisps"]] * 40 + [["tea"]] * 40 + [["truffle", "tea"]])
    published = hm.publish(baskets, method="hiding", sensitive="beer, crisps", seed=4)
    outside = published.report.html(external=True)
    for name in ("truffle", "beer", "crisps"):
        assert name not in outside
    assert "truffle" not in published.report.html()
