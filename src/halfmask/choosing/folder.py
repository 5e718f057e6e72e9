"""The trials folder: databases, assets and finished trials, so that an interrupted choice goes on.

Nothing in it was counted in the target: the databases are drawn ones. It is for the house all the
same, for it names the sensitive patterns.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from halfmask.choosing.making import Database
from halfmask.choosing.steps import Databases
from halfmask.choosing.trial import TrialOutcome, arrays_of, digest_of
from halfmask.data import Assortment, Attribute, Baskets, Schema, Table, Transactions
from halfmask.errors import BadInput

FINISHED = "trials.jsonl"


class TrialsFolder:
    """What is kept of a choice in the making; made when something is first kept."""

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_dir():
            raise BadInput(f"{str(path)!r} is a file; trials are kept in a folder.")
        self.path = path
        self._lock = threading.Lock()

    def keep_databases(self, key: str, databases: Databases) -> None:
        """Keep the databases of the choice with this key."""
        names = [self.keep_database(d) for d in (databases.generic, *databases.tests)]
        self._write(self._plan(key), msgspec.json.encode(names))

    def databases(self, key: str) -> Databases | None:
        """The databases of an earlier run of the same choice."""
        plan = self._plan(key)
        if not plan.exists():
            return None
        names = msgspec.json.decode(plan.read_bytes(), type=list[str])
        generic, *tests = (self.database(name) for name in names)
        return Databases(generic, tuple(tests))

    def _plan(self, key: str) -> Path:
        return self.path / f"databases-{key}.json"

    def keep_database(self, database: Database) -> str:
        """Keep a database under its digest."""
        digest = digest_of(database)
        path = self.path / f"{digest}.npz"
        if not path.exists():
            self.path.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f".{digest}.{os.getpid()}.npz")
            np.savez_compressed(part, allow_pickle=False, **arrays_of(database))
            part.replace(path)
        return digest

    def database(self, digest: str) -> Database:
        """The database with this digest."""
        with np.load(self.path / f"{digest}.npz", allow_pickle=False) as arrays:
            found = _database(dict(arrays))
        if digest_of(found) != digest:
            raise BadInput(f"A database in {str(self.path)!r} was changed; remove the folder.")
        return found

    def keep_text(self, name: str, content: bytes) -> None:
        """Keep a small document."""
        self._write(self.path / name, content)

    def text(self, name: str) -> bytes:
        """A document that was kept."""
        return (self.path / name).read_bytes()

    def _write(self, path: Path, content: bytes) -> None:
        from halfmask.io.writing import write_bytes  # a worker only reads, and starts quicker so

        self.path.mkdir(parents=True, exist_ok=True)
        write_bytes(path, content, force=True)

    def finished(self) -> dict[str, TrialOutcome]:
        """The outcomes of finished trials by key; the last one counts.

        A line that was cut off when the process was killed is no trial.
        """
        path = self.path / FINISHED
        found: dict[str, TrialOutcome] = {}
        for line in path.read_bytes().splitlines() if path.exists() else ():
            try:
                outcome = msgspec.json.decode(line, type=TrialOutcome)
            except msgspec.DecodeError:
                continue
            found[outcome.key] = outcome
        return found

    def finish(self, outcome: TrialOutcome) -> None:
        """Keep a finished trial, on the disk before the next one starts."""
        self.path.mkdir(parents=True, exist_ok=True)
        with self._lock, (self.path / FINISHED).open("ab") as file:
            if file.tell() and not self._ends_with_newline():
                file.write(b"\n")  # after a line that was cut off
            file.write(msgspec.json.encode(outcome) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _ends_with_newline(self) -> bool:
        with (self.path / FINISHED).open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"


def _database(arrays: dict[str, NDArray[Any]]) -> Database:
    if "schema" in arrays:
        form = list[tuple[str, tuple[str | None, ...], str]]
        schema = msgspec.json.decode(arrays["schema"].tobytes(), type=form)
        return Table(Schema(tuple(Attribute(*parts) for parts in schema)), arrays["codes"])
    names = msgspec.json.decode(arrays["names"].tobytes(), type=tuple[str, ...])
    rows = Transactions(arrays["offsets"], arrays["items"], arrays["weights"], len(names))
    return Baskets(Assortment(names), rows)
