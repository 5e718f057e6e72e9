"""The main job whole: `halfmask publish` with its report, beside the parts it is made of.

python benchmarks/main_job.py [--rows 1000000] [--tables DIR] [--beside 48842 100000] [--repeats 1]

Each job is the command itself in a process of its own: clock, processor time of all its threads and
peak memory. *Parts* is the processor time of another process that reads the same table, learns and
draws as many rows, and writes nothing: what a release costs without checks, measures, comparisons
and report. A ratio says the same on any machine. `--tables` adds every CSV file of a folder,
`--rows` a long table (upsampled.py) with and without a target.

`--beside` runs others on so many rows of adult: SDV's Gaussian copula with its quality report,
python-synthpop's CART and DataSynthesizer's network, each in the environment of that name
(`sdv` with version 2, `synthpop`, `datasynthesizer`) where `make rivals` puts them, or where
HALFMASK_RIVALS says. Who is missing, fails or takes longer than `--limit` seconds is named.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import harness
import upsampled

from halfmask_reproduction.environments import Environments

PARTS = """
import sys
import halfmask as hm
import pyarrow.csv
table = pyarrow.csv.read_csv(sys.argv[1])
target = {"target": sys.argv[2]} if len(sys.argv) > 2 else {}
model = hm.Generator(**target).fit(table)
model.sample(len(table), seed=1)
"""
SDV = """
import sys
import pandas as pd
from sdv.evaluation import evaluate_quality
from sdv.metadata import Metadata
from sdv.single_table import GaussianCopulaSynthesizer
table = {"table": pd.read_csv(sys.argv[1])}
metadata = Metadata.detect_from_dataframes(table)
synthesizer = GaussianCopulaSynthesizer(metadata)
synthesizer.fit(table)
release = synthesizer.sample(len(table["table"]))
release["table"].to_csv(sys.argv[2], index=False)
evaluate_quality(table, release, metadata, verbose=False)
"""
SYNTHPOP = """
import sys
import numpy as np
import pandas as pd
from synthpop import CARTMethod
table = pd.read_csv(sys.argv[1])
kinds = {n: "numerical" if table[n].dtype.kind in "if" else "categorical" for n in table}
names = {}
for name in (name for name, kind in kinds.items() if kind == "categorical"):
    table[name], names[name] = pd.factorize(table[name], use_na_sentinel=False)
np.random.seed(1)
method = CARTMethod(kinds, random_state=1)
method.fit(table)
release = method.sample(len(table))
for name, values in names.items():
    release[name] = np.asarray(values, object)[release[name].astype(int)]
release.to_csv(sys.argv[2], index=False)
"""
DATASYNTHESIZER = """
import sys
from DataSynthesizer.DataDescriber import DataDescriber
from DataSynthesizer.DataGenerator import DataGenerator
describer = DataDescriber(category_threshold=50)
describer.describe_dataset_in_correlated_attribute_mode(sys.argv[1], k=2, epsilon=0, seed=1)
describer.save_dataset_description_to_file(sys.argv[2] + ".json")
rows = sum(1 for _ in open(sys.argv[1])) - 1
generator = DataGenerator()
generator.generate_dataset_in_correlated_attribute_mode(rows, sys.argv[2] + ".json", seed=1)
generator.save_synthetic_data(sys.argv[2])
"""
OTHERS = {
    "sdv": ("SDV's Gaussian copula, with its quality report", SDV),
    "synthpop": ("python-synthpop's CART, without a report", SYNTHPOP),
    "datasynthesizer": ("DataSynthesizer, two parents, without a report", DATASYNTHESIZER),
}


@dataclass(frozen=True)
class Used:
    """What a process took, from its start to its end."""

    clock: float
    processor: float
    peak: int
    """Bytes."""
    fault: str = ""


@dataclass(frozen=True)
class Job:
    """A command on a table."""

    name: str
    table: Path
    options: tuple[str, ...] = ()
    target: str | None = None


def used(command: Sequence[str | Path], *, seconds: float = 3600.0) -> Used:
    """Run to the end, or to the limit."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command, stdout=said, stderr=subprocess.STDOUT, start_new_session=True
        )
        late = threading.Timer(seconds, os.killpg, (process.pid, signal.SIGKILL))
        late.start()
        _, status, usage = os.wait4(process.pid, 0)
        in_time = late.is_alive()
        late.cancel()
        said.seek(0)
        last = said.read().decode(errors="replace").strip().rpartition("\n")[2]
    clock = time.perf_counter() - start
    fault = "" if status == 0 else last[:120] if in_time else f"more than {seconds:,.0f} s"
    return Used(clock, usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss, fault)


def best(command: Sequence[str | Path], repeats: int, seconds: float = 3600.0) -> Used:
    """The quickest of several runs: what the machine can do when it does nothing else."""
    return min((used(command, seconds=seconds) for _ in range(repeats)), key=lambda one: one.clock)


def line(job: Job, folder: Path, repeats: int) -> dict[str, Any]:
    """One job beside its parts."""
    output = folder / "release.csv"
    publish = [sys.executable, "-m", "halfmask", "publish", job.table, "-o", output, "--force"]
    whole = best([*publish, "--seed", "1", *job.options], repeats)
    target = () if job.target is None else (job.target,)
    parts = best([sys.executable, "-c", PARTS, job.table, *target], repeats)
    rows, columns = shape(job.table)
    return {
        "job": job.name,
        "rows": rows,
        "columns": columns,
        "clock [s]": round(whole.clock, 2),
        "processor [s]": round(whole.processor, 2),
        "peak [MB]": round(whole.peak / 1e6),
        "times its parts": None if parts.fault else round(whole.processor / parts.processor, 1),
        "fault": whole.fault,
    }


def shape(table: Path) -> tuple[int, int]:
    with table.open(encoding="utf-8", errors="replace", newline="") as file:
        lines = csv.reader(file)
        columns = len(next(lines))
        return sum(1 for _ in lines), columns


def jobs(folder: Path, options: argparse.Namespace) -> Iterator[Job]:
    demo, adult = folder / "demo", folder / "adult.csv"
    used([sys.executable, "-m", "halfmask", "demo", "--output", demo])
    yield Job("demo", demo / "admissions.csv", ("--min-support", "20"))
    with gzip.open(harness.data_folder() / upsampled.SOURCE) as packed, adult.open("wb") as file:
        shutil.copyfileobj(packed, file)
    yield Job("adult-raw", adult)
    yield Job("adult-raw, target", adult, ("--target", "income"), "income")
    yield Job("adult-raw, ε = 1", adult, ("--epsilon", "1"))
    for table in sorted(options.tables.glob("*.csv")) if options.tables else ():
        yield Job(table.stem, table)
    if options.rows:
        long = folder / "long.csv"
        upsampled.write(long, options.rows)
        yield Job("long", long)
        yield Job("long, target", long, ("--target", "income"), "income")


def beside(folder: Path, rows: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """The same table published by us and made by others."""
    table, output = folder / f"rows-{rows}.csv", folder / "other.csv"
    upsampled.write(table, rows)
    ours = [sys.executable, "-m", "halfmask", "publish", table, "-o", output, "--force"]
    found = [("halfmask publish, with its report", used([*ours, "--seed", "1"]))]
    homes = Environments.at(None)
    for name, (words, program) in OTHERS.items():
        python = homes.python(name)
        if python is None:
            harness.tell(f"{words}: there is no environment {name!r}")
            continue
        command = [python, "-c", program, table, output]
        found.append((words, used(command, seconds=options.limit)))
    return [
        {
            "rows": rows,
            "program": words,
            "clock [s]": round(took.clock, 1),
            "processor [s]": round(took.processor, 1),
            "peak [MB]": round(took.peak / 1e6),
            "times ours": round(took.clock / found[0][1].clock, 1),
            "fault": took.fault,
        }
        for words, took in found
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=0, help="of a long table")
    parser.add_argument("--tables", type=Path, help="a folder of further tables")
    parser.add_argument("--beside", type=int, nargs="*", default=(), help="rows for the others")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds of another program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        helped = best([sys.executable, "-m", "halfmask", "publish", "--help"], options.repeats)
        print(f"publish --help: {helped.clock:.2f} s, {helped.processor:.2f} s of processor time")
        lines = []
        for job in jobs(folder, options):
            lines.append(line(job, folder, options.repeats))
            harness.tell(*lines[-1].values())
        others = []
        for rows in options.beside:
            others += beside(folder, rows, options)
            harness.tell(f"{rows:,} rows beside others")
    harness.show(lines)
    print(harness.keep("main_job", lines))
    if others:
        harness.show(others)
        print(harness.keep("main_job_beside", others, packages=("sdv",)))


if __name__ == "__main__":
    main()
