"""BasketPublication: a release, its verdict, its readings and its report."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from halfmask.api.measuring import Measured
from halfmask.basket_publishing.made import Lines
from halfmask.basket_publishing.orders import used_counts
from halfmask.data import Baskets, Release, Table
from halfmask.data.coding.fitting import RareValues
from halfmask.judging.dials import DialPoint
from halfmask.judging.verdict import Verdict
from halfmask.methods.baskets.model import BasketModel
from halfmask.publishing.publication import Judged
from halfmask.report.document import Document, ReleaseFile
from halfmask.report.frequencies import Frequencies


@dataclass(frozen=True, eq=False)
class BasketPublication(Judged):
    """A release with everything that speaks for and against publishing it."""

    release: Release
    baskets: Baskets | Table
    """The rows as they are written."""
    original_size: int
    min_support: int
    readings: Measured
    verdict: Verdict
    remarks: tuple[str, ...]
    """Sentences to read before publishing."""
    frequencies: tuple[Frequencies, ...] = ()
    rare: tuple[RareValues, ...] = ()
    model: BasketModel | None = None
    """What synthetic baskets were drawn from."""
    dials: tuple[DialPoint, ...] = ()
    """What meeting counts of more items together gives; none where no counts are met."""
    release_file: ReleaseFile | None = None
    """The file with the rows; the report names its checksum."""
    files: tuple[Path, ...] = ()
    log: Lines | None = field(default=None, repr=False)
    """The edits of a hiding method: they give the original back, so they stay in the house."""

    @property
    def document(self) -> Document:
        """What the report says."""
        return Document(
            title="Release report",
            version=version("halfmask"),
            verdict=self.verdict,
            release=self.release,
            release_file=self.release_file,
            original_rows=self.original_size,
            held_back=0,
            min_support=self.min_support,
            readings=self.readings,
            trade_off=(),
            patterns=(),
            frequencies=self.frequencies,
            remarks=self.remarks,
            rare_values=self.rare,
            machine=self.machine,
            dials=self.dials,
            margins=() if self.model is None else used_counts(self.model),
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the rows, in plain types."""
        return {
            **self.judgement(),
            "kind": self.release.kind,
            "method": self.release.method,
            "iso_class": self.release.iso_class,
            "claim": str(self.release.claim),
            "terms": dict(self.release.claim.terms),
            "rows": len(self.baskets),
            "record": dict(self.release.record),
            "remarks": list(self.remarks),
            **self.readings.to_dict(),
            **({"dials": [point.to_dict() for point in self.dials]} if self.dials else {}),
            "files": [str(path) for path in self.files],
        }
