"""Books: every private release of a table is entered in its ledger before it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from halfmask.data import Baskets
from halfmask.documents.ledger import (
    LedgerEntry,
    composed,
    entry_of,
    fingerprint,
    read_ledger,
    write_ledger,
)
from halfmask.errors import BadInput
from halfmask.io.addresses import is_address
from halfmask.io.forms import STANDARD, PathLike, file_name
from halfmask.io.places import Places, beside
from halfmask.io.writing import check_free
from halfmask.methods.private.accounting import rho_of
from halfmask.methods.private.promise import PromisedModel
from halfmask.methods.private.settings import PrivateSettings
from halfmask.publishing.job import Job
from halfmask.publishing.original import Original
from halfmask.publishing.publication import Publication

ENDING = ".ledger.json"
NO_LEDGER = (
    "This release was entered in no ledger; name one (--ledger), so that further releases of the "
    "table add up."
)


@dataclass(frozen=True, slots=True)
class Books:
    """Where the releases of a table are added up, and those there were before."""

    place: Path | None
    before: tuple[LedgerEntry, ...] = ()
    release: str = ""
    """The name of the file that the release goes to."""

    @classmethod
    def of(cls, job: Job) -> Books:
        """The ledger of a job; a limit that it would exceed is refused before the work."""
        to = Places.of(job.one.path, None if job.is_family else job.request.output).release
        return cls.at(job.method, ledger_beside(job.one.path), to)

    @classmethod
    def at(cls, method: Any, default: Path | None, to: PathLike | None) -> Books:
        """The ledger that was named, or one at its usual place; none but for private releases."""
        if not isinstance(method, PrivateSettings):
            return cls(None)
        place = default if method.ledger is None else Path(method.ledger)
        if place is not None:
            check_free(place, force=True)
        before = () if place is None else read_ledger(place)
        found = cls(place, before, "" if to is None else file_name(to))
        if method.epsilon_in_all is not None:
            found.check_limit(method, method.epsilon_in_all)
        return found

    def check_limit(self, method: PrivateSettings, limit: float) -> None:
        """Refuse a release with which all of them would promise less than the limit."""
        if self.place is None:
            raise BadInput(
                "A limit on all releases (--epsilon-in-all) needs the ledger that they are entered "
                "in (--ledger FILE)."
            )
        rho = rho_of(method.epsilon, method.delta)
        new = LedgerEntry("", "", "", method.epsilon, method.delta, rho)
        total, _ = composed([*self.before, new])
        if total > limit * (1 + 1e-9):
            spent, _ = composed(self.before)
            raise BadInput(
                f"With this release of ε = {method.epsilon:g} all releases of the table would come "
                f"to ε = {total:.3g}, above the limit of {limit:g}; the {len(self.before):,} "
                f"before it come to {spent:.3g} ({self.place.name!r})."
            )

    def entered(self, publication: Publication, job: Job, original: Original) -> Publication:
        """Enter the release, and let the report say what all of them come to."""
        learnt = publication.first.made.model
        if not isinstance(learnt, PromisedModel):
            return publication
        if self.place is None:
            return _saying(publication, NO_LEDGER)
        entry = entry_of(
            learnt,
            date=datetime.now(UTC).date().isoformat(),
            release=self.release or next(iter(publication.tables)),
            table=fingerprint(_learnable(job, next(iter(original.held.values())).content)),
        )
        every = (*self.before, entry)
        write_ledger(self.place, every)
        return _saying(publication, sentence(every))


def _saying(publication: Publication, words: str) -> Publication:
    tables = {name: replace(one, in_all=words) for name, one in publication.tables.items()}
    return replace(publication, tables=tables)


def sentence(entries: Sequence[LedgerEntry]) -> str:
    """What releases come to, in words."""
    epsilon, delta = composed(entries)
    if len(entries) == 1:
        return "This is the first release that the ledger of this table knows."
    seeded = sum(entry.seeded for entry in entries)
    doubt = f" {seeded:,} of them drew noise from a seed and have no bound." if seeded else ""
    others = len({entry.table for entry in entries}) > 1
    changed = (
        " The table, or what was taken of it, has changed between them; people in all of its forms "
        "are meant."
        if others
        else ""
    )
    return (
        f"The ledger knows {len(entries):,} releases of this table; for a person in all of them "
        f"they come to ε = {epsilon:.3g} at δ = {delta:.3g}.{changed}{doubt}"
    )


def _learnable(job: Job, content: Any) -> Any:
    """Without the columns of a table that nobody looks at: they are not counted everywhere."""
    if isinstance(content, Baskets):
        return content
    unseen = job.method.unseen([column.name for column in content])
    return [column for column in content if column.name not in unseen]


def ledger_beside(source: PathLike | None) -> Path | None:
    """Where the ledger of a file is; of what is none it must be said."""
    if source is None or str(source) == STANDARD or is_address(source):
        return None
    return beside(source, ENDING)
