"""The code tables that the authors' program learnt from public data, as processes."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from halfmask.data import Table
from halfmask.methods.generator.process import Process
from halfmask_reproduction.shelf import coded_table

TABLES = Path(__file__).parent / "data" / "code_tables"


def read_coded(path: Path) -> Table:
    """A table whose cells are item numbers, each used in one column only."""
    with gzip.open(path, "rt") as file:
        return coded_table(file)


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
