"""Ten million rows from a file to a release: the time and the memory of every stage.

python benchmarks/size.py [--rows 10000000] [--memory 8GB] [--threads 2] [--folder /tmp]

The table is adult with its real mixed types, up-sampled with noise (see upsampled.py). It is
published in a process of its own, which writes down when each stage begins;
file and release are deleted afterwards. Peak memory is that of the whole process so far.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import harness
import upsampled

import halfmask as hm
from halfmask.run import Stage


class Noted:
    """A progress that writes down when each stage begins."""

    def __init__(self, notes: Path) -> None:
        self.notes = notes
        self.seen: list[dict[str, object]] = []

    def __call__(self, _done: int, _total: int) -> bool:
        return True

    def stage(self, stage: Stage) -> None:
        self.note(stage.name, stage.seconds_left)

    def note(self, name: str, left: float | None = None) -> None:
        if self.seen and self.seen[-1]["stage"] == name:
            return
        self.seen.append(
            {
                "stage": name,
                "wall": time.perf_counter(),
                "processor": time.process_time(),
                "peak": harness.resident("VmHWM"),
                "left": left,
            }
        )
        self.notes.write_text(json.dumps(self.seen), encoding="utf-8")


def publish_and_note(table: Path, output: Path, options: argparse.Namespace) -> None:
    """Publish in this process; every beginning of a stage is noted."""
    noted = Noted(options.note)
    hm.publish(
        table,
        method=hm.Generator(threads=options.threads),
        output=output,
        memory=options.memory,
        seed=1,
        progress=noted,
    )
    noted.note("end")


def lines_of(notes: list[dict[str, float]], rows: int) -> list[dict[str, object]]:
    """A line for each stage, and one for all."""
    found: list[dict[str, object]] = []
    every = [*itertools.pairwise(notes), (notes[0], notes[-1])]
    for number, (start, end) in enumerate(every):
        expected = start["left"]
        found.append(
            {
                "rows": rows,
                "stage": "all" if number == len(notes) - 1 else start["stage"],
                "clock [s]": round(end["wall"] - start["wall"], 1),
                "processor [s]": round(end["processor"] - start["processor"], 1),
                "peak so far [MB]": round(end["peak"] / 1e6),
                "said to be left [s]": None if expected is None else round(expected),
            }
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--memory", default="8GB")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where the files are made for a while")
    parser.add_argument("--table", type=Path, help="take this file instead of making one")
    parser.add_argument("--note", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.note:
        publish_and_note(options.table, options.output, options)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        table, notes = options.table or Path(folder) / "big.csv", Path(folder) / "notes.json"
        if options.table is None:
            upsampled.write(table, options.rows)
        settings = ["--memory", options.memory, "--threads", str(options.threads)]
        files = ["--table", table, "--output", Path(folder) / "big.release.csv", "--note", notes]
        subprocess.run([sys.executable, __file__, *settings, *files], check=True)
        lines = lines_of(json.loads(notes.read_text(encoding="utf-8")), options.rows)
    harness.show(lines)
    print(harness.keep("size", lines))


if __name__ == "__main__":
    main()
