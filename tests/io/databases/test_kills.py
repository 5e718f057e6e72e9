"""A program that is killed while it writes to a database file leaves what was there before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from clinic_tables import ROWS, get, patients, put

pytest.importorskip("adbc_driver_sqlite", reason="the extra sql is not installed")

PROGRAM = """
import sys, time
import pyarrow as pa
from halfmask.io.addresses import address_of
from halfmask.io.databases import stage_table

rows = pa.table({"a": range(int(sys.argv[2])), "b": ["x" * 20] * int(sys.argv[2])})
print("begins", flush=True)
staged = stage_table(address_of(sys.argv[1]), rows.to_reader(), release="x", force=True)
print("staged", flush=True)
time.sleep(60)
staged.commit()
"""

NAMES = {
    "sqlite": "SELECT name FROM sqlite_master",
    "duckdb": "SELECT table_name AS name FROM information_schema.tables",
}


@pytest.fixture(params=["sqlite", "duckdb"])
def base(request, tmp_path):
    """The beginning of an address of a database file that holds a table of patients."""
    address = f"{request.param}:////{tmp_path}/clinic.{request.param}"
    put(f"{address}?table=patients", patients())
    return address


def writing(address: str, rows: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", PROGRAM, address, str(rows)], stdout=subprocess.PIPE
    )


def test_a_kill_before_the_commit_leaves_the_old_table(base):
    with writing(f"{base}?table=patients", 3) as child:
        assert child.stdout is not None
        assert [child.stdout.readline() for _ in range(2)] == [b"begins\n", b"staged\n"]
        os.kill(child.pid, signal.SIGKILL)
    assert get(f"{base}?table=patients").to_pydict() == patients().to_pydict()


def test_a_kill_in_the_middle_of_the_rows_leaves_no_table(base):
    """Tried until a kill came before the last row, on machines that do other things too."""
    for attempt in range(20):
        with writing(f"{base}?table=killed", 1_000_000) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"begins\n"
            time.sleep((0.2, 0.05, 0.01, 0)[attempt % 4])
            os.kill(child.pid, signal.SIGKILL)
            written = child.stdout.read()
        found = get(f"{base}?query={NAMES[base.split(':', 1)[0]]}")
        assert found["name"].to_pylist() == ["patients"]
        assert get(f"{base}?table=patients").num_rows == ROWS
        if not written:
            break
    assert not written
    put(f"{base}?table=killed", patients())  # and the file can be written to as before
    assert get(f"{base}?table=killed").num_rows == ROWS
