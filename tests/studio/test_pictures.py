"""Histograms show all rows and no group that is too small."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Column, Encoding
from halfmask.data.coding.bins import Part
from halfmask.data.coding.kinds import plan_each
from halfmask.data.coding.spec import TableSpec
from halfmask.studio.making import _two_way
from halfmask.studio.pictures import _cells, histogram


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 99)), min_size=1, max_size=9))
def test_every_row_is_in_one_cell(drawn):
    parts, start = [], 0
    for width, rows in drawn:
        parts.append(Part(start, start + width - 1, rows))
        start += width
    _, heights, _ = _cells(parts)
    assert np.isclose(heights.sum(), sum(part.rows for part in parts))


def test_a_value_that_many_share_is_marked():
    _, _, spikes = _cells([Part(0, 0, 900), Part(1, 100, 100)])
    assert spikes.sum() == 1


def test_a_picture_tells_of_no_value_that_few_hold():
    towns = ["Rome"] * 50 + ["Lodi"] * 40 + ["Atlantis"] * 3
    column = Column.of("town", towns)
    plans = plan_each([column], TableSpec(), floor=10)
    encoding = Encoding.fit([column], min_support=10, plans=plans)
    table = encoding.encode([column])
    picture = histogram(encoding.schema["town"], table.marginal(["town"]), len(table))
    assert "Rome" in picture
    assert "Atlantis" not in picture


def test_two_columns_together_tell_of_no_few():
    before = np.array([[50.0, 3.0], [20.0, 27.0]])
    after = np.array([[40.0, 13.0], [30.0, 17.0]])
    found = _two_way(before, after, 10, [("f", "m"), ("yes", None)])
    assert found["labels"] == [["f", "m"], ["yes", "(missing)"]]
    assert found["cells"] == [[[50, 40], None], [[20, 30], [27, 17]]]
    assert found["distance"] == 0.2
