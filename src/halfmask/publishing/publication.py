"""Publication: a release with everything that speaks for and against publishing it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from halfmask.api.measuring import Measured
from halfmask.api.model import Model
from halfmask.assets.lacks import Evaluation
from halfmask.data import Margins, Release, Table
from halfmask.data.coding.filling import Filling
from halfmask.data.coding.fitting import RareValues
from halfmask.data.coding.notices import rare_accounts
from halfmask.io.databases.addresses import Address
from halfmask.io.forms import PathLike
from halfmask.io.writing import write_bytes
from halfmask.judging.dials import DialPoint
from halfmask.judging.tradeoff import Point
from halfmask.judging.verdict import Verdict
from halfmask.report.document import Document, ReleaseFile, UsedTable
from halfmask.report.external import external_form
from halfmask.report.frequencies import Frequencies
from halfmask.report.html import report_bytes

MOST_PATTERNS = 20
"""Patterns listed in the report; the model file holds them all."""


class Page(ABC):
    """One page a steward can sign, in an internal form and in one that may go out."""

    def html(self, *, external: bool = False) -> str:
        """The page as text."""
        return self.bytes(external=external).decode()

    def save(self, path: PathLike, *, external: bool = False, force: bool = False) -> None:
        """Write the page; an existing file is not overwritten unless `force`."""
        write_bytes(path, self.bytes(external=external), force=force)

    @abstractmethod
    def bytes(self, *, external: bool = False) -> bytes:
        """The page as it stands in a file."""


@dataclass(frozen=True, eq=False)
class Report(Page):
    """The page of one release."""

    document: Document

    def bytes(self, *, external: bool = False) -> bytes:
        """The page as it stands in a file."""
        return report_bytes(external_form(self.document) if external else self.document)


class Judged(ABC):
    """What every publication has: a verdict on a release, and the page that gives it."""

    verdict: Verdict
    release_file: ReleaseFile | None

    @property
    def report(self) -> Report:
        """The page that says whether to publish."""
        return Report(self.document)

    @property
    @abstractmethod
    def document(self) -> Document:
        """What the report says."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything but the rows, in plain types."""

    @property
    def machine(self) -> dict[str, Any]:
        """What the report says for programs: where files lie is nobody else's business."""
        return {name: value for name, value in self.to_dict().items() if name != "files"}

    def judgement(self) -> dict[str, Any]:
        """The verdict, and the file that it is about."""
        return {
            "verdict": self.verdict.word,
            "reasons": list(self.verdict.reasons),
            "checks": [asdict(check) for check in self.verdict.checks],
            "release_file": None if self.release_file is None else asdict(self.release_file),
        }


@dataclass(frozen=True, eq=False)
class Publication(Judged):
    """A release with everything that speaks for and against publishing it."""

    release: Release
    model: Model
    readings: Measured
    verdict: Verdict
    trade_off: tuple[Point, ...]
    dials: tuple[DialPoint, ...]
    """What other supports, and meeting counts of fewer or more columns together, would give."""
    remarks: tuple[str, ...]
    """Sentences to read before publishing: the price of a target, doubts, rare values."""
    rare: tuple[RareValues, ...]
    """What became of values held by too few rows, an account for each column."""
    frequencies: tuple[Frequencies, ...]
    """How often each value stands in the original and in the release, rare ones left out."""
    held_back: int
    """How many rows of the original the method never saw."""
    filling: Filling
    """The released rows, a value drawn for every bin when they are asked for."""
    lacks: Evaluation | None = None
    """What the release lacks of the steward's asset, if there is one."""
    release_file: ReleaseFile | None = None
    """The one file that the report speaks of."""
    files: tuple[Path | Address, ...] = ()
    """What was written; the table of a database by its address, without user and password."""

    @property
    def rows(self) -> Table:
        """The released rows as a file shows them."""
        return self.filling.whole

    @property
    def data(self) -> Any:
        """The released rows as the kind of dataframe that came in."""
        return self.model.framed(self.rows)

    @property
    def document(self) -> Document:
        """What the report says."""
        learnt = self.model.learnt
        floor = learnt.min_support
        listed = sorted(learnt.code_table.patterns(), key=lambda p: (-p.usage, p.items))
        shown = [p for p in listed if p.usage >= floor and len(p.items) > 1]
        # These have places of their own.
        apart = {*rare_accounts(self.rare), str(self.lacks)}
        return Document(
            title="Release report",
            version=version("halfmask"),
            verdict=self.verdict,
            release=self.release,
            release_file=self.release_file,
            original_rows=learnt.code_table.rows,
            held_back=self.held_back,
            min_support=floor,
            readings=self.readings,
            trade_off=self.trade_off,
            patterns=tuple(shown[:MOST_PATTERNS]),
            frequencies=self.frequencies,
            remarks=tuple(r for r in self.remarks if r not in apart),
            rare_values=self.rare,
            dials=self.dials,
            margins=used_tables(learnt.margins),
            lacks=self.lacks,
            written=frozenset(self.filling.coded.schema.names),
            machine=self.machine,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the rows, in plain types."""
        return {
            **self.judgement(),
            "rows": int(self.release.size),
            "rows_held_back": self.held_back,
            "patterns": len(self.model.learnt.code_table.sets),
            "record": dict(self.release.record),
            "remarks": list(self.remarks),
            **({} if self.lacks is None else {"lacks": self.lacks.summary()}),
            **self.readings.to_dict(),
            "trade_off": [point.to_dict() for point in self.trade_off],
            "dials": [point.to_dict() for point in self.dials],
            "files": [str(path) for path in self.files],
        }


def used_tables(margins: Margins | None) -> tuple[UsedTable, ...]:
    """The tables of the original whose counts a release meets."""
    tables = [
        UsedTable(str(margin), len(margin.cells), int(margin.counts.min()))
        for margin in margins or ()
    ]
    branches = None if margins is None else margins.branches
    if branches is not None and branches.trees:
        name = f"{branches.target} along {len(branches.trees):,} trees"
        tables.append(UsedTable(name, len(branches.counts), min(branches.counts)))
    return tuple(tables)
