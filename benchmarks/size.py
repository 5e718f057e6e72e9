"""Ten million rows from a file to a release: the time and the memory of every stage.

python benchmarks/size.py [--rows 10000000] [--memory 8GB] [--threads 2] [--folder /tmp]

The table is adult with its real mixed types, up-sampled with noise (see upsampled.py). It is
published by the command line in a process of its own, which writes down when each stage begins;
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

COLUMNS = 15


def publish_and_note(arguments: list[str], notes: Path) -> None:
    """`halfmask publish` in this process; every beginning of a stage is noted."""
    from halfmask.cli.publish import publish
    from halfmask.publishing.stages import Stage, Stages

    seen: list[dict[str, object]] = []

    def note(stage: Stage | None) -> None:
        name = "end" if stage is None else stage.name
        if seen and seen[-1]["stage"] == name:
            return
        left = None if stage is None else stage.seconds_left
        seen.append(
            {
                "stage": name,
                "wall": time.perf_counter(),
                "processor": time.process_time(),
                "peak": harness._resident("VmHWM"),  # noqa: SLF001 - one of us
                "left": left,
            }
        )
        notes.write_text(json.dumps(seen), encoding="utf-8")

    Stages.of = classmethod(lambda cls, _progress: cls(note))  # type: ignore[method-assign]
    publish.main(arguments, standalone_mode=False)
    note(None)


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
    parser.add_argument("rest", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.note:
        publish_and_note(options.rest, options.note)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        table, notes = options.table or Path(folder) / "big.csv", Path(folder) / "notes.json"
        if options.table is None:
            upsampled.write(table, options.rows)
        settings = ["--memory", options.memory, "--threads", str(options.threads), "--seed", "1"]
        output = str(Path(folder) / "big.release.csv")
        subprocess.run(
            [
                sys.executable,
                __file__,
                "--note",
                str(notes),
                "--",
                str(table),
                "-o",
                output,
                *settings,
            ],
            check=True,
        )
        lines = lines_of(json.loads(notes.read_text(encoding="utf-8")), options.rows)
    harness.show(lines)
    print(harness.keep("size", lines))


if __name__ == "__main__":
    main()
