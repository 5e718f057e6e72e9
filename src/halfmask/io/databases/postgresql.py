"""PostgreSQL through ADBC: rows come and go as Arrow, by COPY in its binary form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pyarrow as pa

from halfmask.errors import BadInput
from halfmask.io.addresses import Address, TableName, quote
from halfmask.io.columns import check_names
from halfmask.io.databases import RowBatches
from halfmask.io.databases.types import POSTGRESQL, as_decimal

_AS_THEY_ARE = frozenset(
    [
        "int2",
        "int4",
        "int8",
        "float4",
        "float8",
        "numeric",
        "text",
        "varchar",
        "date",
        "timestamp",
        "timestamptz",
        "time",
        "bool",
    ]
)
"""Types that Arrow has; all others are read as the text that PostgreSQL writes for them."""
_HARMLESS = ("42601", "42703", "42P01", "42883", "42P02", "42803", "42702", "42804", "3F000")
"""Errors whose text speaks of the query only; others can quote a value of a row."""
_CONNECTING = (
    (
        ("authentication failed", "no password supplied", "pg_hba.conf"),
        "does not accept this user or password",
    ),
    (("does not exist",), "does not exist, or its user does not"),
    (("invalid", "missing key", "forbidden value"), "has an address that cannot be understood"),
    (("onnection refused", "translate host name", "timeout", "No such file"), "does not answer"),
)


class PostgresSession:
    """One transaction; nothing is changed unless it is committed."""

    def __init__(self, address: Address, *, write: bool) -> None:
        from adbc_driver_postgresql import dbapi

        self._address = address
        try:
            self._connection = dbapi.connect(address.connection)
        except dbapi.Error as problem:
            raise BadInput(f"{address.server} {_why(str(problem))}.") from None
        self._cursor = self._connection.cursor()
        if not write:
            self._run("SET TRANSACTION READ ONLY")

    def names(self) -> list[str]:
        """The tables and views that this user may read, as they are written in an address."""
        return self._column(
            "SELECT CASE WHEN pg_table_is_visible(c.oid) THEN relname "
            "ELSE nspname || '.' || relname END::text "
            "FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace "
            "WHERE relkind IN ('r', 'v', 'm', 'p', 'f') AND nspname !~ '^pg_' "
            "AND nspname <> 'information_schema' AND has_table_privilege(c.oid, 'SELECT') "
            "ORDER BY 1"
        )

    def kind(self, table: TableName) -> str | None:
        """`table`, the word for something else of that name, or None."""
        found = self._column(
            "SELECT relkind::text FROM pg_class WHERE oid = to_regclass($1)::oid", table.quoted
        )
        return None if not found else "table" if found[0] in "rp" else "view or index"

    def identity(self, table: TableName) -> tuple[str, ...]:
        """What tells this table from all others, under whichever name the server is reached."""
        return tuple(
            self._column(
                "SELECT pg_postmaster_start_time()::text || current_database() || "
                "coalesce(to_regclass($1)::oid::text, 'none of it')",
                table.quoted,
            )
        )

    def size(self, source: str) -> int:
        """How many rows there are."""
        return int(self._column(f"SELECT count(*)::text FROM {source}")[0])  # noqa: S608 - as below

    def read(self, source: str) -> RowBatches:
        """The rows of a table or of a query in brackets."""
        head = self._arrow(f"SELECT * FROM {source} LIMIT 0")  # noqa: S608 - quoted, or the steward's
        check_names(head.column_names, self._address.server)
        listed = ", ".join(_selected(column) for column in head.schema)
        with self._in_words():
            self._cursor.execute(f"SELECT {listed} FROM {source}")  # noqa: S608 - as above
            reader = self._cursor.fetch_record_batch()
        decimals = {f.name: _decimal(f) for f in reader.schema if _is_numeric(f)}
        # A numeric comes as text, marked as a type of its own.
        plain = [pa.field(f.name, pa.string() if _is_numeric(f) else f.type) for f in reader.schema]
        schema = pa.schema(plain)
        return RowBatches(schema, self._batches(reader, schema), decimals)

    def write(
        self, table: TableName, rows: pa.RecordBatchReader, *, replace: bool, label: str
    ) -> None:
        """Make the table and send the rows; nobody sees it before `commit`."""
        if replace:
            self._run(f"DROP TABLE {table.quoted}")
        self._run(f"CREATE TABLE {table.quoted} ({POSTGRESQL.columns(rows.schema)})")
        self._run(f"COMMENT ON TABLE {table.quoted} IS '{label}'")
        with self._in_words():
            self._cursor.adbc_ingest(
                table.name,
                POSTGRESQL.cast(rows),
                mode="append",
                db_schema_name=table.schema,
            )

    def commit(self) -> None:
        """Let everybody see it."""
        with self._in_words():
            self._connection.commit()

    def close(self) -> None:
        """End the transaction; what was not committed is as if it had never been."""
        self._cursor.close()
        self._connection.close()

    def _run(self, statement: str) -> None:
        with self._in_words():
            self._cursor.execute(statement)

    def _batches(self, reader: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        with self._in_words():
            for batch in reader:
                stored = (getattr(column, "storage", column) for column in batch.columns)
                yield pa.record_batch(list(stored), schema=schema)

    def _arrow(self, select: str, *values: str) -> pa.Table:
        with self._in_words():
            self._cursor.execute(select, values or None)
            return self._cursor.fetch_arrow_table()

    def _column(self, select: str, *values: str) -> list[str]:
        texts: list[str] = self._arrow(select, *values).column(0).to_pylist()
        return texts

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        from adbc_driver_postgresql import dbapi

        try:
            yield
        except dbapi.Error as problem:
            raise BadInput(_refused(problem, self._address)) from None


def _selected(column: pa.Field) -> str:
    """A column as it is asked for: as text where Arrow has no such type."""
    name, type_ = quote(column.name), (column.metadata or {}).get(b"POSTGRESQL:type", b"").decode()
    if type_ in _AS_THEY_ARE:
        return name
    return f"{name}::{'numeric' if type_ == 'money' else 'text'} AS {name}"


def _is_numeric(field: pa.Field) -> bool:
    return (field.metadata or {}).get(b"POSTGRESQL:type") == b"numeric"


def _decimal(field: pa.Field) -> Callable[[Any], Any]:
    """What the texts of a column of numerics become."""
    packed = int((field.metadata or {}).get(b"POSTGRESQL:typmod", b"-1")) - 4
    size = (packed >> 16, packed & 0x7FF) if packed >= 0 else None
    return partial(as_decimal, name=field.name, size=size)


def _why(message: str) -> str:
    """The reason in our words: the library's own can repeat parts of an address."""
    for signs, words in _CONNECTING:
        if any(sign in message for sign in signs):
            return words
    return "cannot be reached"


def _refused(problem: Any, address: Address) -> str:
    state = problem.sqlstate or "unknown"
    if state == "42501":
        return f"This user lacks the right to do this with {address.words}."
    if state == "42P07":
        return f"There is already a {address.words}; use --force to replace it."
    if state == "2BP01":
        return f"Views or keys depend on {address.words}, so it is not replaced."
    said = ""
    if state in _HARMLESS:
        line = str(problem).partition("ERROR:")[2].strip().split("\n", 1)[0]
        said = f": {line}" if line else ""
    return f"{address.server} refuses {address.words.split(' of ')[0]} (SQLSTATE {state}){said}."
