"""The command line as a user meets it: a process with exit code, output and errors."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from forking import Forking
from shopping import SHOP

from halfmask.data import Encoding
from halfmask.demo.hospital import hospital_admissions
from halfmask.io.files import save


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def forking():
    """Imported once for all commands of this worker."""
    server = Forking()
    yield server
    server.close()


@pytest.fixture
def halfmask(tmp_path, forking):
    """Run `halfmask …` in an empty folder; in another environment it is started anew."""

    def run(*args: str | Path, stdin: bytes = b"", **environment: str) -> Ran:
        if not environment:
            ran = forking.run(*args, folder=tmp_path, stdin=stdin)
            return Ran(ran.code, ran.out.decode(), ran.err.decode())
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "halfmask", *map(str, args)],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            env=os.environ | {"COLUMNS": "100"} | environment,
            check=False,
            timeout=300,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def patients(tmp_path):
    """A small hospital table as a CSV file."""
    columns = hospital_admissions(600, rng=np.random.default_rng(1))
    path = tmp_path / "patients.csv"
    save(Encoding.fit(columns).encode(columns), path)
    return path


@pytest.fixture
def files_in(tmp_path):
    """The names of all files in the folder, hidden ones included."""
    return lambda: sorted(path.name for path in tmp_path.iterdir())


@pytest.fixture
def shop(tmp_path):
    """Baskets of named items."""
    path = tmp_path / "shop.basket.csv"
    path.write_text("".join(",".join(row) + "\n" for row in SHOP))
    return path
