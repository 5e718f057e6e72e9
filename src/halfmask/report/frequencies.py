"""Frequencies: how often each value stands in the original and in the release."""

from __future__ import annotations

from dataclasses import dataclass

from halfmask.data import Countable, Schema
from halfmask.errors import NotCountable

MOST_VALUES = 12
"""Values shown of one attribute; the others are added up."""


@dataclass(frozen=True, slots=True)
class ValueCount:
    """One value and how many rows hold it; a count is None where it may not be told."""

    label: str
    original: int | None
    release: int | None


@dataclass(frozen=True, slots=True)
class Frequencies:
    """The values of one attribute that enough original rows hold, most frequent first."""

    name: str
    values: tuple[ValueCount, ...]
    rest: str | None = None
    """A sentence about the values not shown."""


def frequencies(
    original: Countable, release: Countable, min_support: int
) -> tuple[Frequencies, ...]:
    """The frequencies of every attribute, or of the items of baskets; rare values are not named.

    >>> import numpy as np
    >>> from halfmask.data import Attribute, Table
    >>> schema = Schema((Attribute("ill", ("no", "yes", "odd")),))
    >>> original = Table(schema, np.array([[0]] * 5 + [[1]] * 3 + [[2]]))
    >>> found = frequencies(original, original, min_support=3)[0]
    >>> [(v.label, v.original) for v in found.values]
    [('no', 5), ('yes', 3)]
    """
    schema = original.schema
    if isinstance(schema, Schema):
        groups = [(a.name, list(schema.items_of(a.name))) for a in schema]
    else:
        groups = [("items", list(range(schema.n_items)))]
    every = [(item,) for _, items in groups for item in items]
    try:
        both = zip(original.support(every), release.support(every), strict=True)
    except NotCountable:
        return ()
    counts = dict(zip(every, both, strict=True))
    found = []
    for name, items in groups:
        # In baskets the label is the item; in tables the name stands above the values already.
        cut = len(name) + 1 if isinstance(schema, Schema) else 0
        values = [
            ValueCount(schema.label(item)[cut:], *(round(float(n)) for n in counts[item,]))
            for item in items
            if counts[item,][0] >= min_support
        ]
        found.append(_most_frequent(name, values))
    return tuple(found)


def _most_frequent(name: str, values: list[ValueCount]) -> Frequencies:
    ordered = sorted(values, key=lambda value: -(value.original or 0))
    if len(values) <= MOST_VALUES:
        return Frequencies(name, tuple(ordered))
    hidden = len(values) - MOST_VALUES
    rest = f"{hidden:,} less frequent {'value is' if hidden == 1 else 'values are'} not shown."
    return Frequencies(name, tuple(ordered[:MOST_VALUES]), rest)
