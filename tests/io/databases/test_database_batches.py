"""Databases batch by batch: the same columns, the same release, and still one transaction."""

from __future__ import annotations

import sqlite3

import pyarrow as pa
import pytest
from clinic_tables import ROWS, get, patients, put
from pyarrow import csv

import halfmask
from halfmask.errors import BadInput, UnknownName
from halfmask.io.addresses import address_of
from halfmask.io.columns import table_to_arrow
from halfmask.io.databases import read_columns, stage_table

pytest.importorskip("adbc_driver_sqlite", reason="the extra sql is not installed")

FEW = 7
QUICK = halfmask.Generator(min_support=40)


@pytest.fixture
def small_batches(monkeypatch):
    """Batches of so few rows that every table has many."""
    for module in (
        "halfmask.data.table",
        "halfmask.io.databases.sqlite",
        "halfmask.io.databases.duckdb",
    ):
        monkeypatch.setattr(f"{module}.PIECE", FEW)


def plain() -> pa.Table:
    """The columns that a text file tells as a database does."""
    return patients().select(["age", 'ward "x"', "born", "weight"])


@pytest.fixture(scope="module")
def from_file(tmp_path_factory):
    """The release that a file of these rows gives."""
    path = tmp_path_factory.mktemp("file") / "patients.csv"
    csv.write_csv(plain(), path)
    return table_to_arrow(halfmask.publish(path, method=QUICK, seed=3).first.rows)


@pytest.mark.usefixtures("small_batches")
def test_a_release_is_the_same_from_a_database_as_from_a_file(base, from_file):
    put(f"{base}?table=patients", plain())
    out = f"{base}?table=patients_release"
    published = halfmask.publish(f"{base}?table=patients", method=QUICK, output=out, seed=3)
    assert table_to_arrow(published.first.rows).equals(from_file)
    assert get(out).equals(from_file)


@pytest.mark.usefixtures("small_batches")
def test_types_come_back_from_many_batches(base):
    put(f"{base}?table=patients", patients())
    back = get(f"{base}?table=patients")
    assert back.schema.types == patients().schema.types
    assert back.to_pydict() == patients().to_pydict()


@pytest.mark.usefixtures("small_batches")
def test_a_table_is_counted_before_it_is_read_and_a_query_on_the_way(base):
    put(f"{base}?table=patients", plain())
    told: list[tuple[int, int]] = []
    done: list[tuple[int, int]] = []

    def progress(rows: int, total: int) -> bool:
        done.append((rows, total))
        return True

    def expect(rows: int, columns: int) -> None:
        told.append((rows, columns))

    read_columns(address_of(f"{base}?table=patients"), progress=progress, expect=expect)
    assert told == [(ROWS, 4)]
    assert done[-1] == (ROWS, ROWS)
    told.clear()
    query = address_of(f"{base}?query=SELECT age FROM patients")  # noqa: S608 - ours
    read_columns(query, expect=expect)
    assert told[-1] == (ROWS, 1)


def test_a_table_that_does_not_fit_is_refused_before_it_is_read(base):
    put(f"{base}?table=patients", plain())
    for asked in ("table=patients", "query=SELECT * FROM patients"):
        with pytest.raises(BadInput, match="rows of 4 columns need"):
            halfmask.publish(f"{base}?{asked}", memory="10MB")


def test_rows_that_cannot_be_made_leave_no_table_and_say_why(base):
    def made():
        yield from plain().to_batches()
        raise BadInput("The second half is missing.")

    rows = pa.RecordBatchReader.from_batches(plain().schema, made())
    with pytest.raises(BadInput, match="second half"):
        stage_table(address_of(f"{base}?table=half"), rows, release="test")
    with pytest.raises((UnknownName, BadInput)):
        get(f"{base}?table=half")


@pytest.mark.usefixtures("small_batches")
def test_sqlite_tells_the_type_of_a_column_from_all_of_its_rows(tmp_path):
    cells = [(None, 1, 1)] * 20 + [("x", 2.5, "y"), (None, None, 2.5)]
    with sqlite3.connect(tmp_path / "a.db") as held:
        held.execute("CREATE TABLE a (late, number, mixed)")
        held.executemany("INSERT INTO a VALUES (?, ?, ?)", cells)
    held.close()
    late, number, mixed = read_columns(address_of(f"sqlite:////{tmp_path}/a.db?table=a"))
    assert (late.storage, late.labels) == ("string", ("x", None))
    assert (number.storage, number.labels) == ("double", ("1", "2.5", None))
    assert (mixed.storage, mixed.labels) == ("string", ("1", "y", "2.5"))
