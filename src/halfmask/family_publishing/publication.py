"""FamilyPublication: the releases of a family with everything that speaks for and against them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from halfmask.judging.verdict import Verdict
from halfmask.measures import Readings
from halfmask.publishing.publication import Page, Publication
from halfmask.report.family import FamilyDocument, external_family, family_bytes


@dataclass(frozen=True, eq=False)
class FamilyReport(Page):
    """One page for all tables, in an internal form and in one that may go out."""

    document: FamilyDocument

    def bytes(self, *, external: bool = False) -> bytes:
        """The page as it stands in a file."""
        return family_bytes(external_family(self.document) if external else self.document)


@dataclass(frozen=True, eq=False)
class FamilyPublication:
    """The releases of a parent table and its child tables, and one verdict on all of them.

    `published["visits"]` is the publication of one table.
    """

    parent: str
    tables: Mapping[str, Publication]
    """The publication of each table by its name, the parent first."""
    families: Mapping[str, Readings]
    """For each child table, what was kept of how parents and children belong together."""
    verdict: Verdict
    remarks: tuple[str, ...] = ()
    """Sentences about all tables to read before publishing."""
    files: tuple[Path, ...] = ()

    def __getitem__(self, name: str) -> Publication:
        return self.tables[name]

    @property
    def data(self) -> dict[str, Any]:
        """The released rows of every table as the kind of dataframe that came in."""
        return {name: published.data for name, published in self.tables.items()}

    @property
    def report(self) -> FamilyReport:
        """The page that says whether to publish."""
        return FamilyReport(self.document)

    @property
    def document(self) -> FamilyDocument:
        """What the report says."""
        machine = {name: value for name, value in self.to_dict().items() if name != "files"}
        return FamilyDocument(
            title="Release report of a family of tables",
            version=version("halfmask"),
            verdict=self.verdict,
            parent=self.parent,
            tables={name: published.document for name, published in self.tables.items()},
            families=self.families,
            remarks=self.remarks,
            machine=machine,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the rows, in plain types."""
        return {
            "verdict": self.verdict.word,
            "reasons": list(self.verdict.reasons),
            "checks": [asdict(check) for check in self.verdict.checks],
            "unit": self.parent,
            "remarks": list(self.remarks),
            "tables": {name: published.machine for name, published in self.tables.items()},
            "families": {name: found.to_dict() for name, found in self.families.items()},
            "files": [str(path) for path in self.files],
        }
