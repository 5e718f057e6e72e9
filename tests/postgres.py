"""A real PostgreSQL server that lives as long as the tests that ask it."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

USER, PASSWORD = "steward", "c4nary-pa55word"


@dataclass(frozen=True)
class Server:
    port: int

    def address(self, asked: str = "", *, password: str = PASSWORD) -> str:
        more = f"?{asked}" if asked else ""
        return f"postgresql://{USER}:{password}@127.0.0.1:{self.port}/postgres{more}"

    def run(self, *statements: str) -> None:
        with self._cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        with self._cursor() as cursor:
            cursor.execute(query)
            return cursor.fetchall()

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.address(), autocommit=True) as held, held.cursor() as cursor:
            yield cursor


def programs() -> Path:
    """The folder of initdb and pg_ctl, or a skip that says what is missing."""
    pytest.importorskip("adbc_driver_postgresql")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    on_path = shutil.which("initdb")
    found = [Path(on_path).parent] if on_path else folders
    if not found:
        pytest.skip("PostgreSQL is not installed (Debian: apt install postgresql)")
    return found[-1]


def unprivileged() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: the user it runs as instead."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = known.get("postgres") or known["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


@contextmanager
def running_server() -> Iterator[Server]:
    """A new server on a free port of this machine, gone without a trace afterwards."""
    bin_, who = programs(), unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="halfmask-pg-"))
    secret = folder / "password"
    secret.write_text(PASSWORD)
    if who:
        for path in (folder, secret):
            os.chown(path, who["user"], who["group"])

    def call(program: str, *words: str) -> None:
        done = subprocess.run(  # noqa: S603 - PostgreSQL's own programs
            [bin_ / program, "-D", folder / "data", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=folder,
            **who,
        )
        assert done.returncode == 0, done.stderr

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -F"
    try:
        call(
            "initdb",
            *("--auth=scram-sha-256", f"--pwfile={secret}", f"--username={USER}"),
            *("--no-sync", "--locale=C", "--encoding=UTF8"),
        )
        call("pg_ctl", "start", "--wait", "-o", options, "-l", str(folder / "log"))
        try:
            yield Server(port)
        finally:
            call("pg_ctl", "stop", "--mode=immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
