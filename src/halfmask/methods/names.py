"""Items named by a person: a column stands for all its values, `column=value` for one.

Lines of names as a steward writes them: `a, b` or `a, b -> c`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from halfmask.data import Schema
from halfmask.errors import BadInput, UnknownName

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
                f"{one!r} and {other!r} are of one column, whose values never stand together; "
                "name two columns to hide together."
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
