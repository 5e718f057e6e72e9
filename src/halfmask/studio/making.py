"""Making: one release by the same `publish` as everyone's, and what the page shows of it."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from halfmask.data import Table
from halfmask.io.writing import write_bytes
from halfmask.publishing.publication import Publication, PublishedTable
from halfmask.publishing.publish import publish
from halfmask.studio.deciding import decide_part
from halfmask.studio.keeping import PAIRS, PART, SUMMARY
from halfmask.studio.wire import Task
from halfmask.studio.worker import Teller

MOST_COLUMNS = 30
"""Columns whose pairs are kept to be looked at: 435 tables."""
MOST_VALUES = 12
"""Values of a column that are shown beside those of another."""


def make_release(task: Task, teller: Teller) -> None:
    """Publish, and keep what the page needs beside the files."""
    published = publish(
        task.place,
        method=task.method,
        reading=task.reading,
        progress=teller,
        output=task.output,
        **{name: tupled(value) for name, value in task.options.items()},
    )
    folder = Path(task.folder)
    write_bytes(folder / SUMMARY, msgspec.json.encode(_summary(published)))
    write_bytes(folder / PAIRS, msgspec.json.encode(pairs_of(published.first)))
    write_bytes(folder / PART, decide_part(published).encode())


def tupled(value: Any) -> Any:
    """Lists as they come out of JSON, as methods keep them.

    >>> tupled([["a", "b"]])
    (('a', 'b'),)
    """
    return tuple(map(tupled, value)) if isinstance(value, list) else value


def _summary(published: Publication) -> dict[str, Any]:
    """Everything but the rows; files by their names."""
    files = [Path(str(path)).name for path in published.files]
    return {**published.to_dict(), "files": files}


def pairs_of(table: PublishedTable) -> dict[str, Any]:
    """The joint counts of pairs of columns on both sides; cells of few original rows are left out.

    Both sides are in the codes that the method worked with.
    """
    made, floor = table.made, max(table.min_support, 1)
    original, release = made.original, made.coded
    if not isinstance(original, Table) or not isinstance(release, Table):
        return {"names": [], "tables": {}}
    if original.schema.names != release.schema.names:
        return {"names": [], "tables": {}}
    names = list(original.schema.names)[:MOST_COLUMNS]
    found = {}
    for one, other in combinations(range(len(names)), 2):
        pair = [names[one], names[other]]
        found[f"{one},{other}"] = _two_way(
            original.marginal(pair), release.marginal(pair), floor,
            [original.schema[name].values for name in pair],
        )  # fmt: skip
    sizes = [round(original.size), round(release.size)]
    every = len(original.schema.names)
    return {"names": names, "of": every, "sizes": sizes, "floor": floor, "tables": found}


def _two_way(before: Any, after: Any, floor: int, values: list[Any]) -> dict[str, Any]:
    """One table with its most frequent values; a count that may not be told is None."""
    rows = np.argsort(-before.sum(1), kind="stable")[:MOST_VALUES]
    across = np.argsort(-before.sum(0), kind="stable")[:MOST_VALUES]
    distance = np.abs(before / max(before.sum(), 1) - after / max(after.sum(), 1)).sum() / 2
    cells = [
        [[int(before[i, j]), int(after[i, j])] if before[i, j] >= floor else None for j in across]
        for i in rows
    ]
    labels = [[_label(values[0][i]) for i in rows], [_label(values[1][j]) for j in across]]
    return {"labels": labels, "cells": cells, "distance": round(float(distance), 4)}


def _label(value: str | None) -> str:
    return "(missing)" if value is None else value
