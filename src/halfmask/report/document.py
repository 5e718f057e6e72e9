"""Document: what a report says, as plain values; nothing is computed here or later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from halfmask.choose.tradeoff import Point
from halfmask.choose.verdict import Verdict
from halfmask.data import Release
from halfmask.measures import Readings

__all__ = ["Document"]


@dataclass(frozen=True, eq=False)
class Document:
    """Everything that stands in the report of one release."""

    title: str
    verdict: Verdict
    release: Release
    readings: Readings
    trade_off: tuple[Point, ...]
    remarks: tuple[str, ...]
    """Sentences about rare values, rows held back and the like."""
    machine: Mapping[str, Any]
    """The same for machines, embedded as JSON."""
