"""The page of a family of tables: one verdict, and what it rests on table by table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from halfmask.judging.verdict import Verdict
from halfmask.measures import Readings
from halfmask.report.charts import MOST_ATTRIBUTES
from halfmask.report.charts.attributes import attribute
from halfmask.report.document import Document
from halfmask.report.external import external_form, external_readings, external_verdict
from halfmask.report.html import embedded, filters, pictures, render, table_parts


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
    def min_support(self) -> int:
        """Nothing that fewer parents hold is named."""
        return self.tables[self.parent].min_support


def external_family(document: FamilyDocument) -> FamilyDocument:
    """The same report without anything that could tell of few persons."""
    tables = {name: external_form(table) for name, table in document.tables.items()}
    families = {name: external_readings(found) for name, found in document.families.items()}
    verdict = external_verdict(document.verdict)
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
