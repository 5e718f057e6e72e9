"""Items named by a person: a column stands for all its values, `column=value` for one."""

from __future__ import annotations

from collections.abc import Sequence

from halfmask.data import Schema
from halfmask.errors import BadInput, UnknownName

__all__ = ["forbidden_pairs", "items_named"]

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
