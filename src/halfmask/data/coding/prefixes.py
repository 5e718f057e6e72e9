"""Prefixes: codes that few rows hold, grouped by how they begin.

A classification such as ICD tells with each further character more of the same thing: 250.83 is a
kind of 250. Rare codes therefore keep most of their meaning when those that begin alike are put
together, where "other" would keep none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

MANY_CODES = 100
"""A column with at most so many different values has no need of prefixes."""
_SHORTEST = 2
_CODE = re.compile(r"[\w./:-]*\d[\w./:-]*", re.ASCII)
_ANY = "*"


def are_codes(values: Iterable[str]) -> bool:
    """Whether all texts are codes: no spaces, and a digit somewhere.

    >>> are_codes(["250.83", "V58"]), are_codes(["Rome", "Lodi"])
    (True, False)
    """
    return all(_CODE.fullmatch(text) for text in values)


def prefix_label(prefix: str) -> str:
    """The label of all rare codes that begin so."""
    return prefix + _ANY


def prefix_groups(rows: Mapping[str, int], floor: int) -> dict[str, tuple[str, ...]]:
    """The rare codes under the longest beginning that enough rows share, by label.

    A beginning keeps at least half of a code and two characters, or all of its letters in front.

    >>> rows = {"250": 40, "250.81": 6, "250.83": 5, "V57": 7, "V65": 4, "391": 2}
    >>> prefix_groups(rows, 10)
    {'250.8*': ('250.81', '250.83'), 'V*': ('V57', 'V65')}
    """
    left = {code: count for code, count in rows.items() if count < floor}
    found: dict[str, tuple[str, ...]] = {}
    for length in range(max(map(len, left), default=0) - 1, 0, -1):
        alike: defaultdict[str, list[str]] = defaultdict(list)
        for code in left:
            if length >= _least(code) and length < len(code):
                alike[code[:length]].append(code)
        for prefix, codes in alike.items():
            label = prefix_label(prefix)
            if sum(left[code] for code in codes) >= floor and label not in rows:
                found[label] = tuple(codes)
                for code in codes:
                    del left[code]
    return found


def _least(code: str) -> int:
    """How much of a code a beginning keeps."""
    letters = len(code) - len(code.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))
    return letters or max(_SHORTEST, (len(code) + 1) // 2)


def with_prefix(code: str, labels: Sequence[str]) -> str | None:
    """The label of the longest beginning that a code has; none if it has none of them.

    >>> with_prefix("250.83", ["25*", "250.*", "401"])
    '250.*'
    """
    fitting = [
        label for label in labels if label.endswith(_ANY) and code.startswith(label[: -len(_ANY)])
    ]
    return max(fitting, key=len, default=None)
