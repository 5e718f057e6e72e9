"""Dissimilarity between the classes of one table: a scale by which a release's DS can be read.

Each class is the rows with one value of a column, without that column. DS of every two of them, at
one minimum support, is what the papers hold their releases against (0.29 to 12 on their data).
[Vreeken, van Leeuwen & Siebes, Characterising the Difference, 2007]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from halfmask.data import Column, Encoding, Schema, Table
from halfmask.data.coding.kinds import plan_each
from halfmask.data.coding.spec import TableSpec
from halfmask.errors import BadInput, UnknownName
from halfmask.io.forms import FileOptions
from halfmask.io.given import columns_of
from halfmask.measures import Comparison, compare
from halfmask.methods.tables import without
from halfmask.patterns.mining import Kind
from halfmask.publishing.job import until
from halfmask.publishing.measure_files import UNASKED
from halfmask.randomness import Randomness
from halfmask.run import Progress, thread_count

MOST_CLASSES = 100
"""With more values a column is no class."""


@dataclass(frozen=True, slots=True)
class ClassPair:
    """Two classes and their dissimilarity, or why it has none."""

    first: str
    second: str
    rows: tuple[int, int]
    ds: float | None
    min_support: int | None = None
    reason: str = ""


def class_dissimilarities(  # noqa: PLR0913 - the table, and how it is searched
    data: Any,
    column: str,
    *,
    min_support: int | None = None,
    candidates: Kind = "all",
    threads: int | None = None,
    max_time: float | None = None,
    progress: Progress | None = None,
    reading: FileOptions | None = None,
) -> list[ClassPair]:
    """DS between every two classes that a column makes of a dataframe or a file.

    Classes with fewer rows than `min_support` (10 unless said) are left out: they are not named.

    >>> import polars
    >>> rows = [("a", "x", "u")] * 20 + [("b", "y", "v")] * 19 + [("a", "y", "v")]
    >>> frame = polars.DataFrame(rows, schema=["class", "one", "two"], orient="row")
    >>> [(pair.first, pair.second) for pair in class_dissimilarities(frame, "class")]
    [('a', 'b')]
    """
    columns = columns_of(data, reading)
    names = [one.name for one in columns]
    if column not in names:
        raise UnknownName("column", column, names)
    floor = min_support or UNASKED
    table = _coded(columns, floor)
    classes = {
        label: rows for label, rows in _classes(table, column).items() if len(rows) >= max(floor, 2)
    }
    if len(classes) < 2:
        raise BadInput(
            f"Column {column!r} has {len(classes)} class(es) of at least {max(floor, 2)} rows; a "
            "dissimilarity is between two."
        )
    found = []
    for (first, one), (second, other) in combinations(classes.items(), 2):
        comparison = Comparison(
            one,
            other,
            randomness=Randomness(0),
            min_support=floor,
            evaluation_support=min_support,
            candidates=candidates,
            threads=thread_count(threads),
            progress=until(progress, max_time),
        )
        found.append(_pair(first, second, comparison))
    return found


def _coded(columns: Sequence[Column], floor: int) -> Table:
    """The table in codes, numbers in bins; keys say nothing and are left out."""
    least = min(floor, max(1, len(columns[0]) // 20))
    plans = plan_each(columns, TableSpec(), floor=least)
    keys = [name for name, plan in plans.items() if plan.fate == "key"]
    kept = without(columns, keys)
    return Encoding.align(kept, kept, min_support=least, plans=plans).encode(kept)


def _classes(table: Table, column: str) -> dict[str, Table]:
    """The rows of each value of a column, without the column."""
    position = table.schema.position(column)
    attribute = table.schema.attributes[position]
    if attribute.size > MOST_CLASSES:
        raise BadInput(
            f"Column {column!r} has {attribute.size:,} values; at most {MOST_CLASSES} make classes."
        )
    schema = Schema(tuple(one for one in table.schema if one.name != column))
    others = Table(schema, np.delete(table.codes, position, axis=1))
    codes = table.codes[:, position]
    return {
        "missing" if label is None else label: others.take((codes == code).nonzero()[0])
        for code, label in enumerate(attribute.values)
    }


def _pair(first: str, second: str, comparison: Comparison) -> ClassPair:
    item = next(iter(compare(comparison, ["ds"], yardsticks=False)))
    rows = (round(comparison.original.size), round(comparison.release.size))
    details = item.to_dict()
    return ClassPair(
        first,
        second,
        rows,
        details["value"],
        details.get("details", {}).get("min_support"),
        details.get("reason", ""),
    )
