"""Looking: what stands in a source, told so that a page can show it; done in a process apart."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice
from typing import Any, cast

import numpy as np

from halfmask.assets.drafting import draft_asset
from halfmask.data import Baskets, Column, Encoding, Table
from halfmask.data.coding.kinds import Plan, plan_each
from halfmask.data.coding.spec import RarePolicy, TableSpec
from halfmask.data.schema import Attribute
from halfmask.documents.asset_draft import draft_text
from halfmask.documents.schema import parse_schema
from halfmask.errors import BadInput
from halfmask.io.given import Given, Held
from halfmask.patterns.mining import absolute_support
from halfmask.studio.pictures import histogram
from halfmask.studio.wire import Answer, Asked, Bar, ColumnLook, Cost, Look, Question

PREVIEWED = 12
"""Rows that are shown as they stand in the file."""
MOST_BARS = 24
"""Values of a column that are shown; the others are counted."""
SUPPORTS = (5, 10, 20, 50, 100)
"""Minimum supports whose cost is shown."""


class Looker:
    """Keeps the last source that was read, so that a changed schema is seen at once."""

    def __init__(self) -> None:
        self._read: tuple[Any, Held] | None = None

    def answer(self, question: Question) -> Answer:
        """The answer, or why there is none."""
        source, held = question.source, self._held(question.source)
        if question.ask == "look":
            return Answer(look=look(held, source))
        columns = held.content
        if isinstance(columns, Baskets):
            raise BadInput("These are baskets; only tables have columns.")
        if question.ask == "costs":
            return Answer(costs=costs(columns, source))
        if question.ask == "asset":
            floor = floor_for(source.min_support, len(columns[0]))
            draft = draft_asset(columns, min_support=floor)
            return Answer(text=draft_text(draft, "this table", min_support=floor))
        table, encoding = coded(columns, source)
        name = columns[question.column].name
        if name not in encoding.schema.names:
            return Answer(text="")
        return Answer(text=histogram(encoding.schema[name], table.marginal([name]), len(table)))

    def _held(self, source: Asked) -> Held:
        key = (source.place, source.reading)
        if self._read is None or self._read[0] != key:
            self._read = None  # two tables need not be held
            self._read = key, Given(source.place).read(source.reading)
        return self._read[1]


def floor_for(support: float, rows: int) -> int:
    """The fewest rows that something must hold to be named; at most all of them.

    >>> floor_for(10, 400), floor_for(0.5, 400), floor_for(10, 3)
    (10, 200, 3)
    """
    return absolute_support(min(support, rows), rows) if rows else 1


def look(held: Held, source: Asked) -> Look:
    """What a source holds: its form, its first rows, and each column as it would be treated."""
    form = {} if held.file is None else asdict(held.file)
    content, rows = held.content, held.size[0]
    floor = floor_for(source.min_support, rows)
    if isinstance(content, Baskets):
        return Look("baskets", rows, form, ["items"], _baskets(content), _items(content, floor),
                    floor)  # fmt: skip
    table, encoding = coded(content, source)
    rare = {account.attribute: str(account) for account in encoding.rare}
    shown = [
        _column(column, encoding.plans[column.name], table, rare.get(column.name, ""), floor)
        for column in content
    ]
    cells = [[c.labels[c.index[i]] for c in content] for i in range(min(rows, PREVIEWED))]
    return Look("table", rows, form, [c.name for c in content], cells, shown, floor)


def coded(columns: tuple[Column, ...], source: Asked) -> tuple[Table, Encoding]:
    """The table as a method would see it under this schema."""
    spec = parse_schema(source.schema.encode(), "'schema'") if source.schema else TableSpec()
    floor = floor_for(source.min_support, len(columns[0]))
    plans = plan_each(columns, spec, floor=floor)
    rare = cast("RarePolicy", source.rare)
    encoding = Encoding.fit(columns, min_support=floor, rare=rare, plans=plans)
    return encoding.encode(columns), encoding


def _column(column: Column, plan: Plan, table: Table, rare: str, floor: int) -> ColumnLook:
    missing = dict(zip(column.labels, column.counts.tolist(), strict=True)).get(None, 0)
    values = len(column.labels) - (None in column.labels)
    plain = ColumnLook(
        column.name, plan.kind, plan.fate, plan.reason, values, missing, note=plan.doubt or rare
    )
    if column.name not in table.schema.names:
        return plain
    attribute = table.schema[column.name]
    counts = table.marginal([column.name]).astype(int).tolist()
    bars = [
        Bar("(missing)" if label is None else label, rows)
        for label, rows in zip(attribute.values, counts, strict=True)
        if rows >= floor
    ]
    if attribute.bins is None:
        bars.sort(key=lambda bar: -bar.rows)
    more = max(0, len(bars) - MOST_BARS)
    return ColumnLook(
        column.name, plan.kind, plan.fate, plan.reason, values, missing, bars[:MOST_BARS], more,
        plan.doubt or rare, _starts(attribute),
    )  # fmt: skip


def _starts(attribute: Attribute) -> list[str]:
    if attribute.bins is None:
        return []
    return [label.partition(" to ")[0] for label in attribute.bins.labels[1:]]


def _baskets(baskets: Baskets) -> list[list[str | None]]:
    label = baskets.schema.label
    first = islice(baskets.transactions, PREVIEWED)
    return [[", ".join(label(int(item)) for item in row)] for row in first]


def _items(baskets: Baskets, floor: int) -> list[ColumnLook]:
    held = baskets.transactions.item_counts
    order = np.argsort(-held, kind="stable")
    common = [Bar(baskets.schema.label(int(i)), int(held[i])) for i in order if held[i] >= floor]
    rare = int(((held > 0) & (held < floor)).sum())
    note = f"{rare:,} items are in fewer than {floor:,} baskets and are not named." if rare else ""
    more = max(0, len(common) - MOST_BARS)
    shown = common[:MOST_BARS]
    return [ColumnLook("items", "items", "codes", "", len(held), 0, shown, more, note)]


def costs(columns: tuple[Column, ...], source: Asked) -> list[Cost]:
    """How many values each minimum support would take out of the categories of a table."""
    spec = parse_schema(source.schema.encode(), "'schema'") if source.schema else TableSpec()
    floor = floor_for(source.min_support, len(columns[0]))
    plans = plan_each(columns, spec, floor=floor)
    kept = [column for column in columns if plans[column.name].fate == "codes"]
    cells = max(1, sum(len(column) for column in kept))
    found = []
    for support in sorted({*SUPPORTS, floor}):
        rare = [column.counts[column.counts < support] for column in kept]
        share = sum(int(counts.sum()) for counts in rare) / cells
        found.append(Cost(support, sum(len(counts) for counts in rare), share))
    return found
