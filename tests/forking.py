"""A process that has imported halfmask and forks for each command: the same program, started once.

Started as a program it reads one request a line from standard input, `{args, folder, files}`, and
answers with the exit code. Whoever asks gives the files that standard input, output and errors are.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

LONGEST = 300
"""Seconds that a command may take."""


class Ran(NamedTuple):
    code: int
    out: bytes
    err: bytes


class Forking:
    """Runs `halfmask …` in processes of their own."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, __file__],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=os.environ | {"COLUMNS": "100"},
        )  # fmt: skip

    def run(self, *words: object, folder: Path, stdin: bytes = b"") -> Ran:
        with tempfile.TemporaryDirectory() as scratch:
            files = [Path(scratch, name) for name in ("in", "out", "err")]
            files[0].write_bytes(stdin)
            asked = {"args": [*map(str, words)], "folder": str(folder), "files": [*map(str, files)]}
            ways = self._server.stdin, self._server.stdout
            assert None not in ways
            print(json.dumps(asked), file=ways[0], flush=True)
            code = int(ways[1].readline())
            return Ran(code, files[1].read_bytes(), files[2].read_bytes())

    def close(self) -> None:
        self._server.communicate()


def _serve() -> None:
    from halfmask.cli.entry import COMMANDS, load_command

    for name in COMMANDS:
        load_command(name)
    for module in ("publishing.publish", "publishing.measure_files", "report.html", "estimators"):
        import_module(f"halfmask.{module}")
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _become(**json.loads(line))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(f"{code}\n")
        sys.stdout.flush()


def _become(args: list[str], folder: str, files: list[str]) -> None:
    """The command itself; it leaves with its exit code, or is ended where it hangs."""
    from halfmask.cli.entry import main

    signal.alarm(LONGEST)
    flags = (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT] * 2)
    for place, (name, flag) in enumerate(zip(files, flags, strict=True)):
        os.dup2(os.open(name, flag, 0o600), place)
    os.chdir(folder)
    sys.argv = ["halfmask", *args]
    try:
        main()
    except BaseException:  # noqa: BLE001 - a command answers every error itself
        traceback.print_exc()
    os._exit(70)


if __name__ == "__main__":
    _serve()
