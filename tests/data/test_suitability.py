"""A column that is no category is refused with its name, the reason and the way out."""

from __future__ import annotations

import pytest

from halfmask.data import Column
from halfmask.data.suitability import find_unsuited, refuse_unsuited
from halfmask.errors import BadInput, UnknownName
from halfmask.io import read


def many(n, rows, storage="string", text="{}"):
    return Column.of("x", [text.format(i % n) for i in range(rows)], storage)


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (Column.of("x", [None, None]), r"'x' is not a category: every cell is missing; leave it"),
        (many(100, 100), r"nearly every row has a value of its own \(100 values in 100 rows\)"),
        (many(25, 25, "int64"), r"nearly every row has a value of its own"),
        (many(257, 1000, "int64"), r"it holds 257 different numbers"),
        (many(300, 900, "date32[day]"), r"it holds 300 different points in time"),
        (many(101, 900, text="x" * 40 + "{}"), r"free text \(101 texts of 4\d characters"),
    ],
)
def test_unsuited_columns_are_refused_with_reason_and_advice(column, sentence):
    with pytest.raises(BadInput, match=sentence) as caught:
        refuse_unsuited([column])
    assert "--drop x" in str(caught.value)


@pytest.mark.parametrize(
    "column",
    [
        many(20, 20),
        many(256, 1000, "int64"),
        many(700, 1000),
        many(100, 900, text="x" * 40 + "{}"),
        Column.of("x", ["a", None]),
        Column.of("x", ["a"] * 30 + [str(i) for i in range(30)]),
    ],
)
def test_categories_pass(column):
    refuse_unsuited([column])


def test_the_steward_may_insist_except_on_nothing():
    refuse_unsuited([many(100, 100)], categorical=["x"])
    with pytest.raises(BadInput, match="every cell is missing") as caught:
        refuse_unsuited([Column.of("x", [None])], categorical=["x"])
    assert "insist" not in str(caught.value)
    with pytest.raises(UnknownName, match="no column 'y'; there is 'x'"):
        refuse_unsuited([many(2, 9)], categorical=["y"])


def test_several_unsuited_columns_are_named_in_one_sentence():
    with pytest.raises(BadInput, match=r"2 columns are not categories .*--drop x --drop y"):
        refuse_unsuited([many(100, 100), Column.of("y", [None]), Column.of("z", ["a"])])


def test_a_real_table_is_judged_as_a_person_would(data_folder):
    titanic = read(data_folder / "titanic.csv.gz").columns
    assert [u.name for u in find_unsuited(titanic)] == ["name", "fare", "body"]
    adult = read(data_folder / "adult-raw.csv.gz").columns
    assert [u.name for u in find_unsuited(adult)] == ["fnlwgt"]
    nursery = read(data_folder / "nursery.csv.gz").columns
    assert find_unsuited(nursery) == []
