"""Tables in pieces: what is read block by block and written piece by piece is the same table."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Attribute, Column, Schema, Table
from halfmask.data import table as table_module
from halfmask.data.coding.bins import Bins, Part
from halfmask.data.coding.filling import Filling
from halfmask.data.coding.scale import Scale
from halfmask.data.schema import Key
from halfmask.errors import BadInput
from halfmask.io.columns import columns_of
from halfmask.io.csv_tables import read_csv, write_csv
from halfmask.io.files import save, write
from halfmask.io.forms import FileForm, FileOptions
from halfmask.io.given import Given
from halfmask.io.sources import Source
from halfmask.randomness import Randomness

BINS = Bins(Scale(), ((Part(0, 0, 90),), (Part(1, 10, 20), Part(11, 400, 10))), ("-8",))
SCHEMA = Schema(
    (
        Attribute("sex", ("f", "m", None)),
        Attribute("cost", (*BINS.labels, "-8", None), "int64", BINS),
    ),
    (Key("id", 0, "string", "uuid"), Key("number", 3)),
)


def filling(rows: int) -> Filling:
    rng = np.random.default_rng(3)
    codes = np.column_stack([rng.integers(-1, 3, rows), rng.integers(-1, 4, rows)])
    return Filling(Table(SCHEMA, codes), Randomness(5))


def as_cells(columns: list[Column]) -> list[tuple[str, str, list[str | None]]]:
    return [(column.name, column.storage, column.cells) for column in columns]


WORDS = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=6)


@given(
    rows=st.lists(st.tuples(WORDS, st.integers(-3, 99).map(str), WORDS), min_size=1, max_size=30),
    block=st.integers(200, 700),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-8-sig"]),
)
def test_a_file_read_in_small_blocks_is_the_file_read_at_once(rows, block, encoding):
    def quoted(word: str) -> str:
        return '"' + word.replace('"', '""') + '"'

    lines = [",".join([quoted(a), b, quoted(c)]) for a, b, c in rows]
    content = "\n".join(["first,second,third", *lines]).encode(encoding)
    source, form, options = Source("'x.csv'", content), FileForm("csv"), FileOptions(delimiter=",")
    whole, found, _ = read_csv(source, form, options)
    pieces, again, _ = read_csv(source, form, options, block=block)
    assert (as_cells(pieces), again) == (as_cells(whole), found)
    assert [column.labels for column in pieces] == [column.labels for column in whole]
    assert [tuple(row) for row in zip(*(column.cells for column in whole), strict=True)] == rows


@given(
    st.lists(st.one_of(st.none(), st.integers(0, 300)), min_size=1, max_size=400),
    st.integers(1, 90),
)
def test_batches_of_a_frame_give_the_columns_of_the_whole(cells, size):
    plain = pa.table({"n": pa.array(cells, pa.int64())})
    listed = pa.table({"n": plain["n"].dictionary_encode()})
    for table in (plain, listed):
        [whole] = columns_of(table.combine_chunks())
        [pieces] = columns_of(pa.Table.from_batches(table.to_batches(max_chunksize=size)))
        assert pieces.cells == whole.cells == [None if c is None else str(c) for c in cells]
        assert pieces.labels == whole.labels
        assert None not in whole.labels[:-1]


def test_numbers_of_labels_take_as_few_bytes_as_will_do():
    for count, name in ((256, "uint8"), (257, "uint16"), (65_537, "int32")):
        [column] = columns_of(pa.table({"n": np.arange(count)}))
        assert column.index.dtype == name
        assert column.labels[-1] == str(count - 1)
        assert column.index[-1] == count - 1


@pytest.mark.parametrize("size", [1, 7, 64])
def test_rows_filled_in_pieces_are_the_rows_filled_at_once(size, monkeypatch):
    monkeypatch.setattr(table_module, "PIECE", size)
    whole = filling(150)
    out, once = io.BytesIO(), io.BytesIO()
    pieces = list(whole.pieces())
    assert [len(piece) for piece in pieces[:-1]] == [size] * (149 // size)
    write_csv(out, pieces, FileForm("csv"))
    write_csv(once, [whole.whole], FileForm("csv"))
    assert out.getvalue() == once.getvalue()


@pytest.mark.parametrize("form", [FileForm("csv"), FileForm("parquet"), FileForm("arrow"),
                                  FileForm("csv", compression="zstd")])  # fmt: skip
def test_a_release_written_piece_by_piece_has_the_bytes_of_the_whole(form, monkeypatch):
    monkeypatch.setattr(table_module, "PIECE", 1000)
    rows = filling(3500)
    pieces, whole = io.BytesIO(), io.BytesIO()
    write(pieces, rows, form)
    write(whole, rows.whole, form)
    assert pieces.getvalue() == whole.getvalue()


def test_pieces_with_lists_of_values_make_one_file(tmp_path, monkeypatch):
    monkeypatch.setattr(table_module, "PIECE", 100)
    sexes = "dictionary<values=string, indices=int8, ordered=0>"
    schema = Schema((Attribute("sex", ("f", "m"), sexes),))
    table = Table(schema, np.arange(110).reshape(-1, 1) % 2)
    for name in ("x.parquet", "x.arrow"):
        with (tmp_path / name).open("wb") as file:
            write(file, table, FileForm("parquet" if name == "x.parquet" else "arrow"))
        [column] = Given(tmp_path / name).read().content
        assert column.storage == sexes
        assert np.array_equal(column.index, table.codes[:, 0])


KILLED = """
import os, signal, sys
import numpy as np
from halfmask.data import Attribute, Schema, Table
from halfmask.data.coding.filling import Filling
from halfmask.data import table
from halfmask.io.files import save
from halfmask.io.given import Given
from halfmask.randomness import Randomness

table.PIECE = 100

class Deadly(Filling):
    def pieces(self):
        for number, piece in enumerate(super().pieces()):
            if number == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            yield piece

schema = Schema((Attribute("sex", ("f", "m")),))
save(Deadly(Table(schema, np.zeros((600, 1), int)), Randomness(1)), sys.argv[1], force=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="processes are killed so on POSIX systems")
def test_a_kill_between_two_pieces_leaves_the_file_that_was_there(tmp_path):
    path = tmp_path / "release.csv"
    path.write_bytes(b"before\n")
    ended = subprocess.run([sys.executable, "-c", KILLED, path], check=False)  # noqa: S603
    assert ended.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"before\n"
    left = [found.name for found in tmp_path.iterdir() if found != path]
    assert all(name.endswith(".part") for name in left)


def test_a_failure_between_two_pieces_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(table_module, "PIECE", 100)

    class Failing(Filling):
        def pieces(self):
            yield from list(super().pieces())[:1]
            raise BadInput("The rest is lost.")

    rows = filling(101)
    with pytest.raises(BadInput, match="lost"):
        save(Failing(rows.coded, rows.randomness), tmp_path / "release.csv")
    assert list(tmp_path.iterdir()) == []


def test_reading_tells_how_far_it_is(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("a,b\n" + "word,1\n" * 3_000_000)
    told = []
    found = Given(path).read(progress=lambda done, total: bool(told.append((done, total))))
    size = path.stat().st_size
    assert len(found.content[0]) == 3_000_000
    assert told[-1] == (size, size)
    assert any(0 < done < size for done, _ in told)
