"""A page as a user starts it: a process of its own, asked over HTTP."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np

from halfmask.data import Encoding
from halfmask.demo.hospital import hospital_admissions
from halfmask.io.files import save


@dataclass
class Page:
    """A page that runs, and how to get in."""

    process: subprocess.Popen
    entrance: str
    folder: Path
    uploads: Path

    @property
    def base(self) -> str:
        return self.entrance.partition("/enter")[0]

    @property
    def port(self) -> int:
        return int(self.base.rpartition(":")[2])

    def close(self) -> int:
        self.process.terminate()
        code = self.process.wait(30)
        self.process.stdout.close()
        return code


def start(folder: Path, *words: str) -> Page:
    """`halfmask studio` in this folder; temporary files go to a folder that can be looked at."""
    temporary = folder.parent / f"{folder.name}-tmp"
    temporary.mkdir(exist_ok=True)
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "halfmask", "studio", "--no-browser", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"TMPDIR": str(temporary)},
    )
    line = process.stdout.readline()
    found = re.search(r"http://\S+", line)
    assert found, f"{line}{process.stdout.read()}"
    return Page(process, found[0], folder, temporary)


def patients(path: Path, rows: int = 400) -> Path:
    """A small hospital table as a CSV file."""
    columns = hospital_admissions(rows, rng=np.random.default_rng(1))
    save(Encoding.fit(columns).encode(columns), path)
    return path


@contextmanager
def entered(page: Page) -> Iterator[httpx.Client]:
    """A client that came in by the address that was printed."""
    with httpx.Client(base_url=page.base, timeout=60, follow_redirects=True) as client:
        answer = client.get(page.entrance)
        assert answer.status_code == 200, answer.text
        client.headers["Origin"] = page.base
        yield client


def token(client: httpx.Client, address: str = "/") -> str:
    """The token that stands in the forms of a page."""
    return re.search(r'name="form_token" value="([^"]+)"', client.get(address).text)[1]


def version(text: str) -> str:
    return re.search(r'name="version" value="(\d+)"', text)[1]


def open_table(client: httpx.Client, place: Path) -> str:
    """The address of a table that was picked."""
    form = {"form_token": token(client), "place": str(place)}
    answer = client.post("/open", data=form)
    return answer.url.path


def finished(client: httpx.Client, run: str, patience: float = 240) -> httpx.Response:
    """The page of a run that is over."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        answer = client.get(run)
        if "Making run" not in answer.text:
            return answer
        time.sleep(0.5)
    raise AssertionError(answer.text)


def publish(client: httpx.Client, table: str, **options: str) -> str:
    """Begin a run; its address."""
    asked = client.get(f"{table}promise").text
    form = {"form_token": token(client), "version": version(asked), "method": "generator"}
    form |= {f"o-{name}": value for name, value in options.items() if name != "method"}
    form |= {"method": options["method"]} if "method" in options else {}
    answer = client.post(f"{table}promise", data=form)
    assert answer.url.path.startswith("/runs/"), answer.text
    return answer.url.path
