"""Suitability: columns that cannot sensibly be taken as categories are refused with advice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from halfmask.data.column import Column
from halfmask.errors import BadInput, UnknownName

__all__ = ["Unsuited", "find_unsuited", "refuse_unsuited"]

MOST_NUMBERS = 256
"""A number or date column with more different values than this is taken as continuous."""
NEARLY_ALL = 0.9
"""A column with more different values than this share of its filled rows identifies rows."""
FEW_VALUES = 20
"""A column with at most so many different values is a category whatever else holds."""
LONG_TEXT = 40
"""Texts that are this long on average (characters) and differ much are free text."""
MANY_TEXTS = 100
"""With at most so many different texts, long ones are names of categories."""

_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Unsuited:
    """A column that is no category, and why."""

    name: str
    reason: str
    can_insist: bool = True


def find_unsuited(
    columns: Sequence[Column], *, categorical: Collection[str] = ()
) -> list[Unsuited]:
    """The columns that are no categories, except those that the steward calls `categorical`."""
    names = [column.name for column in columns]
    for name in categorical:
        if name not in names:
            raise UnknownName("column", name, names)
    judged = (_judge(column) for column in columns)
    return [u for u in judged if u is not None and not (u.can_insist and u.name in categorical)]


def refuse_unsuited(columns: Sequence[Column], *, categorical: Collection[str] = ()) -> None:
    """Refuse a table with a column that is no category, saying what can be done about each.

    >>> refuse_unsuited([Column.of("id", [str(i) for i in range(100)])])
    Traceback (most recent call last):
    halfmask.errors.BadInput: Column 'id' is not a category: nearly every row has a value of its
    own (100 values in 100 rows); leave it out (--drop id) or insist (--categorical id).
    """
    unsuited = find_unsuited(columns, categorical=categorical)
    if not unsuited:
        return
    if len(unsuited) == 1:
        found = f"Column {unsuited[0].name!r} is not a category: {unsuited[0].reason}"
    else:
        reasons = "; ".join(f"{u.name!r}: {u.reason}" for u in unsuited[:_SHOWN])
        found = f"{len(unsuited)} columns are not categories ({reasons}{_more(unsuited)})"
    raise BadInput(f"{found}; {_advice(unsuited)}.")


def _advice(unsuited: Sequence[Unsuited]) -> str:
    it = "it" if len(unsuited) == 1 else "them"
    drops = " ".join(f"--drop {u.name}" for u in unsuited[:_SHOWN])
    advice = f"leave {it} out ({drops}{_more(unsuited)})"
    insist = [u for u in unsuited if u.can_insist]
    if insist:
        advice += f" or insist (--categorical {insist[0].name}{' …' if len(insist) > 1 else ''})"
    return advice


def _more(unsuited: Sequence[Unsuited]) -> str:
    return " …" if len(unsuited) > _SHOWN else ""


def _judge(column: Column) -> Unsuited | None:
    texts = [label for label in column.labels if label is not None]
    if not texts:
        return Unsuited(column.name, "every cell is missing", can_insist=False)
    if len(texts) <= FEW_VALUES:
        return None
    filled = _filled_rows(column)
    if len(texts) > NEARLY_ALL * filled:
        reason = (
            f"nearly every row has a value of its own ({len(texts):,} values in {filled:,} rows)"
        )
        return Unsuited(column.name, reason)
    if column.kind in ("number", "moment", "time") and len(texts) > MOST_NUMBERS:
        things = "numbers" if column.kind == "number" else "points in time"
        return Unsuited(column.name, f"it holds {len(texts):,} different {things}")
    length = float(np.mean([len(text) for text in texts]))
    if column.is_text and len(texts) > MANY_TEXTS and length > LONG_TEXT:
        reason = f"it holds free text ({len(texts):,} texts of {length:.0f} characters on average)"
        return Unsuited(column.name, reason)
    return None


def _filled_rows(column: Column) -> int:
    filled = np.array([label is not None for label in column.labels])
    return int(column.counts[filled].sum())
