"""Delivery: the files of a publication, all of them or none, checked before the work begins."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from halfmask.documents.model import any_model_bytes
from halfmask.errors import BadInput, TargetNotMet
from halfmask.io import databases, files
from halfmask.io.addresses import Address, address_of, is_address
from halfmask.io.csv_tables import about_formulas, quoted_formula
from halfmask.io.forms import STANDARD, PathLike, file_name, form_for
from halfmask.io.given import Given
from halfmask.io.places import Places
from halfmask.io.writing import Outputs, check_free, write_bytes
from halfmask.methods.method import Lines
from halfmask.publishing.job import Job
from halfmask.publishing.publication import Publication, PublishedTable
from halfmask.report.document import ReleaseFile


@dataclass(frozen=True, slots=True)
class Delivery:
    """Where everything goes; a place that is None is not written."""

    places: Mapping[str, Places]
    """Of each table; the report stands with the first."""
    beside: Mapping[str, Path]
    """The tables that belong beside the release."""
    external_report: PathLike | None
    edit_log: PathLike | None
    folder: Path | None
    """A folder to be made for a family, if there is none yet."""
    force: bool
    keep_formulas: bool = False

    @classmethod
    def of(cls, job: Job) -> Delivery:
        """The places of a job; one that cannot be written to is refused before the work."""
        asked = job.request
        folder = _new_folder(job) if job.is_family else None
        places = {name: _places(job, name, given) for name, given in job.given.items()}
        first = next(iter(places.values()))
        delivery = cls(
            places,
            _beside(first, job.method.writes),
            asked.external_report,
            asked.edit_log,
            folder,
            asked.force,
            asked.keep_formulas,
        )
        if job.method.tables_needed and first.release is not None and first.report is None:
            raise BadInput(
                f"A release by the method {job.method.name} with these settings cannot be read "
                "without the table beside it; name an output file, not '-'."
            )
        sources = [given.path for given in job.given.values()]
        for path in delivery.all:
            if not is_address(path) and (folder is None or Path(path).parent != folder):
                check_free(path, force=asked.force, read=sources)
        if (table := delivery.table) is not None:
            if not job.method.has_model:
                raise BadInput("Only releases drawn from tables go to a database; name a file.")
            source = job.one.path
            origin = address_of(source) if source is not None and is_address(source) else None
            databases.check_table(table, source=origin, force=asked.force)
        return delivery

    @property
    def first(self) -> Places:
        """The places of the only table, or of the parent."""
        return next(iter(self.places.values()))

    @property
    def table(self) -> Address | None:
        """The table of a database that the release goes to, if it does not go to a file."""
        release = self.first.release
        return address_of(release) if release is not None and is_address(release) else None

    @property
    def all(self) -> tuple[PathLike, ...]:
        """Everything that is written."""
        tables = [p for place in self.places.values() for p in (place.release, place.model)]
        pages = [*self.beside.values(), self.first.report, self.external_report, self.edit_log]
        return tuple(p for p in (*tables, *pages) if p is not None)

    def refuse(self, publication: Publication) -> TargetNotMet:
        """The error to raise, once the page stands where the report of a release would.

        A page of an earlier refusal is left alone unless `force`: the sentence is what counts.
        """
        verdict = str(publication.verdict)
        place = None if self.folder is not None else self.first.refused
        if place is None:
            return TargetNotMet(f"{verdict} Nothing was written.")
        if place.exists() and not self.force:
            return TargetNotMet(
                f"{verdict} No release was written, and the page of an earlier refusal, "
                f"{place.name!r}, was left as it is."
            )
        write_bytes(place, publication.report.bytes(), force=self.force)
        return TargetNotMet(f"{verdict} No release was written; {place.name!r} gives the reasons.")

    def write(self, publication: Publication) -> Publication:
        """Write everything; a folder that was made for nothing goes again."""
        if self.folder is None:
            return self._write(publication)
        self.folder.mkdir(exist_ok=True)
        try:
            return self._write(publication)
        except BaseException:
            if not any(self.folder.iterdir()):
                self.folder.rmdir()
            raise

    def _write(self, publication: Publication) -> Publication:
        """The releases first, so that the reports can name their checksums.

        A table of a database is committed last, when every file has its name.
        """
        with Outputs(force=self.force) as outputs:
            tables = {
                name: self._released(publication[name], places, outputs)
                for name, places in self.places.items()
            }
            publication = replace(publication, tables=tables)
            if len(tables) == 1:
                publication = replace(publication, remarks=publication.first.remarks)
            for path, content in self._pages(publication).items():
                with outputs.open(path) as file:
                    file.write(content)
        written = (path for path in self.all if str(path) != STANDARD)
        return replace(publication, files=tuple(_written(path) for path in written))

    def _released(self, table: PublishedTable, places: Places, outputs: Outputs) -> PublishedTable:
        """The rows of one table in their place."""
        path, kind = places.release, table.release.kind
        if path is None:
            return table
        rows = table.made.rows
        if (address := self.table) is not None:
            staged = files.stage(rows, address, release=kind, force=self.force)
            outputs.wait_for(staged)
            return replace(table, release_file=ReleaseFile(address.words, None))
        form = form_for(path, like=table.held.file)
        with outputs.open(path) as file:
            kept = replace(form, keep_formulas=self.keep_formulas)
            quoted = files.write(file, rows, kept, release=kind)
        written = ReleaseFile(file_name(path), outputs.checksum(path))
        remarks = (*table.remarks, *about_formulas(quoted))
        return replace(table, release_file=written, remarks=remarks)

    def _pages(self, publication: Publication) -> dict[PathLike, bytes]:
        """The content of everything but the releases."""
        pages: dict[PathLike, bytes] = {}
        first = publication.first
        for name, path in self.beside.items():
            pages[path] = self._csv(first.made.tables[name]())
        if self.edit_log is not None and first.log is not None:
            pages[self.edit_log] = self._csv(first.log)
        for name, places in self.places.items():
            learnt = publication[name].made.model
            if places.model is not None and learnt is not None:
                pages[places.model] = any_model_bytes(learnt)
        if self.first.report is not None:
            pages[self.first.report] = publication.report.bytes()
        if self.external_report is not None:
            pages[self.external_report] = publication.report.bytes(external=True)
        return pages

    def _csv(self, lines: Lines) -> bytes:
        """A table as text; what a spreadsheet would compute is quoted as in the release."""
        text = io.StringIO(newline="")
        if not self.keep_formulas:
            lines = [[quoted_formula(str(cell)) for cell in line] for line in lines]
        csv.writer(text, lineterminator="\n").writerows(lines)
        return text.getvalue().encode()


def _new_folder(job: Job) -> Path | None:
    """The folder to make for a family; what cannot be one is refused."""
    output = job.request.output
    for place in (output, *(given.path for given in job.given.values())):
        if isinstance(place, str) and place == STANDARD:
            raise BadInput(
                "A family has several tables, and standard input and output carry only one."
            )
    if output is None:
        return None
    if is_address(output):
        raise BadInput("The releases of a family are written to a folder, not to a database.")
    new = None if Path(output).is_dir() else Path(output)
    if new is not None and (new.exists() or not new.parent.is_dir()):
        raise BadInput(f"{str(new)!r} is not a folder and cannot be created.")
    return new


def _places(job: Job, name: str, given: Given) -> Places:
    """The files of one table; those of data in memory are named after the table."""
    output = job.request.output
    if not job.is_family:
        places = Places.of(given.path, output)
        return places if job.method.has_model else replace(places, model=None)
    if output is None:
        return Places.of(given.path)
    beside = Places.of(given.path if given.path is not None else f"{name}.parquet")
    moved = (None if p is None else Path(output) / Path(p).name for p in _three(beside))
    return Places(*moved)


def _three(places: Places) -> tuple[PathLike | None, Path | None, Path | None]:
    return places.release, places.model, places.report


def _beside(places: Places, names: tuple[str, ...]) -> Mapping[str, Path]:
    """Where the tables go that belong to a release; nowhere when it is not written."""
    if places.report is None:
        return {}
    stem = places.report.name.removesuffix(".report.html")
    return {name: places.report.with_name(f"{stem}.release.{name}.csv") for name in names}


def _written(path: PathLike) -> Path | Address:
    return address_of(path) if is_address(path) else Path(path)
