"""Formats that stewards have: workbooks, statistics packages, JSON lines, archives, old texts."""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest

import halfmask as hm
from halfmask.errors import BadInput
from halfmask.io import extras
from halfmask.io.forms import FileOptions
from halfmask.io.given import Given

ROWS = 240


def _people(rows: int = ROWS) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "sex": rng.choice([1, 2], rows),
            "age": rng.integers(20, 80, rows),
            "score": rng.normal(50, 10, rows).round(1),
            "town": rng.choice(["Lodi", "Bra"], rows),
        }
    )


def _workbook(path: Path, *, title: bool = False, total: bool = False, merged: bool = False):
    book = openpyxl.Workbook()
    sheet = book.active
    if title:
        sheet.append(["Visits of 2020"])
        sheet.append([])
        sheet.merge_cells("A1:D1")
    people = _people()
    sheet.append([*people.columns, "seen"])
    for number, row in enumerate(people.itertuples(index=False)):
        seen = dt.datetime(2020, 1, 1) + dt.timedelta(days=number % 90)  # noqa: DTZ001
        sheet.append([*(cell.item() if hasattr(cell, "item") else cell for cell in row), seen])
    if total:
        sheet.append(["Total", int(people["age"].sum())])
    if merged:
        sheet.merge_cells("A5:A6")
    book.save(path)


def _names(held) -> list[str]:
    return [column.name for column in held.content]


def test_a_workbook_with_a_title_and_totals_is_published_as_one(tmp_path):
    path = tmp_path / "visits.xlsx"
    _workbook(path, title=True, total=True)
    held = Given(path).read()
    assert held.size == (ROWS, 5)
    assert {c.name: c.storage for c in held.content}["seen"] == "date32[day]"
    assert any("title" in remark for remark in held.remarks)
    assert any("totals" in remark for remark in held.remarks)
    published = hm.publish(path, seed=1)
    assert any("--totals" in remark for remark in published.remarks)
    release = pd.read_excel(tmp_path / "visits.release.xlsx", engine="openpyxl")
    assert release.shape == (ROWS, 5)
    assert release["age"].dtype.kind == "i"
    assert release["seen"].dtype.kind == "M"


def test_merged_cells_and_several_sheets_are_named(tmp_path):
    path = tmp_path / "visits.xlsx"
    _workbook(path, merged=True)
    with pytest.raises(BadInput, match=r"merged cells \(A5:A6\)"):
        Given(path).read()
    book = openpyxl.Workbook()
    for name in ("one", "two"):
        sheet = book.create_sheet(name)
        sheet.append(["a", "b"])
        sheet.append([1, 2])
    book.save(path)
    with pytest.raises(BadInput, match=r"2 sheets with rows \('one', 'two'\); choose one"):
        Given(path).read()
    assert _names(Given(path).read(FileOptions(sheet="two"))) == ["a", "b"]
    with pytest.raises(BadInput, match=r"no sheet in 'visits\.xlsx' called 'three'"):
        Given(path).read(FileOptions(sheet="three"))


def test_labels_and_missing_codes_of_spss_come_through(tmp_path):
    people = _people()
    people.loc[:29, "age"] = 99
    path = tmp_path / "p.sav"
    pyreadstat.write_sav(
        people,
        path,
        file_label="A study",
        column_labels={"age": "Age in years"},
        variable_value_labels={"sex": {1: "female", 2: "male"}},
        missing_ranges={"age": [{"lo": 98, "hi": 99}]},
    )
    published = hm.publish(path, seed=1)
    release, meta = pyreadstat.read_sav(tmp_path / "p.release.sav", user_missing=True)
    assert meta.file_label == "A study"
    assert meta.column_names_to_labels["age"] == "Age in years"
    assert meta.variable_value_labels["sex"] == {1.0: "female", 2.0: "male"}
    assert meta.missing_ranges["age"] == [{"lo": 98.0, "hi": 99.0}]
    assert set(release["sex"]) == {1.0, 2.0}
    assert 10 <= (release["age"] == 99).sum() <= 60
    assert release["age"][release["age"] < 98].max() < 90
    assert any("'99'" in remark for remark in published.remarks)


def test_letters_for_missing_values_of_stata_come_through(tmp_path):
    people = _people().astype({"age": object})
    people.loc[:29, "age"] = "a"
    path = tmp_path / "p.dta"
    labels = {"sex": {1: "female", 2: "male"}}
    pyreadstat.write_dta(
        people, path, variable_value_labels=labels, missing_user_values={"age": ["a"]}
    )
    hm.publish(path, seed=1)
    release, meta = pyreadstat.read_dta(tmp_path / "p.release.dta", user_missing=True)
    assert meta.variable_value_labels["sex"] == labels["sex"]
    assert 10 <= (release["age"] == "a").sum() <= 60
    assert meta.missing_user_values["age"] == ["a"]


def test_a_transport_file_comes_back_as_one(tmp_path):
    path = tmp_path / "p.xpt"
    pyreadstat.write_xport(_people(), path, column_labels={"age": "Age in years"})
    hm.publish(path, seed=1)
    release, meta = pyreadstat.read_xport(tmp_path / "p.release.xpt")
    assert release.shape == (ROWS, 4)
    assert meta.column_names_to_labels["age"] == "Age in years"


@pytest.mark.parametrize("ending", ["xlsx", "sav", "dta", "sas7bdat", "xpt"])
def test_what_is_no_such_file_is_refused_in_a_sentence(tmp_path, ending):
    path = tmp_path / f"p.{ending}"
    path.write_bytes(b"something else, long enough to look at" * 10)
    with pytest.raises(BadInput, match="is not a whole"):
        Given(path).read()


def test_a_missing_library_is_named_with_its_extra():
    with pytest.raises(BadInput, match=r"pip install 'halfmask\[excel\]'"):
        extras.needs("no_such_library", "excel", "To read this")


def test_json_lines_keep_types_and_missing_keys(tmp_path):
    path = tmp_path / "p.jsonl"
    people = _people()
    people.loc[:40, "town"] = None
    people.to_json(path, orient="records", lines=True)
    hm.publish(path, seed=1)
    release = pd.read_json(tmp_path / "p.release.jsonl", lines=True)
    assert release.shape == (ROWS, 4)
    assert release["age"].dtype.kind == "i"
    assert release["town"].isna().any()
    path.write_text('{"a": 1}\nnot json\n')
    with pytest.raises(BadInput, match="not JSON lines"):
        Given(path).read()


def test_a_zip_archive_holds_one_table(tmp_path):
    path = tmp_path / "people.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("people.csv", _people().to_csv(index=False))
    hm.publish(path, seed=1)
    with zipfile.ZipFile(tmp_path / "people.release.zip") as archive:
        assert archive.namelist() == ["release.csv"]
        assert archive.read("release.csv").count(b"\n") == ROWS + 1
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "x\n1\n")
        archive.writestr("b.csv", "x\n1\n")
    with pytest.raises(BadInput, match="holds 2 files"):
        Given(path).read()


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16-le", "utf-16-be", "utf-16", "utf-8-sig"])
def test_encodings_are_found(tmp_path, encoding):
    path = tmp_path / "t.csv"
    path.write_bytes("name,größe\nJosé,1\nZoë,2\n".encode(encoding))
    held = Given(path).read()
    assert _names(held) == ["name", "größe"]
    assert held.content[0].cells == ["José", "Zoë"]
    assert held.file is not None
    assert held.file.encoding == encoding
    assert bool(held.remarks) == (encoding in ("cp1252", "utf-16-le", "utf-16-be"))


def test_titles_totals_and_twice_used_names_of_a_text_are_settled_and_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Visits 2020\n\ntown,n,n\nRome,1,2\nLodi,3,4\nTotal,4,6\n")
    held = Given(path).read()
    assert _names(held) == ["town", "n", "n.2"]
    assert held.content[1].cells == ["1", "3"]
    assert len(held.remarks) == 3
    kept = Given(path).read(FileOptions(totals=True))
    assert kept.content[0].cells == ["Rome", "Lodi", "Total"]


def test_ragged_lines_are_refused_with_the_option_that_leaves_them_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3\n4,5\n6,7,8\n")
    with pytest.raises(BadInput, match=r"Line 3 .*--skip-ragged"):
        Given(path).read(FileOptions(delimiter=","))
    held = Given(path).read(FileOptions(delimiter=",", skip_ragged=True))
    assert held.content[0].cells == ["1", "4"]
    assert "2 lines" in held.remarks[-1]
