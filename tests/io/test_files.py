"""Files are read as they are and written as they were."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Attribute, Baskets, Encoding, Schema, Table
from halfmask.errors import BadInput
from halfmask.io.columns import infer_storage
from halfmask.io.csv_tables import read_csv, write_csv
from halfmask.io.files import RELEASE_KEY, save, write
from halfmask.io.forms import FileForm, FileOptions, form_for
from halfmask.io.given import Given
from halfmask.io.sources import Source

FIND_OUT = FileOptions()


def cells(column):
    return [column.labels[i] for i in column.index]


def encoded(file):
    return Encoding.fit(file.content).encode(file.content)


def columns_in(content, options=FIND_OUT):
    return read_csv(Source("'x.csv'", content), FileForm("csv"), options)[:2]


@pytest.mark.parametrize(
    ("words", "storage"),
    [
        (["1", "0", "-7"], "int64"),
        (["007", "12"], "string"),
        (["1", "2.50"], "double"),
        (["1e5", ".5", "+3"], "double"),
        (["1e999"], "string"),
        (["9223372036854775808"], "string"),
        (["true", "FALSE"], "bool"),
        (["2026-02-28"], "date32[day]"),
        (["2026-02-30"], "string"),
        (["2026-02-28T10:00", "2026-02-28 10:00:01.5"], "timestamp[us]"),
        (["nan"], "string"),
        (["1 "], "string"),
        (["1\n"], "string"),
        ([], "null"),
    ],
)
def test_types_are_inferred_only_where_the_text_survives(words, storage):
    assert infer_storage(words) == storage


def test_csv_cells_missing_and_empty_text_are_told_apart():
    [a, b], form = columns_in(b'a,b\n1,x\n,""\n1,\n2,"q""\nz, w"\n')
    assert cells(a) == ["1", None, "1", "2"]
    assert cells(b) == ["x", "", None, 'q"\nz, w']
    assert (a.storage, b.storage) == ("int64", "string")
    assert form == FileForm("csv")


def test_two_spellings_of_one_number_are_one_value_spelled_as_most_rows_do():
    [a], _ = columns_in(b"a\n1.50\n1.5\n2\n1.50\n")
    assert cells(a) == ["1.50", "1.50", "2", "1.50"]


def test_in_one_column_an_empty_line_is_a_missing_cell():
    [a], _ = columns_in(b"a\nx\n\ny\n")
    assert cells(a) == ["x", None, "y"]


def test_in_several_columns_an_empty_line_is_no_row():
    [a, _], _ = columns_in(b"\na,b\nx,1\n\ny,2\n\n")
    assert cells(a) == ["x", "y"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter):
    content = delimiter.join(["name", "height", "note"]) + "\n"
    content += delimiter.join(["ann", '"1,7;0|\t"', "x"]) + "\n"
    columns, form = columns_in(content.encode())
    assert form.delimiter == delimiter
    assert cells(columns[1]) == ["1,7;0|\t"]


def test_a_file_without_header_is_read_and_written_without():
    columns, form = columns_in(b"1,x\n2,y\n", FileOptions(header=False))
    assert [c.name for c in columns] == ["column1", "column2"]
    out = io.BytesIO()
    write_csv(out, [Encoding.fit(columns).encode(columns)], form)
    assert out.getvalue() == b"1,x\n2,y\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_marked_encodings_and_line_ends_come_back(encoding, newline, tmp_path):
    content = newline.join(["città,age", "Forlì,1", '"Zoë, 😀",2', ""]).encode(encoding)
    (tmp_path / "a.csv").write_bytes(content)
    file = Given(tmp_path / "a.csv").read()
    assert cells(file.content[0]) == ["Forlì", "Zoë, 😀"]
    save(encoded(file), tmp_path / "b.csv", form=form_for("b.csv", like=file.file))
    assert (tmp_path / "b.csv").read_bytes() == content


def test_latin_1_is_read_when_it_is_said(tmp_path):
    (tmp_path / "a.csv").write_bytes("name\nZoë\n".encode("latin-1"))
    file = Given(tmp_path / "a.csv").read(FileOptions(encoding="ISO-8859-1"))
    assert cells(file.content[0]) == ["Zoë"]
    assert file.file.encoding == "latin-1"


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


@given(
    st.lists(st.tuples(st.none() | TEXT, st.none() | TEXT), min_size=1, max_size=8),
    st.sampled_from([FileForm("csv"), FileForm("csv", ";", "utf-16", newline="\r\n")]),
)
def test_any_text_survives_a_csv_file(rows, form):
    values = tuple(dict.fromkeys(cell for row in rows for cell in row))
    schema = Schema((Attribute("a", values), Attribute("b", values)))
    table = Table(schema, np.array([[values.index(x), values.index(y)] for x, y in rows]))
    out = io.BytesIO()
    write_csv(out, [table], form)
    options = FileOptions(delimiter=form.delimiter)
    columns, *_ = read_csv(Source("'x.csv'", out.getvalue()), FileForm("csv"), options)
    back = list(zip(*[cells(c) for c in columns], strict=True))
    numbers = {float(v): v for v in reversed(values) if v and _is_float(v)}
    plain = [tuple(_same(c, numbers) for c in row) for row in rows]
    assert [tuple(_same(c, numbers) for c in row) for row in back] == plain


def _is_float(text):
    return infer_storage([text]) in ("int64", "double")


def _same(cell, numbers):
    return numbers.get(float(cell), cell) if cell and _is_float(cell) else cell


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "csv.zst", "parquet", "arrow"])
def test_a_table_survives_every_format(ending, tmp_path):
    schema = Schema(
        (
            Attribute("age", ("30", "40", None), "int64"),
            Attribute("name", ("a, b", 'say "hi"\nthere', "naïve", "")),
            Attribute("on", ("2026-01-01", "2026-12-31"), "date32[day]"),
        )
    )
    table = Table(schema, np.array([[0, 0, 0], [1, 1, 1], [2, 2, 0], [-1, 3, 1]]))
    path = tmp_path / f"x.release.{ending}"
    save(table, path)
    file = Given(path).read()
    assert [c.storage for c in file.content] == ["int64", "string", "date32[day]"]
    assert [cells(c) for c in file.content] == [
        ["30", "40", None, None],
        ["a, b", 'say "hi"\nthere', "naïve", ""],
        ["2026-01-01", "2026-12-31", "2026-01-01", "2026-12-31"],
    ]


def test_parquet_types_come_back_and_the_metadata_of_the_original_do_not(tmp_path):
    table = pa.table(
        {
            "d": pa.array(["1.50", "2.00"]).cast(pa.decimal128(6, 2)),
            "c": pa.array(["x", "y"]).dictionary_encode(),
            "t": pa.array([1, 2], pa.timestamp("ms", "UTC")),
        }
    ).replace_schema_metadata({"owner": "ward 7"})
    pq.write_table(table, tmp_path / "a.parquet")
    save(encoded(Given(tmp_path / "a.parquet").read()), tmp_path / "b.parquet", release="distorted")
    back = pq.read_table(tmp_path / "b.parquet")
    assert back.schema.equals(table.schema)
    assert back.to_pydict() == table.to_pydict()
    assert b"ward" not in (tmp_path / "b.parquet").read_bytes()
    assert pq.read_schema(tmp_path / "b.parquet").metadata[RELEASE_KEY] == b"distorted"


def test_the_same_rows_give_the_same_gzip_bytes(tmp_path):
    table = Table(Schema((Attribute("a", ("x",)),)), np.zeros((3, 1), np.int32))
    for name in ("one.csv.gz", "two.csv.gz"):
        save(table, tmp_path / name)
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.csv.gz").read_bytes()) == b"a\nx\nx\nx\n"


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "csv.zst"])
def test_who_asks_how_long_a_file_is_hears_it_before_it_is_read(tmp_path, ending):
    schema = Schema((Attribute("a", tuple(map(str, range(1000)))),))
    codes = np.random.default_rng(1).integers(1000, size=(100_000, 1))
    path = tmp_path / f"long.{ending}"
    save(Table(schema, codes), path)
    heard = []
    Given(path).read(expect=lambda rows, columns: heard.append((rows, columns)))
    ((rows, columns),) = heard
    assert columns == 1
    assert rows == pytest.approx(100_000, rel=0.2)


def test_a_gzip_file_in_several_pieces_is_read_whole(tmp_path):
    pieces = gzip.compress(b"a,b\n1,x\n") + gzip.compress(b"2,y\n")
    (tmp_path / "a.csv.gz").write_bytes(pieces)
    assert cells(Given(tmp_path / "a.csv.gz").read().content[0]) == ["1", "2"]


BASKETS = Baskets.of([["1", "20"], [], ["3"], []])


@pytest.mark.parametrize("ending", ["dat", "dat.gz", "basket.csv", "parquet", "arrow"])
def test_baskets_survive_every_format_with_their_empty_ones(ending, tmp_path):
    save(BASKETS, tmp_path / f"b.{ending}")
    back = Given(tmp_path / f"b.{ending}").read().content
    assert set(back.schema.names) == {"1", "3", "20"}
    assert [{back.schema.label(i) for i in row} for row in back.transactions] == [
        {"1", "20"},
        set(),
        {"3"},
        set(),
    ]


def test_fimi_items_are_numbered_by_size_and_repeats_count_once(tmp_path):
    (tmp_path / "a.dat").write_bytes(b"10 9\t9 \r\n\r\n 2")
    baskets = Given(tmp_path / "a.dat").read().content
    assert baskets.schema.names == ("2", "9", "10")
    assert list(baskets.transactions) == [(1, 2), (), (0,)]


def test_basket_names_may_be_quoted_and_padded(tmp_path):
    (tmp_path / "a.basket.csv").write_bytes(b'"milk, fat", bread,,\n\nbread\n')
    baskets = Given(tmp_path / "a.basket.csv").read().content
    assert baskets.schema.names == ("bread", "milk, fat")
    assert list(baskets.transactions) == [(0, 1), (), (0,)]
    save(baskets, tmp_path / "b.basket.csv")
    assert (tmp_path / "b.basket.csv").read_bytes() == b'bread,"milk, fat"\n\nbread\n'


def test_standard_input_needs_a_format_and_is_unpacked(monkeypatch):
    class Standard:
        buffer = io.BytesIO(gzip.compress(b"a\nx\n"))

    monkeypatch.setattr(sys, "stdin", Standard)
    with pytest.raises(BadInput, match="give --format"):
        Given("-").read()
    assert cells(Given("-").read(FileOptions(format="csv")).content[0]) == ["x"]


def test_standard_output_gets_the_whole_file(capsysbinary):
    table = Table(Schema((Attribute("a", ("x",)),)), np.zeros((2, 1), np.int32))
    save(table, "-", form=form_for("-", given="tsv"))
    assert capsysbinary.readouterr().out == b"a\nx\nx\n"


def test_a_table_is_no_basket_file_and_baskets_no_table():
    table = Table(Schema((Attribute("a", ("x",)),)), np.zeros((2, 1), np.int32))
    with pytest.raises(BadInput, match="A table cannot be written as fimi"):
        write(io.BytesIO(), table, FileForm("fimi"))
    with pytest.raises(BadInput, match="Baskets cannot be written as a table"):
        write(io.BytesIO(), BASKETS, FileForm("csv"))
    with pytest.raises(BadInput, match="FIMI files hold item numbers"):
        write(io.BytesIO(), Baskets.of([["milk"]]), FileForm("fimi"))


def test_characters_outside_the_encoding_are_refused():
    table = Table(Schema((Attribute("a", ("😀",)),)), np.zeros((2, 1), np.int32))
    with pytest.raises(BadInput, match="latin-1 cannot encode"):
        write(io.BytesIO(), table, FileForm("csv", encoding="latin-1"))


def test_utf_16_without_a_mark_can_be_named(tmp_path):
    (tmp_path / "a.csv").write_bytes("a\nx\n".encode("utf-16-le"))
    [column] = Given(tmp_path / "a.csv").read(FileOptions(encoding="utf-16-le")).content
    assert cells(column) == ["x"]
    assert not (tmp_path / "a.csv").read_bytes().startswith(codecs.BOM_UTF16_LE)


def test_half_a_million_rows_take_seconds_and_come_back_byte_for_byte(data_folder, tmp_path):
    start = time.process_time()
    file = Given(data_folder / "covertype.csv.gz").read()
    assert len(file.content[0].index) == 581_012
    save(encoded(file), tmp_path / "b.csv", form=form_for("b.csv", like=file.file))
    assert time.process_time() - start < 15
    original = gzip.decompress((data_folder / "covertype.csv.gz").read_bytes())
    assert (tmp_path / "b.csv").read_bytes() == original
