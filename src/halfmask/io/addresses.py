"""Addresses: a table or a query of a database as one line of text, which may hold a password.

Only `Address.connection` holds what opens the database; the text of an address, its `repr` and
every sentence about it leave user, password and the words of a query out.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote

from halfmask.errors import BadInput, UnknownName
from halfmask.io.forms import PathLike

Engine = Literal["postgresql", "sqlite", "duckdb"]
_SCHEMES: dict[str, Engine] = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "sqlite": "sqlite",
    "duckdb": "duckdb",
}
_WORDS: dict[Engine, str] = {"postgresql": "PostgreSQL", "sqlite": "SQLite", "duckdb": "DuckDB"}
_BEGINNING = re.compile(rf"({'|'.join(_SCHEMES)}):(/+)", re.IGNORECASE)
_ANY_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_NAME = re.compile(r'(?:"((?:[^"]|"")+)"|([^."]+))')


@dataclass(frozen=True, slots=True)
class TableName:
    """The name of a table, with its schema where one is given.

    >>> TableName.of("hospital.patients").quoted
    '"hospital"."patients"'
    >>> TableName.of('"visits.2024"').quoted
    '"visits.2024"'
    """

    name: str
    schema: str | None = None

    @classmethod
    def of(cls, text: str) -> TableName:
        """Read `table` or `schema.table`; a name that holds a dot stands in double quotes."""
        parts = [quoted.replace('""', '"') or plain for quoted, plain in _NAME.findall(text)]
        if not 1 <= len(parts) <= 2 or ("." not in text and len(parts) != 1):
            raise BadInput(f"{text[:80]!r} is neither a table nor schema.table.")
        return cls(parts[-1], parts[0] if len(parts) == 2 else None)

    @property
    def quoted(self) -> str:
        """The name as SQL reads it, whatever characters it has."""
        return ".".join(quote(part) for part in (self.schema, self.name) if part is not None)

    def __str__(self) -> str:
        return self.name if self.schema is None else f"{self.schema}.{self.name}"


def quote(name: str) -> str:
    """An identifier of SQL.

    >>> quote("a b")
    '"a b"'
    """
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True)
class Address:
    """A table or a query of a database, and how to get there.

    >>> address = address_of("postgresql://ann:secret@db.example/clinic?table=patients")
    >>> str(address), address.words
    ('postgresql://db.example/clinic?table=patients',
     "table 'patients' of the PostgreSQL database 'clinic'")
    """

    engine: Engine
    where: str
    """Host and database, or the file; may be shown."""
    connection: str = field(repr=False)
    """What the driver is given; never shown."""
    table: TableName | None = None
    query: str | None = field(default=None, repr=False)
    """May name values of single persons, so that it is not shown either."""

    @property
    def database(self) -> str:
        """The database by its last name."""
        return self.where.rstrip("/").rpartition("/")[2] or self.where

    @property
    def words(self) -> str:
        """How sentences speak of it."""
        what = "the query" if self.table is None else f"table {str(self.table)!r}"
        return f"{what} of the {_WORDS[self.engine]} database {self.database!r}"

    @property
    def server(self) -> str:
        """The database in sentences about reaching it."""
        return f"The {_WORDS[self.engine]} database {self.where!r}"

    @property
    def stem(self) -> str:
        """The beginning of the names of files that belong to it."""
        name = "query" if self.table is None else self.table.name
        return re.sub(r"[^\w-]+", "_", name).strip("_") or "table"

    def __str__(self) -> str:
        slashes = "//" if self.engine == "postgresql" else "///"
        asked = "query=…" if self.table is None else f"table={self.table}"
        return f"{self.engine}:{slashes}{self.where}?{asked}"


def is_address(path: object) -> bool:
    """Whether this text names a database rather than a file."""
    return isinstance(path, str | os.PathLike) and bool(_BEGINNING.match(os.fspath(path)))


def plain(path: PathLike) -> str:
    """The path of a file, or an address without its user and password.

    >>> plain("postgresql://ann:secret@db.example/clinic?table=patients")
    'postgresql://db.example/clinic?table=patients'
    """
    return str(address_of(path)) if is_address(path) else os.fspath(path)


def shown(path: PathLike) -> str:
    """The same between quotes, for a sentence."""
    return repr(plain(path))


def without_credentials(text: str) -> str:
    """A text in which an address may stand, as it may be printed: the last net, not the first.

    >>> without_credentials("unexpected argument postgresql://ann:secret@db/clinic?table=t")
    'unexpected argument postgresql://…@db/clinic?table=t'
    """
    hidden = re.sub(r"(?i)(postgres(?:ql)?:/+)\S*@", r"\1…@", text)
    return re.sub(r"(?i)\b(password|user|passfile)=[^\s&'\"]*", r"\1=…", hidden)


def refuse_address(path: object, what: str) -> None:
    """Refuse a database where only a file will do; the address may hold a password."""
    if is_address(path):
        raise BadInput(f"{what} is a file, and an address of a database was given.")
    refuse_network(path)


def refuse_network(path: object) -> None:
    """Refuse the address of what is neither a file nor a database; it may hold a password.

    >>> refuse_network("https://ann:secret@example.org/patients.csv")
    Traceback (most recent call last):
    ...
    halfmask.errors.BadInput: Nothing is read from or written to https://; name a file, or a
        database (postgresql://, sqlite:///, duckdb:///).
    """
    found = _ANY_SCHEME.match(path) if isinstance(path, str) and not is_address(path) else None
    if found is not None:
        raise BadInput(
            f"Nothing is read from or written to {found[0].lower()}; name a file, or a database "
            "(postgresql://, sqlite:///, duckdb:///)."
        )


def address_of(path: PathLike) -> Address:
    """Read an address; everything behind `query=` is the query.

    >>> address_of("sqlite:///clinic.db?query=SELECT a FROM t WHERE a > 1 & 2").query
    'SELECT a FROM t WHERE a > 1 & 2'
    """
    text = os.fspath(path)
    found = _BEGINNING.match(text)
    if found is None or len(found[2]) < 2:
        raise BadInput(
            "The address of a database begins with postgresql://, sqlite:/// or duckdb:///, and is "
            "given as text, not as a Path."
        )
    engine = _SCHEMES[found[1].lower()]
    base, _, asked = text.partition("?")
    options, query = _options(asked)
    table = options.pop("table", None)
    if (table is None) == (query is None):
        raise BadInput(
            "The address of a database names a table (?table=patients) or a query (?query=SELECT "
            "…), one of the two."
        )
    name = None if table is None else TableName.of(table)
    if engine == "postgresql":
        where = base[found.end(1) + 3 :].rpartition("@")[2]
        return Address(engine, unquote(where) or "localhost", _libpq(base, options), name, query)
    for option in options:
        raise UnknownName("option of an address", option, ("table", "query"))
    file = _file(base[found.end(1) + 1 :], engine)
    return Address(engine, file, file, name, query)


def _options(asked: str) -> tuple[dict[str, str], str | None]:
    """The options of an address by name, and the query behind them."""
    found = re.search(r"(?:^|&)query=", asked)
    before = asked if found is None else asked[: found.start()]
    pairs = [pair.partition("=") for pair in before.split("&") if pair]
    options = {name: unquote(value) if name == "table" else value for name, _, value in pairs}
    return options, None if found is None else unquote(asked[found.end() :])


def _libpq(base: str, options: dict[str, str]) -> str:
    """What PostgreSQL's own library reads: all of the address but the table."""
    scheme, _, rest = base.partition("://")
    more = "&".join(f"{name}={value}" for name, value in options.items())
    return f"{scheme.lower()}://{rest}{'?' if more else ''}{more}"


def _file(rest: str, engine: Engine) -> str:
    """The file of `///file` (from the working folder) or `////folder/file` (from the root)."""
    if not rest.startswith("///") or len(rest) == 3:
        raise BadInput(
            f"A file of {_WORDS[engine]} is written {engine}:///clinic.db, or with a fourth slash "
            f"{engine}:////folder/clinic.db when its path begins at the root."
        )
    return re.sub("^/+", "/", unquote(rest[3:]))
