"""A table of any length that looks like a real one: adult drawn again, every row a little changed.

python benchmarks/upsampled.py 1000000 big.csv

Rows are drawn with replacement from the public table with its real mixed types (whole numbers,
categories, empty cells). A number moves by a few per cent, in whole numbers and within its range; 0
and the most frequent value of a column stay. One category in fifty is another row's. So hardly two
rows are equal, while types, spikes, missing cells and dependencies are the original's.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import harness
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute as pc
from pyarrow import csv

SOURCE = "adult-raw.csv.gz"
FOLLOWS = {"education-num": "education"}
"""A number that follows from a category goes with it."""
CHANGED = 0.02
"""So many categories are those of another row."""
MOVED = 0.05
"""By so much a number moves at most, and always by up to 1."""
AT_ONCE = 250_000


def read_source() -> pa.Table:
    """The public table with its types."""
    return csv.read_csv(
        harness.data_folder() / SOURCE,
        convert_options=csv.ConvertOptions(null_values=[""], strings_can_be_null=True),
    )


def pieces(rows: int, *, seed: int = 1) -> Iterator[pa.Table]:
    """The long table piece by piece; the same seed gives the same rows."""
    source = read_source()
    for number, start in enumerate(range(0, rows, AT_ONCE)):
        rng = np.random.default_rng([seed, number])
        yield _piece(source, min(AT_ONCE, rows - start), rng)


def _piece(source: pa.Table, rows: int, rng: np.random.Generator) -> pa.Table:
    drawn = rng.integers(source.num_rows, size=rows)
    taken: dict[str, NDArray[np.intp]] = {}
    made = {}
    for name in source.column_names:
        column = source[name].combine_chunks()
        if pa.types.is_integer(column.type) and name not in FOLLOWS:
            made[name] = pa.array(_moved(column.to_numpy(), drawn, rng))
            continue
        if name not in FOLLOWS:
            other = rng.integers(source.num_rows, size=rows)
            taken[name] = np.where(rng.random(rows) < CHANGED, other, drawn)
        made[name] = column.take(pa.array(taken[FOLLOWS.get(name, name)]))
    return pa.table(made)


def _moved(
    values: NDArray[np.int64], drawn: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.int64]:
    usual = np.bincount(values).argmax() if values.max() < 1 << 24 else values[0]
    found = values[drawn]
    far = np.maximum(1.0, MOVED * found)
    moved = np.rint(found + rng.uniform(-far, far)).astype(np.int64)
    kept = (found == 0) | (found == usual)
    return np.where(kept, found, np.clip(moved, max(values.min(), 1), values.max()))


def write(path: Path, rows: int, *, seed: int = 1) -> None:
    """The long table as CSV."""
    writer = None
    with path.open("wb") as file:
        for piece in pieces(rows, seed=seed):
            words = pa.table(
                [pc.fill_null(column.cast(pa.string()), "") for column in piece.columns],
                piece.column_names,
            )
            writer = writer or csv.CSVWriter(
                file, words.schema, write_options=csv.WriteOptions(quoting_style="none")
            )
            writer.write_table(words)
        if writer is not None:
            writer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=int)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    write(options.file, options.rows, seed=options.seed)


if __name__ == "__main__":
    main()
