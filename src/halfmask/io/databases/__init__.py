"""Databases: a table or a query read in batches, a release written so in one transaction.

Each engine has a session of the same few verbs. A session is one transaction: what is written is
seen by nobody until `commit`, and `close` without it leaves the database as it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from halfmask.data import Column
from halfmask.errors import BadInput, UnknownName
from halfmask.io.addresses import Address, Engine, TableName
from halfmask.io.columns import columns_of_batches, retyped
from halfmask.io.databases.types import checked_dates
from halfmask.io.sources import Expect, Progress, read_bytes

__all__ = [
    "RowBatches",
    "Session",
    "check_table",
    "open_session",
    "read_columns",
    "schema_of",
    "stage_table",
    "stream_rows",
]

_SESSIONS: dict[Engine, tuple[str, str, str]] = {
    "postgresql": ("postgresql", "PostgresSession", "adbc_driver_postgresql"),
    "sqlite": ("sqlite", "SqliteSession", "adbc_driver_sqlite"),
    "duckdb": ("duckdb", "DuckSession", "duckdb"),
}


@dataclass(frozen=True, eq=False)
class RowBatches:
    """What a table or a query gives: its rows batch by batch, once."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    types: Mapping[str, Callable[[Any], Any]]
    """For some columns, what their values become when all of them are known."""


class Session(Protocol):
    """One transaction on a database."""

    def names(self) -> list[str]: ...  # noqa: D102 - each is told where it is written
    def kind(self, table: TableName) -> str | None: ...  # noqa: D102
    def identity(self, table: TableName) -> tuple[str, ...]: ...  # noqa: D102
    def size(self, source: str) -> int: ...  # noqa: D102
    def read(self, source: str) -> RowBatches: ...  # noqa: D102
    def write(  # noqa: D102
        self, table: TableName, rows: pa.RecordBatchReader, *, replace: bool, label: str
    ) -> None: ...
    def commit(self) -> None: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


def open_session(address: Address, *, write: bool = False) -> Session:
    """Open the database, or say in one sentence why not."""
    module, name, driver = _SESSIONS[address.engine]
    try:
        import_module(driver)
    except ImportError:
        raise BadInput(
            f"Databases need the package {driver.replace('_', '-')}; "
            "pip install 'halfmask[sql]' brings it."
        ) from None
    make = getattr(import_module(f"halfmask.io.databases.{module}"), name)
    if address.engine != "postgresql":
        _check_file(address, make.holds, write=write)
    session: Session = make(address, write=write)
    return session


@contextmanager
def _session(address: Address, *, write: bool = False) -> Iterator[Session]:
    session = open_session(address, write=write)
    try:
        yield session
    finally:
        session.close()


def read_columns(
    address: Address, *, progress: Progress | None = None, expect: Expect | None = None
) -> list[Column]:
    """The columns of a table or query; a name that does not exist is answered with the nearest.

    A table is counted before it is read; the rows of a query are counted as they come, because it
    may take long to answer.
    """
    with _session(address) as session:
        source = _source(session, address)
        counted = address.table is not None and (expect is not None or progress is not None)
        total = session.size(source) if counted else None
        found = session.read(source)
        seen = _Seen(len(found.schema), total, progress, expect)
        columns = columns_of_batches(found.schema, map(seen.one, found.batches), address.server)
        return [retyped(c, found.types[c.name]) if c.name in found.types else c for c in columns]


def _source(session: Session, address: Address) -> str:
    """What is read, as the database writes it."""
    if address.table is None:
        asked = (address.query or "").strip().rstrip(";")
        return f"(\n{asked}\n) AS asked"
    if session.kind(address.table) is None:
        raise UnknownName("table", str(address.table), session.names())
    return address.table.quoted


def schema_of(address: Address) -> pa.Schema:
    """The columns of a table or query; one whose type follows from all its values is refused."""
    with _session(address) as session:
        found = session.read(_source(session, address))
        for name in found.types:
            raise BadInput(
                f"The type of column {name!r} follows from all of its values, and they are read in "
                "passes; name a query that casts it (?query=SELECT … CAST …)."
            )
        return found.schema


def stream_rows(address: Address) -> Iterator[pa.RecordBatch]:
    """The rows of a table or query, batch by batch, of which nothing is kept."""
    with _session(address) as session:
        yield from map(checked_dates, session.read(_source(session, address)).batches)


@dataclass
class _Seen:
    """The batches that were read so far, told to whoever wants to know."""

    columns: int
    total: int | None
    progress: Progress | None
    expect: Expect | None
    rows: int = 0

    def __post_init__(self) -> None:
        if self.total is not None and self.expect is not None:
            self.expect(self.total, self.columns)

    def one(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """One more batch, looked at."""
        self.rows += batch.num_rows
        if self.total is None and self.expect is not None:
            self.expect(self.rows, self.columns)
        if self.total is not None and self.progress is not None:
            self.progress(self.rows, self.total)
        return checked_dates(batch)


def check_table(address: Address, *, source: Address | None = None, force: bool = False) -> None:
    """Refuse a table that cannot be written, before the work that makes its rows."""
    table = _named(address)
    if address.engine != "postgresql" and not Path(address.connection).exists():
        return
    with _session(address) as session:
        _may_write(session, address, force=force)
        if source is None or source.engine != address.engine:
            return
        here = session.identity(table)
    if source.table is None:
        reads = re.search(rf"\b{re.escape(table.name)}\b", source.query or "", re.IGNORECASE)
        same = reads is not None and source.where == address.where and force
    else:
        with _session(source) as session:
            same = session.identity(source.table) == here
    if same:
        raise BadInput("The release would replace the original; name another table.")


def stage_table(
    address: Address, rows: pa.RecordBatchReader, *, release: str, force: bool = False
) -> Session:
    """Write the rows in a transaction that is still open: `commit` it, or `close` it in vain.

    Each batch is made when the database asks for it, and let go of when it has it.
    """
    session = open_session(address, write=True)
    problems: list[BaseException] = []
    try:
        replace = _may_write(session, address, force=force)
        label = f"A release ({release}) made by halfmask"
        made = pa.RecordBatchReader.from_batches(rows.schema, _made(rows, problems))
        session.write(_named(address), made, replace=replace, label=label)
    except BaseException:
        session.close()
        if problems:
            raise problems[0] from None
        raise
    return session


def _made(rows: pa.RecordBatchReader, problems: list[BaseException]) -> Iterator[pa.RecordBatch]:
    """The batches; what goes wrong in making one is kept, for a driver would tell it as its own."""
    try:
        yield from rows
    except BaseException as problem:
        problems.append(problem)
        raise


def _named(address: Address) -> TableName:
    if address.table is None:
        raise BadInput("A release is written to a table (?table=…), not to a query.")
    return address.table


def _may_write(session: Session, address: Address, *, force: bool) -> bool:
    """Whether there is a table to be replaced; one that may not be is refused."""
    kind = session.kind(_named(address))
    if kind is None:
        return False
    if kind != "table":
        raise BadInput(f"{str(address.table)!r} is a {kind}, which is never replaced.")
    if not force:
        raise BadInput(f"There already is a {address.words}; use --force to replace it.")
    return True


def _check_file(address: Address, holds: object, *, write: bool) -> None:
    path = Path(address.connection)
    if write and not path.exists():
        if not path.parent.is_dir():
            raise BadInput(f"There is no folder {str(path.parent)!r} to write {path.name!r} in.")
        return
    if not path.exists() and Path(f"/{path}").exists():
        raise BadInput(
            f"There is no file {str(path)!r} in the working folder; a path that begins at the root "
            f"is written with four slashes: {address.engine}:////{path}."
        )
    beginning = read_bytes(path, 16)
    assert callable(holds)  # noqa: S101 - each session of a file has it
    if not holds(beginning):
        raise BadInput(f"{path.name!r} is not a file of {address.engine}.")
