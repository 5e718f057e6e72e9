"""United schemas: the columns of two tables with the values of both, and where each item went."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.bins import Bins, Part
from halfmask.data.schema import Attribute, Derived, Schema
from halfmask.errors import BadInput


@dataclass(frozen=True, eq=False)
class United:
    """A schema with the values of two, and for each side the number of each of its items there."""

    schema: Schema
    items: tuple[NDArray[np.int64], NDArray[np.int64]]


def unite(one: Schema, other: Schema) -> United:
    """The schema of both together; columns that mean different things are refused.

    >>> sex = Schema((Attribute("sex", ("f", "m")),)), Schema((Attribute("sex", ("m", "x")),))
    >>> united = unite(*sex)
    >>> united.schema["sex"].values, [items.tolist() for items in united.items]
    (('f', 'm', 'x'), [[0, 1], [1, 2]])
    """
    if set(one.names) != set(other.names):
        odd = sorted(set(one.names) ^ set(other.names))
        raise BadInput(
            f"Only one of the models has the column {odd[0]!r}; models that are merged are learnt "
            "with the same columns (--drop, or kind in a schema file)."
        )
    attributes = tuple(_attribute(column, other[column.name]) for column in one)
    plain = Schema(attributes)
    if one.keys != other.keys:
        raise BadInput("The models have different key columns; drop those (--drop).")
    derived = tuple(_derived(column, plain, (one, other)) for column in _same_derived(one, other))
    return United(
        Schema(attributes, one.keys, derived),
        (_places(one, plain), _places(other, plain)),
    )


def _attribute(one: Attribute, other: Attribute) -> Attribute:
    if one.storage != other.storage:
        raise BadInput(
            f"Column {one.name!r} is {one.storage} in one model and {other.storage} in the "
            "other; use the same type at both sites."
        )
    if (one.bins is None) != (other.bins is None):
        raise BadInput(f"Column {one.name!r} has bins in one model only; {_ADVICE}")
    keeps = one.keeps_rare or other.keeps_rare
    if one.bins is not None and other.bins is not None:
        bins = _bins(one.name, one.bins, other.bins)
        missing = None in one.values or None in other.values
        values = (*bins.labels, *bins.codes, *((None,) if missing else ()))
        return replace(one, values=values, bins=bins, keeps_rare=keeps)
    together = dict.fromkeys((*one.values, *other.values))
    missing = None in together
    together.pop(None, None)
    return replace(one, values=(*together, *((None,) if missing else ())), keeps_rare=keeps)


_ADVICE = "let both sites learn with one schema file that lists its bins."


def _bins(name: str, one: Bins, other: Bins) -> Bins:
    """The bins of both: each bin of one side reaches into no other bin of the other side."""
    same = (len(one.bins), one.codes, one.scale) == (len(other.bins), other.codes, other.scale)
    if not same or (one.clock is None) != (other.clock is None) or not _apart(one, other):
        raise BadInput(f"Column {name!r} is cut into different bins in each model; {_ADVICE}")
    pairs = zip(one.bins, other.bins, strict=True)
    clock = (
        None if one.clock is None or other.clock is None else _bins(name, one.clock, other.clock)
    )
    return replace(one, bins=tuple(_parts(left, right) for left, right in pairs), clock=clock)


def _apart(one: Bins, other: Bins) -> bool:
    """Whether each bin ends, at both sides, before the next begins at either."""
    ends = [max(a[-1].high, b[-1].high) for a, b in zip(one.bins, other.bins, strict=True)]
    begins = [min(a[0].low, b[0].low) for a, b in zip(one.bins, other.bins, strict=True)]
    return all(end < begin for end, begin in zip(ends, begins[1:], strict=False))


def _parts(one: tuple[Part, ...], other: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts of a bin: added where they agree, else those of the side with more rows for all."""
    if [(p.low, p.high, p.step) for p in one] == [(p.low, p.high, p.step) for p in other]:
        return tuple(replace(p, rows=p.rows + q.rows) for p, q in zip(one, other, strict=True))
    counts = [np.array([part.rows for part in parts], np.int64) for parts in (one, other)]
    kept, rows = max(zip((one, other), counts, strict=True), key=lambda side: side[1].sum())
    whole = int(counts[0].sum() + counts[1].sum())
    if not rows.sum():
        return kept
    # Each part grows in proportion; what rounding leaves goes to the largest.
    grown = rows * whole // rows.sum()
    grown[rows.argmax()] += whole - grown.sum()
    return tuple(replace(part, rows=int(n)) for part, n in zip(kept, grown, strict=True))


def _same_derived(one: Schema, other: Schema) -> tuple[Derived, ...]:
    facts = [[(c.name, c.position, c.source, c.storage) for c in s.derived] for s in (one, other)]
    if facts[0] != facts[1]:
        raise BadInput(
            "A column follows from another in one model and not in the other; name it with "
            "--categorical at both sites, so that it is learnt like any other."
        )
    return one.derived


def _derived(column: Derived, united: Schema, sides: tuple[Schema, Schema]) -> Derived:
    """What follows from each value; the two sides must not contradict each other."""
    result_of: dict[str | None, str | None] = {}
    for side in sides:
        follows = next(c for c in side.derived if c.name == column.name)
        for value, result in zip(side[column.source].values, follows.values, strict=True):
            if result_of.setdefault(value, result) != result:
                raise BadInput(
                    f"{column.name!r} follows from {column.source!r} differently in the two "
                    "models; name it with --categorical at both sites."
                )
    return replace(column, values=tuple(result_of[v] for v in united[column.source].values))


def codes_in(side: Attribute, united: Attribute) -> NDArray[np.int64]:
    """For each code of an attribute its code in the united one; a bin stays in its place."""
    bins = 0 if side.bins is None else len(side.bins.bins)
    found = [*range(bins), *(united.code(value) for value in side.values[bins:])]
    return np.array(found, np.int64)


def _places(side: Schema, united: Schema) -> NDArray[np.int64]:
    """The number in the united schema of each item of one side."""
    firsts = [united.items_of(a.name).start for a in side]
    pairs = zip(firsts, side, strict=True)
    return np.concatenate([first + codes_in(a, united[a.name]) for first, a in pairs])
