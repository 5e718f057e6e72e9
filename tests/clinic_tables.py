"""A made-up table of patients, and how the tests put it into a database and get it back."""

from __future__ import annotations

import datetime as dt
import random
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pyarrow as pa

from halfmask.io.addresses import address_of
from halfmask.io.databases import read_columns, stage_table
from halfmask.io.storage import storage_type, to_values
from halfmask.io.writing import Outputs

ROWS = 400


def patients() -> pa.Table:
    draw = random.Random(5)  # noqa: S311 - made-up patients
    start = dt.datetime(2024, 1, 1)  # noqa: DTZ001 - a column without a zone
    return pa.table(
        {
            "age": pa.array([draw.choice([None, *range(20, 60)]) for _ in range(ROWS)], pa.int64()),
            "fee": pa.array(
                [Decimal(draw.randrange(100, 900) * 5).scaleb(-2) for _ in range(ROWS)],
                pa.decimal128(10, 2),
            ),
            'ward "x"': [draw.choice(["north", "south", None]) for _ in range(ROWS)],
            "born": [dt.date(1980, 1, 1) + dt.timedelta(draw.randrange(200)) for _ in range(ROWS)],
            "seen": pa.array(
                [start + dt.timedelta(minutes=draw.randrange(9_000)) for _ in range(ROWS)],
                pa.timestamp("us"),
            ),
            "ill": [draw.choice([True, False, None]) for _ in range(ROWS)],
            "weight": [draw.randrange(400, 900) / 10 for _ in range(ROWS)],
        }
    )


def put(address: str, rows: pa.Table, *, force: bool = False) -> None:
    with Outputs() as outputs:
        outputs.wait_for(
            stage_table(address_of(address), rows.to_reader(), release="test", force=force)
        )


def get(address: str) -> pa.Table:
    columns = read_columns(address_of(address))
    return pa.table(
        {
            column.name: to_values(column.labels, storage_type(column.storage)).take(column.index)
            for column in columns
        }
    )


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "halfmask", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
