"""Delivery: the files of a publication, all of them or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halfmask.documents.model import model_bytes
from halfmask.io import databases, files
from halfmask.io.databases.addresses import Address, address_of, is_address
from halfmask.io.forms import STANDARD, FileForm, PathLike, file_name, form_for
from halfmask.io.places import Places
from halfmask.io.writing import Outputs, check_free
from halfmask.publishing.publication import Publication
from halfmask.report.document import ReleaseFile


@dataclass(frozen=True, slots=True)
class Delivery:
    """Where everything goes; a place that is None is not written."""

    places: Places
    external_report: PathLike | None
    force: bool

    @classmethod
    def of(
        cls,
        source: Any,
        output: PathLike | None,
        external_report: PathLike | None,
        *,
        force: bool,
    ) -> Delivery:
        """The places of a source; one that cannot be written to is refused before the work."""
        delivery = cls(Places.of(source, output), external_report, force)
        for path in delivery.all:
            if not is_address(path):
                check_free(path, force=force, read=[source])
        if delivery.table is not None:
            original = address_of(source) if is_address(source) else None
            databases.check_table(delivery.table, source=original, force=force)
        return delivery

    @property
    def table(self) -> Address | None:
        """The table of a database that the release goes to, if it does not go to a file."""
        release = self.places.release
        return address_of(release) if release is not None and is_address(release) else None

    @property
    def all(self) -> Sequence[PathLike]:
        """Every file that is written."""
        outside = () if self.external_report is None else (self.external_report,)
        return (*self.places.all, *outside)

    def write(self, publication: Publication, form: FileForm | None) -> Publication:
        """Write the release first, so that the reports can name its checksum.

        A table is committed last, when every file has its name.
        """
        with Outputs(force=self.force) as outputs:
            if self.places.release is not None:
                publication = self._write_release(publication, form, outputs)
            if self.places.model is not None:
                with outputs.open(self.places.model) as file:
                    file.write(model_bytes(publication.model.learnt))
            for path, external in ((self.places.report, False), (self.external_report, True)):
                if path is not None:
                    with outputs.open(path) as file:
                        file.write(publication.report.bytes(external=external))
        written = tuple(_written(path) for path in self.all if str(path) != STANDARD)
        return replace(publication, files=written)

    def _write_release(
        self, publication: Publication, form: FileForm | None, outputs: Outputs
    ) -> Publication:
        path = self.places.release
        assert path is not None  # noqa: S101 - the caller looked
        kind = publication.release.kind
        if self.table is not None:
            staged = files.stage(publication.filling, self.table, release=kind, force=self.force)
            outputs.wait_for(staged)
            return replace(publication, release_file=ReleaseFile(self.table.words, None))
        with outputs.open(path) as file:
            files.write(file, publication.filling, form_for(path, like=form), release=kind)
        found = ReleaseFile(file_name(path), outputs.checksum(path))
        return replace(publication, release_file=found)


def _written(path: PathLike) -> Path | Address:
    return address_of(path) if is_address(path) else Path(path)
