"""The basket index: Boolean questions answered on the lists of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Attribute, Baskets, Schema, Table
from halfmask.errors import BadInput, UnknownName
from halfmask.methods.hiding.index import And, Holds, Index, Not, Or, Query, parse_query

LETTERS = "abcde"
baskets_of_letters = st.lists(st.sets(st.sampled_from(LETTERS)), max_size=30).map(
    lambda rows: Baskets.of([sorted(row) for row in rows], names=LETTERS)
)
queries = st.recursive(
    st.sampled_from(LETTERS).map(Holds),
    lambda part: st.one_of(
        part.map(Not),
        st.lists(part, min_size=2, max_size=3).map(lambda p: And(tuple(p))),
        st.lists(part, min_size=2, max_size=3).map(lambda p: Or(tuple(p))),
    ),
    max_leaves=8,
)


def holds(query: Query, row: set[str]) -> bool:
    """The question put to one basket."""
    match query:
        case Holds(name):
            return name in row
        case Not(part):
            return not holds(part, row)
        case And(parts):
            return all(holds(part, row) for part in parts)
        case Or(parts):
            return any(holds(part, row) for part in parts)


def written(query: Query) -> str:
    match query:
        case Holds(name):
            return name
        case Not(part):
            return f"not ({written(part)})"
        case And(parts):
            return " and ".join(f"({written(part)})" for part in parts)
        case Or(parts):
            return " OR ".join(f"({written(part)})" for part in parts)


@given(baskets_of_letters, queries)
def test_the_index_finds_the_rows_that_answer(baskets, query):
    rows = [{LETTERS[i] for i in row} for row in baskets.transactions]
    expected = [r for r, row in enumerate(rows) if holds(query, row)]
    index = Index.of(baskets)
    assert index.find(query).tolist() == expected
    assert index.find(written(query)).tolist() == expected


@given(baskets_of_letters, st.sets(st.integers(0, 4)))
def test_rows_with_an_itemset_are_as_many_as_its_support(baskets, items):
    itemset = tuple(sorted(items))
    assert len(Index.of(baskets).rows_with(itemset)) == baskets.support([itemset])[0]


def test_not_binds_before_and_and_before_or():
    assert parse_query("a or not b and c") == Or((Holds("a"), And((Not(Holds("b")), Holds("c")))))


def test_names_may_be_words_or_stand_in_quotes():
    assert parse_query('whole milk AND "rolls (and buns)"') == And(
        (Holds("whole milk"), Holds("rolls (and buns)"))
    )
    assert parse_query('"not"') == Holds("not")


def test_the_items_of_a_table_are_called_attribute_equals_value():
    schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    table = Table(schema, np.array([[0, 1], [0, 0], [1, 1]]))
    assert Index.of(table).find("sex=f and not ill=no").tolist() == [0]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("", "needs an item where it has its end"),
        ("a and", "needs an item where it has its end"),
        ("a and or b", "needs an item where it has 'or'"),
        ("(a or b", "needs a closing bracket where it has its end"),
        ("a) or b", r"needs an 'and' or 'or' where it has '\)'"),
        ('a and "b', "a double quote that is never closed"),
        ('a "b"', "needs an 'and' or 'or' where it has 'b'"),
    ],
)
def test_a_query_that_cannot_be_read_is_refused_in_a_sentence(query, sentence):
    with pytest.raises(BadInput, match=sentence):
        parse_query(query)


@pytest.mark.parametrize("opening", ["(", "not "])
def test_a_query_that_is_nested_too_deeply_is_refused_in_a_sentence(opening):
    with pytest.raises(BadInput, match="nests more than 100 brackets"):
        parse_query(opening * 2000 + "a")
    assert parse_query("(" * 100 + "a" + ")" * 100) == Holds("a")
    assert parse_query(" and ".join(["(a)"] * 2000)) == And((Holds("a"),) * 2000)


def test_an_unknown_item_names_the_nearest():
    index = Index.of(Baskets.of([["butter", "milk"]] * 10 + [["buter x"]]))
    with pytest.raises(UnknownName, match="no item 'buter'; did you mean 'butter'"):
        index.find("milk and not buter")
