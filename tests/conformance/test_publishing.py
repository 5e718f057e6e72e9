"""What every method owes when it is called by name: repeatable, harmless, judged, calm at edges."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from visiting import hospital

import halfmask as hm
from halfmask.data import Baskets
from halfmask.errors import HalfmaskError
from halfmask.methods import METHODS


def table(**columns: list[Any]) -> pl.DataFrame:
    return pl.DataFrame(columns)


ORDINARY: dict[str, Any] = {
    "baskets": Baskets.of(["abc", "ab", "ab", "bcd", "acd", "cd", "bd", "abd", "ac", "bc"] * 10),
    "table": table(
        sex=["f", "m"] * 50, ill=["no", "no", "yes", "no"] * 25, ward=["n", "n", "s", "w", "w"] * 20
    ),
    "family": hospital(150),
}
EDGES: dict[str, dict[str, Any]] = {
    "baskets": {
        "some baskets are empty": Baskets.of(["ab", "", "abc", "", "b", "bc", "ac"]),
        "all baskets are empty": Baskets.of(["", "", ""], names="abcd"),
        "no basket": Baskets.of([], names="abcd"),
        "one basket": Baskets.of(["abc"]),
        "an item in every basket": Baskets.of(["ab", "abc", "a", "ac", "abd"]),
        "a basket with all items": Baskets.of(["abcdef", "ab", "cd", "ef", "ab", "cd"]),
    },
    "table": {
        "no row": ORDINARY["table"].clear(),
        "one row": ORDINARY["table"].head(1),
        "one column": table(ill=["no", "yes", "no", "no"] * 5),
        "all rows are the same": table(ill=["no"] * 20, ward=["n"] * 20),
        "nobody is like another": table(ill=[f"i{n}" for n in range(20)], ward=[*range(20)]),
        "cells are missing": table(ill=["no", None, "yes", "no"] * 5, ward=[None] * 20),
    },
    "family": {
        "few parents": hospital(5),
        "no parent": {name: frame.clear() for name, frame in ORDINARY["family"].items()},
        "no child": {
            name: frame.clear() if name == "visits" else frame
            for name, frame in ORDINARY["family"].items()
        },
    },
}
SETTINGS: dict[tuple[str, str], dict[str, Any]] = {
    ("generator", "table"): {"min_support": 2},
    ("generator", "family"): {"min_support": 2},
    ("private", "table"): {"epsilon": 1000.0, "min_support": 2},  # hardly any noise
    ("private", "family"): {"epsilon": 1000.0, "min_support": 2},
    ("baskets", "baskets"): {"min_support": 2},
    ("private-baskets", "baskets"): {"epsilon": 1000.0, "min_support": 2},
    ("anatomy", "baskets"): {"l": 2, "columns": 2, "on_ineligible": "merge_columns"},
    ("table-anatomy", "table"): {"l": 2, "sensitive": "ward", "min_support": 2},
    ("distortion", "baskets"): {"keep": 0.9},
    ("distortion", "table"): {"keep": 0.9},
    ("hiding", "baskets"): {"sensitive": "a, b"},
    ("hiding", "table"): {"sensitive": "ill=yes"},
    ("coherence", "baskets"): {"k": 3},
    ("coherence", "table"): {"k": 3},
    ("km", "baskets"): {"k": 2, "hierarchy": "a, b, c, d -> anything"},
    ("k-anonymity", "table"): {"k": 2, "min_support": 2},
}
IDENTITY: dict[tuple[str, str], dict[str, Any]] = {
    ("anatomy", "baskets"): {"l": 1, "columns": 1},
    ("distortion", "baskets"): {"keep": 1.0},
    ("distortion", "table"): {"keep": 1.0},
    ("hiding", "baskets"): {"sensitive": "a, b", "disclosure": 1.0},
    ("hiding", "table"): {"sensitive": "ill=yes", "disclosure": 1.0},
    ("coherence", "baskets"): {"k": 1},
    ("coherence", "table"): {"k": 1},
    ("km", "baskets"): {"k": 1, "hierarchy": "a, b, c, d -> anything"},
}
DRAWING = ("generator", "baskets", "private", "private-baskets")
NO_IDENTITY = (*DRAWING, "table-anatomy", "k-anonymity")
"""New rows are drawn, a sensitive column is always a table of its own, rows are shuffled."""
every_method = pytest.mark.parametrize(("method", "kind"), SETTINGS, ids=str)


def publish(method: str, kind: str, source: Any = None) -> hm.Publication:
    given = ORDINARY[kind] if source is None else source
    return hm.publish(given, method=method, **SETTINGS[method, kind], seed=4)


def published_or_refused(method: str, kind: str, source: Any) -> hm.Publication | str:
    try:
        return publish(method, kind, source)
    except HalfmaskError as refusal:
        return str(refusal)


def rows(data: Any) -> Any:
    """The rows of anything that is published, as something that can be compared."""
    if isinstance(data, Baskets):
        return list(data.transactions)
    return {n: rows(one) for n, one in data.items()} if isinstance(data, dict) else data.rows()


def test_no_method_is_forgotten():
    assert set(SETTINGS) == {(m.name, kind) for m in METHODS.values() for kind in m.kinds}
    assert set(IDENTITY) == {key for key in SETTINGS if key[0] not in NO_IDENTITY}


@every_method
def test_same_seed_same_release_and_the_input_stays(method, kind):
    before = rows(ORDINARY[kind])
    first, second = publish(method, kind), publish(method, kind)
    assert rows(first.data) == rows(second.data)
    assert rows(ORDINARY[kind]) == before
    assert first.verdict.word in ("publish", "review", "not attacked")
    assert method in DRAWING or first.verdict.word == "not attacked"
    assert first.verdict.checks[0].outcome in ("passed", "review")
    assert all("seed" not in one.release.record for one in first.tables.values())


@every_method
def test_what_comes_out_is_what_came_in(method, kind):
    published = publish(method, kind)
    assert type(published.data) is type(ORDINARY[kind])
    assert published.files == ()
    for one in published.tables.values():
        assert one.release.claim.promise
        assert one.release.claim.assumption
        assert len(one.readings) > 0
        assert (one.model is not None) == (method in DRAWING)


@every_method
def test_a_page_speaks_only_of_what_the_method_did(method, kind):
    published = publish(method, kind)
    page, held = published.report.html(), published.first.held_back > 0
    assert held == (method in DRAWING)
    assert ('<i class="h"></i>hold-out' in page) == (held and kind != "family")
    assert ("Synthetic does not mean" in page) == (method in DRAWING)
    if kind != "family":
        drawn = "it is drawn from the patterns alone" in page
        assert drawn <= (method == "generator")
        assert ("original<i" in page) == (method != "hiding"), "a key where there is a picture"
    assert "-0.0 %" not in page


@pytest.mark.parametrize(("method", "kind"), IDENTITY, ids=str)
def test_identity_settings_give_the_original_back(method, kind):
    published = hm.publish(ORDINARY[kind], method=method, **IDENTITY[method, kind], seed=4)
    assert sorted(rows(published.data)) == sorted(rows(ORDINARY[kind]))
    quality = "pair_frequencies" if kind == "baskets" else "marginals_2"
    assert published.readings[quality].value == pytest.approx(0)


@pytest.mark.parametrize(
    ("method", "kind", "edge"),
    [(method, kind, edge) for method, kind in SETTINGS for edge in EDGES[kind]],
)
def test_edges_are_published_or_refused_in_a_sentence(method, kind, edge):
    source = EDGES[kind][edge]
    published = published_or_refused(method, kind, source)
    if isinstance(published, str):
        assert published[-1] in ".?"
        assert len(published) > 20
        return
    first = published.first
    lost = int(first.release.record.get("rows_suppressed") or 0)
    given = next(iter(source.values())) if kind == "family" else source
    assert len(first.data) == len(given) - lost


def test_an_external_report_names_no_rare_item_and_no_secret():
    baskets = Baskets.of([["beer", "crisps"]] * 40 + [["tea"]] * 40 + [["truffle", "tea"]])
    published = hm.publish(baskets, method="hiding", sensitive="beer, crisps", seed=4)
    outside = published.report.html(external=True)
    for name in ("truffle", "beer", "crisps"):
        assert name not in outside
    assert "truffle" not in published.report.html()
