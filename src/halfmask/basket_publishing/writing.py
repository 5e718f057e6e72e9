"""Writing a publication: everything that has a place, all of it or nothing."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from halfmask.basket_publishing.made import Lines, Made
from halfmask.basket_publishing.publication import BasketPublication
from halfmask.documents.basket_model import basket_model_bytes
from halfmask.errors import BadInput
from halfmask.io import files
from halfmask.io.forms import STANDARD, FileForm, PathLike, file_name, form_for
from halfmask.io.places import Places
from halfmask.io.writing import Outputs, check_free
from halfmask.report.document import ReleaseFile


@dataclass(frozen=True, slots=True)
class Written:
    """Where everything goes, checked before the work begins."""

    places: Places
    tables: Mapping[str, Path]
    """The tables that belong beside the release."""
    external_report: PathLike | None
    edit_log: PathLike | None
    force: bool

    @classmethod
    def of(  # noqa: PLR0913 - a source, and all that is written of it
        cls,
        source: object,
        places: Places,
        names: tuple[str, ...],
        *,
        external_report: PathLike | None,
        edit_log: PathLike | None,
        force: bool,
    ) -> Written:
        """The places of a source's release with tables of these names; none may be taken."""
        chosen = cls(places, _beside(places, names), external_report, edit_log, force)
        for path in chosen.all:
            check_free(path, force=force, read=[source])
        return chosen

    @property
    def all(self) -> tuple[PathLike, ...]:
        """All that is written."""
        more = (self.external_report, self.edit_log)
        return (*self.places.all, *self.tables.values(), *(p for p in more if p is not None))

    def write(
        self, publication: BasketPublication, made: Made, form: FileForm | None
    ) -> BasketPublication:
        """Write it; the publication then knows its files."""
        places = self.places
        if "unknown" in made.tables and places.release is not None and places.report is None:
            raise BadInput("Unknown cells have a file of their own; name an output file, not '-'.")
        with Outputs(force=self.force) as outputs:
            if places.release is not None:
                with outputs.open(places.release) as file:
                    like = form_for(places.release, like=form)
                    files.write(file, made.rows, like, release=made.release.kind)
                checksum = outputs.checksum(places.release)
                found = ReleaseFile(file_name(places.release), checksum)
                publication = replace(publication, release_file=found)
            pages: dict[PathLike, bytes] = {
                path: _csv(made.tables[name]()) for name, path in self.tables.items()
            }
            if self.edit_log is not None and publication.log is not None:
                pages[self.edit_log] = _csv(publication.log)
            if places.model is not None and made.model is not None:
                pages[places.model] = basket_model_bytes(made.model)
            if places.report is not None:
                pages[places.report] = publication.report.bytes()
            if self.external_report is not None:
                pages[self.external_report] = publication.report.bytes(external=True)
            for path, content in pages.items():
                with outputs.open(path) as file:
                    file.write(content)
        written = tuple(Path(path) for path in self.all if str(path) != STANDARD)
        return replace(publication, files=written)


def _beside(places: Places, names: tuple[str, ...]) -> Mapping[str, Path]:
    """Where the tables go that belong to a release; nowhere when it goes to standard output."""
    if places.report is None:
        return {}
    stem = places.report.name.removesuffix(".report.html")
    return {name: places.report.with_name(f"{stem}.release.{name}.csv") for name in names}


def _csv(lines: Lines) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
