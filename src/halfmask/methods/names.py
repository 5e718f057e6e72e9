"""Items named by a person: a column stands for all its values, `column=value` for one.

Lines of names as a steward writes them: `a, b` or `a, b -> c`.

Tables as baskets of `column=value` items, for methods that edit single items; and back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from halfmask.data import Assortment, Baskets, Column, Encoding, Schema, Table, Transactions
from halfmask.data.coding.kinds import plan_columns
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput, UnknownName


def as_baskets(table: Table) -> Baskets:
    """The rows of a table as baskets of `column=value` items, numbered as in the table.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema((Attribute("sex", ("f", "m")),))
    >>> as_baskets(Table(schema, np.array([[0], [1]]))).schema.names
    ('sex=f', 'sex=m')
    """
    labels = tuple(table.schema.label(item) for item in range(table.schema.n_items))
    return Baskets(Assortment(labels), table.transactions)


def plain_table(columns: Sequence[Column]) -> tuple[Table, Encoding]:
    """The columns with every value as it is: nothing is binned, grouped or left out."""
    given = TableSpec({column.name: ColumnSpec(kind="category") for column in columns})
    plans = plan_columns(columns, given, floor=1)
    encoding = Encoding.fit(columns, min_support=1, rare="keep", plans=plans)
    return encoding.encode(columns), encoding


def as_table(original: Table, published: Baskets, unknown: Transactions | None = None) -> Table:
    """Published items as rows of the table, one value for each column.

    Where an item was added beside the value of a row, it takes its place; an unknown item makes
    the whole cell unknown, since the value beside it would give it away.
    """
    schema, rows = original.schema, published.transactions
    if len(rows) != len(original):
        raise BadInput("The rows of this release are not those of the table, row by row.")
    codes = np.full((len(rows), len(schema)), ABSENT, np.int32)
    row_of = rows.row_of
    columns = schema.domains[rows.items]
    values = rows.items - schema.offsets[columns]
    old = original.codes[row_of, columns] == values
    for chosen in (old, ~old):  # what is new is written last, and stays
        codes[row_of[chosen], columns[chosen]] = values[chosen]
    if unknown is not None:
        codes[unknown.row_of, schema.domains[unknown.items]] = ABSENT
    return Table(schema, codes)


MISSING = "(missing)"
"""How the missing value is written, here and in labels."""


def items_named(schema: Schema, name: str) -> tuple[int, ...]:
    """The items that a name stands for.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes", None))))
    >>> [items_named(schema, name) for name in ("sex", "ill=yes", "ill=(missing)")]
    [(0, 1), (3,), (4,)]
    """
    if name in schema.names:
        return tuple(schema.items_of(name))
    for cut in (i for i, sign in enumerate(name) if sign == "="):
        if name[:cut] in schema.names:
            value = name[cut + 1 :]
            return (schema.item(name[:cut], None if value == MISSING else value),)
    raise UnknownName("column", name.split("=", 1)[0], schema.names)


def forbidden_pairs(schema: Schema, together: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Every pair of items that must not stand in one pattern.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> forbidden_pairs(schema, [("ill=yes", "sex")])
    [(0, 3), (1, 3)]
    """
    pairs: set[tuple[int, int]] = set()
    for one, other in together:
        first, second = items_named(schema, one), items_named(schema, other)
        if schema.domains[first[0]] == schema.domains[second[0]]:
            raise BadInput(
                f"{one!r} and {other!r} belong to one column, whose values are mutually "
                "exclusive; name two columns to hide together."
            )
        pairs |= {(min(a, b), max(a, b)) for a in first for b in second}
    return sorted(pairs)


_NAME = re.compile(r"""\s*(?:"(?P<quoted>[^"]*)"|(?P<bare>(?:(?!->)[^",])+))\s*""")


def read_names(line: str) -> list[list[str]]:
    """The names left and right of the arrow, or the names of a line without one.

    A name with a comma, an arrow or a double quote in it stands in double quotes.

    >>> read_names('beer, "salt, coarse" -> tea')
    [['beer', 'salt, coarse'], ['tea']]
    """
    sides: list[list[str]] = [[]]
    position, end = 0, len(line.rstrip())
    while position < end:
        match = _NAME.match(line, position)
        name = "" if match is None else (match["quoted"] or match["bare"] or "").strip()
        if match is None or not name:
            raise BadInput("a name is missing; write 'a, b' or 'a, b -> c'.")
        sides[-1].append(name)
        position = match.end()
        rest = line[position:end]
        if rest in (",", "->"):
            raise BadInput(f"it ends with {rest!r}; a name must follow.")
        if rest.startswith("->"):
            sides.append([])
        elif rest and not rest.startswith(","):
            raise BadInput("a quoted name must be followed by a comma, an arrow or nothing.")
        position += 2 if rest.startswith("->") else 1
    if len(sides) > 2:
        raise BadInput("there may be one arrow.")
    return sides
