"""A document as one self-contained page: no network, no script, prints well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from halfmask.data import Schema
from halfmask.measures import Reading, Unmeasured
from halfmask.report.charts import charts
from halfmask.report.document import Document
from halfmask.report.words import ATTACKS, number, setting_label, share, title_of

__all__ = ["report_bytes"]


def report_bytes(document: Document) -> bytes:
    """The page in UTF-8; the same document gives the same bytes."""
    environment = Environment(
        loader=PackageLoader("halfmask.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number,
        "share": share,
        "title_of": title_of,
        "setting": setting_label,
        "value": _value,
        "interval": _interval,
    }
    page = environment.get_template("report.html.j2").render(
        document=document,
        machine=Markup(_json(document.machine)),  # noqa: S704 - "<" was taken out
        # The pictures are drawn by the library, which escapes every label.
        charts={name: Markup(svg) for name, svg in charts(document).items()},  # noqa: S704
        rooms=_rooms(document.readings.items),
        attacks=_attacks(document),
        columns=_columns(document),
        rare=_rare(document),
    )
    return page.encode()


def _json(machine: Mapping[str, Any]) -> str:
    """JSON in which no value can end the script element that holds it."""
    text = msgspec.json.encode(machine).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _value(reading: Reading) -> str:
    return share(reading.value) if reading.unit == "share" else number(reading.value)


def _interval(reading: Reading) -> str:
    return "" if reading.exact else f"{number(reading.low)} to {number(reading.high)}"


def _rooms(items: Sequence[Reading | Unmeasured]) -> dict[str, list[Reading]]:
    """The readings at a glance: attacks have a section of their own."""
    measured = [item for item in items if isinstance(item, Reading) and item.name not in ATTACKS]
    return {
        room: [reading for reading in measured if reading.room == room]
        for room in ("quality", "privacy")
    }


@dataclass(frozen=True, slots=True)
class _Attack:
    reading: Reading
    success: str
    control: str
    luck: str


def _attacks(document: Document) -> list[_Attack]:
    found = {item.name: item for item in document.readings.measured}
    return [
        _Attack(found[name], *(_rate(found[name], key) for key in ("success", "control", "luck")))
        for name in ATTACKS
        if name in found
    ]


def _rate(reading: Reading, key: str) -> str:
    """A rate among the particulars: a number, or one with its interval."""
    rate = reading.details.get(key)
    if rate is None:
        return "–"
    return share(float(rate[0] if isinstance(rate, list) else rate))


@dataclass(frozen=True, slots=True)
class _ColumnOfRelease:
    name: str
    storage: str
    values: int
    missing: bool


def _columns(document: Document) -> list[_ColumnOfRelease]:
    schema = document.release.schema
    if not isinstance(schema, Schema):
        return []
    return [
        _ColumnOfRelease(a.name, a.storage, sum(v is not None for v in a.values), None in a.values)
        for a in schema
    ]


def _rare(document: Document) -> list[str]:
    """The account of rare values; outside, without how many there were."""
    if not document.external:
        return [str(account) for account in document.rare_values]
    return [
        f"Column {account.attribute!r}: rare values were grouped as {account.became!r}."
        if account.became is not None
        else f"Column {account.attribute!r}: rare values were left out."
        for account in document.rare_values
    ]
