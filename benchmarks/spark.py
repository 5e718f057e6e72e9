"""One table published here, in passes, and by Spark on two cores: time, memory, equality.

python benchmarks/spark.py [--rows 1000000 10000000] [--master local[2]] [--ways here stream spark]
                            [--most-here 1000]

The table is adult up-sampled with noise (see upsampled.py), written as Parquet in pieces. Each run
is a process of its own, without a trade-off. Processor seconds are those of all its processes
together: with Spark the driver program, the JVM (of 1 GB of heap, Spark's own default) and the
Python workers, whose peaks are told apart. `--most-here` leaves shorter tables where they are too,
as if they were long.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import harness
import pyarrow.parquet as pq
import upsampled

from halfmask.engines import pieces

OPTIONS = {"seed": 1, "no_trade_off": True}


def write_table(rows: int, path: Path) -> None:
    """The long table, piece by piece."""
    writer = None
    for piece in upsampled.pieces(rows):
        writer = writer or pq.ParquetWriter(path, piece.schema)
        writer.write_table(piece)
    writer.close()


def publish_here(table: Path, output: Path, _master: str) -> None:
    """On this machine."""
    import halfmask as hm

    hm.publish(table, output=output, threads=2, **OPTIONS)


def publish_in_passes(table: Path, output: Path, _master: str) -> None:
    """On this machine, of which the table is said to be too large for the memory."""
    from halfmask.engines.streamed import publish_streamed

    publish_streamed(table, output=output, threads=2, **OPTIONS)


def publish_there(table: Path, output: Path, master: str) -> None:
    """By Spark."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from halfmask.spark import publish

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": str(max(4, pq.read_metadata(table).num_rows // 2_500_000)),
        "spark.driver.memory": "1g",
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    publish(spark.read.parquet(str(table)), output=output, **OPTIONS)
    look()
    spark.stop()


WAYS = {"here": publish_here, "stream": publish_in_passes, "spark": publish_there}
SPENT: dict[int, float] = {}
"""Processor seconds of each process that was ever seen: Spark's workers end when they are idle."""
PEAKS: dict[str, int] = {}


@dataclass(frozen=True)
class Process:
    """One that this process started, or that one of these did."""

    pid: int
    name: str
    spent: float
    """Processor seconds."""
    peak: int
    """Bytes of memory that it held at most."""


def descendants() -> list[Process]:
    """The processes that this one started, and those that they did."""
    parent, found = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
            peak = re.search(r"VmHWM:\s+(\d+)", (folder / "status").read_text())
        except OSError:  # it has ended
            continue
        name, facts = stat[stat.index("(") + 1 : stat.rindex(")")], stat.rpartition(")")[2].split()
        spent = sum(map(int, facts[11:13])) / os.sysconf("SC_CLK_TCK")
        pid, held = int(folder.name), 1024 * int(peak[1]) if peak else 0
        parent[pid], found[pid] = int(facts[1]), Process(pid, name, spent, held)

    def ours(pid: int) -> bool:
        while pid in parent and pid != os.getpid():
            pid = parent[pid]
        return pid == os.getpid()

    return [one for pid, one in found.items() if pid != os.getpid() and ours(pid)]


def look() -> None:
    """Note what the JVM and the workers took so far; they end before this process."""
    for process in descendants():
        SPENT[process.pid] = process.spent
        kind = "jvm" if process.name == "java" else "worker"
        PEAKS[kind] = max(PEAKS.get(kind, 0), process.peak)


def watch() -> None:
    """Look every second."""
    while True:
        look()
        time.sleep(1)


def work(name: str, table: Path, output: Path, master: str) -> None:
    """One publication in this process; what it took goes to standard output."""
    threading.Thread(target=watch, daemon=True).start()
    began = time.perf_counter()
    WAYS[name](table, output, master)
    model = output.with_suffix("").with_name(f"{output.stem}.model.json").read_bytes()
    print(
        json.dumps(
            {
                "clock": time.perf_counter() - began,
                "driver": time.process_time(),
                "processor": time.process_time() + sum(SPENT.values()),
                "peaks": {"driver": harness.resident("VmHWM"), **PEAKS},
                "model": hashlib.sha256(model).hexdigest(),
            }
        )
    )


def measured(name: str, table: Path, folder: Path, master: str, more: list[str]) -> dict[str, Any]:
    """A publication in a process of its own, with all processes that it starts."""
    output = folder / f"{name}.parquet"
    command = [sys.executable, __file__, "--work", name, str(table), str(output), master]
    done = subprocess.run([*command, *more], check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def line_of(rows: int, engine: str, one: dict[str, Any]) -> dict[str, object]:
    """One publication as a line of the result."""
    peaks = {f"{what}'s peak [MB]": round(n / 1e6) for what, n in one["peaks"].items()}
    return {
        "rows": rows,
        "engine": engine,
        "clock [s]": round(one["clock"], 1),
        "processor [s]": round(one["processor"], 1),
        "of the driver [s]": round(one["driver"], 1),
        **peaks,
        "model": one["model"][:12],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--most-here", type=int, help="rows that are brought to the driver")
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    more = [] if asked.most_here is None else ["--most-here", str(asked.most_here)]
    if asked.most_here is not None:
        pieces.MOST_HERE = asked.most_here
    if asked.work:
        name, table, output, master = asked.work
        work(name, Path(table), Path(output), master)
        return
    lines = []
    for rows in asked.rows:
        folder = Path(tempfile.mkdtemp(prefix="halfmask-spark-"))
        try:
            table = folder / "people.parquet"
            write_table(rows, table)
            found = {way: measured(way, table, folder, asked.master, more) for way in asked.ways}
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        for way, one in found.items():
            lines.append(line_of(rows, asked.master if way == "spark" else way, one))
        harness.show(lines)
    harness.keep("spark", lines)


if __name__ == "__main__":
    main()
