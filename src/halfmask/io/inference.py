"""Inference: what the words of a text column are, told from its distinct words alone.

A word is read as a number only when writing the number gives the word back: "007" stays text.
The words themselves remain the labels, so a release is spelled as the original was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from halfmask.data import Column

_PATTERNS: tuple[tuple[str, str], ...] = (
    ("int64", r"^-?(0|[1-9][0-9]*)$"),
    ("double", r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"),
    ("bool", r"^([Tt]rue|TRUE|[Ff]alse|FALSE)$"),
    ("date32[day]", r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
    (
        "timestamp[us]",
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$",
    ),
)


def infer_storage(words: Sequence[str]) -> str:
    """The narrowest type that every word can be read as.

    >>> infer_storage(["1", "-2"]), infer_storage(["1", "2.50"]), infer_storage(["007", "12"])
    ('int64', 'double', 'string')
    """
    if not words:
        return "null"
    texts = pa.array(words, pa.string())
    for storage, pattern in _PATTERNS:
        if _fits(texts, storage, pattern):
            return storage
    return "string"


def _fits(texts: pa.Array, storage: str, pattern: str) -> bool:
    # The first words decide for most columns and spare the look at all of them.
    if not pc.all(pc.match_substring_regex(texts[:16], pattern)).as_py():
        return False
    if not pc.all(pc.match_substring_regex(texts, pattern)).as_py():
        return False
    try:
        texts.cast(pa.type_for_alias(storage))
    except pa.ArrowInvalid:  # 2021-02-30 is a word
        return False
    return storage != "double" or _is_measured(texts)


def _is_measured(texts: pa.Array) -> bool:
    """Whether these numbers are decimals within range.

    Whole numbers that are too large for int64 come here too: they are identifiers, and a double
    would make neighbours equal.
    """
    whole = pc.all(pc.match_substring_regex(texts, _PATTERNS[0][1])).as_py()
    beyond = pc.any(pc.is_inf(texts.cast(pa.float64()))).as_py()
    return not whole and not beyond


def typed(column: Column) -> Column:
    """The column with its inferred storage; two spellings of one number become one value."""
    storage = infer_storage([label for label in column.labels if label is not None])
    column = replace(column, storage=storage)
    return _one_spelling(column) if storage in ("double", "bool") else column


def _one_spelling(column: Column) -> Column:
    """Give all spellings of a value (1.5, 1.50) the spelling that most rows use."""
    rows = column.counts
    by_use = sorted(range(len(column.labels)), key=lambda i: -int(rows[i]))
    spelling: dict[Decimal | str | None, int] = {}
    place = np.empty(len(column.labels), np.int32)
    for i in by_use:
        place[i] = spelling.setdefault(_value(column.labels[i]), len(spelling))
    labels = [column.labels[i] for i in by_use]
    kept = {
        int(place[i]): label for i, label in zip(reversed(by_use), reversed(labels), strict=True)
    }
    return replace(
        column, labels=tuple(kept[p] for p in range(len(kept))), index=place[column.index]
    )


def _value(label: str | None) -> Decimal | str | None:
    if label is None:
        return None
    try:
        return Decimal(label)
    except InvalidOperation:
        return label.lower()
