"""The cost of hiding on the worked examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Baskets, Transactions
from halfmask.errors import NotMeasurable
from halfmask.measures.hiding import (
    cell_dissimilarity,
    interest,
    item_dissimilarity,
    itemset_side_effects,
    side_effects,
    unknown_share,
)

ORIGINAL = Baskets.of(["abcd", "abc", "abd", "acd", "abc", "bd"])
SECRETS = [(0, 1, 3), (0, 2, 3)]
RELEASES = {
    "naive": (["", "abc", "a", "a", "abc", "bd"], 0.3636, 0.4444),
    "minfia": (["ab", "abc", "ab", "ad", "abc", "bd"], 0.2727, 0.2222),
    "maxfia": (["bcd", "abc", "bd", "cd", "abc", "bd"], 0.0909, 0.1667),
    "iga": (["abc", "abc", "ab", "ac", "abc", "bd"], 0.3636, 0.1667),
}


@pytest.mark.parametrize(("rows", "misses", "dissimilarity"), RELEASES.values(), ids=RELEASES)
def test_costs_in_the_example_of_oliveira_and_zaiane(rows, misses, dissimilarity):
    release = Baskets.of(rows, names="abcd")
    found = itemset_side_effects(
        ORIGINAL.transactions, release.transactions, SECRETS, min_support=2
    )
    assert found.hiding_failure == 0
    assert found.misses_cost == pytest.approx(misses, abs=5e-5)
    assert found.artifactual == 0
    # nothing is invented here, so the two ways to count the losses agree
    assert found.side_effect_factor == pytest.approx(misses, abs=5e-5)
    assert item_dissimilarity(ORIGINAL, release) == pytest.approx(dissimilarity, abs=5e-5)
    assert cell_dissimilarity(ORIGINAL, release) == pytest.approx(dissimilarity, abs=5e-5)


def test_adding_items_invents_a_rule():
    before = {"b→a", "c→a", "b→c", "c→b", "b→ac", "c→ab", "ab→c", "ac→b", "bc→a"}
    after = before - {"ac→b", "c→b", "c→ab"} | {"a→c"}
    found = side_effects(before, after, lambda rule: rule == "ac→b")
    assert found.hiding_failure == 0
    assert found.misses_cost == 2 / 8
    assert found.artifactual == 1 / 7
    assert found.side_effect_factor == 1 / 8  # the ghost hides one of the two losses


def test_interest_of_the_example_rule_before_and_after():
    assert interest(3 / 6, 4 / 6, 4 / 6) == pytest.approx(0.0157896, abs=5e-8)
    assert interest(2 / 6, 4 / 6, 3 / 6) == pytest.approx(0, abs=1e-12)
    assert interest(3 / 6, 5 / 6, 4 / 6) == pytest.approx(0.0116766, abs=5e-8)
    with pytest.raises(NotMeasurable, match="never occurs"):
        interest(0, 0, 0.5)


def test_moving_an_item_is_seen_in_cells_only():
    moved = Baskets.of(["bcd", "abc", "abd", "acd", "abc", "abd"])
    assert item_dissimilarity(ORIGINAL, moved) == 0
    assert cell_dissimilarity(ORIGINAL, moved) == 2 / 18


def test_unknown_cells_per_item():
    unknown = Transactions.of([(0,), (), (), (), (), (0, 2)], n_items=4)
    assert unknown_share(ORIGINAL, unknown) == 3 / 18


@given(st.sets(st.sampled_from("abcdef")), st.sets(st.sampled_from("abcdef")))
def test_shares_lie_between_nothing_and_all(before, after):
    found = side_effects(before, after, lambda pattern: pattern in "ab")
    assert found.hiding_failure is None or found.hiding_failure >= 0
    assert found.misses_cost is None or 0 <= found.misses_cost <= 1
    assert 0 <= found.artifactual <= 1
    same = side_effects(before, before, lambda pattern: pattern in "ab")
    assert same.misses_cost in (None, 0)
    assert same.artifactual == 0


def test_empty_originals_have_no_cost():
    nothing = Baskets.of(["", ""], names="ab")
    with pytest.raises(NotMeasurable, match="holds no item"):
        item_dissimilarity(nothing, nothing)
    with pytest.raises(NotMeasurable, match="holds no item"):
        cell_dissimilarity(nothing, nothing)
    with pytest.raises(NotMeasurable, match="holds no item"):
        unknown_share(nothing, nothing.transactions)
    with pytest.raises(NotMeasurable, match="row by row"):
        cell_dissimilarity(ORIGINAL, nothing)
