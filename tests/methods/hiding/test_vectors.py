"""The worked examples of the hiding literature, asserted row by row."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from halfmask.data import Baskets
from halfmask.methods.hiding.blocked import BlockedBaskets
from halfmask.methods.hiding.blocking import Block
from halfmask.methods.hiding.edits import Cell
from halfmask.methods.hiding.hide import Hidden, hide
from halfmask.methods.hiding.rules import HideRules
from halfmask.methods.hiding.sanitise import Sanitise, SlidingWindow
from halfmask.methods.hiding.sensitive import Sensitive, parse_sensitive
from halfmask.randomness import Randomness

# Oliveira & Zaïane's example: six rows, two restrictive patterns.
OZ = Baskets.of(["abcd", "abc", "abd", "acd", "abc", "bd"])
OZ_SECRETS = parse_sensitive("a, b, d\na, c, d", OZ.schema)

# Verykios et al.'s example.
V = Baskets.of(["abc", "abc", "abc", "ab", "a", "ac"])
V_RULE = parse_sensitive("a, c -> b", V.schema)
V_ITEMSET = parse_sensitive("a, b, c", V.schema)


def run(baskets: Baskets, sensitive: Sensitive, algorithm) -> Hidden:
    return hide(baskets, sensitive, algorithm, randomness=Randomness(1))


def rows(hidden: Hidden) -> str:
    data = hidden.release.data
    assert isinstance(data, Baskets)
    return " ".join("".join(data.schema.label(i) for i in row) or "-" for row in data.transactions)


@pytest.mark.parametrize(
    ("algorithm", "expected", "cells"),
    [
        (Sanitise("naive"), "- abc a a abc bd", 8),
        (Sanitise("naive", psi=0.5), "abcd abc a a abc bd", 4),
        (Sanitise("minfia"), "ab abc ab ad abc bd", 4),
        (Sanitise("minfia", psi=0.5), "abcd abc ab ad abc bd", 2),
        (Sanitise("maxfia"), "bcd abc bd cd abc bd", 3),
        (Sanitise("maxfia", psi=0.5), "abcd abc bd cd abc bd", 2),
        (Sanitise("iga"), "abc abc ab ac abc bd", 3),
        (Sanitise("iga", psi=0.5), "abc abc abd acd abc bd", 1),
        (
            Sanitise("iga", psi=0.5, conflict_order="ascending"),
            "abcd abc ab ac abc bd",
            2,
        ),
        (SlidingWindow(window=6, ties="first"), "bcd abc bd cd abc bd", 3),
        (SlidingWindow(window=6, psi=0.5, ties="first"), "abcd abc bd cd abc bd", 2),
        (Sanitise("rra"), "bcd abc ad ad abc bd", 3),
    ],
)
def test_sanitising_the_example_of_oliveira_and_zaiane(algorithm, expected, cells):
    hidden = run(OZ, OZ_SECRETS, algorithm)
    assert rows(hidden) == expected
    assert len(hidden.edits) == cells
    assert hidden.succeeded


def test_greedy_grouping_finds_the_label_of_the_groups():
    # a and d are both in both patterns; d has the smaller support and becomes the victim
    assert rows(run(OZ, OZ_SECRETS, Sanitise("iga-greedy"))) == "abc abc ab ac abc bd"


def test_naive_keeps_an_item_in_rows_that_two_patterns_would_empty():
    hidden = run(OZ, OZ_SECRETS, Sanitise("naive", keep_nonempty=True))
    assert rows(hidden) == "a abc a a abc bd"
    assert hidden.succeeded


@pytest.mark.parametrize(
    ("sensitive", "algorithm", "expected"),
    [
        (V_RULE, HideRules("1.a", 2, 0.7), "abc abc abc ab ac ac"),
        (V_RULE, HideRules("1.b", 2, 0.7), "ac abc abc ab a ac"),
        (V_RULE, HideRules("2.a", 2, 0.7), "bc abc abc ab a ac"),
        (V_RULE, HideRules("2.b", 0.5), "bc abc abc ab a ac"),
        (V_RULE, HideRules("2.c", 0.5), "bc abc abc ab a ac"),
        (V_ITEMSET, HideRules("2.b", 1 / 3), "bc bc abc ab a ac"),
        (V_ITEMSET, HideRules("2.c", 1 / 3), "bc ac abc ab a ac"),
    ],
)
def test_hiding_the_rule_of_verykios_and_others(sensitive, algorithm, expected):
    hidden = run(V, sensitive, algorithm)
    assert rows(hidden) == expected
    assert hidden.succeeded


Rules = dict[str, tuple[int, float]]


def mined_rules(data: Baskets, *, min_support: int, min_confidence: float) -> Rules:
    """All rules by brute force, as 'bc→a': (support, confidence)."""
    names = data.schema.names
    n = len(names)
    found: Rules = {}
    for mask in range(1, 2**n):
        items = [i for i in range(n) if mask >> i & 1]
        whole = int(data.support([tuple(items)])[0])
        if whole < min_support:
            continue
        for part in range(1, mask):
            if part & mask != part:
                continue
            left = tuple(i for i in items if part >> i & 1)
            confidence = whole / float(data.support([left])[0])
            if confidence >= min_confidence - 1e-9:
                right = "".join(names[i] for i in items if i not in left)
                found["".join(names[i] for i in left) + "→" + right] = (whole, confidence)
    return found


BEFORE: Rules = {
    "b→a": (4, 1.0),
    "c→a": (4, 1.0),
    "b→c": (3, 0.75),
    "c→b": (3, 0.75),
    "b→ac": (3, 0.75),
    "c→ab": (3, 0.75),
    "ab→c": (3, 0.75),
    "ac→b": (3, 0.75),
    "bc→a": (3, 1.0),
}


def test_the_rules_of_the_example_before_hiding():
    assert mined_rules(V, min_support=2, min_confidence=0.7) == BEFORE


def after(sensitive: Sensitive, algorithm) -> Rules:
    data = run(V, sensitive, algorithm).release.data
    assert isinstance(data, Baskets)
    return mined_rules(data, min_support=2, min_confidence=0.7)


def test_adding_to_the_left_side_loses_two_rules_more_and_makes_a_ghost():
    found = after(V_RULE, HideRules("1.a", 2, 0.7))
    assert set(BEFORE) - set(found) == {"ac→b", "c→b", "c→ab"}
    assert set(found) - set(BEFORE) == {"a→c"}
    assert found["a→c"] == (5, pytest.approx(5 / 6))


@pytest.mark.parametrize(
    ("sensitive", "algorithm", "rules"),
    [
        (V_RULE, HideRules("1.b", 2, 0.7), {"b→a": (3, 1), "c→a": (4, 1), "bc→a": (2, 1)}),
        (
            V_RULE,
            HideRules("2.a", 2, 0.7),
            {"b→a": (3, 0.75), "c→a": (3, 0.75), "b→c": (3, 0.75), "c→b": (3, 0.75)},
        ),
        (V_ITEMSET, HideRules("2.b", 1 / 3), {"b→c": (3, 0.75), "c→b": (3, 0.75)}),
        (V_ITEMSET, HideRules("2.c", 1 / 3), {"c→a": (3, 0.75)}),
    ],
)
def test_rules_left_after_hiding(sensitive, algorithm, rules):
    assert after(sensitive, algorithm) == rules


def blocked(sensitive: Sensitive, algorithm: Block) -> tuple[BlockedBaskets, list[Sequence[int]]]:
    hidden = run(V, sensitive, algorithm)
    assert hidden.succeeded
    assert isinstance(hidden.release.data, BlockedBaskets)
    log = hidden.edits
    assert (log.after == Cell.UNKNOWN).all()
    return hidden.release.data, list(zip(log.rows.tolist(), log.items.tolist(), strict=True))


A, B, C = 0, 1, 2


def test_blocked_rules_stay_possible_and_removed_ones_do_not():
    # with the margin the sure confidence is .5, but .75 may still be: uncertain, not denied
    uncertain = run(V, V_RULE, Block("cr", 2 / 6, 0.7, margin=0.05)).outcomes[0]
    assert (uncertain.hidden, uncertain.denied) == (True, False)
    removed = run(V, V_RULE, HideRules("1.b", 2, 0.7)).outcomes[0]
    assert (removed.hidden, removed.denied) == (True, True)


def test_blocking_the_right_side():
    data, cells = blocked(V_RULE, Block("cr", 2 / 6, 0.7, margin=0.05))
    assert cells == [(0, B)]
    assert data.support_bounds([(A, B, C)]).tolist() == [[2, 3]]
    bounds = data.confidence_bounds((A, C), (B,))
    assert (bounds.low, bounds.high) == (0.5, 0.75)


def test_blocking_the_absence_of_the_left_side():
    data, cells = blocked(V_RULE, Block("cr2", 2 / 6, 0.7, margin=0.05))
    assert cells == [(4, C)]
    assert data.support_bounds([(A, C)])[0, 1] == 5
    bounds = data.confidence_bounds((A, C), (B,))
    assert (bounds.low, bounds.high) == (0.6, 0.75)


def test_blocking_the_generating_itemset():
    data, cells = blocked(V_ITEMSET, Block("gih", 0.5, margin=0.1))
    assert cells == [(0, A)]
    assert data.support_bounds([(A, B, C), (A, C)]).tolist() == [[2, 3], [3, 4]]
    bounds = data.confidence_bounds((A, C), (B,))
    assert (bounds.low, bounds.high) == (0.5, 1.0)
