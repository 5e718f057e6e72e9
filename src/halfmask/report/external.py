"""The external form of a report, which must itself pass disclosure control.

Counts of original rows are rounded to multiples of the minimum support, shares to two digits;
what fewer rows hold is not named, no extreme value is told, and particulars of single measures
stay in the house except for a few that speak of attributes, not of persons.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from halfmask.data.release import Check
from halfmask.judging.dials import DialPoint
from halfmask.judging.tradeoff import Point
from halfmask.judging.verdict import Verdict
from halfmask.measures import Reading, Readings, Unmeasured
from halfmask.patterns.code_table import Pattern
from halfmask.report.document import Document, Frequencies, ValueCount
from halfmask.report.promise import external_private

TOLD = (
    "found_at_1_percent",
    "reference_rows",
    "success",
    "control",
    "luck",
    "deltas",
    "share_beyond_delta",
    "diagnostic_only",
)
"""Particulars that tell shares of many attacks or many patterns."""


def rounded_count(count: int, base: int) -> int | None:
    """The nearest multiple of `base`; None for a count below it.

    >>> rounded_count(1234, 10), rounded_count(9, 10)
    (1230, None)
    """
    return None if count < base else max(base, base * round(count / base))


def two_digits(value: float) -> float:
    """The value to two significant digits; the order of two values never turns around.

    >>> two_digits(0.04519), two_digits(-12.6), two_digits(0.0)
    (0.045, -13.0, 0.0)
    """
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, 1 - math.floor(math.log10(abs(value))))


def external_form(document: Document) -> Document:
    """The same report without anything that could tell of few persons."""
    if document.promise is not None:
        outside: Document = external_private(document)
        return outside
    base = max(document.min_support, 2)
    release = document.release
    outside = replace(
        document,
        verdict=external_verdict(document.verdict),
        # Remarks speak to the steward, with counts; the record speaks of settings.
        remarks=(),
        release=replace(release, record=_coarse(dict(release.record)), notes=()),
        original_rows=rounded_count(document.original_rows, base) or 0,
        held_back=rounded_count(document.held_back, base) or 0,
        readings=external_readings(document.readings),
        trade_off=tuple(
            Point(**(_coarse(p.to_dict()) | {"min_support": p.min_support}))
            for p in document.trade_off
        ),
        dials=tuple(_dialled(point, base) for point in document.dials),
        margins=tuple(
            replace(m, smallest=rounded_count(m.smallest, base) or base) for m in document.margins
        ),
        patterns=tuple(p for p in (_pattern(p, base) for p in document.patterns) if p),
        frequencies=tuple(_frequencies(f, base) for f in document.frequencies),
        lacks=None,  # what matters to the steward is told by the steward
        external=True,
    )
    return replace(outside, machine=_machine(outside))


def _machine(document: Document) -> dict[str, Any]:
    """What machines may read outside: the settings, the verdict, the rounded readings."""
    return {
        "form": "external",
        "verdict": document.verdict.word,
        "reasons": list(document.verdict.reasons),
        "release_file": None if document.release_file is None else asdict(document.release_file),
        "kind": document.release.kind,
        "method": document.release.method,
        "iso_class": document.release.iso_class,
        "record": dict(document.release.record),
        "rows_of_original": document.original_rows,
        "rows_held_back": document.held_back,
        **document.readings.to_dict(),
        "trade_off": [point.to_dict() for point in document.trade_off],
        "dials": [point.to_dict() for point in document.dials],
    }


def _coarse(value: Any) -> Any:
    """Numbers to two digits, everything else as it is."""
    if isinstance(value, Mapping):
        # The settings that made the release are told exactly.
        return {
            k: v if k in {"min_support", "rows", "laplace"} else _coarse(v)
            for k, v in value.items()
        }
    if isinstance(value, list | tuple):
        return type(value)(_coarse(part) for part in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(two_digits(value))
    return two_digits(value) if isinstance(value, float) else value


def external_verdict(verdict: Verdict) -> Verdict:
    """The verdict with its numbers to two places."""
    checks = tuple(Check(c.what, c.outcome, _coarse_sentence(c.sentence)) for c in verdict.checks)
    return Verdict(verdict.word, tuple(map(_coarse_sentence, verdict.reasons)), checks)


def _coarse_sentence(sentence: str) -> str:
    """The sentence with its decimals to two places.

    >>> _coarse_sentence("The score is 0.498, above 0.2.")
    'The score is 0.50, above 0.2.'
    """
    return re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", sentence)


def external_readings(readings: Readings) -> Readings:
    """The readings to two digits, without particulars that could tell of few persons."""
    return Readings(tuple(_reading(item) for item in readings))


def _reading(item: Reading | Unmeasured) -> Reading | Unmeasured:
    if isinstance(item, Unmeasured):
        return item
    details = {key: _coarse(item.details[key]) for key in TOLD if key in item.details}
    if item.name.startswith("marginals_"):
        details["ten_worst"] = _coarse(item.details["ten_worst"])
    return replace(
        item,
        value=two_digits(item.value),
        low=two_digits(item.low),
        high=two_digits(item.high),
        yardsticks={name: two_digits(value) for name, value in item.yardsticks.items()},
        details=details,
        against_holdout=_two_digits_or_none(item.against_holdout),
        second_sample=_two_digits_or_none(item.second_sample),
    )


def _two_digits_or_none(value: float | None) -> float | None:
    return None if value is None else two_digits(value)


def _dialled(point: DialPoint, base: int) -> DialPoint:
    smallest = point.smallest_count
    return replace(
        point,
        tables=_coarse(point.tables),
        cells=_coarse(point.cells),
        smallest_count=None if smallest is None else rounded_count(smallest, base),
        readings=_coarse(dict(point.readings)),
        second_sample=_two_digits_or_none(point.second_sample),
    )


def _pattern(pattern: Pattern, base: int) -> Pattern | None:
    usage, support = rounded_count(pattern.usage, base), rounded_count(pattern.support, base)
    if usage is None or support is None:
        return None
    return replace(pattern, usage=usage, support=support, bits=None)


def _frequencies(found: Frequencies, base: int) -> Frequencies:
    values = tuple(
        ValueCount(
            value.label,
            value.told or rounded_count(value.original or 0, base),
            rounded_count(value.release or 0, base),
        )
        for value in found.values
    )
    return replace(found, values=tuple(v for v in values if v.original is not None))
