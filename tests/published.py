"""The code tables that the authors' program learnt from public data, as processes."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np

from halfmask.data import Attribute, Schema, Table
from halfmask.methods.process import Process

TABLES = Path(__file__).parent / "data" / "code_tables"


def read_coded(path: Path) -> Table:
    """A table whose cells are item numbers, each used in one column only."""
    with gzip.open(path, "rt") as file:
        header, *rows = csv.reader(file)
    cells = np.array(rows, np.int64)
    values = [np.unique(column) for column in cells.T]
    codes = np.column_stack(
        [np.searchsorted(v, column) for v, column in zip(values, cells.T, strict=True)]
    )
    attributes = [
        Attribute(name, tuple(map(str, v.tolist()))) for name, v in zip(header, values, strict=True)
    ]
    return Table(Schema(tuple(attributes)), codes)


def read_process(name: str, table: Table, *, laplace: float = 0.001, order="random") -> Process:
    """The process of a published code table; its item ids are ranks by support."""
    counts = table.transactions.item_counts
    item_of_id = np.lexsort((-np.arange(len(counts)), -counts))
    patterns, weights = [], []
    for line in (TABLES / f"{name}.ct").read_text().splitlines()[2:]:
        ids, _, numbers = line.partition("(")
        if not ids.strip():
            continue
        patterns.append(tuple(sorted(int(item_of_id[int(i)]) for i in ids.split())))
        weights.append(int(numbers.split(",")[0]) + laplace)
    return Process.of(table.schema, patterns, weights, order)
