"""Places: where the release of a file, its model and its report go."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from halfmask.io.addresses import address_of, is_address, refuse_network
from halfmask.io.forms import STANDARD, PathLike, form_for, split_name


def beside(source: PathLike, ending: str) -> Path:
    """Where something about a source goes: beside a file, for a database in the working folder.

    >>> beside("data/patients.csv.gz", ".schema.toml")
    PosixPath('data/patients.schema.toml')
    >>> beside("sqlite:////srv/clinic.db?table=patients", ".schema.toml")
    PosixPath('patients.schema.toml')
    """
    if is_address(source):
        return Path(f"{address_of(source).stem}{ending}")
    return Path(source).with_name(f"{split_name(Path(source).name)[0]}{ending}")


@dataclass(frozen=True, slots=True)
class Places:
    """The files of a publication; a place that is None is not written.

    >>> places = Places.of("data/patients.csv.gz")
    >>> places.release, places.model
    (PosixPath('data/patients.release.csv.gz'), PosixPath('data/patients.model.json'))
    >>> Places.of("patients.csv", "public/out.parquet").report
    PosixPath('public/out.report.html')
    >>> Places.of("-").release
    '-'
    >>> Places.of("sqlite:////srv/clinic.db?table=patients").release
    PosixPath('patients.release.parquet')
    """

    release: PathLike | None = None
    model: Path | None = None
    report: Path | None = None

    @classmethod
    def of(cls, source: PathLike | None, output: PathLike | None = None) -> Places:
        """Beside the input, or beside the output when one is named; nothing for data in memory.

        What belongs to a table of a database goes to the working folder. An output whose name does
        not tell its format is refused here, before the work.
        """
        refuse_network(source)
        refuse_network(output)
        named = source if output is None else output
        if named is None:
            return cls()
        if str(named) == STANDARD:
            return cls(release=STANDARD)
        if is_address(named):
            stem = address_of(named).stem.removesuffix("_release")
            release = Path(f"{stem}.release.parquet") if output is None else output
            return cls(release, Path(f"{stem}.model.json"), Path(f"{stem}.report.html"))
        if output is not None:
            form_for(output)
        base = Path(named)
        stem, ending = split_name(base.name)
        ending = ending.replace(".sas7bdat", ".xpt")  # which can be written
        stem = stem.removesuffix(".release")
        release = base.with_name(f"{stem}.release{ending}") if output is None else base
        return cls(
            release, base.with_name(f"{stem}.model.json"), base.with_name(f"{stem}.report.html")
        )

    @property
    def refused(self) -> Path | None:
        """The page that is written instead when a target is missed.

        >>> Places.of("patients.csv").refused
        PosixPath('patients.refused.html')
        """
        if self.report is None:
            return None
        stem = self.report.name.removesuffix(".report.html")
        return self.report.with_name(f"{stem}.refused.html")

    @property
    def all(self) -> tuple[PathLike, ...]:
        """Those that are written."""
        return tuple(p for p in (self.release, self.model, self.report) if p is not None)
