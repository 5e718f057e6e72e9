"""The paper, and the data sets with the settings of its Table 1."""

from __future__ import annotations

from dataclasses import dataclass

from halfmask.patterns.mining import Kind
from halfmask_reproduction.description import DataFile, Paper
from halfmask_reproduction.files import FILES

PAPER = Paper(
    name="generator",
    title="The generator",
    citation="J. Vreeken, M. van Leeuwen, A. Siebes: Privacy Preservation through Data "
    "Generation. Technical report UU-CS-2007-020, Utrecht University, and ICDM 2007.",
    preface="The settings are those of the report: Krimp without pruning, all frequent itemsets "
    "as candidates (closed ones for Mushroom), a Laplace correction of 0.001, as many rows drawn "
    "as the original has, means of ten runs. The weights are the plain usages of the code table, "
    "as published, not the corrected ones that `halfmask publish` may use. Two readings stand "
    "side by side where they differ: columns filled in **random order**, as the report's "
    "pseudo-code says, and in **column order**, as the authors' released program does it.",
)

LAPLACE = 0.001


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set of Table 1: its name there, its file, and how it is mined."""

    name: str
    min_support: int
    file: DataFile | None = None
    """None: drawn by the Quest generator."""
    candidates: Kind = "all"
    slow: bool = False
    """Whether one search takes seconds; a quick run then does two."""
    backwards: bool = False
    """Whether filling the columns from the last to the first is tried too."""
    rows: int = 0
    columns: int = 0

    @property
    def sources(self) -> tuple[DataFile, ...]:
        """The files it needs: one, or none."""
        return () if self.file is None else (self.file,)


DATA = (
    DataSet("Chess (kr-k)", 1, FILES["kr-k"]),
    DataSet("Iris", 1, FILES["iris"]),
    DataSet("Led7", 1, FILES["led7"]),
    DataSet("LetterRecog", 50, FILES["letter"], slow=True, backwards=True),
    DataSet("Mushroom", 20, FILES["mushroom"], candidates="closed"),
    DataSet("Nursery", 1, FILES["nursery"]),
    DataSet("PageBlocks", 1, FILES["page-blocks"]),
    DataSet("PenDigits", 50, FILES["pendigits"], slow=True),
    DataSet("Pima", 1, FILES["pima"]),
    DataSet("Quest A", 1, rows=4_000, columns=8),
    DataSet("Quest B", 1, rows=10_000, columns=16, slow=True),
)

SOURCES = tuple(file for data in DATA for file in data.sources)


def data_named(name: str) -> DataSet:
    """The data set that Table 1 calls so."""
    return next(data for data in DATA if data.name == name)
