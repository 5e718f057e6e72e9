"""DuckDB files by DuckDB's own Arrow; it may reach no other file and no network meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from halfmask.data.table import PIECE
from halfmask.errors import BadInput
from halfmask.io.addresses import Address, TableName, quote
from halfmask.io.columns import check_names
from halfmask.io.databases import RowBatches
from halfmask.io.databases.types import without_dictionaries
from halfmask.io.storage import is_supported

_ALONE = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
}
_MAGIC = b"DUCK"  # behind a checksum of eight bytes


class DuckSession:
    """One transaction on a file; nothing is changed unless it is committed."""

    def __init__(self, address: Address, *, write: bool) -> None:
        import duckdb

        self._address = address
        self._new = write and not Path(address.connection).exists()
        with self._in_words():
            self._connection = duckdb.connect(
                address.connection, read_only=not write, config=dict(_ALONE)
            )
            self._connection.execute("BEGIN TRANSACTION")

    @staticmethod
    def holds(beginning: bytes) -> bool:
        """Whether a file that begins so is one of DuckDB."""
        return beginning[8:12] == _MAGIC

    def names(self) -> list[str]:
        """The tables and views of the file, as they are written in an address."""
        found: list[str] = self._arrow(
            "SELECT CASE table_schema WHEN 'main' THEN table_name "
            "ELSE table_schema || '.' || table_name END AS name "
            "FROM information_schema.tables ORDER BY 1"
        )["name"].to_pylist()
        return found

    def kind(self, table: TableName) -> str | None:
        """`table`, the word for something else of that name, or None."""
        found = self._arrow(
            "SELECT table_type FROM information_schema.tables "
            "WHERE lower(table_name) = lower($1) AND lower(table_schema) = lower($2)",
            table.name,
            table.schema or "main",
        )
        if not found.num_rows:
            return None
        return "table" if found["table_type"][0].as_py() == "BASE TABLE" else "view"

    def identity(self, table: TableName) -> tuple[str, ...]:
        """What tells this table from all others."""
        path = str(Path(self._address.connection).resolve())
        return (path, (table.schema or "main").lower(), table.name.lower())

    def size(self, source: str) -> int:
        """How many rows there are."""
        count: int = self._arrow(f"SELECT count(*) AS n FROM {source}")["n"][0].as_py()  # noqa: S608 - as below
        return count

    def read(self, source: str) -> RowBatches:
        """The rows of a table or of a query in brackets."""
        head = self._arrow(f"SELECT * FROM {source} LIMIT 0")  # noqa: S608 - quoted, or the steward's
        check_names(head.column_names, self._address.server)
        listed = ", ".join(
            quote(f.name)
            if is_supported(f.type)
            else f"CAST({quote(f.name)} AS VARCHAR) AS {quote(f.name)}"
            for f in head.schema
        )
        with self._in_words():
            select = f"SELECT {listed} FROM {source}"  # noqa: S608 - as above
            reader = self._connection.sql(select).to_arrow_reader(PIECE)
        return RowBatches(reader.schema, self._batches(reader), {})

    def write(
        self, table: TableName, rows: pa.RecordBatchReader, *, replace: bool, label: str
    ) -> None:
        """Make the table and fill it; nobody sees it before `commit`."""
        with self._in_words():
            if replace:
                self._connection.execute(f"DROP TABLE {table.quoted}")
            self._connection.register("halfmask_rows", without_dictionaries(rows))
            self._connection.execute(f"CREATE TABLE {table.quoted} AS SELECT * FROM halfmask_rows")  # noqa: S608 - quoted
            self._connection.unregister("halfmask_rows")
            self._connection.execute(f"COMMENT ON TABLE {table.quoted} IS '{label}'")

    def commit(self) -> None:
        """Let everybody see it."""
        with self._in_words():
            self._connection.execute("COMMIT")
        self._new = False

    def close(self) -> None:
        """End the transaction; a file that was made for it in vain is removed."""
        self._connection.close()
        if self._new:
            for path in (self._address.connection, f"{self._address.connection}.wal"):
                Path(path).unlink(missing_ok=True)

    def _batches(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        with self._in_words():
            yield from reader

    def _arrow(self, select: str, *values: str) -> pa.Table:
        with self._in_words():
            return self._connection.sql(select, params=list(values) or None).to_arrow_table()

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        import duckdb

        try:
            yield
        except duckdb.Error as problem:
            raise BadInput(_refused(problem, self._address)) from None


def _refused(problem: Any, address: Address) -> str:
    """The reason; DuckDB's own words only where they speak of the query and of no value."""
    import duckdb

    if isinstance(
        problem, duckdb.CatalogException | duckdb.ParserException | duckdb.BinderException
    ):
        return f"{address.server} refuses the query: {str(problem).splitlines()[0]}"
    if isinstance(problem, duckdb.IOException) and "lock" in str(problem):
        return f"{address.server} is open in another program; close it there."
    return f"{address.server} cannot do this ({type(problem).__name__})."
