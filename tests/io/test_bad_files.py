"""Each kind of bad file gets one clear sentence that names the file and quotes no value."""

from __future__ import annotations

import gzip
import os
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from halfmask.errors import BadInput
from halfmask.io.csv_tables import read_csv
from halfmask.io.forms import FileForm, FileOptions
from halfmask.io.given import Given
from halfmask.io.sources import BLOCK, FileSource

RARE = "Rumpelstiltskin"


def parquet_bytes(table):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


BAD_FILES = {
    "empty": ("a.csv", b"", r"'a\.csv' is empty"),
    "empty after unpacking": ("a.csv.gz", gzip.compress(b""), r"'a\.csv\.gz' is empty"),
    "only a byte order mark": ("a.csv", b"\xef\xbb\xbf", r"'a\.csv' is empty"),
    "only empty lines": ("a.csv", b"\n\r\n\n", "nothing but empty lines"),
    "header only": ("a.csv", b"name,age\n", r"'a\.csv' has a header and no rows"),
    "header without line end": ("a.csv", b"name,age", r"'a\.csv' has a header and no rows"),
    "too long a row": (
        "a.csv",
        f"name,age\nx,1\n{RARE},2,3\n".encode(),
        r"Line 3 of 'a\.csv' has 3 cells where the first line has 2",
    ),
    "too short a row": ("a.csv", b"n,a\nx,1\n\nx\n", r"Line 4 of 'a\.csv' has 1 cell where"),
    "ragged after quoted line breaks": (
        "a.csv",
        f'n,a\n"x\ny",1\n{RARE}\n'.encode(),
        r"Line 4 of 'a\.csv' has 1 cell where the first line has 2",
    ),
    "open quotation mark": ("a.csv", f'n,a\nx,1\n"{RARE},2\n'.encode(), "never closed"),
    "open quotation mark in the header": ("a.csv", b'"n,a\nx,1\n', "never closed"),
    "not UTF-8": ("a.csv", b"n,a\nx,1\ncaf\x81\xe9,2\n", r"not UTF-8 text \(line 3\).*latin-1"),
    "NUL bytes": ("a.csv", b"n,a\nx,1\nx\0y,2\n", r"holds a NUL character \(line 3\)"),
    "duplicate column": ("a.csv", b"n,a,n\n", "has a header and no rows"),
    "a number in the header": ("a.csv", b"39,private,77\n", "may not be a header.*--no-header"),
    "a nameless column": ("a.csv", b"n,\nx,y\n", "may not be a header.*cell 2 is empty"),
    "two possible delimiters": ("a.csv", b"n;a,b\n1;2,3\n", r"could be delimited by ',' or ';'"),
    "a million columns": (
        "a.csv",
        b",".join(b"c%d" % i for i in range(1_000_000)) + b"\n",
        "has 1,000,000 columns; halfmask reads at most 10,000",
    ),
    "an endless cell": ("a.csv", b"n,a\nx," + b"y" * 40_000_000 + b"\n", "more than 131,072 char"),
    "a very long cell": (
        "a.csv",
        b"n,a\nx," + b"y" * 200_000 + b"\n",
        "Column 'a' .* 131,072 char",
    ),
    "an endless header": ("a.csv", b"y" * 200_000 + b",b\nx,1\n", "more than 131,072 characters"),
    "truncated gzip": (
        "a.csv.gz",
        gzip.compress(os.urandom(5_000).hex().encode())[:2_000],
        "damaged or truncated gzip",
    ),
    "gzip that is none": ("a.csv.gz", b"n,a\nx,1\n", "not gzip-compressed though its name"),
    "gzip in disguise": ("a.csv", gzip.compress(b"n,a\nx,1\n"), r"is gzip-compressed.*\.gz"),
    "damaged zstd": ("a.csv.zst", b"\x28\xb5\x2f\xfdxxxx", "damaged or truncated zstd"),
    "Parquet in disguise": ("a.csv", parquet_bytes(pa.table({"a": [1]})), "holds parquet"),
    "truncated Parquet": (
        "a.parquet",
        parquet_bytes(pa.table({"a": [RARE]}))[:60],
        r"'a\.parquet' is not a whole Parquet file",
    ),
    "Parquet that is none": ("a.parquet", b"n,a\nx,1\n", "not a whole Parquet file"),
    "Arrow that is none": ("a.arrow", b"n,a\nx,1\n", "not a whole Arrow file"),
    "Parquet without rows": (
        "a.parquet",
        parquet_bytes(pa.table({"a": pa.array([], pa.int64())})),
        r"'a\.parquet' has no rows",
    ),
    "Parquet of structures": (
        "a.parquet",
        parquet_bytes(pa.table({"a": [{"b": 1}]})),
        r"Column 'a' of 'a\.parquet' holds struct",
    ),
    "unknown ending": ("a.xyz", b"x", "does not show the format"),
    "FIMI with names": ("a.dat", b"1 2\nmilk\n", r"Line 2 of 'a\.dat'.*not an item number"),
    "FIMI with huge numbers": ("a.dat", b"1" * 19, "more than 18 digits"),
    "FIMI without items": ("a.dat", b"\n\n", "holds no items"),
    "baskets without items": ("a.basket.csv", b"\n,,\n", "holds no items"),
    "baskets with an open mark": ("a.basket.csv", b'x\n"y\n', "near line 2.*never closed"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_bad_file_gets_one_sentence(kind, tmp_path):
    name, content, sentence = BAD_FILES[kind]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput, match=sentence) as caught:
        Given(tmp_path / name).read()
    text = str(caught.value)
    assert RARE not in text
    assert "\n" not in text
    assert text.endswith((".", "?", "header"))
    assert len(text) < 300
    assert caught.value.__cause__ is None


def test_a_missing_file_a_directory_and_a_device_get_one_sentence(tmp_path):
    with pytest.raises(BadInput, match=r"There is no file .*nowhere\.csv"):
        Given(tmp_path / "nowhere.csv").read()
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(BadInput, match="is a directory; name one file in it"):
        Given(tmp_path / "folder.csv").read()
    with pytest.raises(BadInput, match="is a device"):
        Given(os.devnull).read(FileOptions(format="csv"))
    with pytest.raises(BadInput, match="cannot be read"):
        Given("a\0b.csv").read()
    with pytest.raises(BadInput, match="cannot be read"):
        Given("x" * 5000 + ".csv").read()


@pytest.fixture
def nobody():
    """Not root for a while: root may read everything."""
    was = os.geteuid()
    if was == 0:
        os.seteuid(65_534)
    yield
    os.seteuid(was)


@pytest.fixture
def locked():
    """A file that nobody may read, in a folder that everybody may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        file = Path(folder) / "a.csv"
        file.write_bytes(b"a\n1\n")
        file.chmod(0)
        yield file


def test_a_file_that_may_not_be_read_is_named(locked, nobody):  # noqa: ARG001 - in this order
    with pytest.raises(BadInput, match="may not be read"):
        Given(locked).read()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (FileOptions(format="cvs"), "no format 'cvs'; did you mean 'csv'"),
        (FileOptions(encoding="klingon"), "no text encoding 'klingon'"),
        (FileOptions(encoding="base64"), "no text encoding 'base64'"),
        (FileOptions(encoding="ascii"), r"'a.csv' is not ascii text \(line 2\)"),
        (FileOptions(delimiter="::"), "A delimiter is one character"),
        (FileOptions(delimiter=""), "A delimiter is one character"),
        (FileOptions(delimiter="§"), "A delimiter is one character"),
        (FileOptions(delimiter="::", format="basket"), "A delimiter is one character"),
        (FileOptions(delimiter='"'), "A delimiter is one character"),
        (FileOptions(delimiter=";", header=True), "Line 2 of 'a.csv' has 2 cells"),
    ],
)
def test_options_that_do_not_fit_get_one_sentence(options, sentence, tmp_path):
    (tmp_path / "a.csv").write_bytes("name,age\nZoë;1,2\n".encode())
    with pytest.raises(BadInput, match=sentence):
        Given(tmp_path / "a.csv").read(options)


def test_a_header_of_numbers_is_taken_when_it_is_said(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"2019,2020\nx,y\n")
    file = Given(tmp_path / "a.csv").read(FileOptions(header=True))
    assert [c.name for c in file.content] == ["2019", "2020"]


def test_one_column_is_a_table(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"diagnosis\nflu\nflu\n")
    [column] = Given(tmp_path / "a.csv").read().content
    assert column.labels == ("flu",)


class Endless(FileSource):
    """Some rows, and then a cell that never ends."""

    def blocks(self, size=BLOCK):
        beginning = b"a,b\n" + b"1,x\n" * 30 + b'2,"'
        rest = self.piece * (-(-size // len(self.piece)))
        yield (beginning + rest)[:size]
        for number in range(1, 1000):
            assert number * size < 40 * BLOCK, "it is read on and on"
            yield rest


@pytest.mark.parametrize(
    ("piece", "sentence"),
    [
        (b"y", r"A cell after line 31 of 'a\.csv' has more than 131,072 characters"),
        (b"y" * 1023 + b"\n", r"A cell after line 31 of 'a\.csv' has more than 131,072 char"),
        (b"y" * 1023 + b",", r"Line 32 of 'a\.csv' has more than 16,777,216 characters; is a"),
    ],
)
def test_a_quotation_mark_that_is_never_closed_is_not_followed_to_the_end(piece, sentence):
    Endless.piece = piece
    source = Endless("'a.csv'", Path("a.csv"))
    with pytest.raises(BadInput, match=sentence):
        read_csv(source, FileForm("csv"), FileOptions(delimiter=","))
