"""What comes out is what came in, also where a method publishes ranges and numbers of groups."""

from __future__ import annotations

from datetime import date

import duckdb
import polars as pl
import pytest

import halfmask as hm

FRAME = pl.DataFrame(
    {
        "ill": ["no", "yes", "maybe", "so"] * 50,
        "age": [20 + n % 50 for n in range(200)],
        "ward": ["a", "b"] * 100,
        "came": [date(2020, 1, 1 + n % 28) for n in range(200)],
        "sure": [True, False] * 100,
    }
)
KINDS = {
    "polars": (lambda frame: frame, lambda data: data),
    "polars lazy": (lambda frame: frame.lazy(), lambda data: data.collect()),
    "pandas": (lambda frame: frame.to_pandas(), pl.from_pandas),
    "pyarrow": (lambda frame: frame.to_arrow(), pl.from_arrow),
    "duckdb": (lambda frame: duckdb.from_arrow(frame.to_arrow()), lambda data: data.pl()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_ranges_are_words_and_groups_are_numbers_in_every_kind_of_frame(kind):
    give, take = KINDS[kind]
    given = give(FRAME)
    data = hm.publish(given, method="table-anatomy", l=2, sensitive="ill", seed=1).data
    assert type(data) is type(given)
    rows = take(data)
    assert rows.columns == ["age", "ward", "came", "sure", "group"]
    assert len(rows) == len(FRAME)
    assert rows["group"].dtype.is_integer()
    assert {age.split(" to ")[0].isdigit() for age in rows["age"]} == {True}
    assert rows["sure"].to_list().count(True) == 100
    assert sorted(rows["ward"]) == sorted(FRAME["ward"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_without_ranges_keeps_its_types(kind):
    give, take = KINDS[kind]
    rows = take(hm.publish(give(FRAME), method="coherence", k=2, seed=1).data)
    assert rows.columns == FRAME.columns
    assert [rows[name].dtype.is_numeric() for name in rows.columns] == [
        False, True, False, False, False,
    ]  # fmt: skip
    assert rows["came"].dtype.is_temporal()
