"""Identifiers and codes: columns that point at people or classify, by their values or their name.

A classification such as ICD tells with each further character more of the same thing: 250.83 is a
kind of 250. Rare codes therefore keep most of their meaning when those that begin alike are put
together, where "other" would keep none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

_LOOKED_AT = 1000
_MOSTLY = 0.8
_LOOKS = {
    "UUIDs": r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?",
    "e-mail addresses": r"[^@\s]+@[^@\s]+\.[^@\s.]{2,}",
    "bank accounts": r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?",
    "web addresses": r"(?:https?://|www\.)\S+",
    "network addresses": r"(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}",
    "phone numbers": r"(?:\+|00|\(0?)\d[\d ()/.-]{5,18}\d|0\d{2,5}[ /-]\d[\d ]{3,10}",
    "social security numbers": r"\d{3}-\d{2}-\d{4}",
    "payment cards": r"(?:\d{4}[ -]){3}\d{4}",
}
_IDENTIFIERS = (
    "id ids uid uuid guid key nbr nr ssn mrn nhs iban account passport licence license email "
    "mail phone telephone mobile fax name names surname lastname firstname fullname forename "
    "nachname vorname nom prenom address street strasse login user username url ip imei vin "
    "ticket identifier"
)
_CODES = (
    "code codes recode type class category group zip zipcode postcode plz postal region state "
    "country county district department ward sector industry occupation icd diag diagnosis "
    "atc cpt naics sic soc drg"
)


def identifying(values: Sequence[str]) -> str | None:
    """What the values look like when they point at people, or nothing.

    >>> identifying(["ann@example.org", "bob@example.org"]), identifying(["red", "blue"])
    ('e-mail addresses', None)
    """
    step = max(1, len(values) // _LOOKED_AT)
    seen = values[::step]
    for what, look in _LOOKS.items():
        pattern = re.compile(look)
        if sum(pattern.fullmatch(text.strip()) is not None for text in seen) > _MOSTLY * len(seen):
            return what
    return None


def is_serial(ticks: NDArray[np.int64]) -> bool:
    """Whether different whole numbers were given out so that none comes twice.

    Measured numbers that lie so close together would meet by chance: among n numbers drawn from a
    range of R about n²/2R pairs are equal. Where ten were to be expected and there is none, the
    numbers are keys.

    >>> is_serial(np.arange(100)), is_serial(np.arange(100) * 9973)
    (True, False)
    """
    width = float(ticks.max()) - float(ticks.min()) + 1
    return len(ticks) ** 2 / (2 * width) >= 10


def names_identifier(name: str) -> bool:
    """Whether a column's name says that it points at people or rows.

    >>> [names_identifier(n) for n in ("patient_nbr", "customerId", "number_outpatient", "age")]
    [True, True, False, False]
    """
    return not _words(name).isdisjoint(_IDENTIFIERS.split())


def names_code(name: str) -> bool:
    """Whether a column's name says that its numbers are names of categories.

    >>> names_code("detailed-industry-recode"), names_code("income")
    (True, False)
    """
    return not _words(name).isdisjoint(_CODES.split())


def _words(name: str) -> set[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return set(re.split(r"[^a-z]+", spaced.lower()))


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
