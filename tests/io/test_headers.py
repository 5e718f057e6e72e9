"""What stands in the first line: names, an index without one, or a row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import halfmask as hm
from halfmask.errors import BadInput
from halfmask.io.given import Given


def _read(folder, content: str):
    path = folder / "t.csv"
    path.write_text(content)
    return Given(path).read()


def test_the_index_that_pandas_writes_is_left_out_and_said(tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}).to_csv(path)
    held = Given(path).read()
    assert [column.name for column in held.content] == ["a", "b"]
    assert held.content[1].cells == ["x", "y"]
    assert "taken for an index" in held.remarks[0]


@pytest.mark.parametrize("first", [",pay", ",0"])
def test_an_index_beside_one_column_is_no_title(tmp_path, first):
    held = _read(tmp_path, f"{first}\n0,1.5\n1,2.5\n2,4.0\n")
    assert [column.name for column in held.content] == [first[1:]]
    assert held.content[0].cells == ["1.5", "2.5", "4.0"]
    assert "taken for an index" in held.remarks[0]


def test_a_header_that_is_one_cell_short_names_no_row_names(tmp_path):
    held = _read(tmp_path, "a,b\nr1,1,2\nr2,3,4\nr3,5,6\n")
    assert [column.name for column in held.content] == ["a", "b"]
    assert held.content[0].cells == ["1", "3", "5"]


@pytest.mark.parametrize(
    "first", ["country,1990,1991,1992", ",1,2,3", "name,2001,x,y"], ids=["years", "index", "word"]
)
def test_what_stands_below_tells_that_the_first_line_is_a_header(tmp_path, first):
    held = _read(tmp_path, f"{first}\nItaly,1.5,2,3\nSpain,4,5,6\n")
    assert held.content[-1].cells == ["3", "6"]


def test_a_line_of_numbers_over_numbers_is_asked_about(tmp_path):
    with pytest.raises(BadInput, match="--no-header"):
        _read(tmp_path, "5,7\n1,2\n3,4\n")


def test_a_column_without_a_name_gets_one(tmp_path):
    held = _read(tmp_path, "a,b,\n1,x,\n2,y,\n")
    assert [column.name for column in held.content] == ["a", "b", "column3"]
    assert held.remarks == ("Column 3 has no name; it is called 'column3'.",)


def test_publishing_says_that_the_index_was_left_out(tmp_path):
    rng = np.random.default_rng(1)
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"a": rng.choice(["x", "y"], 300), "b": rng.choice(["p", "q"], 300)})
    frame.to_csv(path)
    published = hm.publish(path, seed=1)
    assert any("index of the rows" in remark for remark in published.remarks)
    assert pd.read_csv(tmp_path / "t.release.csv").columns.tolist() == ["a", "b"]


def test_decimal_commas_beneath_a_title_do_not_delimit(tmp_path):
    """As a German office writes it: every row has as many commas as semicolons."""
    rows = [f"Nord;{n}.250,{n}0;{n},5%;2,0" for n in range(1, 9)] * 5
    held = _read(tmp_path, "\n".join(["Quartal 2024;;;", "Region;Umsatz;Anteil;Note", *rows, ""]))
    assert [column.name for column in held.content] == ["Region", "Umsatz", "Anteil", "Note"]
    assert len(held.content[0].cells) == 40
    assert held.content[1].cells[0] == "1.250,10"
