"""OpenDocument spreadsheets, as LibreOffice writes them; python-calamine reads the same files."""

from __future__ import annotations

import datetime as dt
import zipfile

import pandas as pd
import polars as pl
import pytest
from python_calamine import CalamineWorkbook

import halfmask as hm
from halfmask.data import Encoding
from halfmask.errors import BadInput
from halfmask.io import open_documents
from halfmask.io.forms import FileOptions
from halfmask.io.given import Given, columns_of

SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "table", "text")
)
ROW = "<table:table-row>"
HEADER = "".join(
    f'<table:table-cell office:value-type="string"><text:p>{name}</text:p></table:table-cell>'
    for name in ("town", "fee", "born", "ill")
)


def row(town: str, fee: str, born: str, ill: str, *, times: int = 1, more: str = "") -> str:
    return (
        f'<table:table-row table:number-rows-repeated="{times}">'
        f'<table:table-cell office:value-type="string"{more}><text:p>{town}</text:p>'
        "</table:table-cell>"
        f'<table:table-cell office:value-type="currency" office:value="{fee}"><text:p>{fee} €'
        "</text:p></table:table-cell>"
        f'<table:table-cell office:value-type="date" office:date-value="{born}"><text:p>x</text:p>'
        "</table:table-cell>"
        f'<table:table-cell office:value-type="boolean" office:boolean-value="{ill}"><text:p>Y'
        "</text:p></table:table-cell>"
        '<table:table-cell table:number-columns-repeated="16380"/></table:table-row>'
    )


def sheet(rows: str, name: str = "Sheet1") -> str:
    end = (
        '<table:table-row table:number-rows-repeated="1048000">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    )
    return (
        f'<table:table table:name="{name}"><table:table-row>{HEADER}</table:table-row>{rows}{end}'
        "</table:table>"
    )


def document(path, *sheets: str, before: str = "") -> None:
    body = f"<office:body><office:spreadsheet>{''.join(sheets)}</office:spreadsheet></office:body>"
    content = f"<office:document-content {SPACES}>{body}</office:document-content>"
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", manifest)
        archive.writestr("content.xml", f'<?xml version="1.0"?>{before}{content}')


def cells(path, **options) -> dict[str, list[str | None]]:
    return {c.name: c.cells for c in Given(path).read(FileOptions(**options)).content}


def test_values_are_what_is_kept_and_not_what_is_shown(tmp_path):
    path = tmp_path / "a.ods"
    comment = (
        "Lo<text:s text:c='2'/>di<office:annotation><text:p>who said so?</text:p>"
        "</office:annotation>"
    )
    document(
        path,
        sheet(
            row(comment, "12.5", "1980-02-03", "true")
            + row("Bra &amp; co", "3", "1990-01-01", "false", times=2)
        ),
        sheet("", name="Empty").replace(HEADER, ""),
    )
    assert cells(path) == {
        "town": ["Lo  di", "Bra & co", "Bra & co"],
        "fee": ["12.5", "3", "3"],
        "born": ["1980-02-03", "1990-01-01", "1990-01-01"],
        "ill": ["true", "false", "false"],
    }
    other = CalamineWorkbook.from_path(path).get_sheet_by_name("Sheet1").to_python()
    assert [line[1] for line in other[1:]] == [12.5, 3, 3]
    assert [line[2] for line in other[1:]] == [dt.date(1980, 2, 3), *[dt.date(1990, 1, 1)] * 2]


def test_sheets_are_chosen_and_merged_cells_refused(tmp_path):
    path = tmp_path / "two.ods"
    filled = row("Lodi", "1", "2000-01-01", "true", times=3)
    document(path, sheet(filled, name="one"), sheet(filled, name="two"))
    with pytest.raises(BadInput, match=r"2 sheets with rows \('one', 'two'\); choose one"):
        cells(path)
    assert len(cells(path, sheet="two")["town"]) == 3
    with pytest.raises(BadInput, match="did you mean 'two'"):
        cells(path, sheet="tow")
    spanned = row("x", "1", "2000-01-01", "true", more=' table:number-rows-spanned="2"')
    document(path, sheet(filled + spanned))
    with pytest.raises(BadInput, match=r"The sheet 'Sheet1' of 'two\.ods' has merged cells"):
        cells(path)


def test_a_title_over_merged_cells_is_no_row(tmp_path):
    title = (
        '<table:table-row><table:table-cell office:value-type="string" '
        'table:number-columns-spanned="4"><text:p>Visits</text:p></table:table-cell>'
        '<table:covered-table-cell table:number-columns-repeated="3"/></table:table-row>'
    )
    filled = row("Lodi", "1", "2000-01-01", "true", times=3)
    document(
        tmp_path / "t.ods",
        sheet(filled).replace("<table:table-row>", f"{title}<table:table-row>", 1),
    )
    held = Given(tmp_path / "t.ods").read()
    assert [column.name for column in held.content] == ["town", "fee", "born", "ill"]
    assert any("title" in remark for remark in held.remarks)


def written(text: str) -> str:
    """A text as it stands in a paragraph."""
    found = text.replace("&", "&amp;").replace("<", "&lt;").replace("\n", "</text:p><text:p>")
    return found.replace("  ", " <text:s/>").removeprefix(" ")


def test_a_release_goes_out_as_it_came_in(tmp_path):
    path = tmp_path / "visits.ods"
    towns = ["Lodi", "=1+1", " two  spaces ", "a\nb", "<i>&"]
    rows = "".join(
        row(
            written(towns[i % 5]),
            f"{i % 40}.5",
            f"20{i % 20:02d}-01-01",
            "true" if i % 3 else "false",
        )
        for i in range(300)
    )
    document(path, sheet(rows))
    hm.publish(path, seed=1)
    place = tmp_path / "visits.release.ods"
    with zipfile.ZipFile(place) as archive:
        assert archive.infolist()[0].filename == "mimetype"
        assert archive.infolist()[0].compress_type == zipfile.ZIP_STORED
    ours = {column.name: column.cells for column in columns_of(place)}
    theirs = pd.read_excel(place, engine="calamine")
    assert theirs.shape == (300, 4)
    assert theirs["fee"].dtype.kind == "f"
    assert (
        theirs["born"].map(type).unique().tolist() == [dt.date] or theirs["born"].dtype.kind == "M"
    )
    assert [f"{fee:g}" for fee in theirs["fee"]] == [f"{float(fee):g}" for fee in ours["fee"]]
    assert set(ours["town"]) <= set(cells(path)["town"])
    assert {"=1+1", "a\nb", "<i>&"} <= set(ours["town"])


def test_texts_with_spaces_at_their_ends_come_back(tmp_path):
    texts = [" a", "b ", "c  d", "e\tf", "g\n\nh"] * 10
    frame = pl.DataFrame({"text": texts, "number": list(range(5)) * 10})
    hm.publish(
        frame, output=tmp_path / "r.ods", min_support=3, holdout=0, seed=1, no_trade_off=True
    )
    found = {column.name: column.cells for column in columns_of(tmp_path / "r.ods")}
    assert set(found["text"]) <= set(texts)
    assert len(set(found["text"])) > 3


@pytest.mark.parametrize("damage", ["no zip", "no content", "half", "a count"])
def test_what_is_damaged_is_refused(tmp_path, damage):
    path = tmp_path / "bad.ods"
    document(path, sheet(row("Lodi", "1", "2000-01-01", "true", times=3)))
    if damage == "no zip":
        path.write_bytes(path.read_bytes()[:-40])
    elif damage == "no content":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("mimetype", "x")
    elif damage == "half":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("content.xml", "<office:document-content")
    else:
        document(path, sheet(row("Lodi", "1", "2000-01-01", "true")).replace("16380", "many"))
    with pytest.raises(BadInput, match=r"'bad\.ods' is not a whole OpenDocument spreadsheet"):
        cells(path)


def test_entities_and_cells_without_end_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "bomb.ods"
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
    document(path, sheet(row("&b;", "1", "2000-01-01", "true")), before=bomb)
    with pytest.raises(BadInput, match="declares XML entities"):
        cells(path)
    monkeypatch.setattr(open_documents, "MOST_CELLS", 1_000)
    document(path, sheet(row("Lodi", "1", "2000-01-01", "true", times=1_000_000)))
    with pytest.raises(BadInput, match="unfolds to more than 1,000 cells"):
        cells(path)


def test_a_control_character_cannot_be_written(tmp_path):
    columns = columns_of(pl.DataFrame({"a": ["x\x0b", "y"] * 20}))
    with (
        (tmp_path / "c.ods").open("wb") as file,
        pytest.raises(BadInput, match="control character"),
    ):
        open_documents.write_open_document(file, [Encoding.fit(columns).encode(columns)])
