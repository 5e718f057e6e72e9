"""What only a server can show: its types, its schemas, its passwords, and kills in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from decimal import Decimal

import postgres
import pytest
from clinic_tables import ROWS, get, patients, put, run

from halfmask.cli.entry import _run
from halfmask.errors import BadInput, UnknownName

pytest.importorskip("adbc_driver_postgresql", reason="the extra sql is not installed")

WRONG = "wr0ng-c4nary"


def test_a_schema_other_than_the_first(server):
    server.run("DROP SCHEMA IF EXISTS hospital CASCADE", "CREATE SCHEMA hospital")
    put(server.address("table=hospital.patients"), patients())
    assert get(server.address("table=hospital.patients")).num_rows == ROWS
    with pytest.raises(UnknownName, match=r"hospital\.patients"):
        get(server.address("table=hospitals.patients"))


def test_types_that_arrow_lacks_come_as_text(server):
    server.run(
        "DROP TABLE IF EXISTS odd",
        "DROP TYPE IF EXISTS mood",
        "CREATE TYPE mood AS ENUM ('well', 'ill')",
        "CREATE TABLE odd (m mood, u uuid, j jsonb, i interval, a int[], n inet, c char(4), "
        "p money, f numeric)",
        "INSERT INTO odd VALUES ('ill', '11111111-1111-1111-1111-111111111111', '{}', '1 day', "
        "'{1,2}', '10.0.0.1', 'ab', '1.50', 1.2345), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
        "NULL, NULL)",
    )
    row = get(server.address("table=odd")).to_pylist()[0]
    assert (row["m"], row["j"], row["i"], row["a"], row["c"]) == (
        "ill",
        "{}",
        "1 day",
        "{1,2}",
        "ab",
    )
    assert (row["p"], row["f"]) == (Decimal("1.50"), Decimal("1.2345"))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("'infinity'::date", "years 1 to 9999"),
        ("'-infinity'::timestamptz", "years 1 to 9999"),
        ("'infinity'::timestamp", "years 1 to 9999"),
        ("'NaN'::numeric", "NaN or infinity"),
        ("'c4nary'::text::int", "SQLSTATE 22P02"),
    ],
)
def test_values_that_no_column_can_hold_are_refused_without_being_shown(server, value, words):
    with pytest.raises(BadInput, match=words) as problem:
        get(server.address(f"query=SELECT {value} AS a"))
    assert "c4nary" not in str(problem.value)


def test_no_credentials_are_printed(server, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    wrong = server.address("table=patients", password=WRONG)
    right = server.address("table=patients")
    nowhere = right.replace(str(server.port), "1")
    odd = right.replace("127.0.0.1", "%zz")
    trials = [
        ("publish", wrong, "-o", "x.csv"),
        ("publish", nowhere),
        ("publish", odd),
        ("publish", right, "more", "words"),
        ("publish", right, "--external-report", right),
        ("publish", right, "--method", "anatomy"),
        ("publish", right.replace("://", ":/")),
        ("measure", wrong, right),
        ("inspect", wrong),
        ("generate", "none.model.json", "-o", wrong),
        ("choose", wrong, "--asset", right),
    ]
    said = []
    for words in trials:
        monkeypatch.setattr(sys, "argv", ["halfmask", *words])
        assert _run() == 2
        said.append("".join(capfd.readouterr()))
    for secret in (postgres.PASSWORD, WRONG, f"{postgres.USER}:"):
        assert not [text for text in said if secret in text]
    assert "does not accept this user or password" in said[0]
    assert "does not answer" in said[1]
    assert list(tmp_path.iterdir()) == []


def test_an_existing_table_ends_the_command_before_the_work(server, tmp_path):
    put(server.address("table=patients"), patients(), force=True)
    server.run("DROP TABLE IF EXISTS taken", "CREATE TABLE taken (a int)")
    words = ("publish", server.address("table=patients"), "-o", server.address("table=taken"))
    done = run(*words, folder=tmp_path)
    assert done.returncode == 2
    assert "--force" in done.stderr
    assert list(tmp_path.iterdir()) == []
    assert server.ask("SELECT count(*) FROM taken") == [(0,)]


def test_a_kill_in_the_middle_of_the_write_leaves_nothing(server, tmp_path):
    put(server.address("table=patients"), patients(), force=True)
    server.run("DROP TABLE IF EXISTS killed")
    words = ("publish", server.address("table=patients"), "-o", server.address("table=killed"))
    child = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "halfmask", *words], cwd=tmp_path, stdout=subprocess.DEVNULL
    )
    busy = (
        "SELECT pid FROM pg_stat_activity WHERE query LIKE 'COPY %killed%' "
        "AND pid <> pg_backend_pid() AND state IN ('active', 'idle in transaction')"
    )
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(server.address(), autocommit=True) as held, held.cursor() as cursor:
        deadline = time.monotonic() + 120
        writing = []
        while not writing and child.poll() is None and time.monotonic() < deadline:
            cursor.execute(busy)
            writing = cursor.fetchall()
        os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert writing, "the write was never seen"
    while server.ask(busy) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert server.ask("SELECT to_regclass('killed')::text") == [(None,)]
    assert [p.name for p in tmp_path.iterdir() if not p.name.endswith(".part")] == []


def test_a_kill_while_a_table_is_replaced_leaves_the_old_one(server, tmp_path):
    put(server.address("table=kept"), patients(), force=True)
    program = (
        "import sys, time; from halfmask.io.databases import stage_table; "
        "from halfmask.io.addresses import address_of; import pyarrow as pa; "
        "rows = pa.table({'a': [1]}).to_reader(); "
        "staged = stage_table(address_of(sys.argv[1]), rows, release='x', force=True); "
        "print('staged', flush=True); time.sleep(60); staged.commit()"
    )
    with subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", program, server.address("table=kept")],
        stdout=subprocess.PIPE,
        cwd=tmp_path,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"staged\n"
        child.kill()
    assert get(server.address("table=kept")).num_rows == ROWS
