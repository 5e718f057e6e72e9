"""Amounts are written as they were: currency, unit, thousands, decimals."""

from __future__ import annotations

import numpy as np
import pytest

from halfmask.data import Column
from halfmask.data.coding.scale import find_scale, split_codes


@pytest.mark.parametrize(
    "texts",
    [
        ["$1,250.00", "$980.50", "$12,000.25"],
        ["1,250 kg", "980 kg"],
        ["12%", "9%"],
        ["EUR 5", "EUR 17"],
        ["1'250", "980"],
        ["2.0", "2.25", "3.5"],
        ["-1,250.5 m²", "0.5 m²"],
        ["1.250,90 €", "-980,00 €"],
        ["12,5%", "0,5%"],
        ["2.980,96", "741,98"],
        ["-$77.37", "$6.18"],
        ["$-5.00", "$4.25"],
        [" 52 ", " 7 "],
        ["(7.43)", "12.10"],
        ["($1,250.00)", "$980.50"],
        ["(1.250,90 €)", "980,00 €"],
        ["+2.9", "-0.4", "0.0"],
        ["+3%", "-12%", "0%"],
        ["+1,250 kg", "-980 kg"],
    ],
)
def test_numbers_come_back_as_they_were_written(texts):
    storage = "double" if texts[0] == "2.0" else "string"
    scale = find_scale(Column.of("x", texts * 9, storage), floor=5)
    assert scale is not None
    assert scale.texts(scale.ticks(texts)) == texts


@pytest.mark.parametrize(
    "texts",
    [
        ["12 kg", "9 apples"],
        ["V58", "V59"],
        ["12,50,1", "3"],
        ["-$5", "$-4"],
        ["- 5", "3"],
        ["(5)", "-3"],
    ],
)
def test_what_is_written_in_several_ways_is_no_amount(texts):
    assert find_scale(Column.of("x", texts * 9), floor=5) is None


def test_few_decimals_do_not_decide():
    column = Column.of("x", ["2.0"] * 20 + ["2.25"] * 20 + ["3"] * 4, "double")
    scale = find_scale(column, floor=5)
    assert scale is not None
    assert scale.least == 1
    assert scale.texts(np.array([300])) == ["3.0"]


def test_few_signs_before_numbers_are_slips():
    cells = ["2.5", "3.5", "-1.5"] * 20
    scale = find_scale(Column.of("x", [*cells, *["+9.5"] * 4]), floor=5)
    assert scale is not None
    assert scale.texts(np.array([25, -15])) == ["2.5", "-1.5"]


@pytest.mark.parametrize(
    "word", ["n.a.", "<NA>", "#NULL!", "#DIV/0!", "#VALUE!", "N/A", "not available", "-"]
)
def test_words_for_no_number_leave_a_column_of_numbers(word):
    values, codes = split_codes(Column.of("x", ["1.5", word, "2"]))
    assert (values, codes) == (["1.5", "2"], [word])
    assert find_scale(Column.of("x", ["1.5", "2.5", word] * 9), floor=5).decimals == 1
