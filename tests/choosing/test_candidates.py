"""The words in which a steward asks for methods."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.choosing.candidates import Candidate, candidates, families, variants
from halfmask.errors import BadInput, UnknownName
from halfmask.methods import METHODS
from halfmask.methods.hiding.hide import ALGORITHMS

EVERYTHING = frozenset({"patterns", "rules", "column"})


def names(asked, kind="table", given=EVERYTHING):
    return [candidate.name for candidate in candidates(asked, kind, given)[0]]


@pytest.mark.parametrize("kind", ["table", "baskets"])
def test_every_method_but_two_is_tried(kind):
    # One needs a hierarchy, and how much privacy an epsilon buys is not for trials to choose.
    suited = {m.name for m in METHODS.values() if kind in m.kinds} - {
        "km",
        "private",
        "private-baskets",
    }
    found, others = candidates(None, kind, EVERYTHING)
    assert {c.method.name for c in found} == suited
    assert {c.variant for c in found} | {o.method for o in others} == set(variants())
    assert set(ALGORITHMS) <= set(variants())


@given(st.lists(st.sampled_from([*variants(), *families()]), min_size=1))
def test_the_name_of_a_candidate_asks_for_it_again(words):
    for kind in ("table", "baskets"):
        try:
            found, _ = candidates(words, kind, EVERYTHING)
        except BadInput:
            continue
        again, _ = candidates([c.name for c in found], kind, EVERYTHING)
        assert [(c.variant, c.settings) for c in again] == [(c.variant, c.settings) for c in found]


def test_settings_stand_behind_the_name():
    assert names(["generator:20:laplace=0.1:search=slim"]) == [
        "generator:20:laplace=0.1:search=slim"
    ]
    assert names(["generator:laplace=1:min_support=5"]) == ["generator:5:laplace=1"]
    assert names(["iga", "iga:0.5", "iga"]) == ["iga", "iga:0.5"]
    assert names(["blocking"]) == ["gih", "cr", "cr2"]


def test_a_family_leaves_out_what_does_not_suit():
    found, others = candidates(["hiding", "synthetic"], "table", frozenset({"patterns"}))
    assert "1.b" not in [c.variant for c in found]
    assert {o.method: o.reason for o in others}["1.b"].startswith("It hides rules (a -> b)")
    assert {o.method: o.reason for o in others}["baskets"].startswith("It works on baskets")


@pytest.mark.parametrize(
    ("asked", "kind", "given_", "words"),
    [
        (["genrator"], "table", EVERYTHING, "There is no method 'genrator'; did you mean"),
        (["generator:min_suport=3"], "table", EVERYTHING, "did you mean 'min_support'"),
        (["generator:many"], "table", EVERYTHING, "is a whole number, not 'many'"),
        (["2.c:4"], "table", EVERYTHING, "has no settings"),
        (["baskets"], "table", EVERYTHING, "is not suitable: It works on baskets"),
        (["generator"], "baskets", EVERYTHING, "is not suitable: It works on table"),
        (["iga"], "table", frozenset(), "no sensitive patterns were given"),
        (["anatomy"], "table", frozenset(), "a sensitive column separately, and none was named"),
        (["blocking"], "baskets", frozenset(), "No method is suitable: gih"),
        ([], "table", EVERYTHING, "No method was named"),
    ],
)
def test_what_cannot_be_tried_is_refused(asked, kind, given_, words):
    with pytest.raises(BadInput, match=words.replace("(", r"\(").replace(")", r"\)")):
        candidates(asked, kind, given_)


def test_a_candidate_of_no_method_is_refused():
    with pytest.raises(UnknownName, match="There is no method 'igo'"):
        _ = Candidate("igo").name
