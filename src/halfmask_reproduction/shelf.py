"""Shelf: the folder of public data files, each checked against its published digest when read."""

from __future__ import annotations

import csv
import gzip
import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from halfmask.data import Attribute, Baskets, Schema, Table
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput
from halfmask.io.given import Given
from halfmask_reproduction.description import DataFile

VARIABLE = "HALFMASK_DATA"
"""The environment variable that names the folder of data."""

BESIDE = Path("..", "shared", "data")
"""Where the data lie beside a checkout, unless told otherwise."""


@dataclass(frozen=True, eq=False)
class Shelf:
    """Files of one folder; nothing is read that is not what the description says.

    >>> Shelf.at("nowhere").check([DataFile("iris.csv.gz", "75d0", "the UCI repository")])
    Traceback (most recent call last):
    halfmask.errors.BadInput: There is no 'iris.csv.gz' in nowhere; it is published in the UCI
    repository. Put it there, or name the folder with --data or HALFMASK_DATA.
    """

    folder: Path
    instead: Mapping[str, str] = field(default_factory=dict)
    """Digests of other data under the same names, for trials on a small scale."""
    _verified: set[str] = field(default_factory=set, repr=False)

    @classmethod
    def at(cls, folder: str | Path | None) -> Shelf:
        """The folder named, or the one of the environment, or the one beside the checkout."""
        return cls(Path(folder or os.environ.get(VARIABLE) or BESIDE))

    def check(self, wanted: Iterable[DataFile]) -> None:
        """Refuse before the work begins when a file is missing or is not the published one."""
        for file in wanted:
            self.path(file)

    def path(self, file: DataFile) -> Path:
        """Where the file lies, once its digest was found to be right."""
        path = self.folder / file.name
        expected = self.instead.get(file.name, file.sha256)
        if file.name in self._verified:
            return path
        if not path.is_file():
            raise BadInput(
                f"There is no {file.name!r} in {self.folder}; it is published in {file.source}. "
                f"Put it there, or name the folder with --data or {VARIABLE}."
            )
        with path.open("rb") as content:
            found = hashlib.file_digest(content, "sha256").hexdigest()
        if found != expected:
            raise BadInput(
                f"{file.name!r} in {self.folder} is not the file of the experiments: its SHA-256 "
                f"is {found[:12]}… and not {expected[:12]}…; it is published in {file.source}."
            )
        self._verified.add(file.name)
        return path

    def table(self, file: DataFile) -> Table:
        """A coded table: see `coded_table`."""
        with gzip.open(self.path(file), "rt", newline="", encoding="utf-8") as lines:
            return coded_table(lines)

    def content(self, file: DataFile) -> bytes:
        """The file as it was before it was compressed."""
        with gzip.open(self.path(file), "rb") as content:
            return content.read()

    def baskets(self, file: DataFile) -> Baskets:
        """Baskets in the form of the FIMI repository."""
        found = Given(self.path(file)).read().content
        assert isinstance(found, Baskets)  # noqa: S101 - the description names its form
        return found


def coded_table(lines: Iterable[str]) -> Table:
    """A table whose cells are item numbers, each used in one column only; an empty cell is absent.

    The values of a column stand in the order of their numbers, which decides ties in a search.

    >>> coded_table(["a,class", "2,10", "1,9", ",9"]).codes.tolist()
    [[1, 1], [0, 0], [-1, 0]]
    """
    header, *rows = csv.reader(lines)
    cells = np.array([[int(cell or -1) for cell in row] for row in rows], np.int64)
    attributes, codes = [], np.empty(cells.shape, np.int32)
    for position, (name, column) in enumerate(zip(header, cells.T, strict=True)):
        values = np.unique(column[column >= 0])
        attributes.append(Attribute(name, tuple(map(str, values.tolist()))))
        codes[:, position] = np.where(column < 0, ABSENT, np.searchsorted(values, column))
    return Table(Schema(tuple(attributes)), codes)
