"""SQLite through ADBC: a file that knows numbers and text, read in the types its table declares."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote as escaped

import pyarrow as pa

from halfmask.errors import BadInput
from halfmask.io.addresses import Address, TableName, quote
from halfmask.io.sql_types import SQLITE, as_declared

__all__ = ["SqliteSession"]

_MAGIC = b"SQLite format 3\x00"
_ROWS_LOOKED_AT = 1 << 24
"""The driver takes a column's type from so many rows; its default of 1,024 misses late decimals."""


class SqliteSession:
    """One transaction on a file; nothing is changed unless it is committed."""

    def __init__(self, address: Address, *, write: bool) -> None:
        from adbc_driver_sqlite import dbapi

        self._address = address
        self._new = write and not Path(address.connection).exists()
        path = escaped(str(Path(address.connection).absolute()))
        mode = "rwc" if write else "ro"
        if not write:
            _rolled_back(address.connection)
        try:
            self._connection = dbapi.connect(f"file:{path}?mode={mode}")
        except dbapi.Error:
            raise BadInput(f"{address.server} cannot be opened.") from None
        self._cursor: Any = self._connection.cursor()
        self._cursor.adbc_statement.set_options(
            **{"adbc.sqlite.query.batch_rows": str(_ROWS_LOOKED_AT)}
        )

    @staticmethod
    def holds(beginning: bytes) -> bool:
        """Whether a file that begins so is one of SQLite; an empty file is an empty database."""
        return not beginning or beginning.startswith(_MAGIC)

    def names(self) -> list[str]:
        """The tables and views of the file."""
        found: list[str] = self._arrow(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
        )["name"].to_pylist()
        return found

    def kind(self, table: TableName) -> str | None:
        """`table`, the word for something else of that name, or None."""
        found = self._arrow(
            "SELECT type FROM sqlite_master WHERE lower(name) = lower(?)", table.name
        )
        return found["type"][0].as_py() if found.num_rows else None

    def identity(self, table: TableName) -> tuple[str, ...]:
        """What tells this table from all others."""
        return (str(Path(self._address.connection).resolve()), table.name.lower())

    def read(self, source: str) -> pa.Table:
        """The rows of a table or of a query in brackets."""
        rows = self._arrow(f"SELECT * FROM {source}")  # noqa: S608 - quoted, or the steward's
        if self._address.table is None:
            return rows
        about = self._arrow(f"PRAGMA table_info({quote(self._address.table.name)})")
        declared = dict(zip(about["name"].to_pylist(), about["type"].to_pylist(), strict=True))
        arrays = [
            as_declared(column, declared.get(name) or "")
            for name, column in zip(rows.column_names, rows.columns, strict=True)
        ]
        return pa.table(arrays, names=rows.column_names)

    def write(self, table: TableName, rows: pa.Table, *, replace: bool, label: str) -> None:  # noqa: ARG002 - SQLite has no comments
        """Make the table and fill it; nobody sees it before `commit`."""
        with self._in_words():
            if replace:
                self._cursor.execute(f"DROP TABLE {quote(table.name)}")
            self._cursor.execute(f"CREATE TABLE {quote(table.name)} ({SQLITE.columns(rows)})")
            self._cursor.adbc_ingest(table.name, SQLITE.cast(rows).to_reader(), mode="append")

    def commit(self) -> None:
        """Let everybody see it."""
        with self._in_words():
            self._connection.commit()
        self._new = False

    def close(self) -> None:
        """End the transaction; a file that was made for it in vain is removed."""
        self._cursor.close()
        self._connection.close()
        if self._new:
            Path(self._address.connection).unlink(missing_ok=True)

    def _arrow(self, select: str, *values: str) -> pa.Table:
        with self._in_words():
            self._cursor.execute(select, values or None)
            return self._cursor.fetch_arrow_table()

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        from adbc_driver_sqlite import dbapi

        try:
            yield
        except (dbapi.Error, OSError) as problem:
            raise BadInput(_refused(str(problem), self._address)) from None


def _rolled_back(path: str) -> None:
    """Undo what a program began to write before it was killed: who only reads may not, and fails.

    The journal of a program that is still writing is left to it.
    """
    if not Path(f"{path}-journal").exists():
        return
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _refused(message: str, address: Address) -> str:
    if "Type mismatch" in message:
        return (
            f"A column of {address.words} mixes numbers and text; make it one of them in a query "
            "(CAST)."
        )
    if "locked" in message:
        return f"{address.server} is being written to by another program; try again."
    for sign in ("no such table", "no such column", "syntax error", "ambiguous column"):
        if sign in message:
            return f"{address.server} refuses the query: {sign}."
    return f"{address.server} cannot be used: the file is damaged, full or read-only."
