"""SQLite through ADBC: a file that knows numbers and text, read in the types its table declares."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote as escaped

import pyarrow as pa

from halfmask.data.table import PIECE
from halfmask.errors import BadInput
from halfmask.io.addresses import Address, TableName, quote
from halfmask.io.columns import check_names
from halfmask.io.databases import RowBatches
from halfmask.io.databases.types import SQLITE, as_declared

_MAGIC = b"SQLite format 3\x00"
_SORTS = (("INTEGER", "0"), ("REAL", "0.0"), ("TEXT", "''"), ("BLOB", "x''"))
"""What a cell can hold, and something that does; a column is of the last sort that it holds."""


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
        self._cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(PIECE)})

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

    def size(self, source: str) -> int:
        """How many rows there are."""
        count: int = self._arrow(f"SELECT count(*) AS n FROM {source}")["n"][0].as_py()  # noqa: S608 - as below
        return count

    def read(self, source: str) -> RowBatches:
        """The rows of a table or of a query in brackets.

        The driver takes the type of a column from its first rows, and fails at a later one that
        does not fit: so all cells are made of one sort, and a row of that sort goes before them.
        """
        names = self._arrow(f"SELECT * FROM {source} LIMIT 0").column_names  # noqa: S608 - quoted, or the steward's
        check_names(names, self._address.server)
        sorts, declared = self._sorts(names, source), self._declared()
        head = ", ".join(
            f"{example} AS {quote(n)}" for n, (_, example) in zip(names, sorts, strict=True)
        )
        cells = ", ".join(
            f"CAST({quote(n)} AS {sort})" for n, (sort, _) in zip(names, sorts, strict=True)
        )
        with self._in_words():
            self._cursor.execute(f"SELECT {head} UNION ALL SELECT {cells} FROM {source}")  # noqa: S608 - as above
            reader = self._cursor.fetch_record_batch()
        return RowBatches(reader.schema, self._batches(reader), declared)

    def _sorts(self, names: list[str], source: str) -> list[tuple[str, str]]:
        """What the cells of each column are."""
        ranks = ", ".join(
            f"max(CASE typeof({quote(n)}) WHEN 'blob' THEN 3 WHEN 'text' THEN 2 "
            f"WHEN 'real' THEN 1 ELSE 0 END) AS {quote(n)}"
            for n in names
        )
        found = self._arrow(f"SELECT {ranks} FROM {source}")  # noqa: S608 - as above
        return [_SORTS[column[0].as_py() or 0] for column in found.columns]

    def _declared(self) -> dict[str, Callable[[Any], Any]]:
        """What the values of each column are by its declaration; those of a query have none."""
        if self._address.table is None:
            return {}
        about = self._arrow(f"PRAGMA table_info({quote(self._address.table.name)})")
        pairs = zip(about["name"].to_pylist(), about["type"].to_pylist(), strict=True)
        return {name: partial(as_declared, declared=type_ or "") for name, type_ in pairs}

    def _batches(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        first = 1
        with self._in_words():
            for batch in reader:
                yield batch.slice(first)
                first = 0

    def write(
        self,
        table: TableName,
        rows: pa.RecordBatchReader,
        *,
        replace: bool,
        label: str,  # noqa: ARG002 - SQLite has no comments
    ) -> None:
        """Make the table and fill it; nobody sees it before `commit`."""
        with self._in_words():
            if replace:
                self._cursor.execute(f"DROP TABLE {quote(table.name)}")
            self._cursor.execute(
                f"CREATE TABLE {quote(table.name)} ({SQLITE.columns(rows.schema)})"
            )
            self._cursor.adbc_ingest(table.name, SQLITE.cast(rows), mode="append")

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
            f"A column of {address.words} mixes numbers and text; convert it to one of them in "
            "a query (CAST)."
        )
    if "locked" in message:
        return f"{address.server} is being written to by another program; try again."
    for sign in ("no such table", "no such column", "syntax error", "ambiguous column"):
        if sign in message:
            return f"{address.server} refuses the query: {sign}."
    return f"{address.server} cannot be used: the file is damaged, full or read-only."
