"""Constraints: Kleene's tables, every test of the grammar, and how they are written in words."""

from __future__ import annotations

from decimal import Decimal

import pytest

from halfmask.assets.constraints import (
    FALSE,
    TRUE,
    UNKNOWN,
    Joined,
    PairTest,
    RangeTest,
    ValueTest,
    truth,
)
from halfmask.assets.values import Values, read_label
from halfmask.data import Column

KLEENE = {  # (one, two): and, or, implies, iff; T true, F false, U unknown
    "TT": "TTTT", "TF": "FTFF", "TU": "UTUU",
    "FT": "FTTF", "FF": "FFTT", "FU": "FUTU",
    "UT": "UTTU", "UF": "FUUU", "UU": "UUUU",
}  # fmt: skip
VALUE = {"T": TRUE, "F": FALSE, "U": UNKNOWN}
NEGATED = {"T": "F", "F": "T", "U": "U"}


def rows(**cells):
    kinds = {"day": "date", "other_day": "date", "word": "str", "set": "set", "yes": "bool"}
    return {
        name: Values.of(Column.of(name, listed), kinds.get(name, "float"))
        for name, listed in cells.items()
    }


def test_operators_follow_kleenes_tables():
    label = {"T": "1", "F": "0", "U": None}
    one, two = ValueTest("x", "==", Decimal(1)), ValueTest("y", "==", Decimal(1))
    table = rows(x=[label[p[0]] for p in KLEENE], y=[label[p[1]] for p in KLEENE])
    for place, operator in enumerate(("and", "or", "implies", "iff")):
        expected = [VALUE[answers[place]] for answers in KLEENE.values()]
        assert truth(Joined(operator, (one, two)), table).tolist() == expected, operator
    expected = [VALUE[NEGATED[answers[3]]] for answers in KLEENE.values()]
    assert truth(Joined("xor", (one, two)), table).tolist() == expected
    expected = [VALUE[NEGATED[pair[0]]] for pair in KLEENE]
    assert truth(Joined("not", (one,)), table).tolist() == expected
    assert truth(Joined("and", (one,)), table).tolist() == [VALUE[pair[0]] for pair in KLEENE]


@pytest.mark.parametrize(
    ("expression", "cells", "expected"),
    [
        (ValueTest("x", "!=", Decimal(2)), {"x": ["2.0", "3", None]}, [FALSE, TRUE, UNKNOWN]),
        (ValueTest("x", "<", Decimal("0.3")), {"x": ["0.1", "0.30", "1e-3"]}, [TRUE, FALSE, TRUE]),
        (RangeTest("x", Decimal(1), Decimal(2)), {"x": ["1", "2", "2.01"]}, [TRUE, TRUE, FALSE]),
        (ValueTest("word", "in", frozenset({"a", "b"})), {"word": ["a", "c"]}, [TRUE, FALSE]),
        (ValueTest("word", "matches", "[A-Z][0-9]+"), {"word": ["B12", "B12x"]}, [TRUE, FALSE]),
        (ValueTest("set", "holds", frozenset({"tea"})), {"set": ["tea milk", "milk", None]},
         [TRUE, FALSE, UNKNOWN]),
        (ValueTest("yes", "==", True), {"yes": ["TRUE", "0", "maybe"]}, [TRUE, FALSE, UNKNOWN]),
        (ValueTest("day", ">=", read_label("date", "2020-02-01")),
         {"day": ["2020-02-01", "2020-01-31T23:59"]}, [TRUE, FALSE]),
        (PairTest("day", "<=", "other_day"),
         {"day": ["2020-01-01", "2020-01-03", None], "other_day": ["2020-01-02"] * 3},
         [TRUE, FALSE, UNKNOWN]),
        (PairTest("x", "==", "y"), {"x": ["1", "2"], "y": ["1.0", "2.5"]}, [TRUE, FALSE]),
    ],
)  # fmt: skip
def test_every_test_of_the_grammar(expression, cells, expected):
    assert truth(expression, rows(**cells)).tolist() == expected


def test_an_expression_can_be_read_by_a_person():
    male, pregnant = ValueTest("sex", "==", "M"), ValueTest("pregnant", "==", "Y")
    both = Joined("not", (Joined("and", (male, pregnant)),))
    assert str(both) == "not (sex == M and pregnant == Y)"
    assert both.attributes == ("sex", "pregnant")
    assert str(PairTest("in", "<=", "out")) == "in <= out"
    assert str(ValueTest("drug", "in", frozenset({"b", "a"}))) == "drug in [a, b]"
