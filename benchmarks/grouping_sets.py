"""Counts of a database's table: GROUPING SETS in the database against one pass of our kernels.

python benchmarks/grouping_sets.py [--rows 1000000]

Asked for are the 120 tables of one and two columns over the 15 columns of adult up-sampled, in
DuckDB and in a PostgreSQL server that this program starts. Three ways:

counted here    the rows are read through Arrow, coded and counted by our kernels, or read as codes
                from the file that `--engine stream` keeps
grouping sets   one query; columns are coded in it by CASE expressions
… of codes kept the same over a table in which the codes stand already: what no query can undercut

Processor seconds are those of this process and, with PostgreSQL, of its server; each way is a
database's own connection on one thread, without parallel workers. Counts of all ways are compared.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import harness
import numpy as np
import upsampled

from halfmask.data import Encoding, Table
from halfmask.data.rows import marginals
from halfmask.engines.pieces import ValueCounts
from halfmask.engines.rows import SpreadTable, View, coded_by
from halfmask.engines.stream import Stream
from halfmask.engines.streamed import stream_of
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.publishing.job import Job

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from postgres import Server, running_server  # the server that the tests start

Ask = Callable[[str], list[tuple[Any, ...]]]


def quoted(name: str) -> str:
    """A column as SQL names it."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def code_in_sql(encoding: Encoding, name: str) -> str:
    """The code of a column as an expression: bins by their ends, categories one by one."""
    position = encoding.schema.position(name)
    attribute, code_of = encoding.schema.attributes[position], encoding.code_of[position]
    missing = code_of.get(None, -1)
    if attribute.bins is not None:
        ends = [(bin_[0].low, bin_[-1].high) for bin_ in attribute.bins.bins]
        middles = [(high + low) / 2 for (_, high), (low, _) in pairwise(ends)]
        cases = [f"WHEN {quoted(name)} <= {m} THEN {n}" for n, m in enumerate(middles)]
        listed = " ".join([f"WHEN {quoted(name)} IS NULL THEN {missing}", *cases])
        return f"CASE {listed} ELSE {len(middles)} END"
    if all(label is None or label.lstrip("-").isdigit() for label in code_of):
        cases = [f"WHEN {label} THEN {n}" for label, n in code_of.items() if label is not None]
    else:
        cases = [f"WHEN {text(k)} THEN {n}" for k, n in code_of.items() if k is not None]
    return f"CASE {quoted(name)} {' '.join(cases)} ELSE {missing} END"


def sets_of(names: list[str]) -> list[tuple[str, ...]]:
    """The tables of one and two columns."""
    return [*((name,) for name in names), *combinations(names, 2)]


def query(names: list[str], source: str) -> str:
    """All tables at once; each row of the answer says which columns it is about."""
    asked = ", ".join(f"({', '.join(map(quoted, each))})" for each in sets_of(names))
    listed = ", ".join(map(quoted, names))
    return (
        f"SELECT GROUPING({listed}) AS which, {listed}, count(*) AS n FROM {source} "  # noqa: S608 - our own names
        f"GROUP BY GROUPING SETS ({asked})"
    )


def as_counts(names: list[str], lines: list[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """The cells of all tables, by the columns and codes that they are of."""
    found: Counter[tuple[Any, ...]] = Counter()
    for which, *codes, count in lines:
        asked = [n for n in range(len(names)) if not which >> (len(names) - 1 - n) & 1]
        cell = tuple((names[n], codes[n]) for n in asked)
        if all(code != -1 for _, code in cell):
            found[cell] = count
    return found


def counts_here(table: SpreadTable, names: list[str]) -> Counter[tuple[Any, ...]]:
    """The same from one pass of our kernels."""
    found: Counter[tuple[Any, ...]] = Counter()
    for each, counts in zip(sets_of(names), marginals(table, sets_of(names)), strict=True):
        for place in np.argwhere(counts):
            cell = tuple(zip(each, place.tolist(), strict=True))
            found[cell] = int(counts[tuple(place)])
    return found


def server_spent(server: int | None) -> float:
    """Processor seconds of a server, with the processes it started and those that ended."""
    if server is None:
        return 0.0
    spent = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            facts = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(folder.name) == server or int(facts[1]) == server:
            spent += sum(map(int, facts[11:15]))
    return spent / os.sysconf("SC_CLK_TCK")


def timed(job: Callable[[], Any], server: int | None) -> tuple[float, float, Any]:
    """Clock and processor seconds of a job, and what it gave."""
    began, before, apart = time.perf_counter(), time.process_time(), server_spent(server)
    found = job()
    spent = time.process_time() - before + server_spent(server) - apart
    return time.perf_counter() - began, spent, found


def compare(name: str, address: str, ask: Ask, server: int | None) -> list[dict[str, object]]:
    """The ways in turn, over one database."""
    every, stream, raw = opened(address)
    lines: list[dict[str, object]] = []

    def one(way: str, job: Callable[[], Any]) -> Any:
        clock, spent, found = timed(job, server)
        lines.append(
            {
                "database": name,
                "way": way,
                "clock [s]": round(clock, 1),
                "processor [s]": round(spent, 1),
            }
        )
        return found

    one("reading through Arrow, nothing else", lambda: sum(map(len, raw())))
    values = one("values of all columns", lambda: stream.reduced(values_of(every), ValueCounts.add))
    encoding = GeneratorMethod().fitted(list(values.columns(stream.schema, every)))
    names = list(encoding.schema.names)
    code, whole = coded_by(encoding), View.whole(encoding.schema)
    anew = SpreadTable(Anew(stream, code), whole, values.rows, None)
    here = one("counted here, table read anew", lambda: counts_here(anew, names))
    kept = one("codes kept in a file", lambda: stream.coded(code, encoding.schema))
    again = SpreadTable(kept, whole, values.rows, None)
    of_kept = one("counted here, of codes kept", lambda: counts_here(again, names))
    coded = ", ".join(f"{code_in_sql(encoding, n)} AS {quoted(n)}" for n in names)
    select = f"SELECT {coded} FROM people"  # noqa: S608 - our own names
    found = as_counts(names, one("grouping sets", lambda: ask(query(names, f"({select}) AS c"))))
    one("codes kept in the database", lambda: ask(f"CREATE TABLE codes AS {select}"))
    of_codes = one("grouping sets, of codes kept", lambda: ask(query(names, "codes")))
    check_same(here, of_kept, found, as_counts(names, of_codes))
    return lines


def check_same(*ways: Counter[tuple[Any, ...]]) -> None:
    """Stop where two ways found other counts."""
    if any(each != ways[0] for each in ways):
        raise SystemExit("the ways differ")


def values_of(names: list[str]) -> Callable[..., ValueCounts]:
    """How many rows hold each value."""
    return partial(ValueCounts.of, frozenset(names))


@dataclass(frozen=True, eq=False)
class Anew:
    """A stream whose rows are read and coded again for each question."""

    stream: Stream
    code: Callable[..., Table]

    def reduced(self, answer: Callable[..., Any], merge: Callable[..., Any]) -> Any:
        """The answer of the only piece."""
        return self.stream.reduced(lambda pieces: answer(map(self.code, pieces)), merge)


def opened(address: str) -> tuple[list[str], Stream, Callable[[], Any]]:
    """The stream of a table, as `publish --engine stream` has it, and its batches."""
    job = Job.of(address, "generator", {})
    [given] = job.given.values()
    every, stream = stream_of(given, job.request.reading, ())
    return every, stream, partial(given.batches, job.request.reading)


def in_duckdb(rows: int, folder: Path) -> list[dict[str, object]]:
    """A file of DuckDB."""
    import duckdb

    path = folder / "people.duckdb"
    with duckdb.connect(str(path)) as database:
        for number, piece in enumerate(upsampled.pieces(rows)):
            database.register("piece", piece)
            kind = "INSERT INTO people" if number else "CREATE TABLE people AS"
            database.execute(f"{kind} SELECT * FROM piece")  # noqa: S608 - of two

    def ask(sql: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(path), config={"threads": "1"}) as database:
            return database.execute(sql).fetchall()

    return compare("DuckDB", f"duckdb:///{path}?table=people", ask, None)


def in_postgresql(rows: int, server: Server) -> list[dict[str, object]]:
    """A table of a server of its own."""
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(server.address(), autocommit=False) as held, held.cursor() as cursor:
        for number, piece in enumerate(upsampled.pieces(rows)):
            cursor.adbc_ingest("people", piece, mode="append" if number else "create")
        held.commit()
    server.run("ANALYZE people")

    def ask(sql: str) -> list[tuple[Any, ...]]:
        with dbapi.connect(server.address(), autocommit=True) as held, held.cursor() as cursor:
            cursor.execute("SET max_parallel_workers_per_gather = 0")
            cursor.execute("SET work_mem = '256MB'")
            cursor.execute(sql)
            return [] if sql.startswith("CREATE") else cursor.fetchall()

    return compare("PostgreSQL", server.address("table=people"), ask, parent_of_any(server))


def parent_of_any(server: Server) -> int:
    """The process of the server: the one that listens on its port."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if b"postgres" in words and str(server.port).encode() in words.split(b"\0"):
            return int(folder.name)
    raise SystemExit("the server was not found")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="halfmask-sql-"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        lines = in_duckdb(asked.rows, folder)
        lines += in_postgresql(asked.rows, stack.enter_context(running_server()))
    harness.show(lines)
    harness.keep("grouping-sets", lines)


if __name__ == "__main__":
    main()
