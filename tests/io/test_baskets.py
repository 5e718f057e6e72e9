"""Baskets from every shape they come in, and back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Assortment, Baskets, Transactions
from halfmask.errors import BadInput
from halfmask.io.baskets import from_baskets, to_baskets

ROWS = [["milk", "bread"], [], ["milk"]]


def sets(baskets):
    return [{baskets.schema.label(i) for i in row} for row in baskets.transactions]


LISTS = pl.DataFrame({"bought": ROWS})
LONG = pl.DataFrame({"till": [7, 7, 5], "product": ["milk", "bread", "milk"]})


def test_lists_in_a_column_with_empty_and_missing_ones():
    frame = pl.DataFrame({"till": [1, 2, 3, 4], "bought": [*ROWS, None]})
    assert sets(to_baskets(frame)) == [{"milk", "bread"}, set(), {"milk"}, set()]


def test_lists_in_several_chunks():
    chunks = pa.chunked_array([pa.array([["a"], None]), pa.array([["b", "a"]])])
    assert sets(to_baskets(pa.table({"x": chunks}))) == [{"a"}, set(), {"a", "b"}]


def test_a_slice_of_lists_is_read_as_the_slice_it_is():
    table = pa.table({"x": pa.array([["z"], ["a", "b"], ["c"]])}).slice(1, 1)
    baskets = to_baskets(table)
    assert sets(baskets) == [{"a", "b"}]


@given(st.lists(st.lists(st.sampled_from(["a", "b", "10", "9"]), max_size=5), min_size=1))
def test_lists_are_read_as_sets(rows):
    baskets = to_baskets(rows)
    assert sets(baskets) == [set(row) for row in rows]
    assert [set(row) for row in from_baskets(baskets)] == [set(row) for row in rows]
    assert list(baskets.schema.names) == sorted({name for row in rows for name in row})


def test_items_that_are_numbers_are_their_own_names_in_order_of_size():
    assert to_baskets([[10, 9], [100]]).schema.names == ("9", "10", "100")


def test_baskets_go_back_into_the_kind_of_frame_they_came_from():
    back = from_baskets(to_baskets(LISTS), like=LISTS)
    assert back.schema == LISTS.schema
    assert [set(row) for row in back["bought"]] == [set(row) for row in ROWS]
    frame = pd.DataFrame({"bought": ROWS})
    back = from_baskets(to_baskets(frame), like=frame)
    assert list(back.columns) == ["bought"]
    assert [set(row) for row in back["bought"]] == [set(row) for row in ROWS]
    table = pa.table({"bought": ROWS})
    assert from_baskets(to_baskets(table), like=table).schema == table.schema


def test_item_numbers_stay_numbers():
    frame = pl.DataFrame({"bought": [[10, 9], [9]]})
    back = from_baskets(to_baskets(frame), like=frame)
    assert back.to_dict(as_series=False) == {"bought": [[9, 10], [9]]}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("milk", "A text is not a list of baskets"),
        ([], "There are no baskets"),
        (["milk"], "Basket 1 is not a list of items"),
        ([["a"], 3], "Basket 2 is not a list of items"),
        ([["a", None]], "Basket 1 holds a missing item"),
        ([["a"], [float("nan")]], "Basket 2 holds a missing item"),
        (LONG, "no column of lists"),
        (pl.DataFrame({"a": [["x", None]]}), "A basket holds a missing item"),
        (pl.DataFrame({"a": [[], []]}, schema={"a": pl.List(pl.String)}), "All baskets are"),
        (pl.DataFrame({"a": [[[1]]]}), "The lists hold .*, not item names"),
    ],
)
def test_what_holds_no_baskets_is_refused(data, sentence):
    with pytest.raises(BadInput, match=sentence):
        to_baskets(data)


def test_baskets_with_weights_are_not_written():
    rows = Transactions(np.array([0, 1]), np.array([0], np.int32), np.array([2]), 1)
    with pytest.raises(BadInput, match="Baskets with weights"):
        from_baskets(Baskets(Assortment(("a",)), rows))
