"""Databases: types kept, nothing half written, nothing replaced unasked, no password printed."""

from __future__ import annotations

import sys
from contextlib import suppress

import postgres
import pytest
from click.testing import CliRunner
from clinic_tables import ROWS, get, patients, put

import halfmask
from halfmask.cli.entry import cli
from halfmask.errors import BadInput, UnknownName
from halfmask.io.addresses import TableName, address_of, without_credentials
from halfmask.io.databases import check_table, stage_table
from halfmask.io.given import Given
from halfmask.io.writing import Outputs, check_free

pytest.importorskip("adbc_driver_sqlite", reason="the extra sql is not installed")


def test_types_and_missing_values_come_back(base):
    rows = patients()
    put(f"{base}?table=patients", rows)
    back = get(f"{base}?table=patients")
    assert back.schema.types == rows.schema.types
    assert back.to_pydict() == rows.to_pydict()


def test_a_query_is_read(base):
    put(f"{base}?table=patients", patients())
    found = get(f"{base}?query=SELECT age, ill FROM patients WHERE age > 30 AND age <> 35;")  # noqa: S608 - ours
    assert found.column_names == ["age", "ill"]
    assert min(found["age"].to_pylist()) > 30


def test_a_query_changes_nothing(base):
    put(f"{base}?table=patients", patients())
    with pytest.raises(BadInput):
        get(f"{base}?query=DELETE FROM patients")  # noqa: S608 - ours
    with suppress(BadInput):  # SQLite looks at the first statement only
        get(f"{base}?query=SELECT 1) AS a; DROP TABLE patients; --")
    assert get(f"{base}?table=patients").num_rows == ROWS


def test_an_unknown_table_is_answered_with_the_nearest(base):
    put(f"{base}?table=patients", patients())
    with pytest.raises(UnknownName, match="did you mean 'patients'"):
        get(f"{base}?table=patient")


def test_a_table_is_replaced_only_by_force(base):
    put(f"{base}?table=patients", patients())
    few = patients().slice(0, 3)
    with pytest.raises(BadInput, match="--force"):
        put(f"{base}?table=patients", few)
    with pytest.raises(BadInput, match="--force"):
        check_table(address_of(f"{base}?table=patients"))
    assert get(f"{base}?table=patients").num_rows == ROWS
    put(f"{base}?table=patients", few, force=True)
    assert get(f"{base}?table=patients").num_rows == 3


def test_a_release_never_replaces_its_original(base):
    put(f"{base}?table=patients", patients())
    for asked in ("table=patients", "query=SELECT * FROM patients"):
        with pytest.raises(BadInput, match="replace the original"):
            halfmask.publish(f"{base}?{asked}", output=f"{base}?table=patients", force=True)


def test_a_view_is_read_and_never_replaced(base):
    put(f"{base}?table=patients", patients())
    view = "CREATE VIEW adults AS SELECT * FROM patients"
    address = address_of(f"{base}?table=adults")
    if address.engine == "postgresql":
        postgres.Server(int(address.where.split(":")[1].split("/")[0])).run(view)
    elif address.engine == "sqlite":
        import sqlite3

        sqlite3.connect(address.connection).executescript(view)
    else:
        import duckdb

        duckdb.connect(address.connection).execute(view)
    assert get(f"{base}?table=adults").num_rows == ROWS
    with pytest.raises(BadInput, match="never replaced"):
        check_table(address, force=True)


def test_names_are_quoted_whatever_they_hold(base):
    name = 'odd "name"; DROP TABLE x --'
    quoted = name.replace('"', '""').replace(" ", "%20")
    put(f'{base}?table="{quoted}"', patients())
    assert get(f'{base}?table="{quoted}"').num_rows == ROWS


def test_nothing_is_seen_before_the_files_are_named(base, tmp_path):
    """A file that cannot get its name takes the table back, and a table that fails the files."""
    address = address_of(f"{base}?table=late")
    late = tmp_path / "report.html"

    def write(force: bool = False) -> None:
        with Outputs(force=force) as outputs:
            outputs.wait_for(
                stage_table(address, patients().to_reader(), release="test", force=force)
            )
            with outputs.open(late) as file:
                file.write(b"new")
            if not force:
                late.write_text("came between")

    with pytest.raises(BadInput, match="already exists"):
        write()
    with pytest.raises((UnknownName, BadInput)):
        get(f"{base}?table=late")
    write(force=True)
    assert get(f"{base}?table=late").num_rows == ROWS
    assert late.read_text() == "new"


class Failing:
    def commit(self) -> None:
        raise BadInput("The server went away.")

    def close(self) -> None:
        pass


@pytest.mark.parametrize("force", [False, True])
def test_a_commit_that_fails_leaves_the_files_as_they_were(tmp_path, force):
    old, new = tmp_path / "old", tmp_path / "new"
    if force:
        old.write_text("before")
    with pytest.raises(BadInput, match="went away"), Outputs(force=force) as outputs:  # noqa: PT012
        outputs.wait_for(Failing())
        for path in (old, new):
            with outputs.open(path) as file:
                file.write(b"after")
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == (
        {"old": "before"} if force else {}
    )


def test_a_release_goes_to_a_table_and_is_measured(base, tmp_path):
    put(f"{base}?table=patients", patients())
    out = f"{base}?table=patients_release"
    published = halfmask.publish(f"{base}?table=patients", output=out, seed=3)
    assert [str(path) for path in published.files[1:]] == [
        "patients.model.json",
        "patients.report.html",
    ]
    released = get(out)
    assert released.schema.types == patients().schema.types
    assert released.num_rows == ROWS
    assert halfmask.measure(f"{base}?table=patients", out, only=["nas"])["nas"].value < 0.5
    for path in tmp_path.glob("patients.*"):
        assert postgres.PASSWORD not in path.read_text()
    assert "This report is about one table" in (tmp_path / "patients.report.html").read_text()
    assert postgres.PASSWORD not in repr(published.to_dict())


def test_without_an_output_the_release_is_a_file_in_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    address = "sqlite:///clinic.db?table=patients"
    put(address, patients().select(['ward "x"', "ill", "age"]))
    halfmask.publish(address, seed=3)
    assert {path.name for path in tmp_path.iterdir()} == {
        "clinic.db",
        "patients.release.parquet",
        "patients.model.json",
        "patients.report.html",
    }


@pytest.mark.parametrize(("command", "name"), [("schema", "schema.toml"), ("asset", "asset.yaml")])
def test_a_draft_about_a_table_goes_to_the_working_folder(tmp_path, monkeypatch, command, name):
    monkeypatch.chdir(tmp_path)
    put("sqlite:///clinic.db?table=patients", patients())
    ran = CliRunner().invoke(cli, [command, "init", "sqlite:///clinic.db?table=patients"])
    assert ran.exit_code == 0, ran.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clinic.db", f"patients.{name}"]


def test_a_missing_driver_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    with pytest.raises(BadInput, match=r"adbc-driver-postgresql.*halfmask\[sql\]"):
        get("postgresql://db/clinic?table=patients")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("postgresql://db/clinic", "names a table"),
        ("postgresql://db/clinic?table=a&query=SELECT 1", "one of the two"),
        ("sqlite://clinic.db?table=a", "fourth slash"),
        ("sqlite:///clinic.db?tabel=a&query=SELECT 1", "no option of an address 'tabel'"),
        ("duckdb:///clinic.duckdb?table=a.b.c", "neither a table nor schema"),
        ("sqlite:///none.db?table=a", "no file 'none.db'"),
        ("sqlite:///none/clinic.db?table=a", "no file"),
    ],
)
def test_addresses_that_cannot_be_meant(text, words):
    with pytest.raises(BadInput, match=words):
        get(text)


def test_a_file_of_another_kind_is_not_opened(tmp_path):
    (tmp_path / "a.db").write_text("age,sex\n1,f\n" * 10)
    for engine in ("sqlite", "duckdb"):
        with pytest.raises(BadInput, match=f"not a file of {engine}"):
            get(f"{engine}:////{tmp_path}/a.db?table=a")


def test_a_column_of_sqlite_that_mixes_numbers_and_text_is_text(tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "a.db") as held:
        held.execute("CREATE TABLE a (x)")
        held.executemany("INSERT INTO a VALUES (?)", [(1,)] * 5_000 + [("c4nary",)])
    held.close()
    found = Given(f"sqlite:////{tmp_path}/a.db?table=a").read()
    assert found.content[0].storage == "string"


def test_names_and_credentials():
    assert TableName.of("a.b") == TableName("b", "a")
    assert TableName.of('"a.b"') == TableName("a.b")
    address = address_of("postgres://u:p%40w@h:5/d?sslmode=require&table=t&user=v")
    assert address.connection == "postgres://u:p%40w@h:5/d?sslmode=require&user=v"
    assert "p%40w" not in repr(address) + str(address) + address.words
    assert "secret" not in without_credentials("x postgresql://a:se@secret@h/d?password=secret")
    with pytest.raises(BadInput, match="is a file"):
        check_free("postgresql://u:secret@h/d?table=t")
