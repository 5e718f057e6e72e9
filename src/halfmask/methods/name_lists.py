"""Lines of names as a steward writes them: `a, b` or `a, b -> c`."""

from __future__ import annotations

import re

from halfmask.errors import BadInput

__all__ = ["read_names"]

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
