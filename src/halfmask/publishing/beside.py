"""What stands beside a release of baskets, read back: its noise, its tables, its unknown cells.

With it the published files alone answer for the supports of the original, as the release did when
it was made.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from halfmask.data import (
    AnatomisedTables,
    Assortment,
    Baskets,
    Channel,
    Column,
    Countable,
    DistortedBaskets,
    GeneralisedBaskets,
    Transactions,
)
from halfmask.data.published.anatomised import Line
from halfmask.errors import BadInput
from halfmask.io.csv_tables import quoted_formula, unquoted_formula
from halfmask.io.forms import PathLike
from halfmask.io.sources import text_of
from halfmask.methods.hiding.blocked import BlockedBaskets
from halfmask.methods.hiding.edits import Marked, read_log, undo
from halfmask.methods.names import read_names
from halfmask.methods.suppression.hierarchy import Hierarchy, parse_hierarchy


def read_lines(path: PathLike) -> list[list[str]]:
    """The lines of a table that stands beside a release, formulas without their apostrophe."""
    lines = csv.reader(text_of(path).splitlines())
    return [[unquoted_formula(cell) for cell in line] for line in lines]


def _as_named(rows: Baskets, name: str) -> str:
    """The name of an item in a release whose formulas may have been quoted."""
    quoted = quoted_formula(name)
    return quoted if name not in rows.schema.names and quoted in rows.schema.names else name


def answering(rows: Baskets, beside: PathLike) -> Countable:
    """What answers for the supports of a release: its rows and the table beside it."""
    head, *lines = read_lines(beside) or [[]]
    makers = {
        ("item", "keep", "insert"): _distorted,
        ("column", "bucket", "value", "count"): _anatomised,
        ("basket", "item"): _blocked,
    }
    if tuple(head) not in makers:
        raise BadInput(
            f"{os.fspath(beside)!r} is not a table published with a release; those are "
            "NAME.release.channel.csv, NAME.release.anatomy.csv and NAME.release.unknown.csv."
        )
    try:
        return makers[tuple(head)](rows, lines)
    except (ValueError, IndexError):
        raise BadInput(
            f"{os.fspath(beside)!r} is damaged: a line does not match its header."
        ) from None


def released_with(release: Any, beside: PathLike) -> Any:
    """A release as an asset is held against it, with the table that was published beside it."""
    if isinstance(release, Baskets):
        return answering(release, beside)
    head, *lines = read_lines(beside) or [[]]
    if len(head) != 3 or head[0] != "group" or head[2] != "count":
        raise BadInput(
            f"{os.fspath(beside)!r} is not the sensitive column of a table "
            "(NAME.release.sensitive.csv), which is what stands beside the release of a table."
        )
    return _dealt(tuple(release), head[1], lines, os.fspath(beside))


def _dealt(
    columns: tuple[Column, ...], name: str, lines: Sequence[Sequence[str]], where: str
) -> tuple[Column, ...]:
    """The published columns, and the sensitive values dealt out within each group."""
    groups = next((c for c in columns if c.name.startswith("group")), None)
    values: dict[str, list[str | None]] = {}
    try:
        for group, value, count in lines:
            values.setdefault(group, []).extend([value or None] * int(count))
        if groups is None:
            raise KeyError(name)
        left = {group: iter(held) for group, held in values.items()}
        cells = [next(left[str(groups.labels[i])]) for i in groups.index.tolist()]
    except (KeyError, ValueError, StopIteration):
        raise BadInput(f"{where!r} does not belong to this release: its groups differ.") from None
    return (*(c for c in columns if c is not groups), Column.of(name, cells))


def _distorted(rows: Baskets, lines: Sequence[Sequence[str]]) -> Countable:
    keep, insert = np.ones(rows.schema.n_items), np.zeros(rows.schema.n_items)
    for name, stays, appears in lines:
        item = rows.schema.item(_as_named(rows, name))
        keep[item], insert[item] = float(stays), float(appears)
    return DistortedBaskets(rows, Channel(keep, insert))


def _anatomised(rows: Baskets, lines: Sequence[Sequence[str]]) -> Countable:
    columns: list[list[Line]] = [[] for _ in range(max(int(line[0]) for line in lines))]
    for column, bucket, value, count in lines:
        read = read_names(value)[0] if value else ()
        names = tuple(_as_named(rows, name) for name in read)
        columns[int(column) - 1].append(Line(int(bucket) - 1, names, int(count)))
    return AnatomisedTables.of_lines(rows.schema, columns)


def _blocked(rows: Baskets, lines: Sequence[Sequence[str]]) -> Countable:
    unknown: list[list[int]] = [[] for _ in range(len(rows))]
    for basket, name in lines:
        unknown[int(basket) - 1].append(rows.schema.item(_as_named(rows, name)))
    cells = Transactions.of(unknown, rows.schema.n_items)
    return BlockedBaskets(rows.schema, rows.transactions, cells)


def generalised(original: Assortment, rows: Baskets, hierarchy: str) -> GeneralisedBaskets:
    """A release in more general items: each item stands under the nearest name that occurs."""
    tree = parse_hierarchy(hierarchy, original)
    known = set(rows.schema.names)
    became = tuple(_published_name(tree, item, known) for item in range(original.n_items))
    missing = sorted(set(became) - known)  # items of baskets that came out without them
    names = (*rows.schema.names, *missing)
    published = Baskets(
        Assortment(names),
        rows.transactions.relabelled(np.arange(len(known), dtype=np.int32), len(names)),
    )
    return GeneralisedBaskets(original, published, became)


def _published_name(tree: Hierarchy, item: int, known: set[str]) -> str:
    path = [tree.names[node] for node in (item, *tree.ancestors(item))]
    return next((name for name in path if name in known), path[0])


def restore(release: Baskets, edit_log: PathLike, *, beside: PathLike | None = None) -> Baskets:
    """The original baskets; `beside` names the table of unknown cells where some were blocked."""
    lines = read_lines(edit_log)
    plain = Assortment(tuple(unquoted_formula(name) for name in release.schema.names))
    release = Baskets(plain, release.transactions)
    # An item that hiding took out everywhere stands in the log only.
    named = dict.fromkeys(release.schema.names)
    named |= {line[1]: None for line in lines[1:] if len(line) > 1}
    schema = Assortment(tuple(named))
    numbers = np.arange(release.schema.n_items, dtype=np.int32)
    rows = Baskets(schema, release.transactions.relabelled(numbers, schema.n_items))
    marked = Marked.plain(rows.transactions)
    if beside is not None:
        blocked = answering(rows, beside)
        if isinstance(blocked, BlockedBaskets):
            marked = blocked.marked
    return Baskets(schema, undo(read_log(lines, schema, len(rows)), marked))
