"""The report of a release of baskets: what was promised, what was measured, what to read first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined

from halfmask.data import Release
from halfmask.measures import Readings

__all__ = ["BasketDocument", "basket_report_bytes"]


@dataclass(frozen=True, eq=False)
class BasketDocument:
    """Everything that stands in the report of one release of baskets."""

    release: Release
    original_size: int
    readings: Readings
    remarks: tuple[str, ...]
    machine: Mapping[str, Any]
    """The same for machines, embedded as JSON."""


def basket_report_bytes(document: BasketDocument) -> bytes:
    """One self-contained page in UTF-8: no network, no script."""
    environment = Environment(
        loader=PackageLoader("halfmask.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # "<" is escaped so that no value can end the script element that holds the JSON.
    machine = msgspec.json.encode(document.machine).decode().replace("<", "\\u003c")
    page = environment.get_template("baskets.html.j2").render(document=document, machine=machine)
    return page.encode()
