"""Time and memory against rows and columns: read, fit and sample, step by step.

python benchmarks/growth.py [--quick] [--picture docs/pictures/growth.svg]

Rows: adult drawn to any length from a model of it. Columns: the first columns of adult, and beyond
its fifteen those of further drawings beside them. Every size runs in a process of its own, one
thread, and is counted in processor seconds, which other work on the machine does not stretch.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import harness
import numpy as np
from sampling import load_table

from halfmask.data import Schema, Table
from halfmask.estimators import Generator
from halfmask.io.files import save
from halfmask.io.given import columns_of
from halfmask.methods.generator.learn import learn
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.randomness import Randomness

SHARE = 0.001
LEAST = 10
"""A pattern needs this share of the rows, but never fewer rows than this."""
ROWS = (1_000, 10_000, 100_000, 1_000_000)
COLUMNS = (5, 10, 15, 20, 30, 40)
BESIDE_COLUMNS = 10_000
"""Rows of the tables with more and more columns."""
KRIMP_COLUMNS = 15
"""Beyond so many columns there are more itemsets than a search takes, and Slim is used."""
STEPS = ("read", "fit", "sample")


def model_of_adult() -> GeneratorModel:
    """The model that makes adult longer: patterns of at least one row in a hundred."""
    return learn(load_table("adult"), GeneratorSettings(min_support=0.01))


def drawn(model: GeneratorModel, rows: int, columns: int) -> Table:
    """So many rows and columns; columns beyond those of one drawing come from the next."""
    parts: list[np.ndarray] = []
    attributes = []
    while len(attributes) < columns:
        data = model.sample(rows, randomness=Randomness(len(parts) + 1)).data
        number = len(parts) + 1
        attributes += [replace(a, name=f"{a.name} {number}") for a in data.schema.attributes]
        parts.append(data.codes)
    return Table(Schema(tuple(attributes[:columns])), np.hstack(parts)[:, :columns])


def measured(step: Callable[[], object]) -> tuple[object, float, float]:
    """What the step gives, its processor seconds, and the peak of the process in megabytes."""
    # Linux forgets the old peak of a process that asks so.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    start = time.process_time()
    result = step()
    seconds = time.process_time() - start
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return result, seconds, int(peak.split()[1]) / 1024


def steps(file: Path, rows: int, columns: int) -> dict[str, object]:
    """Read the file, fit a model, draw as many rows as there were."""
    support = max(LEAST, round(SHARE * rows))
    search = "krimp" if columns <= KRIMP_COLUMNS else "slim"
    generator = Generator(min_support=support, search=search, search_rows=rows)
    figures = {}

    def note(name: str, step: Callable[[], object]) -> object:
        result, seconds, megabytes = measured(step)
        figures[f"{name} [s]"] = round(seconds, 3)
        figures[f"{name} [MB]"] = round(megabytes)
        return result

    table = note("read", lambda: generator.encode(columns_of(file))[0])
    learnt = note("fit", lambda: learn(table, generator.learning(rows)))
    note("sample", lambda: learnt.sample(rows, randomness=Randomness(7)))
    return {
        "min_support": support,
        "search": search,
        "patterns": len(learnt.code_table),
    } | figures


def grow(model: GeneratorModel, rows: int, columns: int, against: str) -> dict[str, object]:
    """One line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "grown.csv"
        harness.cost(lambda: save(drawn(model, rows, columns), file))
        _, figures = harness.cost(lambda: steps(file, rows, columns))
    return {"against": against, "rows": rows, "columns": columns} | figures


def draw_picture(lines: list[dict[str, object]], path: Path) -> None:
    """Seconds and megabytes on logarithmic axes, beside straight proportion."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "halfmask"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9, 6.5), layout="constrained")
    for row, (unit, title) in enumerate((("s", "processor seconds"), ("MB", "peak, megabytes"))):
        for column, against in enumerate(("rows", "columns")):
            axis = axes[row, column]
            chosen = [line for line in lines if line["against"] == against]
            sizes = [line[against] for line in chosen]
            for step, marker in zip(STEPS, "osD", strict=True):
                axis.plot(sizes, [x[f"{step} [{unit}]"] for x in chosen], marker=marker, label=step)
            axis.set(xlabel=against, ylabel=title)
            axis.set_xscale("log" if against == "rows" else "linear")
            if unit == "s" or against == "rows":
                axis.set_yscale("log")
            else:
                axis.set_ylim(bottom=0)
            axis.grid(visible=True, which="major", alpha=0.3)
            _mark_proportion(axis, sizes, chosen, unit, against)
            if against == "columns":
                _mark_searches(axis)
            axis.legend(fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


def _mark_proportion(axis, sizes, chosen, unit: str, against: str) -> None:
    if unit == "s" and against == "rows" and chosen:
        last = chosen[-1]["read [s]"]
        line = [last * size / sizes[-1] for size in sizes]
        axis.plot(sizes, line, color="gray", linestyle=":", label="in proportion to rows")


def _mark_searches(axis) -> None:
    axis.axvline(KRIMP_COLUMNS + 2.5, color="gray", linestyle=":")
    for side, name in ((-1, "Krimp"), (1, "Slim")):
        axis.annotate(
            name,
            (KRIMP_COLUMNS + 2.5, 0.03),
            xytext=(4 * side, 0),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="left" if side > 0 else "right",
            color="gray",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="up to a million rows, not ten")
    parser.add_argument("--rows", type=int, nargs="*", help="these numbers of rows only")
    parser.add_argument("--columns", type=int, nargs="*", help="these numbers of columns only")
    parser.add_argument("--picture", type=Path, help="draw the curves into this SVG file")
    options = parser.parse_args()
    model = model_of_adult()
    rows = (
        (ROWS if options.quick else (*ROWS, 10_000_000)) if options.rows is None else options.rows
    )
    columns = COLUMNS if options.columns is None else options.columns
    sizes = [(n, 15, "rows") for n in rows] + [(BESIDE_COLUMNS, c, "columns") for c in columns]
    lines = []
    for n_rows, n_columns, against in sizes:
        lines.append(grow(model, n_rows, n_columns, against))
        harness.tell(f"{n_rows:,} rows", f"{n_columns} columns")
    harness.show(lines)
    print(harness.keep("growth", lines))
    if options.picture:
        draw_picture(lines, options.picture)


if __name__ == "__main__":
    main()
