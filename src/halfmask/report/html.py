"""A document, or those of a family, as one self-contained page: no network, no script, prints well.

A page: templates that escape what they print, and JSON that cannot end its own element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from halfmask.data import Schema
from halfmask.data.coding.notices import rare_accounts
from halfmask.judging.attacks import ATTACKS, TRACING
from halfmask.judging.verdict import Verdict
from halfmask.measures import Reading, Readings, Unmeasured
from halfmask.report.charts import MOST_ATTRIBUTES, charts
from halfmask.report.charts.distributions import attribute
from halfmask.report.document import Document
from halfmask.report.external import external_form, external_readings, external_verdict
from halfmask.report.promise import PromisePart
from halfmask.report.words import gain, interval, number, rounded, setting_label, share, title_of


def render(template: str, filters: Mapping[str, Callable[..., Any]], **values: Any) -> bytes:
    """The page that a template makes of these values, in UTF-8."""
    return environment(filters).get_template(template).render(**values).encode()


def environment(filters: Mapping[str, Callable[..., Any]], *more: str) -> Environment:
    """Templates that escape what they print: those of the report, and of packages before them."""
    found = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in (*more, "halfmask.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= filters
    return found


def embedded(machine: Mapping[str, Any]) -> Markup:
    r"""JSON for a script element; no value in it can end the element.

    >>> str(embedded({"name": "</script>"}))
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = msgspec.json.encode(machine).decode()
    for sign, code in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        text = text.replace(sign, code)
    return Markup(text)  # noqa: S704 - what could be markup was taken out


def pictures(drawn: Mapping[str, str] | Mapping[str, str | None]) -> dict[str, Markup]:
    """The pictures there are; the library that draws them escapes every label."""
    return {name: Markup(svg) for name, svg in drawn.items() if svg}  # noqa: S704


def report_bytes(document: Document) -> bytes:
    """The page in UTF-8; the same document gives the same bytes."""
    private = document.external and document.promise is not None
    return render(
        "private_external.html.j2" if private else "report.html.j2",
        filters(external=document.external),
        document=document,
        machine=embedded(document.machine),
        charts=pictures(charts(document)),
        attack_names=ATTACKS,
        independent=independent_words(document),
        **table_parts(document),
    )


def filters(*, external: bool) -> dict[str, Callable[..., Any]]:
    """How a template writes numbers; outside, without digits that were rounded away."""
    plain = rounded if external else number
    return {
        "number": plain,
        "gain": gain,
        "share": share,
        "title_of": title_of,
        "setting": setting_label,
        "value": lambda r: share(r.value) if r.unit == "share" else plain(r.value),
        "interval": interval,
    }


def table_parts(document: Document) -> dict[str, Any]:
    """What a template says of one table, ready to be written."""
    return {
        "rooms": _rooms(document.readings.items),
        "attacks": _attacks(document),
        "columns": _columns(document),
        "rare": _rare(document),
    }


def _rooms(items: Sequence[Reading | Unmeasured]) -> dict[str, list[Reading]]:
    """The readings at a glance: attacks have a section of their own."""
    apart = {*ATTACKS, *TRACING}
    measured = [item for item in items if isinstance(item, Reading) and item.name not in apart]
    return {
        room: [reading for reading in measured if reading.room == room]
        for room in ("quality", "privacy")
    }


LUCK = {"nas_excess": "nas", "unique_excess": "unique_found"}
"""Where luck alone shows as what independent columns get of another measure."""


@dataclass(frozen=True, slots=True)
class _ShownAttack:
    reading: Reading
    success: str
    control: str
    luck: str


def _attacks(document: Document) -> list[_ShownAttack]:
    found = {item.name: item for item in document.readings.measured}
    attacks = []
    for name in ATTACKS:
        if name in found:
            details = found[name].details
            luck = found[LUCK[name]].yardsticks.get("independent") if name in LUCK else None
            rates = (details.get("success"), details.get("control"), details.get("luck", luck))
            attacks.append(_ShownAttack(found[name], *map(_rate, rates)))
    return attacks


def _rate(rate: float | list[float] | None) -> str:
    """A rate: a number, or one with its interval."""
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
        if document.written is None or a.name in document.written
    ]


def independent_words(document: Document) -> str:
    """What a release without any relation gets: the end of the scale of DS."""
    ds = document.readings.taken("ds")
    if ds is None or "independent" not in ds.yardsticks:
        return ""
    return f" Independent columns have a DS of {number(ds.yardsticks['independent'])}."


def _rare(document: Document) -> list[str]:
    """The account of rare values; outside, without how many there were."""
    if not document.external:
        return list(rare_accounts(document.rare_values))
    return [
        f"Column {account.attribute!r}: rare values were grouped as {account.became!r}."
        if account.became is not None
        else f"Column {account.attribute!r}: rare values were left out."
        for account in document.rare_values
    ]


@dataclass(frozen=True, eq=False)
class FamilyDocument:
    """Everything that stands in the report of a family."""

    title: str
    version: str
    verdict: Verdict
    parent: str
    tables: Mapping[str, Document]
    """What would stand in the report of each table by itself, the parent first."""
    families: Mapping[str, Readings]
    """For each child table, what was kept of how parents and children belong together."""
    remarks: tuple[str, ...]
    machine: Mapping[str, Any]
    external: bool = False

    @property
    def promise(self) -> PromisePart | None:
        """What a private release of the family promises."""
        return self.tables[self.parent].promise

    @property
    def min_support(self) -> int:
        """Nothing that fewer parents hold is named."""
        return self.tables[self.parent].min_support


def external_family(document: FamilyDocument) -> FamilyDocument:
    """The same report without anything that could tell of few persons."""
    tables = {name: external_form(table) for name, table in document.tables.items()}
    families = {name: external_readings(found) for name, found in document.families.items()}
    verdict = external_verdict(document.verdict)
    if document.promise is not None:  # what was read off the originals is not paid for
        families = {}
        outside = [table.verdict for table in tables.values()]
        verdict = next((one for one in outside if one.word != "publish"), outside[0])
    machine = {
        "form": "external",
        "verdict": verdict.word,
        "reasons": list(verdict.reasons),
        "unit": document.parent,
        "tables": {name: table.machine for name, table in tables.items()},
        "families": {name: found.to_dict() for name, found in families.items()},
    }
    return replace(
        document,
        verdict=verdict,
        tables=tables,
        families=families,
        remarks=(),
        machine=machine,
        external=True,
    )


def family_bytes(document: FamilyDocument) -> bytes:
    """The page in UTF-8; the same document gives the same bytes."""
    parts = {name: table_parts(table) for name, table in document.tables.items()}
    return render(
        "family.html.j2",
        filters(external=document.external),
        document=document,
        machine=embedded(document.machine),
        parts=parts,
        charts=pictures(_charts(document)),
        most=MOST_ATTRIBUTES,
    )


def _charts(document: FamilyDocument) -> dict[str, str | None]:
    """The pictures of all attributes, counted through all tables: no two have one name."""
    found = {}
    for n, table in enumerate(document.tables.values()):
        for i, each in enumerate(table.frequencies[:MOST_ATTRIBUTES], start=n * MOST_ATTRIBUTES):
            found[f"attribute_{i}"] = attribute(each, i, table)
    return found
