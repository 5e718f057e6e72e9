"""What every benchmark shares: the data, fair timing, peak memory, and a result that is kept.

A benchmark pins its threads, runs each job once to warm up, then several times, and reports the
median with its spread; what is compared runs in turn in the same process.
"""

from __future__ import annotations

import csv
import ctypes
import gzip
import json
import os
import platform
import resource
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from halfmask.data import Transactions

VARIABLE = "HALFMASK_RESULTS"
"""The environment variable that names another folder for what is kept."""
FULL_RESULTS = Path(__file__).resolve().parent / "results"
QUICK_RESULTS = Path(__file__).resolve().parents[1] / "build" / "bench"
"""What a quick run keeps does not replace what a full one did."""
RESULTS = Path(
    os.environ.get(VARIABLE) or (QUICK_RESULTS if "--quick" in sys.argv else FULL_RESULTS)
)


@dataclass(frozen=True)
class Timing:
    """Seconds of the repeats: the middle one, the best and the worst."""

    median: float
    low: float
    high: float
    repeats: int

    def __str__(self) -> str:
        return f"{self.median:.3f} s [{self.low:.3f}, {self.high:.3f}]"


def pin(threads: int) -> None:
    """Keep this process, and the libraries it loads, on so many cores."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(threads)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def timed(
    job: Callable[[], object],
    *,
    repeats: int = 5,
    warm_up: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> Timing:
    """How long the job takes; its result is dropped inside the measured time, as in real use.

    For work on one thread `time.process_time` is the fairer clock where others use the machine.
    """
    for _ in range(warm_up):
        job()
    seconds = []
    for _ in range(repeats):
        start = clock()
        job()
        seconds.append(clock() - start)
    return Timing(statistics.median(seconds), min(seconds), max(seconds), repeats)


def peak_memory(job: Callable[[], object]) -> int:
    """By how many bytes the job raises the resident memory of a copy of this process (Linux)."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        # What earlier jobs freed goes back first; it would hide what this one needs.
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        before = resident("VmRSS")
        job()
        os.write(writer, str(resident("VmHWM") - before).encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as answer:
        return int(answer.read() or -1)


def resident(field: str) -> int:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(status.split(f"{field}:", 1)[1].split(maxsplit=1)[0])


@dataclass(frozen=True)
class Cost:
    """What one run of a job took in a fresh copy of this process."""

    processor: float
    """Seconds of processor time: other work on the machine does not stretch them."""
    wall: float
    grown: int
    """Bytes by which the job raised the peak of memory."""
    peak: int
    """Bytes of the whole process at its peak, Python and the data included."""


def cost(job: Callable[[], object]) -> tuple[Cost, Any]:
    """Run the job once in a fresh copy of this process; its answer must fit into JSON."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _answer_and_end(job, writer)
    os.close(writer)
    with os.fdopen(reader) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    if not said:
        raise SystemExit("A measured job did not come to its end.")
    figures, result = json.loads(said)
    return Cost(*figures), result


def _answer_and_end(job: Callable[[], object], writer: int) -> None:
    # Whatever happens, the copy must not go on with the work of the process it was copied from.
    try:
        with os.fdopen(writer, "w") as answer:
            json.dump(_run_and_measure(job), answer)
    except BaseException:  # noqa: BLE001 - told, and the process ends
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(0)


def _run_and_measure(job: Callable[[], object]) -> tuple[list[float], object]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, start = time.perf_counter(), time.process_time()
    result = job()
    seconds = [time.process_time() - start, time.perf_counter() - wall]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return [*seconds, (peak - before) * 1024, peak * 1024], result


def data_folder() -> Path:
    """The folder of public data sets: HALFMASK_DATA, or `shared/data` beside the checkout."""
    named = os.environ.get("HALFMASK_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        raise SystemExit("No public data sets found: set HALFMASK_DATA to their folder.")
    return folder


def load_rows(name: str) -> Transactions:
    """A public data set as rows of its original item numbers; empty cells are left out."""
    path = data_folder() / name
    with gzip.open(path, "rt", encoding="utf-8") as file:
        if name.endswith(".dat.gz"):
            rows = [[int(token) for token in line.split()] for line in file]
        else:
            reader = csv.reader(file)
            next(reader)
            rows = [[int(value) for value in line if value] for line in reader]
    return Transactions.of(rows, 1 + max(max(row, default=0) for row in rows))


def environment(packages: Iterable[str] = ()) -> dict[str, Any]:
    """Where the numbers come from: processor, system and versions, never a machine's name."""
    models = [
        line.split(":", 1)[1].strip()
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    ]
    versions = {}
    for package in ("halfmask", "numpy", *packages):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": len(models) or os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": versions,
    }


def keep(benchmark: str, rows: list[dict[str, Any]], *, packages: Iterable[str] = ()) -> Path:
    """Write the result as JSON to the folder of results and say where."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{benchmark}.json"
    document = {"benchmark": benchmark, "environment": environment(packages), "rows": rows}
    path.write_text(
        json.dumps(document, indent=1, default=_plain, sort_keys=True) + "\n", encoding="utf-8"
    )
    return path


def kept(benchmark: str) -> list[dict[str, Any]]:
    """The rows that an earlier run kept."""
    path = RESULTS / f"{benchmark}.json"
    if not path.exists():
        return []
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return rows


def tell(*words: object) -> None:
    """Say on standard error what was just done; the table comes when all is."""
    print("  " + ", ".join(map(str, words)), file=sys.stderr, flush=True)


def show(rows: list[Mapping[str, object]], *, without: Collection[str] = ()) -> None:
    """Print rows as an aligned table, some columns left to what is kept."""
    every = dict.fromkeys(head for row in rows for head in row)
    heads = [head for head in every if head not in without]
    cells = [heads, *([_cell(row, head) for head in heads] for row in rows)]
    widths = [max(len(line[c]) for line in cells) for c in range(len(heads))]
    for line in cells:
        cells_of_line = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join(cells_of_line).rstrip())


def _cell(row: Mapping[str, object], head: str) -> str:
    return "-" if row.get(head) is None else str(row[head])


def _plain(value: object) -> object:
    return asdict(value) if isinstance(value, Timing) else str(value)
