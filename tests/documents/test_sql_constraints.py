"""SQL constraints: three-valued, within one row, and fenced off from files and functions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfmask.assets.constraints import FALSE, TRUE, UNKNOWN, Joined, RangeTest, ValueTest, truth
from halfmask.assets.values import Values
from halfmask.data import Column
from halfmask.documents import sql_constraints
from halfmask.documents.sql_constraints import compile_sql
from halfmask.errors import BadInput

KINDS = {
    "age": "int", "drug": "str", "dose": "float", "day": "date", "ok": "bool", "Blood group": "str",
    "basket": "set",
}  # fmt: skip


def columns(**cells):
    return {name: Values.of(Column.of(name, listed), KINDS[name]) for name, listed in cells.items()}


def test_only_what_is_false_is_a_violation():
    expression = compile_sql("drug <> 'insulin' OR dose <= 100", KINDS)
    rows = columns(
        drug=["insulin", "insulin", "quinine", "insulin", None, None],
        dose=["40", "600", "600", None, "600", "40"],
    )
    assert expression.attributes == ("drug", "dose")
    assert expression(rows).tolist() == [TRUE, FALSE, TRUE, UNKNOWN, UNKNOWN, TRUE]


@pytest.mark.parametrize(
    ("text", "cells", "expected"),
    [
        ("age >= 14 -- of age", {"age": ["14", "13", None]}, [TRUE, FALSE, UNKNOWN]),
        ("\"Blood group\" LIKE 'A%'", {"Blood group": ["AB", "0", None]}, [TRUE, FALSE, UNKNOWN]),
        ("age IS NOT NULL", {"age": ["1", None]}, [TRUE, FALSE]),
        ("CASE WHEN ok THEN age > 17 ELSE TRUE END", {"ok": ["true", "false"], "age": ["3", "3"]},
         [FALSE, TRUE]),
        ("day < DATE '2020-02-01'", {"day": ["2020-01-31", "2020-02-01"]}, [TRUE, FALSE]),
        ("regexp_full_match(drug, '[a-z]+')", {"drug": ["tea", "t3a"]}, [TRUE, FALSE]),
        ("list_contains(basket, 'tea')", {"basket": ["tea milk", "milk"]}, [TRUE, FALSE]),
    ],
)  # fmt: skip
def test_what_a_database_administrator_writes_works(text, cells, expected):
    assert compile_sql(text, KINDS)(columns(**cells)).tolist() == expected


labels = st.lists(st.sampled_from(["1", "2", "3", None]), min_size=6, max_size=6)


@settings(max_examples=15)
@given(labels, labels)
def test_sql_and_the_closed_grammar_agree(ages, doses):
    rows = columns(age=ages, dose=doses)
    old, much = ValueTest("age", ">", 1), RangeTest("dose", 2, 3)
    same = {
        "age > 1 AND dose BETWEEN 2 AND 3": Joined("and", (old, much)),
        "age > 1 OR dose BETWEEN 2 AND 3": Joined("or", (old, much)),
        "NOT age > 1 OR dose BETWEEN 2 AND 3": Joined("implies", (old, much)),
        "(age > 1) = (dose BETWEEN 2 AND 3)": Joined("iff", (old, much)),
        "(age > 1) <> (dose BETWEEN 2 AND 3)": Joined("xor", (old, much)),
    }
    for text, expression in same.items():
        np.testing.assert_array_equal(compile_sql(text, KINDS)(rows), truth(expression, rows))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("EXISTS (SELECT 1 FROM read_csv('/etc/passwd'))", "a subquery is not allowed"),
        ("drug IN (SELECT content FROM read_text('/etc/passwd'))", "a subquery is not allowed"),
        ("drug = (SELECT 'x')", "a subquery is not allowed"),
        ("age > 1) FROM read_csv('/etc/passwd') WHERE (TRUE", "cannot be parsed"),
        ("age > 1) UNION SELECT (TRUE", "one expression"),
        ("age > 1), (age > 2", "one expression"),
        ("age > 1; SELECT 2", "cannot be parsed"),
        ("drug = getenv('HOME')", "may not call 'getenv'"),
        ("drug = read_text('/etc/passwd')", "may not call 'read_text'"),
        ("drug = current_setting('temp_directory')", "may not call 'current_setting'"),
        ("main.length(drug) > 1", "may not call 'length'"),
        ("lenght(drug) > 1", "did you mean 'length'?"),
        ("row_number() OVER () > 1", "window is not allowed"),
        ("count(*) > 1", "may not call"),
        ("random() > age", "may not call 'random'"),
        ("age > ?", "parameter is not allowed"),
        ('drug = "insulin"', "text is written in single quotes"),
        ("dosis > 1", "did you mean 'dose'?"),
        ("age", "true or false in each row; this one is a value"),
        ("1 = 1", "reads no attribute"),
        ("drug > 5", "cannot be used"),
        ("age >", "cannot be parsed"),
        ("  ", "is empty"),
    ],
)
def test_whatever_reaches_beyond_a_row_is_refused(text, says):
    with pytest.raises(BadInput) as caught:
        compile_sql(text, KINDS)
    assert says in str(caught.value)


def test_a_value_that_breaks_the_expression_is_not_quoted():
    expression = compile_sql("CAST(drug AS INTEGER) > 1", KINDS)
    with pytest.raises(BadInput, match="TRY_CAST") as caught:
        expression(columns(drug=["secret-word"]))
    assert "secret-word" not in str(caught.value)
    lenient = compile_sql("TRY_CAST(drug AS INTEGER) > 1", KINDS)
    assert lenient(columns(drug=["secret-word", "2"])).tolist() == [UNKNOWN, TRUE]


def test_without_duckdb_the_sentence_says_what_to_do(monkeypatch):
    sql_constraints._database.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(BadInput, match=r"pip install 'halfmask\[sql\]'"):
        compile_sql("age > 1", KINDS)
