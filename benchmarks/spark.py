"""The same table published here and by Spark on two cores: time, memory of the driver, equality.

python benchmarks/spark.py [--rows 1000000 10000000] [--master local[2]] [--spark-only]

The table is adult up-sampled with noise (see upsampled.py), written as Parquet in pieces. Both runs
are processes of their own, without a trade-off. Processor seconds of Spark are those of the driver
program, the JVM and the Python workers together; the memory is that of the driver program.
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
    spark.stop()


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
                "peak": harness.resident("VmHWM"),
                "model": hashlib.sha256(model).hexdigest(),
            }
        )
    )


def measured(name: str, table: Path, folder: Path, master: str) -> dict[str, object]:
    """A publication in a process of its own, with all processes that it starts."""
    output = folder / f"{name}.parquet"
    command = [sys.executable, __file__, "--work", name, str(table), str(output), master]
    before = os.times()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = os.times()
    spent = after.children_user + after.children_system
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return found | {"processor": spent - before.children_user - before.children_system}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--spark-only", action="store_true", help="leave this machine's run out")
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
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
                name: measured(name, folder / "people.parquet", folder, asked.master)
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
