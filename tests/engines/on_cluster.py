"""Publishes a table on a cluster of two machines, one of which dies on the way.

Asked by `test_spark.py` in a process of its own, since a program has one Spark.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

from pyspark.sql import SparkSession

import halfmask.spark
from halfmask.engines import pieces

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.log.level": "OFF",
}


def executors() -> list[int]:
    """The processes of this program's executors, and of no other's."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue
        if b"CoarseGrainedExecutorBackend" in words and ours(int(folder.name)):
            found.append(int(folder.name))
    return found


def ours(pid: int) -> bool:
    """Whether a process descends from this one."""
    while pid > 1 and pid != os.getpid():
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        pid = int(status.rpartition(")")[2].split()[1])
    return pid == os.getpid()


def kill_one(spark: SparkSession, killed: list[int]) -> None:
    """Kill an executor as soon as the work has gone on for a while."""
    tracker = spark.sparkContext.statusTracker()
    while not killed:
        if max(tracker.getActiveStageIds(), default=0) >= 4 and (found := executors()):
            os.kill(found[0], signal.SIGKILL)
            killed.append(found[0])
        time.sleep(0.02)


def main(source: str, output: str) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    pieces.MOST_HERE = 500  # as if the table were too long to come here
    killed: list[int] = []
    threading.Thread(target=kill_one, args=(spark, killed), daemon=True).start()
    found = halfmask.spark.publish(
        spark.read.parquet(source), seed=3, min_support=20, output=output
    )
    Path(f"{output}.json").write_text(
        json.dumps({"killed": killed, "verdict": found.verdict.word}), encoding="utf-8"
    )
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
