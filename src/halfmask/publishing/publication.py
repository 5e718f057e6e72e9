"""Publication: a release with everything that speaks for and against publishing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from halfmask.assets.lacks import Evaluation
from halfmask.data import Baskets, Release, Table
from halfmask.data.coding.filling import Filling
from halfmask.data.coding.fitting import RareValues
from halfmask.data.coding.notices import rare_accounts
from halfmask.estimators import Model
from halfmask.io.addresses import Address
from halfmask.io.baskets import baskets_to_arrow
from halfmask.io.forms import PathLike
from halfmask.io.frames import ARROW, from_table
from halfmask.io.given import Held
from halfmask.io.writing import write_bytes
from halfmask.judging.dials import DialPoint
from halfmask.judging.epsilons import EpsilonPoint
from halfmask.judging.tradeoff import Point
from halfmask.judging.used import UsedTable, used_counts, used_tables
from halfmask.judging.verdict import Verdict
from halfmask.measures import Readings
from halfmask.methods.method import Lines, Made
from halfmask.methods.private.promise import PromisedModel
from halfmask.publishing.measure_files import Measured
from halfmask.report.document import Document, Frequencies, ReleaseFile
from halfmask.report.external import external_form
from halfmask.report.html import FamilyDocument, external_family, family_bytes, report_bytes
from halfmask.report.promise import PromisePart
from halfmask.shown import folded, sentences, told

MOST_PATTERNS = 20
"""Patterns listed in the report; the model file holds them all."""


@dataclass(frozen=True, eq=False)
class Report:
    """One page a steward can sign, in an internal form and in one that may go out."""

    document: Document | FamilyDocument

    def _repr_html_(self) -> str:
        """What a notebook shows: the page itself, shut off from the notebook around it."""
        return (
            f'<iframe sandbox="allow-scripts" style="width: 100%; height: 60vh; border: 1px solid" '
            f'title="Release report" srcdoc="{escape(self.html())}"></iframe>'
        )

    def html(self, *, external: bool = False) -> str:
        """The page as text."""
        return self.bytes(external=external).decode()

    def save(self, path: PathLike, *, external: bool = False, force: bool = False) -> None:
        """Write the page; an existing file is not overwritten unless `force`."""
        write_bytes(path, self.bytes(external=external), force=force)

    def bytes(self, *, external: bool = False) -> bytes:
        """The page as it stands in a file."""
        document = self.document
        if isinstance(document, FamilyDocument):
            return family_bytes(external_family(document) if external else document)
        return report_bytes(external_form(document) if external else document)


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """One table, or baskets, as released: what was made, read off it and said about it."""

    made: Made
    held: Held
    """The form in which the original came."""
    readings: Measured
    verdict: Verdict
    min_support: int
    """Nothing that fewer original rows hold is named."""
    held_back: int = 0
    """How many rows of the original the method never saw."""
    remarks: tuple[str, ...] = ()
    """Sentences to read before publishing: the price of a target, doubts, rare values."""
    frequencies: tuple[Frequencies, ...] = ()
    """How often each value stands in the original and in the release, rare ones left out."""
    trade_off: tuple[Point, ...] = ()
    dials: tuple[DialPoint, ...] = ()
    """What other supports, and meeting counts of fewer or more columns together, would give."""
    lacks: Evaluation | None = None
    """What the release lacks of the steward's asset, if there is one."""
    release_file: ReleaseFile | None = None
    """The one file that the report speaks of."""
    epsilons: tuple[EpsilonPoint, ...] = ()
    """What other ε would give, of a private release."""
    in_all: str = ""
    """What all private releases of the same table come to, as a sentence."""

    @property
    def release(self) -> Release:
        """What may be published, with its claim and the record of how it was made."""
        return self.made.release

    @property
    def rows(self) -> Table | Baskets:
        """The released rows as a file shows them."""
        rows = self.made.rows
        return rows.whole if isinstance(rows, Filling) else rows

    @property
    def data(self) -> Any:
        """The released rows as what came in: the caller's kind of dataframe, or baskets."""
        rows = self.rows
        if isinstance(rows, Table):
            return from_table(rows, like=self.held.frame or ARROW)
        return baskets_to_arrow(rows) if self.held.file else self.held.as_baskets(rows)

    @property
    def model(self) -> Any:
        """What the release was drawn from; None for methods that draw nothing."""
        learnt = self.made.model
        return Model(learnt, self.held.frame) if self.made.is_drawn else learnt

    @property
    def log(self) -> Lines | None:
        """The edits of a hiding method: they give the original back, so they stay in the house."""
        return None if self.made.log is None else self.made.log()

    @property
    def rare(self) -> tuple[RareValues, ...]:
        """What became of values held by too few rows, an account for each column."""
        return () if self.made.encoding is None else self.made.encoding.rare

    @property
    def used(self) -> tuple[UsedTable, ...]:
        """The counts of the original that the release was made to match."""
        learnt = self.made.model
        if learnt is None:
            return ()
        return used_tables(learnt.margins) if self.made.is_drawn else used_counts(learnt)

    @property
    def document(self) -> Document:
        """What the report says."""
        learnt = self.made.model
        drawn = self.made.is_drawn
        listed = (
            sorted(learnt.code_table.patterns(), key=lambda p: (-p.usage, p.items)) if drawn else []
        )
        shown = [p for p in listed if p.usage >= self.min_support and len(p.items) > 1]
        apart = {*rare_accounts(self.rare), str(self.lacks)} if drawn else set()  # own places
        rows = round(self.made.original.size)
        return Document(
            title="Release report",
            version=version("halfmask"),
            verdict=self.verdict,
            release=self.release,
            release_file=self.release_file,
            original_rows=rows,
            held_back=self.held_back,
            min_support=self.min_support,
            readings=self.readings,
            trade_off=self.trade_off,
            patterns=tuple(shown[:MOST_PATTERNS]),
            frequencies=self.frequencies,
            remarks=tuple(r for r in self.remarks if r not in apart),
            rare_values=self.rare,
            dials=self.dials,
            margins=self.used,
            lacks=self.lacks,
            written=frozenset(self.made.rows.coded.schema.names)
            if isinstance(self.made.rows, Filling)
            else None,
            machine=self.machine,
            epsilons=self.epsilons,
            promise=PromisePart.of(learnt, self.in_all)
            if isinstance(learnt, PromisedModel)
            else None,
        )

    def _repr_html_(self) -> str:
        """What a notebook shows of one table: its verdict and its readings."""
        return self.verdict._repr_html_() + self.readings._repr_html_()

    @property
    def machine(self) -> dict[str, Any]:
        """What the report says for programs: where files lie is nobody else's business."""
        release, learnt = self.release, self.made.model
        patterns = None if learnt is None else len(learnt.code_table.sets)
        return {
            **judgement(self.verdict),
            "release_file": None if self.release_file is None else asdict(self.release_file),
            "kind": release.kind,
            "method": release.method,
            "iso_class": release.iso_class,
            "claim": str(release.claim),
            "terms": dict(release.claim.terms),
            "rows": round(release.size),
            "rows_held_back": self.held_back,
            **({} if patterns is None else {"patterns": patterns}),
            "record": dict(release.record),
            "remarks": list(self.remarks),
            **({} if self.lacks is None else {"lacks": self.lacks.summary()}),
            **self.readings.to_dict(),
            "trade_off": [point.to_dict() for point in self.trade_off],
            "dials": [point.to_dict() for point in self.dials],
            **({"epsilons": [p.to_dict() for p in self.epsilons]} if self.epsilons else {}),
        }


def judgement(verdict: Verdict) -> dict[str, Any]:
    """A verdict in plain types."""
    return {
        "verdict": verdict.word,
        "reasons": list(verdict.reasons),
        "checks": [asdict(check) for check in verdict.checks],
    }


@dataclass(frozen=True, eq=False)
class Publication:
    """A release, or the releases of a family, with everything that speaks for and against them.

    Of one table, or of baskets, `data`, `release`, `model` and `readings` are its own; of a family
    they are mappings by the names of the tables, and `published["visits"]` is one table of it.
    """

    tables: Mapping[str, PublishedTable]
    """What was published by name, the parent of a family first."""
    verdict: Verdict
    families: Mapping[str, Readings] = field(default_factory=dict)
    """For each child table, what was kept of how parents and children belong together."""
    remarks: tuple[str, ...] = ()
    """Sentences to read before publishing."""
    files: tuple[Path | Address | str, ...] = ()
    """What was written; the table of a database by its address, without user and password, and
    what lies on another file system by its own."""

    def __getitem__(self, name: str) -> PublishedTable:
        return self.tables[name]

    @property
    def is_family(self) -> bool:
        """Whether these are a parent table and its child tables."""
        return bool(self.families)

    @property
    def first(self) -> PublishedTable:
        """The only table, the baskets, or the parent of a family."""
        return next(iter(self.tables.values()))

    def _each(self, name: str) -> Any:
        if self.is_family:
            return {table: getattr(one, name) for table, one in self.tables.items()}
        return getattr(self.first, name)

    @property
    def data(self) -> Any:
        """The released rows as the kind of data that came in."""
        return self._each("data")

    @property
    def release(self) -> Any:
        """What may be published, with its claim and the record of how it was made."""
        return self._each("release")

    @property
    def model(self) -> Any:
        """What the release was drawn from; None for methods that draw nothing."""
        return self._each("model")

    @property
    def readings(self) -> Any:
        """What the release kept of its original and what it gave away."""
        return self._each("readings")

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict, the readings of each table, remarks and files."""
        parts = [self.verdict._repr_html_()]
        for name, table in self.tables.items():
            title = f"{name}: {table.held_back:,} rows held back, {round(table.release.size):,} out"
            parts.append(f"<p>{told(title)}</p>{table.readings._repr_html_()}")
        for name, readings in self.families.items():
            parts.append(f"<p>{told(f'parents and {name}')}</p>{readings._repr_html_()}")
        remarks = [*self.remarks] if self.is_family else [*self.first.remarks]
        parts.append(folded(f"{len(remarks)} remarks", sentences(remarks)))
        parts.append(folded(f"{len(self.files)} files", sentences(map(str, self.files))))
        return "".join(parts)

    @property
    def report(self) -> Report:
        """The page that says whether to publish."""
        return Report(self.document)

    @property
    def document(self) -> Document | FamilyDocument:
        """What the report says."""
        if not self.is_family:
            return self.first.document
        return FamilyDocument(
            title="Release report of a family of tables",
            version=version("halfmask"),
            verdict=self.verdict,
            parent=next(iter(self.tables)),
            tables={name: published.document for name, published in self.tables.items()},
            families=self.families,
            remarks=self.remarks,
            machine={name: value for name, value in self.to_dict().items() if name != "files"},
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the rows, in plain types."""
        files = [str(path) for path in self.files]
        if not self.is_family:
            return {**self.first.machine, "files": files}
        return {
            **judgement(self.verdict),
            "unit": next(iter(self.tables)),
            "remarks": list(self.remarks),
            "tables": {name: published.machine for name, published in self.tables.items()},
            "families": {name: found.to_dict() for name, found in self.families.items()},
            "files": files,
        }
