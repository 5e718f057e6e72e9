"""A margin tells of cells that many rows hold, and of the others only how many rows there are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import tables

from halfmask.data import Attribute, Margin, Margins, Schema, Table
from halfmask.errors import BadInput

SCHEMA = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes", None))))


@given(tables(), st.integers(1, 6), st.sampled_from([1, 3, 5, 10]), st.data())
def test_nothing_below_the_floor_is_told(table, floor, base, data):
    names = data.draw(st.lists(st.sampled_from(table.schema.names), min_size=1, unique=True))
    counts = table.marginal(names)
    margin = Margin.of(table, table.schema, names, min_support=floor, base=base)
    for cell, count in zip(margin.cells.tolist(), margin.counts.tolist(), strict=True):
        assert counts[tuple(cell)] >= floor
        assert count % base == 0
        assert abs(count - counts[tuple(cell)]) < base
    rest = counts.sum() - sum(counts[tuple(cell)] for cell in margin.cells.tolist())
    assert abs(margin.remainder - rest) < base
    assert rest == 0 or rest >= floor or not len(margin.cells)


def test_a_remainder_of_a_few_rows_takes_the_smallest_cell_in():
    codes = [[0, 0]] * 9 + [[1, 0]] * 7 + [[1, 1]] * 6 + [[0, 1]] * 2
    margin = Margin.of(Table(SCHEMA, np.array(codes)), SCHEMA, ("sex", "ill"), min_support=5)
    assert margin.cells.tolist() == [[0, 0], [1, 0]]
    assert margin.remainder == 8


def test_every_count_is_written_on_a_line_of_its_own():
    codes = np.array([[0, 0]] * 9 + [[1, 2]] * 7)
    margin = Margin.of(Table(SCHEMA, codes), SCHEMA, ("sex", "ill"), min_support=5)
    lines = list(Margins((margin,), 5).to_rows(SCHEMA))
    assert [line["count"] for line in lines] == [9, 7, 0]
    assert lines[1]["cell"] == "sex=m, ill=(missing)"
    assert lines[2] == {"table": "sex × ill", "cell": None, "count": 0}


@pytest.mark.parametrize(
    ("margin", "sentence"),
    [
        (lambda: Margin((), np.empty((0, 0)), np.empty(0), 3), "names each"),
        (lambda: Margin(("a", "a"), np.empty((0, 2)), np.empty(0), 3), "names each"),
        (lambda: Margin(("a",), np.array([[0]]), np.array([0]), 3), "count above 0"),
        (lambda: Margin(("a",), np.array([[0]]), np.array([5]), -1), "count above 0"),
        (lambda: Margin(("a",), np.array([[0], [0]]), np.array([5, 5]), 0), "twice"),
        (
            lambda: Margins((Margin(("a",), np.array([[0]]), np.array([4]), 0),), 5),
            "fewer rows than the minimum support",
        ),
    ],
)
def test_a_margin_that_cannot_be_is_refused(margin, sentence):
    with pytest.raises(BadInput, match=sentence):
        margin()
