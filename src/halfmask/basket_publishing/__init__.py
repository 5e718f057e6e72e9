"""From baskets to a release: read, make, measure, write."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halfmask.basket_publishing.measuring import read_measures
from halfmask.basket_publishing.methods import (
    Anatomy,
    BasketGenerator,
    BasketMethod,
    Distortion,
    Hiding,
    Lines,
    Made,
    Progress,
    Run,
)
from halfmask.data import Baskets, Release
from halfmask.errors import BadInput
from halfmask.io import files
from halfmask.io.forms import STANDARD, FileForm, FileOptions, PathLike, form_for
from halfmask.io.places import Places
from halfmask.io.writing import Outputs, check_free
from halfmask.measures import Readings
from halfmask.patterns.support import absolute_support
from halfmask.randomness import Randomness
from halfmask.report.baskets import BasketDocument, basket_report_bytes

__all__ = [
    "Anatomy",
    "BasketGenerator",
    "BasketMethod",
    "BasketPublication",
    "Distortion",
    "Hiding",
    "publish_baskets",
]


@dataclass(frozen=True, eq=False)
class BasketPublication:
    """A release of baskets with everything that speaks for and against publishing it."""

    release: Release
    baskets: Baskets
    """The rows as they are written."""
    original_size: int
    readings: Readings
    remarks: tuple[str, ...]
    """Sentences to read before publishing."""
    files: tuple[Path, ...] = ()

    @property
    def document(self) -> BasketDocument:
        """What the report says."""
        return BasketDocument(
            release=self.release,
            original_size=self.original_size,
            readings=self.readings,
            remarks=self.remarks,
            machine=self.to_dict(),
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the rows, in plain types."""
        return {
            "kind": self.release.kind,
            "method": self.release.method,
            "iso_class": self.release.iso_class,
            "claim": str(self.release.claim),
            "terms": dict(self.release.claim.terms),
            "baskets": len(self.baskets),
            "record": dict(self.release.record),
            "remarks": list(self.remarks),
            **self.readings.to_dict(),
            "files": [str(path) for path in self.files],
        }


def publish_baskets(  # noqa: PLR0913 - one keyword for each thing a steward may say
    source: Baskets | PathLike,
    *,
    method: BasketMethod,
    output: PathLike | None = None,
    seed: int | None = None,
    threads: int = 1,
    force: bool = False,
    reading: FileOptions | None = None,
    progress: Progress | None = None,
) -> BasketPublication:
    """Turn baskets (in memory or in a file) into a release, measured and written.

    With a file, the release, the tables its reader needs and its report are written beside it (or
    beside `output`); with baskets in memory nothing is written unless `output` says where.

    >>> rows = Baskets.of([["beer", "crisps"], ["tea"], ["beer"], ["crisps", "tea"]] * 50)
    >>> published = publish_baskets(rows, method=Distortion(keep=0.9), seed=1)
    >>> len(published.baskets), published.release.kind
    (200, 'distorted')
    """
    places = replace(Places.of(source, output), model=None)
    for path in (*places.all, *_beside(places, method.writes).values()):
        check_free(path, force=force)
    baskets, form = _read(source, reading)
    run = Run(Randomness(seed), threads, progress)
    made = method.make(baskets, run)
    floor = absolute_support(method.min_support, round(baskets.size))
    publication = BasketPublication(
        release=made.release,
        baskets=made.rows,
        original_size=round(baskets.size),
        readings=read_measures(baskets, made, min_support=floor, randomness=run.randomness),
        remarks=(*made.release.notes, *_remarks(baskets, made, floor, run)),
    )
    return _write(publication, made, places, form, force=force)


def _read(
    source: Baskets | PathLike, reading: FileOptions | None
) -> tuple[Baskets, FileForm | None]:
    if isinstance(source, Baskets):
        return source, None
    found = files.read(source, reading or FileOptions())
    if not isinstance(found, files.BasketFile):
        raise BadInput(
            f"{os.fspath(source)!r} holds a table, and this method publishes baskets; the method "
            "generator publishes tables."
        )
    return found.baskets, found.form


def _remarks(baskets: Baskets, made: Made, floor: int, run: Run) -> tuple[str, ...]:
    """What every method for baskets leaves to the steward."""
    remarks = []
    held = baskets.transactions.item_counts
    rare = (held > 0) & (held < floor) & (made.rows.transactions.item_counts > 0)
    if rare.any():
        remarks.append(
            f"{int(rare.sum()):,} items that fewer than {floor:,} baskets of the original hold "
            "stand in the release by name."
        )
    if run.randomness.seeded and made.release.kind in ("synthetic", "anatomised"):
        remarks.append("The randomness was seeded: whoever knows the seed can repeat the draws.")
    return tuple(remarks)


def _beside(places: Places, names: tuple[str, ...]) -> Mapping[str, Path]:
    """Where the tables go that belong to a release; nowhere when it goes to standard output."""
    if places.report is None:
        return {}
    stem = places.report.name.removesuffix(".report.html")
    return {name: places.report.with_name(f"{stem}.release.{name}.csv") for name in names}


def _write(
    publication: BasketPublication,
    made: Made,
    places: Places,
    form: FileForm | None,
    *,
    force: bool,
) -> BasketPublication:
    """Write what has a place, all of it or nothing."""
    if places.release is None:
        return publication
    if "unknown" in made.tables and places.report is None:
        raise BadInput("Unknown cells have a file of their own; name an output file, not '-'.")
    tables = _beside(places, tuple(made.tables))
    places_used = (places.release, *tables.values(), places.report)
    written = tuple(Path(p) for p in places_used if p is not None and str(p) != STANDARD)
    publication = replace(publication, files=written)
    with Outputs(force=force) as outputs:
        with outputs.open(places.release) as file:
            like = form_for(places.release, like=form)
            files.write(file, made.rows, like, release=made.release.kind)
        for name, path in tables.items():
            with outputs.open(path) as file:
                file.write(_csv(made.tables[name]()))
        if places.report is not None:
            with outputs.open(places.report) as file:
                file.write(basket_report_bytes(publication.document))
    return publication


def _csv(lines: Lines) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
