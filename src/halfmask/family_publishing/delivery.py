"""Delivery: the files of all tables of a family, all of them or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halfmask.documents.model import model_bytes
from halfmask.errors import BadInput
from halfmask.family_publishing.originals import Originals
from halfmask.family_publishing.publication import FamilyPublication
from halfmask.io import files
from halfmask.io.databases.addresses import is_address
from halfmask.io.forms import STANDARD, FileForm, PathLike, form_for
from halfmask.io.places import Places
from halfmask.io.writing import Outputs, check_free
from halfmask.report.document import ReleaseFile


@dataclass(frozen=True, slots=True)
class FamilyDelivery:
    """Where the tables go; the report stands with the parent."""

    places: Mapping[str, Places]
    report: Path | None
    external_report: PathLike | None
    folder: Path | None
    """A folder to be made for them, if there is none yet."""
    force: bool

    @classmethod
    def of(
        cls,
        tables: Mapping[str, Any],
        folder: PathLike | None,
        external_report: PathLike | None,
        *,
        force: bool,
    ) -> FamilyDelivery:
        """Beside each table, or in the folder named; refused before the work if it cannot be."""
        for place in (*tables.values(), *([] if folder is None else [folder])):
            if isinstance(place, str) and place == STANDARD:
                raise BadInput("A family has several tables; standard input and output carry one.")
        if folder is not None and is_address(folder):
            raise BadInput("The releases of a family are written to a folder, not to a database.")
        new = None if folder is None or Path(folder).is_dir() else Path(folder)
        if new is not None and (new.exists() or not new.parent.is_dir()):
            raise BadInput(f"{str(new)!r} is no folder, and none can be made there.")
        places = {name: _places(name, source, folder) for name, source in tables.items()}
        first = next(iter(places.values()))
        delivery = cls(places, first.report, external_report, new, force)
        for path in delivery.all:
            if new is None or Path(path).parent != new:
                check_free(path, force=force, read=tables.values())
        return delivery

    @property
    def refused(self) -> Places:
        """Where the page goes that is written instead when a target is missed."""
        return Places(report=self.report) if self.folder is None else Places()

    @property
    def all(self) -> tuple[PathLike, ...]:
        """Every file that is written."""
        pages = [p for p in (self.report, self.external_report) if p is not None]
        tables = [p for place in self.places.values() for p in (place.release, place.model) if p]
        return (*tables, *pages)

    def write(self, published: FamilyPublication, originals: Originals) -> FamilyPublication:
        """Write the releases first, so that the report can name their checksums."""
        if not self.all:
            return published
        if self.folder is not None:
            self.folder.mkdir(exist_ok=True)
        try:
            return self._write(published, originals)
        except BaseException:
            if self.folder is not None and not any(self.folder.iterdir()):
                self.folder.rmdir()
            raise

    def _write(self, published: FamilyPublication, originals: Originals) -> FamilyPublication:
        forms = {o.name: o.file for o in (originals.parent, *(c.table for c in originals.children))}
        with Outputs(force=self.force) as outputs:
            for name, places in self.places.items():
                published = _write_table(published, name, places, forms[name], outputs)
            for path, external in ((self.report, False), (self.external_report, True)):
                if path is not None:
                    with outputs.open(path) as file:
                        file.write(published.report.bytes(external=external))
        return replace(published, files=tuple(Path(path) for path in self.all))


def _places(name: str, source: Any, folder: PathLike | None) -> Places:
    """The files of one table; a dataframe's are named after the table."""
    if folder is None:
        return Places.of(source)
    beside = Places.of(source) if isinstance(source, str | Path) else Places.of(f"{name}.parquet")
    moved = [None if p is None else Path(folder) / Path(p).name for p in _three(beside)]
    return Places(*moved)


def _three(places: Places) -> tuple[PathLike | None, Path | None, Path | None]:
    return places.release, places.model, places.report


def _write_table(
    published: FamilyPublication,
    name: str,
    places: Places,
    form: FileForm | None,
    outputs: Outputs,
) -> FamilyPublication:
    table = published[name]
    if places.release is not None:
        with outputs.open(places.release) as file:
            form = form_for(places.release, like=form)
            files.write(file, table.filling, form, release=table.release.kind)
        found = ReleaseFile(Path(places.release).name, outputs.checksum(places.release))
        table = replace(table, release_file=found)
    if places.model is not None:
        with outputs.open(places.model) as file:
            file.write(model_bytes(table.model.learnt))
    return replace(published, tables={**published.tables, name: table})
