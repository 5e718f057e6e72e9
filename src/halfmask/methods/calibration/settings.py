"""Calibration: which tables of the original a release is to meet, and how well it meets them.

The generator treats its patterns as independent, so tables of two and three attributes drift.
Statistics offices have a cure for samples that drift: count a few tables in the original, and
weigh what was drawn until its tables agree. Every row still comes from the generator; the original
enters only through counts of at least `min_support` rows, which stand in the model for all to read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import inf, prod

from halfmask.data import Margin, Margins, Schema
from halfmask.data.rounding import check_base
from halfmask.data.rows import Rows, marginals
from halfmask.errors import BadInput
from halfmask.methods.names import forbidden_pairs

HIGHEST_ORDER = 3
MOST_CELLS = 1 << 20
"""A table with more cells, empty ones included, is left out: nearly all are below any floor."""
MOST_CELLS_OF_ALL, MOST_TABLES = 1 << 25, 5_000
"""Of more tables, or more cells in all, the small tables are looked at."""


@dataclass(frozen=True)
class CalibrationSettings:
    """Which tables are counted and what is told of them.

    >>> CalibrationSettings(order=2, order_for={"diagnosis": 1}).order
    2
    >>> CalibrationSettings(order=7)
    Traceback (most recent call last):
    halfmask.errors.BadInput: calibrate is a whole number from 0 to 3, not 7.
    """

    order: int = 0
    """Tables of up to so many attributes; 0 leaves the papers' generator as it is."""
    order_for: Mapping[str, int] = field(default_factory=dict)
    """A lower order for some attributes, such as sensitive ones."""
    base: int = 1
    """Counts are rounded to the nearest multiple of this; offices use 3, 5 and 10."""
    shrink: float = 0.0
    """How much of the counts of two and more attributes is taken for chance of the sample; 0 meets
    them as they are, 1 as far as they say more than chance does, 2 half as far."""
    target: str | None = None
    """The attribute that readers will predict: it is told along trees of splits on the
    others, or with each of them where the order is 1."""

    def __post_init__(self) -> None:
        _check_order("calibrate", self.order, HIGHEST_ORDER)
        for name, order in self.order_for.items():
            _check_order(f"calibrate_for {name!r}", order, HIGHEST_ORDER)
        object.__setattr__(self, "order_for", {n: int(o) for n, o in self.order_for.items()})
        check_base(self.base)
        if not 0 <= self.shrink < inf:
            raise BadInput(f"shrink is a number of at least 0, not {self.shrink!r}.")

    def check_names(self, schema: Schema) -> None:
        """Refuse a name that is no column, with the nearest that is."""
        for name in (*self.order_for, *([] if self.target is None else [self.target])):
            schema.position(name)


def candidate_tables(
    schema: Schema,
    settings: CalibrationSettings,
    *,
    hide_together: Sequence[tuple[str, str]] = (),
    order: int,
) -> list[tuple[str, ...]]:
    """The tables of exactly `order` attributes that may be counted.

    None holds two attributes that are hidden together, whichever of their values were named: cells
    left out could be found by subtraction. A column of one value tells nothing and is left out.

    >>> from halfmask.data import Attribute
    >>> schema = Schema(tuple(Attribute(name, ("0", "1")) for name in "abc"))
    >>> settings = CalibrationSettings(order=2, order_for={"c": 1})
    >>> candidate_tables(schema, settings, order=2)
    [('a', 'b')]
    >>> candidate_tables(schema, settings, order=2, hide_together=[("a=0", "b=1")])
    []
    """
    apart = {
        (int(schema.domains[one]), int(schema.domains[other]))
        for one, other in forbidden_pairs(schema, hide_together)
    }
    usable = [c for c, attribute in enumerate(schema) if attribute.size > 1]
    names = schema.names
    return _affordable(
        schema,
        [
            tuple(names[c] for c in columns)
            for columns in combinations(usable, order)
            if order <= _allowed((names[c] for c in columns), settings)
            and not any(pair in apart for pair in combinations(columns, 2))
        ],
    )


def count_margins(
    table: Rows, attributes: Sequence[tuple[str, ...]], *, min_support: int, base: int = 1
) -> Margins:
    """Count these tables; nothing that fewer rows hold is told."""
    counted = (
        Margin.counted(counts, table.schema, names, min_support=min_support, base=base)
        for names, counts in zip(attributes, marginals(table, attributes), strict=True)
    )
    return Margins(tuple(m for m in counted if len(m.cells)), min_support, base)


def _affordable(schema: Schema, tables: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """As many tables as there is memory for, small ones first, in the order given."""
    sizes = [prod(schema[name].size for name in names) for names in tables]
    kept: set[int] = set()
    room = MOST_CELLS_OF_ALL
    for n in sorted(range(len(tables)), key=sizes.__getitem__)[:MOST_TABLES]:
        room -= sizes[n]
        if sizes[n] > MOST_CELLS or room < 0:
            break
        kept.add(n)
    return [names for n, names in enumerate(tables) if n in kept]


def _allowed(names: Iterable[str], settings: CalibrationSettings) -> int:
    listed = list(names)
    order = settings.order + (settings.order == 1 and settings.target in listed)
    return min([order, *(settings.order_for.get(name, order) for name in listed)])


def _check_order(name: str, value: int, highest: int) -> None:
    if isinstance(value, bool) or value not in range(highest + 1):
        raise BadInput(f"{name} is a whole number from 0 to {highest}, not {value}.")
