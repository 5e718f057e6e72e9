"""The same table published here and by Spark on two cores: time, memory of the driver, equality.

python benchmarks/spark.py [--rows 1000000 10000000] [--master local[2]] [--spark-only]
                            [--most-here 1000]

The table is adult up-sampled with noise (see upsampled.py), written as Parquet in pieces. Both runs
are processes of their own, without a trade-off. Processor seconds of Spark are those of the driver
program, the JVM and the Python workers together; the memory is that of the driver program.
`--most-here` leaves shorter tables where they are too, as if they were long.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


def publish_there(table: Path, output: Path, master: str) -> None:
    """By Spark."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from halfmask.spark import publish

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "4",
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    publish(spark.read.parquet(str(table)), output=output, **OPTIONS)
    SPENT.append(spent_by_descendants())
    spark.stop()


SPENT: list[float] = []


def spent_by_descendants() -> float:
    """Processor seconds of the processes that this one started, and of those that they did."""
    parent, spent = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            facts = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parent[int(folder.name)] = int(facts[1])
        spent[int(folder.name)] = sum(map(int, facts[11:15])) / os.sysconf("SC_CLK_TCK")

    def ours(pid: int) -> bool:
        while pid in parent and pid != os.getpid():
            pid = parent[pid]
        return pid == os.getpid()

    return sum(seconds for pid, seconds in spent.items() if pid != os.getpid() and ours(pid))


def work(name: str, table: Path, output: Path, master: str) -> None:
    """One publication in this process; what it took goes to standard output."""
    began = time.perf_counter()
    {"here": publish_here, "spark": publish_there}[name](table, output, master)
    model = output.with_suffix("").with_name(f"{output.stem}.model.json").read_bytes()
    print(
        json.dumps(
            {
                "clock": time.perf_counter() - began,
                "driver": time.process_time(),
                "processor": time.process_time() + sum(SPENT),
                "peak": harness.resident("VmHWM"),
                "model": hashlib.sha256(model).hexdigest(),
            }
        )
    )


def measured(
    name: str, table: Path, folder: Path, master: str, more: list[str]
) -> dict[str, object]:
    """A publication in a process of its own, with all processes that it starts."""
    output = folder / f"{name}.parquet"
    command = [sys.executable, __file__, "--work", name, str(table), str(output), master]
    done = subprocess.run([*command, *more], check=True, capture_output=True, text=True)
    found: dict[str, object] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--spark-only", action="store_true", help="leave this machine's run out")
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
            write_table(rows, folder / "people.parquet")
            names = ["spark"] if asked.spark_only else ["here", "spark"]
            found = {
                name: measured(name, folder / "people.parquet", folder, asked.master, more)
                for name in names
            }
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        same = len({one["model"] for one in found.values()}) == 1
        for name, one in found.items():
            lines.append(
                {
                    "rows": rows,
                    "engine": name if name == "here" else asked.master,
                    "clock [s]": round(one["clock"], 1),
                    "processor [s]": round(one["processor"], 1),
                    "of the driver [s]": round(one["driver"], 1),
                    "driver's peak [MB]": round(one["peak"] / 1e6),
                    "same model": same if len(found) > 1 else None,
                }
            )
        harness.show(lines)
    harness.keep("spark", lines)


if __name__ == "__main__":
    main()
